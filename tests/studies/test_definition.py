"""The built-in studies are valid, and mistakes in study files are reported."""

import json
import subprocess
import sys

import pytest
from small_study import STUDY, write

from noctule.cli import main
from noctule.studies.analysis.claims import matches
from noctule.studies.definition import BUILT_IN, LIBRARY, SIZES, load_study
from noctule.studies.experiments import expand


@pytest.fixture
def maps(tmp_path):
    """A folder with a map for every study."""
    (tmp_path / "x.map.scen").touch()
    (tmp_path / "x.3dmap.3dscen").touch()
    return tmp_path


def test_every_file_is_listed():
    assert {file.stem for file in LIBRARY.glob("*.toml")} == set(BUILT_IN)


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in(name, maps):
    """All published numbers, claims and plots refer to existing series."""
    study = load_study(name)
    counts = []
    for size in SIZES:
        series, skipped = expand(study, size, maps)
        assert not skipped
        counts.append(sum(len(one.tasks) for one in series))
    assert counts == sorted(counts, reverse=True)
    labels = [one.label for one in series]
    asked = [entry[key] for entry in study.published for key in ("series", "to") if key in entry]
    for statement in study.statements:
        asked += [c[key] for c in statement["checks"] for key in ("series", "than") if key in c]
    asked += [pattern for plot in study.plots for pattern in plot.get("series", [])]
    for wanted in asked:
        for pattern in [wanted] if isinstance(wanted, str) else wanted:
            assert any(matches(label, pattern) for label in labels), pattern
    assert study.statements
    assert study.plots


def test_without_maps_the_rest_is_run():
    series, skipped = expand(load_study("plane"), "quick")
    assert series
    assert [one.label for one in skipped] == ["a*, theta*, lazy-theta*, *.map"]
    assert "give their folder with --maps FOLDER" in skipped[0].reason


def test_list(capsys):
    assert main(["study"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in BUILT_IN)
    assert main(["study", "--json"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == list(BUILT_IN)


def test_the_list_needs_no_compiler():
    code = (
        "import sys; from noctule.cli import main; main(['study']); print('numba' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.stdout.endswith("False\n"), ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('"a*", "theta*"]\nlimit', '"b*", "theta*"]\nlimit', "unknown algorithm 'b*'; did you"),
        ('algorithm = ["a*", "theta*"]\nlimit', "algorithm = []\nlimit", "is an empty list"),
        ('algorithm = ["a*", "theta*"]\nlimit', "limit", "algorithm is missing"),
        ('scene = "scene.json"', 'scene = "gone.json"', "there is no scene"),
        ('world = "noise"', 'maps = ["gone.3dmap"]', "there is no map"),
        ('world = "noise"', 'wrold = "noise"', "unknown key 'wrold'; did you mean world?"),
        ('world = "noise"', 'world = "city"', "world is 'city'; allowed are noise"),
        ('kind = "flights"', 'kind = "races"', "kind is 'races'; allowed are flights"),
        ("neighbours = 6", "neighbours = 5", "5"),
        ("neighbours = 6", 'graph = "navmesh"', "graph is 'navmesh'; expected one of cells"),
        ("repeat = 3", "repeat = 0", "repeat is below 1"),
        ('measure = "length"\nvalue = 7', 'measure = "lenght"\nvalue = 7', "unknown measure"),
        ('kind = "bars"', 'kind = "pie"', "kind is 'pie'; allowed are bars"),
        ("seed = 3", 'seed = "three"', "seed is 'three'"),
        ("seed = 3", "seed = ", "expected TOML"),
        ('label = "{algorithm} flies"', 'label = "flies"', "two series are named 'flies'"),
        ('label = "{algorithm} flies"', 'label = "{algo}"', "can't be filled in"),
    ],
)
def test_mistakes(tmp_path, capsys, before, after, told):
    assert before in STUDY
    file = write(tmp_path, STUDY.replace(before, after))
    out = tmp_path / "out"
    assert main(["study", str(file), "--out", str(out), "--jobs", "1"]) == 2
    assert told in capsys.readouterr().err.replace("\n", " ")
    assert not (out / "index.html").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["statik"], "there is no study 'statik'; did you mean static?"),
        (["gone.toml"], "gone.toml: no such file"),
        (["warframe"], "give their folder with --maps FOLDER"),
        (["warframe", "--maps", "nowhere"], "there is no such folder"),
        (["static", "--jobs", "0"], "--jobs is 0"),
    ],
)
def test_wrong_words(words, told, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["study", *words]) == 2
    assert told in capsys.readouterr().err.replace("\n", " ")
    assert not list(tmp_path.iterdir())

"""The command line as people and programs use it."""

import csv
import gc
import io
import json
import subprocess
import sys
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

import noctule as nt
from noctule.cli import COMMANDS, main
from noctule.commands.shared.tables import tracked

NO_HEAVY_IMPORTS = """
import sys
from noctule.cli import main
code = main(sys.argv[1:])
heavy = [name for name in ("numba", "numpy", "matplotlib") if name in sys.modules]
sys.exit(f"imported {heavy}" if heavy else code)
"""
PATH_FIELDS = {
    "found", "points", "nodes", "length", "expanded", "sight_checks", "sight_walks", "seconds",
    "bound", "reason", "algorithm", "radius", "blocked_ends", "restarted",
    "times", "foreseen", "engine", "reached_goal", "goal_distance", "cost",
}  # fmt: skip
QUERY_FIELDS = {"map", "unit", "cell", "origin", "start", "goal", "start_cell", "goal_cell"}
SPREAD = {"mean", "p50", "p95", "p99", "max"}


@pytest.fixture
def run(capsys):
    """Run the command in this process; returns exit code, stdout and stderr."""

    def run(*words):
        code = main([str(word) for word in words])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def run_json(run):
    """Run with --json; returns exit code and the one value printed, which must be strict JSON."""

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    def run_json(*words):
        code, out, err = run(*words, "--json")
        assert err == ""
        return code, json.loads(out, parse_constant=refuse)

    return run_json


@pytest.fixture
def wall(tmp_path):
    """A room of 8 x 8 x 8 cells with a wall that leaves a gap on top."""
    blocked = np.zeros((8, 8, 8), bool)
    blocked[4, :7, :] = True
    np.save(tmp_path / "wall.npy", blocked)
    return tmp_path / "wall.npy"


@pytest.fixture
def closed(tmp_path):
    """The same without the gap."""
    blocked = np.zeros((8, 8, 8), bool)
    blocked[4] = True
    np.save(tmp_path / "closed.npy", blocked)
    return tmp_path / "closed.npy"


def facts(out):
    """The names and values of a printed table."""
    pairs = [line.split("  ", 1) for line in out.splitlines() if "  " in line]
    return {name.strip(): value.strip() for name, value in pairs}


# ---------------------------------------------------------------------- help


@pytest.mark.parametrize(
    "words",
    [[], ["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)],
    ids=lambda words: " ".join(words) or "nothing",
)
def test_help_needs_no_compiler(words):
    command = [sys.executable, "-c", NO_HEAVY_IMPORTS, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()


def test_help_lists_the_commands(run):
    code, out, _ = run("--help")
    assert code == 0
    for name, (summary, _) in COMMANDS.items():
        assert f"{name} " in out
        assert summary in out


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_has_examples(run, name):
    code, out, _ = run(name, "--help")
    assert code == 0
    examples = out.partition("Examples:")[2]
    assert examples.count(f"noctule {name}") >= 2
    assert "--json" in out


def test_version(run):
    assert run("--version")[:2] == (0, f"{nt.__version__}\n")


def test_heuristics_are_those_of_the_library():
    from noctule.commands.shared.options import SearchOptions
    from noctule.planning.search_options import Heuristic

    offered = get_args(get_args(SearchOptions.__annotations__["heuristic"])[0])[0]
    assert get_args(offered) == get_args(Heuristic)


@pytest.mark.parametrize("words", [["algorithms", "--json"], ["plan", "none.npy", "0,0", "1,1"]])
def test_garbage_is_collected_as_before(run, words):
    before = gc.get_threshold()
    run(*words)
    assert gc.get_threshold() == before


@pytest.mark.parametrize("terminal", [False, True])
def test_progress_is_shown_on_terminals_only(monkeypatch, terminal):
    class Screen(io.StringIO):
        def isatty(self):
            return terminal

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Screen())
    assert list(tracked(iter("abc"), 3, "spelling")) == list("abc")
    assert ("spelling" in sys.stderr.getvalue()) == terminal


# ---------------------------------------------------------------------- plan


def test_plan_without_arguments(run, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    code, out, err = run("plan")
    assert (code, err) == (0, "")
    table = facts(out)
    assert table["map"] == "built-in asteroid field, 48 x 32 x 32 cells"
    assert table["start"] == "1.5,1.5,1.5 cells (cell 1,1,1)"
    assert table["goal"] == "46.5,30.5,30.5 cells (cell 46,30,30)"
    assert table["algorithm"] == "taut, radius 0.4 cells"
    assert (table["found"], table["verified"]) == ("yes", "yes")
    assert {"length", "points", "expanded", "sight checks", "milliseconds"} <= set(table)
    assert out.endswith("Picture saved: noctule-plan.png\n")
    assert (tmp_path / "noctule-plan.png").read_bytes().startswith(b"\x89PNG")


def test_plan_without_matplotlib(run, tmp_path, monkeypatch, wall):
    monkeypatch.chdir(tmp_path)
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    code, out, _ = run("plan")
    assert code == 0
    assert out.splitlines()[-1].endswith("pip install 'noctule[plot]'")
    code, out, err = run("plan", wall, "--cells", "0,0,0", "7,0,7", "--picture", "a.png")
    assert (code, out) == (2, "")
    assert err == "error: pictures need matplotlib: pip install 'noctule[plot]'\n"


def test_plan_on_the_built_in_map_takes_options(run_json, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, path = run_json("plan", "--algorithm", "astar", "--radius", "0")
    assert (code, path["algorithm"], path["radius"]) == (0, "a*", 0)
    assert path["map"] == "built-in asteroid field"
    assert list(tmp_path.iterdir()) == []


def test_plan_prints_what_the_library_finds(run, run_json, wall):
    grid = nt.Grid(nt.load_map(wall))
    expected = nt.plan(grid, (0.5, 0.5, 0.5), (7.5, 0.5, 7.5), "theta*", radius=0.4)
    words = ("plan", wall, "--cells", "0,0,0", "7,0,7", "--algorithm", "theta*", "--radius", "0.4")
    code, path = run_json(*words)
    assert code == 0
    assert set(path) == PATH_FIELDS | {"verified"} | QUERY_FIELDS
    fields = PATH_FIELDS - {"seconds"}
    assert {k: path[k] for k in fields} == {k: expected.to_dict()[k] for k in fields}
    assert (path["verified"], path["map"]) == (True, str(wall))
    assert (path["start"], path["goal"]) == ([0.5, 0.5, 0.5], [7.5, 0.5, 7.5])
    assert (path["start_cell"], path["goal_cell"]) == ([0, 0, 0], [7, 0, 7])

    code, out, err = run(*words)
    assert (code, err) == (0, "")
    table = facts(out)
    assert table["map"] == "wall.npy, 8 x 8 x 8 cells"
    assert table["length"] == f"{expected.length:.4f} cells"
    assert table["points"] == str(len(expected.points))
    assert table["expanded"] == f"{expected.expanded:,}"
    assert table["sight checks"] == f"{expected.sight_checks:,}"
    assert table["verified"] == "yes"


def test_plan_in_the_plane_counts_columns_then_rows(run_json, tmp_path):
    file = tmp_path / "a.map"
    file.write_text("type octile\nheight 2\nwidth 4\nmap\n....\n@@@.\n")
    code, path = run_json("plan", file, "--cells", "0,0", "3,1", "--algorithm", "a*")
    assert (code, path["length"]) == (0, 4)
    assert path["points"][0] == [0.5, 0.5]
    assert path["points"][-1] == [3.5, 1.5]


def test_plan_between_corners(run, run_json, wall):
    words = (
        "plan",
        wall,
        "--cells",
        "0,0,0",
        "8,8,8",
        "--nodes",
        "corners",
        "--algorithm",
        "theta*",
    )
    code, path = run_json(*words)
    assert (code, path["points"][0], path["points"][-1]) == (0, [0, 0, 0], [8, 8, 8])
    assert path["verified"] is True
    assert facts(run(*words)[1])["goal"] == "8,8,8 cells (cell 7,7,7)"


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ([], {}),
        (["--algorithm", "theta"], {"algorithm": "theta"}),
        (["--radius", "0.25"], {"radius": 0.25}),
        (["--weight", "1.5"], {"weight": 1.5}),
        (["--heuristic", "zero"], {"heuristic": "zero"}),
        (["--allow-inadmissible"], {"allow_inadmissible": True}),
        (["--hierarchical"], {"hierarchical": True}),
        (["--fewest-steps"], {"cost": "steps"}),
        (["--try-straight-line"], {"try_straight_line": True}),
        (["--prefer-clearance", "1.5"], {"prefer_clearance": 1.5}),
        (["--max-expanded", "900"], {"max_expanded": 900}),
        (["--time-limit", "2.5"], {"time_limit": 2.5}),
        (["--engine", "reference"], {"engine": "reference"}),
    ],
)
def test_plan_hands_options_on(run_json, wall, monkeypatch, words, options):
    asked = []

    class Spy(nt.Planner):
        def __init__(self, grid, *args, **kwargs):
            if grid.shape == (8, 8, 8):  # not the small world that loads compiled code
                asked.append(kwargs)
            super().__init__(grid, *args, **kwargs)

    monkeypatch.setattr(nt, "Planner", Spy, raising=False)
    code, _ = run_json("plan", wall, "--cells", "0,0,0", "7,0,7", *words)
    assert code == 0
    assert asked
    assert all(kwargs == options for kwargs in asked)


def test_the_engine_is_named(run, run_json, wall):
    words = ("plan", wall, "--cells", "0,0,0", "7,0,7", "--algorithm", "a*", "--engine")
    names = {engine: run_json(*words, engine)[1]["engine"] for engine in ("fast", "reference")}
    assert names["reference"] == "reference" != names["fast"]
    assert facts(run(*words, "fast")[1])["engine"] == names["fast"]
    assert "--engine" in run("compare", "--help")[1]


def test_neighbours_and_smoothing(run_json, wall):
    words = ("plan", wall, "--cells", "0,0,0", "3,1,1", "--algorithm", "a*")
    assert run_json(*words, "--neighbours", "6")[1]["length"] == 5
    straight = np.sqrt(11)
    for method in ("rubber-band", "greedy", "taut"):
        code, path = run_json(*words, "--smooth", method)
        assert (code, path["verified"], len(path["points"])) == (0, True, 2)
        assert path["length"] == pytest.approx(straight)
    assert run_json(*words)[1]["length"] > straight + 0.1


def test_no_path(run, run_json, closed):
    words = ("plan", closed, "--cells", "0,0,0", "7,7,7")
    code, path = run_json(*words)
    assert code == 1
    assert path["found"] is False
    assert path["verified"] is None
    assert path["length"] is path["bound"] is None
    assert path["reason"].startswith("there is no way")
    code, out, _ = run(*words, "--smooth", "greedy")
    table = facts(out)
    assert code == 1
    assert (table["found"], table["length"], table["verified"]) == ("no", "-", "-")
    assert table["reason"].startswith("there is no way")


def test_blocked_start_is_no_path(run_json, wall):
    code, path = run_json("plan", wall, "--cells", "4,0,0", "7,7,7")
    assert code == 1
    assert path["reason"] == "start (4.5, 0.5, 0.5) lies in blocked cell (4, 0, 0)"


def test_part_of_a_path(run, wall):
    code, out, _ = run("plan", wall, "--cells", "0,0,0", "7,0,7", "--max-expanded", "3")
    table = facts(out)
    assert code == 1
    assert table["found"] == "no, only a part of the way"
    assert "limit of 3 expansions" in table["reason"]
    assert table["verified"] == "yes"


def test_path_that_is_not_free_fails(run, run_json, wall, monkeypatch):
    from noctule.verification.verify import Violation

    monkeypatch.setattr(nt, "violations", lambda *_: iter([Violation(0, (1, 2, 3), 0.0)]), False)
    words = ("plan", wall, "--cells", "0,0,0", "7,0,7")
    code, out, err = run(*words)
    assert code == 1
    assert facts(out)["verified"] == "NO"
    assert err == "the path is not free: segment 0 comes within 0 of blocked cell (1, 2, 3)\n"
    code, out, _ = run(*words, "--json")
    assert (code, json.loads(out)["verified"]) == (1, False)


def test_picture(run, wall, tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "a.png"
    code, out, _ = run("plan", wall, "--cells", "0,0,0", "7,0,7", "--picture", file)
    assert code == 0
    assert out.endswith(f"Picture saved: {file}\n")
    assert file.read_bytes().startswith(b"\x89PNG")
    code, out, _ = run("plan", wall, "--cells", "0,0,0", "7,0,7", "--picture", file, "--json")
    assert (code, json.loads(out)["found"]) == (0, True)


def test_names_are_printed_as_they_are(run, tmp_path):
    file = tmp_path / "[red]:x:.npy"
    np.save(file, np.zeros((2, 2), bool))
    assert (
        facts(run("plan", file, "--cells", "0,0", "1,1")[1])["map"] == f"{file.name}, 2 x 2 cells"
    )


# ---------------------------------------------------------------------- units


@pytest.fixture
def house(tmp_path):
    """A house of 104 x 84 x 35 cells of 10 cm, with a door 60 cm wide."""
    blocked = np.zeros((104, 84, 35), bool)
    blocked[50] = True
    blocked[50, 40:46, :20] = False
    np.savez_compressed(tmp_path / "house.npz", blocked=blocked)
    return tmp_path / "house.npz"


def test_a_radius_is_in_world_units(run, run_json, house):
    """A drone of 40 cm is not taken for one of 4 cm."""
    words = ("plan", house, "1,1,1.5", "9,7,1.5", "--cell", "0.1", "--algorithm", "theta")
    code, path = run_json(*words, "--radius", "0.24")
    assert (code, path["found"], path["verified"], path["unit"]) == (0, True, True, "m")
    code, path = run_json(*words, "--radius", "0.4")
    assert (code, path["found"]) == (1, False)
    table = facts(run(*words, "--radius", "0.24")[1])
    assert table["map"] == "house.npz, 104 x 84 x 35 cells of 0.1 m"
    assert table["start"] == "1,1,1.5 m (cell 10,10,15)"
    assert table["length"].endswith(" m")
    assert table["algorithm"] == "theta*, radius 0.24 m"
    table = facts(run("plan", house, "10,10,15", "90,70,15", "--radius", "0.4")[1])
    assert table["algorithm"].endswith("radius 0.4 cells")


def test_any_point_can_be_a_start(run_json, wall):
    code, path = run_json("plan", wall, "1.5,1,1", "2.25,3,3", "--radius", "0.1")
    assert (code, path["points"][0], path["points"][-1]) == (0, [1.5, 1, 1], [2.25, 3, 3])
    assert (path["start"], path["start_cell"]) == ([1.5, 1, 1], [1, 1, 1])


def test_origin_cell_and_unit(run_json, wall):
    words = ("plan", wall, "--cell", "0.5", "--origin", "-1,10,0", "--unit", "feet")
    code, path = run_json(*words, "-0.75,10.25,0.25", "2.75,10.25,3.75")
    assert (code, path["start_cell"], path["goal_cell"]) == (0, [0, 0, 0], [7, 0, 7])
    assert (path["unit"], path["cell"], path["origin"]) == ("feet", 0.5, [-1, 10, 0])
    _, same = run_json(*words, "0,0,0", "7,0,7", "--cells")
    assert same["points"] == path["points"]


def test_boxes_to_avoid_are_in_world_units(tmp_path, run_json):
    np.save(tmp_path / "map.npy", np.zeros((12, 9), bool))
    words = ("plan", tmp_path / "map.npy", "0.25,2.25", "5.75,2.25", "--cell", "0.5")
    _, path = run_json(*words, "--avoid", "2.5,0:3.5,4=9")
    assert [5, 8] in path["nodes"]
    assert path["cost"] == pytest.approx(path["length"])
    _, path = run_json(*words, "--avoid", "2.6,0:3.4,4=9")  # the same cells
    assert path["cost"] == pytest.approx(path["length"])


# ---------------------------------------------------------------------- wrong input


FORM = "expected 3 numbers like 12.5,40.5,7.5"
WHOLE = "expected 3 whole numbers like 12,40,7"
SIZE = "outside the map of 8 x 8 x 8 cells; allowed are 0,0,0 to"
SPAN = "outside the map, which spans 0,0,0 to"
PLAN = "WALL 0,0,0 1,1,1"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("WALL 1,2 3,4,5", f"START is '1,2'; {FORM}"),
        ("WALL 1,2,3 3,4,x", f"GOAL is '3,4,x'; {FORM}"),
        ("WALL 1.5,2,3 3,4,5 --cells", f"START is '1.5,2,3'; {WHOLE}"),
        ("WALL 1,2,3 1,2,8 --cells", f"GOAL is 1,2,8, {SIZE} 7,7,7"),
        ("WALL -1,2,3 1,2,3 --cells", f"START is -1,2,3, {SIZE} 7,7,7"),
        ("WALL 0,0,9 1,2,3 --nodes corners --cells", f"START is 0,0,9, {SIZE} 8,8,8"),
        ("WALL 1,2,3 1,2,8.5", f"GOAL is 1,2,8.5, {SPAN} 8,8,8"),
        ("WALL -1,2,3 1,2,3", f"START is -1,2,3, {SPAN} 8,8,8"),
        (
            "WALL 1,2,3 4,5,6 --cell 0.5",
            f"GOAL is 4,5,6, {SPAN} 4,4,4; --cells takes indices of cells",
        ),
        ("WALL 1,2,3 4,5,6 --cell 0", "--cell is 0.0; it must be a number above 0"),
        ("WALL 1,2,3 4,5,6 --origin 0,0", "--origin is '0,0'; expected 3 numbers like"),
        (
            "WALL 1 18 18 8",
            "too many arguments: ['18', '8']. Write a point with commas and no blanks",
        ),
        ("WALL", "START is missing; expected a point like 12.5,40.5,7.5 after the map"),
        ("WALL 1,2,3", "GOAL is missing; expected a point like 12.5,40.5,7.5 after the map"),
        ("none.3dmap 1,2,3 1,2,3", "none.3dmap: no such file or directory"),
        ("a.txt 1,2,3 1,2,3", "a.txt: expected a name that ends in one of .3dmap[.gz], .map[.gz]"),
        (f"{PLAN} --algorithm lazy", "unknown algorithm 'lazy'; did you mean lazy-theta*"),
        (f"{PLAN} --radius -1", "radius is -1.0; it must be a number of at least 0"),
        (f"{PLAN} --radius x", "Invalid value for --radius"),
        (f"{PLAN} --neighbours 8", "neighbours is 8; a 3-D grid has 6, 18, 26"),
        (f"{PLAN} --smooth no", 'Invalid value "no" for --smooth'),
        (
            f"{PLAN} --picture a.foo",
            "--picture is 'a.foo'; expected a name that ends in .png, .pdf",
        ),
        (f"{PLAN} --picture no/a.png", "--picture is 'no/a.png'; there is no folder 'no'"),
        (f"{PLAN} --raduis 1", "Unknown option: --raduis. Did you mean --radius?"),
        ("--scenarios a.scen", "MAP is missing; --scenarios needs the map that its queries are"),
        ("WALL --scenarios a.scen", "a.scen: no such file or directory"),
        ("WALL 0,0,0 --scenarios a.scen", "START is '0,0,0'; with --scenarios it is not allowed"),
        ("WALL --scenarios a.scen --every 0", "--every is 0; expected a whole number from 1 on"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_wrong_input(run, wall, tmp_path, monkeypatch, words, message, as_json):
    monkeypatch.chdir(tmp_path)
    words = [str(wall) if word == "WALL" else word for word in words.split()]
    code, out, err = run("plan", *words, *["--json"] * as_json)
    if as_json:
        assert (code, err) == (2, "")
        said = json.loads(out)
        assert said["error"].startswith(message)
        assert said["exit_code"] == 2
    else:
        assert (code, out) == (2, "")
        assert err.startswith(f"error: {message}")
        assert err.count("\n") == 1
    assert list(tmp_path.glob("*.png")) == []


def test_broken_map(run, tmp_path):
    file = tmp_path / "a.3dmap"
    file.write_text("voxel 2 2\n")
    code, out, err = run("plan", file, "--cells", "0,0,0", "1,1,1")
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {file}:1: expected 'voxel X Y Z'")


def test_unknown_command(run):
    code, out, err = run("plam")
    assert (code, out) == (2, "")
    assert "plam" in err
    assert "plan" in err


def test_exit_code_of_the_process(wall):
    start = [sys.executable, "-c", "import sys; from noctule.cli import main; sys.exit(main())"]
    for words, code in (
        (["plan", str(wall), "--cells", "0,0,0", "7,7,7", "--json"], 0),
        (["plan", str(wall), "--cells", "4,0,0", "7,7,7", "--json"], 1),
        (["plan", str(wall), "--cells", "0,0", "7,7,7", "--json"], 2),
    ):
        done = subprocess.run([*start, *words], capture_output=True, text=True, timeout=300)
        assert done.returncode == code
        assert "Traceback" not in done.stderr
        assert done.stderr == ""
        assert ("error" in json.loads(done.stdout)) == (code == 2)


# ---------------------------------------------------------------------- scenarios


@pytest.fixture
def room(tmp_path):
    """A map of 6 x 1 cells with twelve scenarios on it, the last two with wrong lengths."""
    (tmp_path / "room.map").write_text("type octile\nheight 1\nwidth 6\nmap\n....@.\n")
    right = [f"0 room.map 6 1 0 0 {x} 0 {x}.00000000" for x in (1, 2, 3, 3, 2, 1, 1, 2, 3, 1)]
    wrong = ["0 room.map 6 1 0 0 3 0 2.50000000", "0 room.map 6 1 1 0 5 0 4.00000000"]
    (tmp_path / "right.scen").write_text("\n".join(["version 1", *right]))
    (tmp_path / "all.scen").write_text("\n".join(["version 1", *right, *wrong]))
    (tmp_path / "wrong.scen").write_text("\n".join(["version 1", *wrong[:1] * 7]))
    return tmp_path


def test_scenarios_that_match(run, run_json, room):
    words = ("plan", room / "room.map", "--scenarios", room / "right.scen")
    code, result = run_json(*words)
    assert code == 0
    assert (result["scenarios"], result["matching"]) == (10, 10)
    assert result["worst_difference"] == pytest.approx(0, abs=1e-9)
    assert set(result["expanded"]) == set(result["milliseconds"]) == SPREAD
    assert result["expanded"]["max"] >= result["expanded"]["p95"] >= result["expanded"]["p50"] > 0
    assert result["milliseconds"]["max"] >= result["milliseconds"]["mean"] > 0
    assert (result["algorithm"], result["neighbours"]) == ("a*", 8)
    assert "verified" not in result
    code, out, _ = run(*words)
    assert (code, facts(out)["matching"]) == (0, "10 of 10")
    assert facts(out)["scenarios"] == "right.scen, 10 of 10"


def test_every_counts_from_the_first(run_json, room):
    words = ("plan", room / "room.map", "--scenarios", room / "all.scen", "--every")
    assert [run_json(*words, k)[1]["scenarios"] for k in (1, 5, 11, 100)] == [12, 3, 2, 1]
    assert [run_json(*words, k)[0] for k in (6, 10)] == [0, 1]


def test_scenarios_that_differ(run, run_json, room):
    words = ("plan", room / "room.map", "--scenarios", room / "all.scen")
    code, result = run_json(*words)
    assert code == 1
    assert (result["scenarios"], result["matching"]) == (12, 10)
    assert result["worst_difference"] is None  # the last has no path at all
    code, out, _ = run(*words)
    assert code == 1
    assert facts(out)["matching"] == "10 of 12"
    assert "query 11: 0,0 to 3,0: 3.000000, published 2.5\n" in out
    assert "query 12: 1,0 to 5,0: no path (there is no way" in out


def test_five_mismatches_are_listed(run, run_json, room):
    words = ("plan", room / "room.map", "--scenarios", room / "wrong.scen")
    assert run_json(*words)[1]["worst_difference"] == pytest.approx(0.5)
    code, out, _ = run(*words)
    assert code == 1
    assert out.count("published 2.5") == 5
    assert out.endswith("and 2 more that differ\n")


def test_scenarios_can_be_verified(run_json, room, monkeypatch):
    words = ("plan", room / "room.map", "--scenarios", room / "right.scen", "--verify")
    code, result = run_json(*words)
    assert (code, result["verified"]) == (0, 10)
    monkeypatch.setattr(nt, "verify", lambda *_: False, raising=False)
    code, result = run_json(*words)
    assert (code, result["verified"], result["matching"]) == (1, 0, 10)


def test_scenarios_of_another_map(run, room, wall):
    code, _, err = run("plan", wall, "--cells", "--scenarios", room / "right.scen")
    assert code == 2
    assert err.endswith("right.scen is for 2-D maps; the map has 3\n")
    (room / "small.map").write_text("type octile\nheight 1\nwidth 2\nmap\n..\n")
    code, _, err = run("plan", room / "small.map", "--scenarios", room / "right.scen")
    assert code == 2
    assert "goal of query 2 in" in err
    assert "is 2,0, outside the map of 2 x 1 cells" in err


@pytest.mark.parametrize(
    ("name", "scenarios", "every"),
    [
        ("warframe/Simple.3dmap", "warframe/Simple.3dmap.3dscen", 400),
        ("warframe/Complex.3dmap", "warframe/Complex.3dmap.3dscen", 2500),
        ("grid2d/arena.map", "grid2d/arena.map.scen", 4),
        ("grid2d/maze512-32-9.map", "grid2d/maze512-32-9.map.scen", 3000),
    ],
)
def test_published_lengths(run_json, data, name, scenarios, every):
    code, result = run_json("plan", data / name, "--scenarios", data / scenarios, "--every", every)
    assert code == 0
    assert result["scenarios"] == result["matching"] > 0
    assert result["worst_difference"] < 1e-3


# ---------------------------------------------------------------------- compare


def rows(out):
    """The rows of the printed table, by algorithm."""
    lines = out.splitlines()
    rule = next(i for i, line in enumerate(lines) if line.startswith("─"))
    return {line.split()[0]: line.split() for line in lines[rule + 1 :] if len(line.split()) == 8}


def test_compare(run, run_json, wall):
    names = ["a*", "theta*", "lazy-theta*"]
    words = (
        "compare",
        wall,
        "--cells",
        "0,0,0",
        "7,0,7",
        "--algorithms",
        "a*,theta, lazy-theta,astar",
    )
    code, result = run_json(*words)
    assert code == 0
    assert [path["algorithm"] for path in result["paths"]] == names
    assert set(result) == QUERY_FIELDS | {"paths", "change", "left_out"}
    assert set(result["paths"][0]) == PATH_FIELDS | {"smooth", "verified", "repair"}
    assert (result["start_cell"], result["goal_cell"]) == ([0, 0, 0], [7, 0, 7])
    assert (result["start"], result["map"]) == ([0.5, 0.5, 0.5], str(wall))

    code, out, err = run(*words)
    assert (code, err) == (0, "")
    table = rows(out)
    assert list(table) == names
    lengths = {path["algorithm"]: path["length"] for path in result["paths"]}
    shortest = min(lengths.values())
    for name, length in lengths.items():
        star = "*" if length == pytest.approx(shortest) else ""
        assert table[name][1] == f"{length:.4f}{star}"
        assert table[name][2] == f"{length / shortest:.3f}"
        assert table[name][7] == "yes"
    assert lengths["a*"] > shortest
    assert sum(row[6].endswith("*") for row in table.values()) == 1


def test_compare_smooths_paths(run, run_json, wall):
    words = ("compare", wall, "--cells", "0,0,0", "7,0,7", "--algorithms")
    code, result = run_json(*words, "a*, a*+rubber-band, astar + taut, a*+taut")
    assert code == 0
    assert [path["smooth"] for path in result["paths"]] == [None, "rubber-band", "taut"]
    lengths = [path["length"] for path in result["paths"]]
    assert lengths[0] > lengths[1] > lengths[2]
    assert "a* + rubber-band " in run(*words, "a*+rubber-band")[1]
    code, _, err = run(*words, "a*+rubber")
    assert code == 2
    assert "'a*+rubber'; after the + it may have rubber-band, greedy, taut" in err


def test_compare_counts_the_fastest_of_three_runs_after_the_first(run_json, wall, monkeypatch):
    class Slow(nt.Planner):
        def plan(self, start, goal):
            return replace(super().plan(start, goal), seconds=next(seconds))

    seconds = iter([0.1, 0.1, 3, 1, 2, *[9] * 9])  # the first chooses the change
    monkeypatch.setattr(nt, "Planner", Slow, raising=False)
    _, result = run_json("compare", wall, "--cells", "0,0,0", "7,0,7", "--algorithms", "a*")
    assert result["paths"][0]["seconds"] == 1
    assert next(seconds) == 9


REMEMBERING = [row.name for row in nt.algorithms() if row.keeps_search and not row.corners_only]


def test_compare_shows_the_first_plan_of_searches_that_remember(run, run_json, wall):
    """Not a repeated one, which expands nothing; and a repair after one change for all."""
    words = (
        "compare",
        wall,
        "--cells",
        "0,0,0",
        "7,0,7",
        "--algorithms",
        ",".join([*REMEMBERING, "a*"]),
    )
    code, result = run_json(*words)
    assert code == 0
    grid = nt.Grid(np.load(wall))
    ends = grid.centre((0, 0, 0)), grid.centre((7, 0, 7))
    change = result["change"]
    ends_of_box = zip(change["low_cell"], change["high_cell"], strict=True)
    box = tuple(slice(a, b + 1) for a, b in ends_of_box)
    inside = np.zeros(grid.shape, bool)
    inside[box] = True
    assert change["start"] == grid.centre(change["start_cell"]).tolist()
    for end in (change["start_cell"], [7, 0, 7]):
        inside[tuple(end)] = False
    cells = np.argwhere(inside & ~grid.blocked)
    assert len(cells) == change["cells"] > 0
    paths = {path["algorithm"]: path for path in result["paths"]}
    assert paths["a*"]["repair"] is None
    for name in REMEMBERING:
        planner = nt.Planner(grid, name)
        first = planner.plan(*ends)
        assert paths[name]["expanded"] == first.expanded > 0
        grid.block(cells)
        repaired = [planner.plan(change["start"], ends[1])]
        grid.free(cells)
        repaired.append(planner.plan(change["start"], ends[1]))
        repair = paths[name]["repair"]
        assert repair["expanded"] == sum(path.expanded for path in repaired)
        assert repair["verified"]
        assert repair["seconds"] > 0

    code, out, _ = run(*words)
    assert code == 0
    _, below = out.split("repair of")
    table = {line.split()[0]: line.split() for line in below.splitlines() if "yes" in line}
    assert list(table) == [name for name in paths if name in REMEMBERING]
    for name in REMEMBERING:
        assert table[name][1] == f"{paths[name]['repair']['expanded']:,}"
    start = ",".join(map(str, change["start_cell"]))
    assert f"The agent is one node farther on, in cell {start}; the {change['cells']} free" in below


def test_compare_times_no_first_use(run_json, wall, monkeypatch):
    """All that a planner does has been done before by another one of its kind."""
    done = {}

    class Spy(nt.Planner):
        def plan(self, start, goal):
            what = tuple(map(tuple, (start, goal))), bool(self.graph.blocked[3].any())
            done.setdefault(self.options.algorithm.name, {}).setdefault(id(self), []).append(what)
            kept.append(self)
            path = super().plan(start, goal)
            return replace(path, seconds=float(len(done[path.algorithm])))

    kept = []
    monkeypatch.setattr(nt, "Planner", Spy, raising=False)
    _, result = run_json("compare", wall, "--cells", "0,0,0", "7,0,7", "--algorithms", "d*-lite")
    (path,) = result["paths"]
    assert path["seconds"] == 2.0  # of the second planner, the first that counts
    assert path["repair"]["seconds"] == 4.0
    rounds = list(done["d*-lite"].values())
    assert all(plans == rounds[0] for plans in rounds)
    assert len(rounds[0]) == 3


def test_compare_of_a_short_path_has_no_repair(run, run_json, wall):
    words = ("compare", wall, "--cells", "0,0,0", "2,0,0", "--algorithms", "a*,d*-lite")
    code, result = run_json(*words)
    assert (code, result["change"]) == (0, None)
    assert [path["repair"] for path in result["paths"]] == [None, None]
    assert "repair" not in run(*words)[1]


def test_plan_times_no_first_use(run_json, wall, monkeypatch):
    """Quick plans are timed the second time, in which nothing is loaded."""
    seconds = iter([0.4, 0.01])

    class Slow(nt.Planner):
        def plan(self, start, goal):
            path = super().plan(start, goal)
            return replace(path, seconds=next(seconds)) if self.graph.shape == (8, 8, 8) else path

    monkeypatch.setattr(nt, "Planner", Slow, raising=False)
    assert run_json("plan", wall, "--cells", "0,0,0", "7,0,7")[1]["seconds"] == 0.01
    seconds = iter([1.5])
    assert run_json("plan", wall, "--cells", "0,0,0", "7,0,7")[1]["seconds"] == 1.5


def test_scenarios_count_the_first_plan_of_searches_that_remember(run_json, tmp_path):
    (tmp_path / "a.map").write_text("type octile\nheight 4\nwidth 4\nmap\n" + "....\n" * 4)
    (tmp_path / "a.scen").write_text("version 1\n0\ta.map\t4\t4\t0\t0\t3\t3\t4.24264\n")
    words = ("plan", tmp_path / "a.map", "--scenarios", tmp_path / "a.scen")
    for name in ("a*", "d*-lite"):
        _, summary = run_json(*words, "--algorithm", name)
        assert summary["matching"] == 1
        assert summary["expanded"]["mean"] > 0


def test_compare_without_arguments(run, run_json):
    code, result = run_json("compare")
    assert code == 0
    *found, last = [path["algorithm"] for path in result["paths"]]
    assert (last, result["paths"][-1]["smooth"]) == ("a*", "rubber-band")
    names = [row.name for row in nt.algorithms()]
    assert found == [name for name in names if name not in result["left_out"]]
    assert set(result["left_out"]) <= set(names)
    assert {"a*", "theta*"} <= set(found)
    assert all(path["verified"] and path["radius"] == 0.4 for path in result["paths"])


def test_compare_leaves_out_what_cannot_run_unless_asked_for(run, run_json, wall, monkeypatch):
    class PlaneOnly(nt.Planner):
        def __init__(self, grid, algorithm, **options):
            if algorithm == "theta*":
                raise ValueError("theta* needs a world in the plane")
            super().__init__(grid, algorithm, **options)

    monkeypatch.setattr(nt, "Planner", PlaneOnly, raising=False)
    words = ("compare", wall, "--cells", "0,0,0", "7,0,7")
    code, result = run_json(*words)
    assert code == 0
    assert result["left_out"]["theta*"] == "theta* needs a world in the plane"
    assert "theta*" not in [path["algorithm"] for path in result["paths"]]
    assert "left out: theta* needs a world in the plane\n" in run(*words)[1]
    code, out, err = run(*words, "--algorithms", "a*,theta*")
    assert (code, out, err) == (2, "", "error: theta* needs a world in the plane\n")


def test_compare_without_a_path(run, run_json, closed):
    words = ("compare", closed, "--cells", "0,0,0", "7,7,7", "--algorithms", "a*,theta*")
    code, result = run_json(*words)
    assert code == 1
    assert [(path["length"], path["verified"]) for path in result["paths"]] == [(None, None)] * 2
    code, out, _ = run(*words)
    assert code == 1
    assert "no path: there is no way" in out
    assert "*" not in rows(out)["theta*"][1]


def test_compare_options_and_picture(run, run_json, wall, tmp_path):
    pytest.importorskip("matplotlib")
    words = ("compare", wall, "--cells", "0,0,0", "7,0,7", "--algorithms", "a*,theta*")
    options = ("--radius", "0.3", "--weight", "2", "--neighbours", "6")
    _, result = run_json(*words, *options)
    assert [path["radius"] for path in result["paths"]] == [0.3, 0.3]
    assert result["paths"][0]["bound"] == 2
    assert result["paths"][0]["length"] == int(result["paths"][0]["length"])
    code, out, _ = run(*words, "--nodes", "corners", "--picture", tmp_path / "a.png")
    assert code == 0
    assert out.endswith(f"Picture saved: {tmp_path / 'a.png'}\n")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--algorithms", "a*,thta"], "unknown algorithm 'thta'; did you mean theta*"),
        (["--algorithms", ","], "--algorithms is ','; expected names like a*,theta*"),
        (["--radius", "-2"], "radius is -2.0; it must be a number of at least 0"),
    ],
)
def test_compare_wrong_input(run, words, message):
    code, out, err = run("compare", *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {message}")


# ---------------------------------------------------------------------- algorithms


def test_algorithms(run, run_json):
    code, listed = run_json("algorithms")
    assert code == 0
    fields = ("name", "any_angle", "optimal", "incremental", "moving_target", "anytime", "summary")
    assert listed == [{f: getattr(row, f) for f in fields} for row in nt.algorithms()]
    code, out, _ = run("algorithms")
    assert code == 0
    for row in nt.algorithms():
        line = next(line for line in out.splitlines() if line.startswith(f"{row.name} "))
        flags = [getattr(row, field) for field in fields[1:-1]]
        assert line.split().count("yes") == sum(flags)


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("words", [["plan"], ["compare"], ["algorithms"], ["plan", "--help"]])
def test_fits_the_terminal(run, tmp_path, monkeypatch, width, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(width))
    _, out, _ = run(*words)
    assert max(map(len, out.splitlines())) <= width
    assert "…" not in out


# ---------------------------------------------------------------------- many queries


ROW_FIELDS = {
    "query", "algorithm", "start", "goal", "start_cell", "goal_cell", "found", "length",
    "published", "difference", "outcome", "matches", "bound", "points", "expanded",
    "sight_checks", "milliseconds", "verified", "reason",
}  # fmt: skip


@pytest.fixture
def field(tmp_path):
    """A 2D map with 40 queries whose published lengths are those of A*."""
    rng = np.random.default_rng(4)
    blocked = rng.random((12, 10)) < 0.2
    lines = ["".join("@" if b else "." for b in row) for row in blocked.T]
    text = "\n".join(["type octile", "height 10", "width 12", "map", *lines])
    (tmp_path / "field.map").write_text(text + "\n")
    grid = nt.Grid(blocked)
    free, queries = np.argwhere(~blocked), []
    while len(queries) < 40:
        a, b = (free[i].tolist() for i in rng.integers(0, len(free), 2))
        path = nt.plan(grid, grid.centre(a), grid.centre(b), "dijkstra")
        if path.found and a != b:
            queries.append(f"0 field.map 12 10 {a[0]} {a[1]} {b[0]} {b[1]} {path.length:.8f}")
    (tmp_path / "field.scen").write_text("\n".join(["version 1", *queries]))
    return tmp_path / "field.map", tmp_path / "field.scen"


def test_scenarios_have_rows(run_json, field):
    words = ("plan", field[0], "--scenarios", field[1], "--every", "4", "--cell", "0.5")
    code, result = run_json(*words, "--algorithm", "astar", "--verify")
    assert (code, result["scenarios"], result["as_published"], result["unit"]) == (0, 10, 10, "m")
    rows = result["rows"]
    assert [row["query"] for row in rows] == list(range(1, 41, 4))
    assert all(set(row) == ROW_FIELDS for row in rows)
    for row in rows:
        assert row["verified"] is True
        assert row["length"] == pytest.approx(row["published"])
        assert row["start"] == [0.5 * (i + 0.5) for i in row["start_cell"]]


def test_paths_at_any_angle_do_not_fail_for_being_shorter(run, run_json, field):
    words = ("plan", field[0], "--scenarios", field[1], "--algorithm", "theta")
    code, result = run_json(*words)
    assert (code, result["matching"], result["found"]) == (0, 40, 40)
    assert result["shorter_than_published"] > 10
    code, out, _ = run(*words)
    assert (code, facts(out)["found"]) == (0, "40 of 40")
    shorter = result["shorter_than_published"]
    assert facts(out)["than published"].startswith(f"{shorter} shorter")
    assert run_json(*words[:-1], "astar", "--weight", "3")[0] == 0


def test_compare_many_queries(run, run_json, field, tmp_path):
    names = ["a*", "theta*", "d*-lite"]
    words = ("compare", field[0], "--scenarios", field[1], "--algorithms", "astar,theta,d*-lite")
    code, result = run_json(*words, "--csv", tmp_path / "rows.csv")
    assert code == 0
    assert [one["algorithm"] for one in result["algorithms"]] == names
    assert len(result["rows"]) == 3 * 40
    for one in result["algorithms"]:
        rows = [row for row in result["rows"] if row["algorithm"] == one["algorithm"]]
        assert one["queries"] == one["found"] == one["verified"] == 40
        mean = np.mean([row["length"] / row["published"] for row in rows])
        assert one["ratio"]["mean"] == pytest.approx(mean)
        assert one["ratio"]["low"] <= mean <= one["ratio"]["high"]
        assert all(row["expanded"] > 0 for row in rows if row["points"] > 1)
    ratios = {one["algorithm"]: one["ratio"]["mean"] for one in result["algorithms"]}
    assert ratios["theta*"] < ratios["a*"] == pytest.approx(1.0)
    with open(tmp_path / "rows.csv") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 120
    assert set(table[0]) == ROW_FIELDS
    lengths = [float(row["length"]) for row in table]
    assert lengths == [row["length"] for row in result["rows"]]
    code, out, _ = run(*words, "--every", "10", "--picture", tmp_path / "a.png")
    assert code == 0
    assert "95 % confidence interval" in out
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_workers_give_the_same_rows(run_json, field):
    """In other processes and on a dask cluster as here, but for the times."""

    def rows(*how):
        code, result = run_json(
            "compare", field[0], "--scenarios", field[1], "--algorithms", "a*,theta*", *how
        )
        assert code == 0
        return [{k: v for k, v in row.items() if k != "milliseconds"} for row in result["rows"]]

    here = rows()
    assert rows("--workers", "2") == here
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    assert rows("--workers", "1", "--cluster", "local") == here


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("compare MAP 1,1 2,2 --every 0", "--every is '0'; it is for --scenarios"),
        ("plan MAP 1,1 2,2 --every 0", "--every is '0'; it is for --scenarios"),
        ("plan MAP 1,1 2,2 --workers 2", "--workers is '2'; it is for --scenarios"),
        ("compare MAP 1,1 --scenarios SCEN", "START is '1,1'; with --scenarios it is not allowed"),
        ("compare --scenarios SCEN", "MAP is missing"),
        ("compare MAP --scenarios SCEN --csv rows.txt", "--csv is 'rows.txt'; expected a name"),
        ("compare MAP --scenarios SCEN --workers 0", "--workers is 0; expected a whole number"),
        ("compare MAP --scenarios SCEN --algorithms a*,jps --radius -1", "radius is -1.0"),
    ],
)
def test_wrong_options_of_scenarios(run, field, words, message):
    names = {"MAP": str(field[0]), "SCEN": str(field[1])}
    code, out, err = run(*[names.get(word, word) for word in words.split()])
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {message}")


# ---------------------------------------------------------------------- doctor


def test_doctor(run, run_json):
    code, about = run_json("doctor")
    assert (code, about["passed"], about["noctule"]) == (0, True, nt.__version__)
    names = [check["check"] for check in about["checks"]]
    assert names == ["dijkstra", "a*", "jps", "theta*", "lazy-theta*", "d*-lite", "plan_many"]
    assert about["packages"]["numpy"] == np.__version__
    assert about["cache"]["writable"] in (True, False)
    code, out, err = run("doctor")
    assert (code, err) == (0, "")
    assert out.count("passed") == len(names)


def test_doctor_finds_a_wrong_path(run, monkeypatch):
    monkeypatch.setattr(nt, "verify", lambda *_: False, raising=False)
    code, out, _ = run("doctor")
    assert code == 1
    assert "NOT FREE" in out


@pytest.mark.parametrize("name", COMMANDS)
def test_no_shell_expands_the_examples(name):
    _, examples = COMMANDS[name]
    commands = [line for line in examples.splitlines() if line.startswith("  noctule")]
    assert commands
    assert not [line for line in commands if set(line) & set("*?[]'\"$~")]

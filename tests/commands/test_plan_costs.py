"""`noctule plan --cost FILE --avoid BOX=COST`."""

import json

import numpy as np
import pytest

from noctule.cli import main


@pytest.fixture
def files(tmp_path):
    np.save(tmp_path / "map.npy", np.zeros((12, 9), bool))
    cost = np.ones((12, 9))
    cost[5, 1:] = 30
    np.save(tmp_path / "cost.npy", cost)
    np.savez(tmp_path / "cost.npz", cost=cost)
    return tmp_path


def plan(capsys, *words):
    code = main(["plan", "--cells", *map(str, words)])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize("name", ["cost.npy", "cost.npz"])
def test_costs_from_a_file(files, capsys, name):
    words = files / "map.npy", "0,4", "11,4"
    code, out, _ = plan(capsys, *words, "--cost", files / name, "--json")
    path = json.loads(out)
    assert code == 0
    assert path["verified"]
    assert path["cost"] == pytest.approx(path["length"])  # around the wall of costs
    assert path["length"] > 13
    code, out, _ = plan(capsys, *words, "--cost", files / name)
    assert code == 0
    assert "cost" in out
    _, out, _ = plan(capsys, *words, "--json")
    assert json.loads(out)["cost"] == 11


def test_boxes_to_avoid(files, capsys):
    words = files / "map.npy", "0,4", "11,4", "--avoid", "5,0:6,7=9", "--avoid=3,4:3,4=2", "--json"
    code, out, _ = plan(capsys, *words)
    path = json.loads(out)
    assert code == 0
    assert path["cost"] == pytest.approx(path["length"])
    assert [3, 4] not in path["nodes"]
    assert [5, 8] in path["nodes"]


@pytest.mark.parametrize(
    ("avoid", "message"),
    [
        ("5,0=9", "expected two cells and a cost like 10,0:20,30=8"),
        ("5,0,1:6,7,1=9", "expected two cells"),
        ("5,0:6,9=9", "cell 6,9 lies outside the map of 12 x 9 cells"),
        ("5,0:6,8=much", "its cost is no number"),
        ("5,0:6,8=0.5", "a cell costs from 1"),
    ],
)
def test_what_is_no_box_to_avoid(files, capsys, avoid, message):
    code, _, err = plan(capsys, files / "map.npy", "0,4", "11,4", "--avoid", avoid)
    assert code != 0
    assert message in " ".join(err.split())


def test_a_file_of_other_numbers(files, capsys):
    np.save(files / "bad.npy", np.zeros((3, 3)))
    code, _, err = plan(capsys, files / "map.npy", "0,4", "11,4", "--cost", files / "bad.npy")
    assert code != 0
    assert "a cell costs from 1" in err or "cost has shape (3, 3)" in err
    np.savez(files / "bad.npz", danger=np.ones((12, 9)))
    code, _, err = plan(capsys, files / "map.npy", "0,4", "11,4", "--cost", files / "bad.npz")
    assert code != 0
    assert "expected an array 'cost'" in " ".join(err.split())


def test_a_picture_shows_costs(files, capsys):
    pytest.importorskip("matplotlib")
    from matplotlib.image import imread

    words = files / "map.npy", "0,4", "11,4", "--picture", files / "a.png"
    assert plan(capsys, *words, "--cost", files / "cost.npy")[0] == 0
    image = imread(files / "a.png")[:, :, :3]
    orange = (image[:, :, 0] > 0.9) & (image[:, :, 2] < 0.6) & (image[:, :, 1] > 0.6)
    assert orange.sum() > 500


def test_compare_shows_cost_and_length(files, capsys):
    words = ["compare", str(files / "map.npy"), "0,4", "11,4", "--cells"]
    words += ["--algorithms", "a*,theta*,taut"]
    words += ["--cost", str(files / "cost.npy")]
    assert main([*words, "--json"]) == 0
    paths = json.loads(capsys.readouterr().out)["paths"]
    assert all(path["verified"] and path["cost"] == path["length"] > 12.9 for path in paths)
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "cost" in out
    assert "* the cheapest, the fastest" in out
    assert (
        main(["compare", str(files / "map.npy"), "0,4", "11,4", "--cells", "--algorithms", "a*"])
        == 0
    )
    out = capsys.readouterr().out
    assert "cost" not in out
    assert "* the shortest, the fastest" in out


def test_costs_are_for_maps_only(capsys):
    pytest.importorskip("viser")
    assert main(["view", "test-environment", "--avoid", "1,1,1:2,2,2=4"]) != 0
    assert "that is for maps" in " ".join(capsys.readouterr().err.split())

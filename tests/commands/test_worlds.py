"""Commands on meshes, point clouds and OctoMaps; `noctule info`."""

import json

import numpy as np
import pytest

from noctule.cli import main

HEAD = b"# Octomap OcTree binary file\nid OcTree\nsize 20\nres 0.5\ndata\n"


def run(capsys, *words):
    code = main([*map(str, words)])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def scan(tmp_path):
    """A wall of points across a box, with a gap."""
    y, z = np.meshgrid(np.arange(0.05, 4, 0.1), np.arange(0.05, 2, 0.1))
    wall = np.column_stack([np.full(y.size, 2.05), y.ravel(), z.ravel()])
    wall = wall[~((wall[:, 1] > 2) & (wall[:, 1] < 3))]
    ends = [(0.05, 0.05, 0.05), (3.95, 3.95, 1.95)]
    np.savetxt(tmp_path / "scan.xyz", np.concatenate([wall, ends]))
    return tmp_path / "scan.xyz"


def test_plan_through_a_cloud(scan, tmp_path, capsys):
    words = scan, "0.5,0.5,1", "3.5,0.5,1", "--cell", "0.1", "--radius", "0.3"
    code, out, _ = run(capsys, "plan", *words, "--json", "--picture", tmp_path / "a.png")
    path = json.loads(out)
    assert code == 0
    assert path["verified"]
    assert path["unit"] == "m"
    assert any(2.3 <= y <= 2.7 for _, y, _ in path["points"])
    assert (tmp_path / "a.png").stat().st_size > 10_000


def test_info(scan, tmp_path, capsys):
    code, out, _ = run(capsys, "info", scan, "--cell", "0.1", "--picture", tmp_path / "a.png")
    assert code == 0
    assert "40 x 40 x 20 of 0.1 m" in out
    assert "0,0,0 to 4,4,2 m" in out
    assert (tmp_path / "a.png").exists()
    code, out, _ = run(capsys, "info", scan, "--cell", "0.1", "--bounds=0,0,0:4,2,2", "--json")
    about = json.loads(out)
    assert about["shape"] == [40, 20, 20]
    assert about["up"] == "z"
    assert about["solid"] == 401


def test_info_of_an_octomap_and_a_map(tmp_path, capsys):
    file = tmp_path / "tree.bt"
    file.write_bytes(HEAD + b"\x03\x00" * 15 + b"\x06\x00")
    code, out, _ = run(capsys, "info", file, "--up", "z")
    assert code == 0
    assert "2 x 1 x 1 of 0.5 m" in out
    code, out, _ = run(capsys, "info", file, "--unknown", "3", "--json")
    assert json.loads(out)["solid"] == 1
    np.save(tmp_path / "map.npy", np.zeros((3, 4), bool))
    code, out, _ = run(capsys, "info", tmp_path / "map.npy")
    assert code == 0
    assert "3 x 4 of 1" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "cell is missing; the content measures 3.9 x 3.9 x 1.9, so cell=0.01 makes"),
        (["--cell", "0.1", "--unknown", "free"], "unknown is 'free', but it is not for .xyz"),
        (["--cell", "0.1", "--bounds", "1,2,3"], "--bounds is '1,2,3'; expected two points"),
        (["--cell", "1e-4"], "scale=0.001 if these are millimetres"),
    ],
)
def test_wrong_options(scan, capsys, words, message):
    code, _, err = run(capsys, "info", scan, *words)
    assert code == 2
    assert message in err.replace("\n", " ")

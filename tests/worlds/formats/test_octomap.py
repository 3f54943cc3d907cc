"""OctoMap files, compared with the octomap library and with what is known of published ones."""

import struct

import numpy as np
import pytest

import noctule as nt

HEAD = "# Octomap OcTree binary file\nid OcTree\nsize 20\nres 0.5\ndata\n"
DOWN = b"\x03\x00" * 15  # child 0 of child 0 ..., to the cells at the low corner of the tree
KNOWN = {  # occupied, free
    "geb079": (185_673, 950_759),
    "power_plant": (142_645, 7_857_355),
    "mbzirc_challenge3": (148_633, 1_970_679),
    "manufacturing": (162_485, 5_487_947),
    "maze": (282_579, 2_076_717),
    "casoplonv2_5mill": (45_283, 94_416),
    "laberynth": (469_886, 0),
}


def write(folder, content, head=HEAD, name="tree.bt"):
    (folder / name).write_bytes(head.encode() + content)
    return folder / name


@pytest.mark.parametrize("name", KNOWN)
def test_published_maps(data, name):
    occupied, free = KNOWN[name]
    file = data / "octomap" / f"{name}.bt"
    assert nt.Grid.from_octomap(file, unknown="free").blocked.sum() == occupied
    if not free:
        with pytest.raises(nt.FileError, match=r"no cell is free.*unknown='free'"):
            nt.Grid.from_octomap(file)
    else:
        grid = nt.Grid.from_octomap(file)
        assert (~grid.blocked).sum() == free


def test_the_same_cells_as_the_octomap_library(data):
    octomap = pytest.importorskip("octomap", reason="octomap-python is the other reader")
    file = data / "octomap" / "casoplonv2_5mill.bt"
    tree = octomap.OcTree(str(file).encode())
    grids = {name: nt.Grid.from_octomap(file, unknown=name) for name in ("free", "solid")}
    grid = grids["free"]
    rng = np.random.default_rng(1)
    cells = rng.integers(0, grid.shape, (20_000, 3))
    labels = tree.getLabels(grid.origin + (cells + 0.5) * grid.cell)
    places = tuple(cells.T)
    assert np.array_equal(grid.blocked[places], labels == 1)
    assert np.array_equal(grids["solid"].blocked[places], labels != 0)


@pytest.fixture
def drawn(tmp_path):
    """A tree that the octomap library wrote, in both formats, and what it holds."""
    octomap = pytest.importorskip("octomap", reason="octomap-python writes the files")
    tree = octomap.OcTree(0.25)
    points = np.random.default_rng(2).uniform(-3, 3, (300, 3))
    tree.insertPointCloud(points, np.zeros(3))
    tree.writeBinary(str(tmp_path / "drawn.bt").encode())
    tree.write(str(tmp_path / "drawn.ot").encode())
    return tree, tmp_path


@pytest.mark.parametrize("suffix", ["bt", "ot"])
def test_both_formats(drawn, suffix):
    tree, folder = drawn
    grid = nt.load_world(folder / f"drawn.{suffix}", unknown=7)
    assert grid.cell == 0.25
    cells = np.stack(np.meshgrid(*map(np.arange, grid.shape), indexing="ij"), -1).reshape(-1, 3)
    labels = tree.getLabels(grid.origin + (cells + 0.5) * 0.25).reshape(grid.shape)
    assert np.array_equal(grid.blocked, labels == 1)
    for cell in map(tuple, np.argwhere(labels != 1)[::37]):
        assert grid.cost[cell] == (7 if labels[cell] == -1 else 1)


def test_joined_cells(drawn):
    _, folder = drawn
    for unknown in ("free", "solid"):
        fine = nt.Grid.from_octomap(folder / "drawn.bt", unknown=unknown)
        coarse = nt.Grid.from_octomap(folder / "drawn.bt", unknown=unknown, cell=0.75)
        first = np.rint((fine.origin - coarse.origin) / 0.25).astype(int)
        last = 3 * np.array(coarse.shape) - first - fine.shape
        padded = np.pad(
            fine.blocked, np.stack([first, last], 1), constant_values=unknown == "solid"
        )
        x, y, z = coarse.shape
        assert np.array_equal(coarse.blocked, padded.reshape(x, 3, y, 3, z, 3).any(axis=(1, 3, 5)))


def test_bounds(drawn):
    _, folder = drawn
    whole = nt.Grid.from_octomap(folder / "drawn.bt", unknown="free")
    part = nt.load_world(folder / "drawn.bt", unknown="free", bounds=((-1, 0, -0.5), (1, 2, 1)))
    assert part.origin.tolist() == [-1, 0, -0.5]
    assert part.shape == (8, 8, 6)
    first = np.rint((part.origin - whole.origin) / 0.25).astype(int)
    box = tuple(slice(i, i + n) for i, n in zip(first, part.shape, strict=True))
    assert np.array_equal(part.blocked, whole.blocked[box])


def test_a_large_leaf_fills_its_cells(tmp_path):
    # Child 0 twelve levels down has children 0 solid, 7 free, of 8 cells a side each.
    file = write(tmp_path, b"\x03\x00" * 12 + struct.pack("<H", 0b01 << 14 | 0b10))
    grid = nt.Grid.from_octomap(file)
    assert grid.shape == (16, 16, 16)
    assert grid.origin.tolist() == [-16384.0] * 3
    assert (~grid.blocked).sum() == 512
    assert not grid.blocked[8:, 8:, 8:].any()


@pytest.mark.parametrize(
    ("content", "head", "message"),
    [
        (b"", "hello\n", "expected '# Octomap OcTree binary file'.*got 'hello"),
        (b"", HEAD.replace("data\n", ""), "a header that ends in a line 'data'"),
        (b"", HEAD, "the tree is empty"),
        (DOWN, HEAD, "data that ends within the tree"),
        (DOWN + b"\x03\x00" * 3, HEAD, "data that ends within the tree"),
        (DOWN + b"\x06\x00\x00", HEAD, "more data than that"),
        (DOWN + b"\x00\x00", HEAD, "no known cell"),
        (DOWN + b"\x02\x00", HEAD, "no cell is free"),
        (b"\x06\x00", HEAD, "cells; at most 300,000,000 are read"),
        (DOWN + b"\x06\x00", HEAD.replace("0.5", "-1"), "res is -1.0"),
        (
            DOWN + b"\x06\x00",
            HEAD.replace("id OcTree", "id Other"),
            "expected id OcTree, got Other",
        ),
        (DOWN + b"\x06\x00", HEAD.replace("size 20", "size many"), "a header with lines 'id'"),
    ],
)
def test_wrong_files(tmp_path, content, head, message):
    with pytest.raises(nt.FileError, match=message):
        nt.Grid.from_octomap(write(tmp_path, content, head))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unknown": "maybe"}, "unknown is 'maybe'; allowed are 'free', 'solid' and a cost"),
        ({"unknown": 0.5}, "unknown is 0.5"),
        ({"cell": 0.7}, "cells of .* measure 0.5.*such as 1"),
        ({"bounds": ((0, 0, 0), (1, 1, 1))}, "bounds hold no cell of .*, which spans"),
    ],
)
def test_wrong_options(tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        nt.Grid.from_octomap(write(tmp_path, DOWN + b"\x06\x00"), **options)

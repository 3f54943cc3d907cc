import gzip
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from noctule.files import FileError
from noctule.worlds.io.maps import load_map
from noctule.worlds.io.scenarios import load_scenarios

DATA = Path(__file__).parents[3].parent / "shared" / "data"

ROOM = "type octile\nheight 2\nwidth 3\nmap\n.@G\nTS.\n"
ROOM_BLOCKED = [[False, True], [True, False], [False, False]]
QUERY_3D = "the 8 fields 'sx sy sz gx gy gz length ratio'"
QUERY_2D = "the 9 fields 'bucket map width height sx sy gx gy length'"


def written(folder, name, content):
    """Write text or bytes to a file, compressed if its name says so."""
    file = folder / name
    raw = content if isinstance(content, bytes) else content.encode()
    file.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    return file


def message(file, line, text):
    """Return the pattern of a whole message about a line (or None) of a file."""
    place = str(file) if line is None else f"{file}:{line}"
    return f"^{re.escape(f'{place}: {text}')}$"


def voxel_text(blocked, word="voxel"):
    """Return a boolean array as the text of a .3dmap file."""
    listed = np.argwhere(blocked if word == "voxel" else ~blocked)
    rows = [" ".join(map(str, row)) for row in listed.tolist()]
    return "\n".join([f"{word} {' '.join(map(str, blocked.shape))}", *rows]) + "\n"


def assert_same(found, expected):
    assert found.dtype == bool
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, expected)


# Maps


@pytest.mark.parametrize("name", ["a.3dmap", "a.3dmap.gz", "A.3DMAP"])
@pytest.mark.parametrize("word", ["voxel", "rev_voxel"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_voxel_map(tmp_path, name, word, newline):
    text = f"{word} 2 3 4\n0 0 0\n1 2 3\n1 2 3\n\n".replace("\n", newline)
    expected = np.zeros((2, 3, 4), bool)
    expected[0, 0, 0] = expected[1, 2, 3] = True
    found = load_map(written(tmp_path, name, text))
    assert_same(found, expected if word == "voxel" else ~expected)


def test_voxel_map_without_voxels(tmp_path):
    assert not load_map(written(tmp_path, "a.3dmap", "voxel 2 3 4")).any()
    assert load_map(written(tmp_path, "b.3dmap", "rev_voxel 2 3 4\n\n")).all()


def test_file_may_be_named_by_text_and_start_with_a_byte_order_mark(tmp_path):
    file = written(tmp_path, "a.3dmap", "\ufeffvoxel 1 1 1\n0 0 0\n")
    assert_same(load_map(str(file)), [[[True]]])


@pytest.mark.parametrize(
    ("heading", "got"),
    [
        ("", "an empty line"),
        ("voxel 2 3", "'voxel 2 3'"),
        ("voxel 2 3 4 5", "'voxel 2 3 4 5'"),
        ("voxels 2 3 4", "'voxels 2 3 4'"),
        ("voxel 2 0 4", "'voxel 2 0 4'"),
        ("voxel 2 -3 4", "'voxel 2 -3 4'"),
        ("voxel 2 3.0 4", "'voxel 2 3.0 4'"),
        ("voxel " + "7" * 90, "'voxel " + "7" * 51 + "...'"),
    ],
)
def test_voxel_heading(tmp_path, heading, got):
    file = written(tmp_path, "a.3dmap", heading + "\n0 0 0\n")
    expected = f"expected 'voxel X Y Z' or 'rev_voxel X Y Z', got {got}"
    with pytest.raises(FileError, match=message(file, 1, expected)):
        load_map(file)


@pytest.mark.parametrize("side", [10**6, 10**17])
def test_voxel_box_too_large(tmp_path, side):
    heading = f"voxel {side} {side} {side}"
    file = written(tmp_path, "a.3dmap", heading + "\n")
    with pytest.raises(FileError, match="^" + re.escape(f"{file}: {side**3:,} cells; at most")):
        load_map(file)
    with pytest.raises(FileError, match=r"a.3dmap:1: expected a box that fits into memory"):
        load_map(file, max_cells=side**3)


@pytest.mark.parametrize(
    "line", ["3 four 5", "3 4", "3 4 5 6", "3 4.0 5", "3, 4, 5", "1_0 4 5", "3 4 " + "9" * 40]
)
@pytest.mark.parametrize("name", ["a.3dmap", "a.3dmap.gz"])
def test_voxel_line(tmp_path, name, line):
    file = written(tmp_path, name, f"voxel 10 20 30\n1 2 3\n\n{line}\n4 5 6\n")
    expected = f"expected three whole numbers 'x y z', got '{line}'"
    with pytest.raises(FileError, match=message(file, 4, expected)):
        load_map(file)


def test_voxel_lines_all_of_the_wrong_length(tmp_path):
    file = written(tmp_path, "a.3dmap", "voxel 10 20 30\n1 2\n3 4\n")
    with pytest.raises(
        FileError, match=message(file, 2, "expected three whole numbers 'x y z', got '1 2'")
    ):
        load_map(file)


@pytest.mark.parametrize("voxel", [(5, 200, 1), (10, 0, 0), (0, 0, 30), (0, -1, 0)])
def test_voxel_outside(tmp_path, voxel):
    line = " ".join(map(str, voxel))
    file = written(tmp_path, "a.3dmap", f"voxel 10 20 30\n9 19 29\n{line}\n")
    expected = f"voxel {voxel} lies outside the box 10 x 20 x 30"
    with pytest.raises(FileError, match=message(file, 3, expected)):
        load_map(file)


@pytest.mark.parametrize("name", ["a.map", "a.map.gz"])
@pytest.mark.parametrize(
    "text",
    [
        ROOM,
        ROOM.rstrip("\n"),
        ROOM + "\n\n",
        ROOM.replace("\n", "\r\n"),
        ROOM.replace("height 2\nwidth 3", "width 3\nheight 2"),
        ROOM.replace("T", "é").replace("@", " "),
    ],
)
def test_grid_map(tmp_path, name, text):
    assert_same(load_map(written(tmp_path, name, text)), ROOM_BLOCKED)


@pytest.mark.parametrize(
    ("old", "new", "line", "expected"),
    [
        ("type octile", "type tile", 1, "expected 'type octile', got 'type tile'"),
        ("height 2", "high 2", 2, "expected 'height H', got 'high 2'"),
        ("height 2", "height H", 2, "expected 'height H', got 'height H'"),
        ("width 3", "width", 3, "expected 'width W', got 'width'"),
        ("width 3", "width 0", 3, "expected 'width W', got 'width 0'"),
        ("width 3", "height 3", 3, "expected 'width W', got 'height 3'"),
        ("height 2", "width 2", 3, "expected 'height H', got 'width 3'"),
        ("map\n", "", 4, "expected 'map', got '.@G'"),
        ("map\n.@G\nTS.\n", "", 4, "expected 'map', got an empty line"),
        ("TS.", "TS", 6, "expected a row of 3 characters, got 2"),
        (".@G", ".@G.", 5, "expected a row of 3 characters, got 4"),
        (".@G", "", 5, "expected a row of 3 characters, got 0"),
        ("TS.\n", "", None, "expected 2 rows, got 1"),
        ("TS.\n", "TS.\n...\n", None, "expected 2 rows, got 3"),
    ],
)
def test_grid_map_malformed(tmp_path, old, new, line, expected):
    file = written(tmp_path, "a.map", ROOM.replace(old, new))
    with pytest.raises(FileError, match=message(file, line, expected)):
        load_map(file)


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4)])
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, ">i2"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numpy_maps(tmp_path, shape, dtype, order):
    blocked = np.random.default_rng(1).random(shape) < 0.5
    stored = np.asarray(blocked, dtype=dtype, order=order)
    np.save(tmp_path / "a.npy", stored)
    np.savez(tmp_path / "one.npz", anything=stored)
    np.savez_compressed(tmp_path / "two.npz", other=np.zeros(3), blocked=stored)
    for name in ("a.npy", "one.npz", "two.npz"):
        assert_same(load_map(tmp_path / name), blocked)


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (np.zeros(3, bool), "an array of 2 or 3 dimensions, none of them empty, got shape (3,)"),
        (np.zeros((1, 1, 1, 1), bool), "an array of 2 or 3 dimensions, none of them empty, got"),
        (np.zeros((0, 3), bool), "an array of 2 or 3 dimensions, none of them empty, got"),
        (np.zeros((2, 2)), "booleans, or integers 0 and 1, got dtype float64"),
        (np.array([[0, 2]]), "booleans, or integers 0 and 1, got values from 0 to 2"),
        (np.array([[-1, 1]]), "booleans, or integers 0 and 1, got values from -1 to 1"),
        (np.array([[None]]), "complete NumPy data without pickles, got"),
    ],
)
def test_numpy_map_malformed(tmp_path, stored, expected):
    np.save(tmp_path / "a.npy", stored)
    np.savez(tmp_path / "a.npz", blocked=stored)
    for file in (tmp_path / "a.npy", tmp_path / "a.npz"):
        with pytest.raises(FileError, match="^" + re.escape(f"{file}: expected {expected}")):
            load_map(file)


def test_numpy_archive_without_a_clear_array(tmp_path):
    file = tmp_path / "a.npz"
    np.savez(file, a=np.zeros((2, 2), bool), b=np.zeros((2, 2), bool))
    expected = "expected an array 'blocked' or a single array, got ['a', 'b']"
    with pytest.raises(FileError, match=message(file, None, expected)):
        load_map(file)


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_numpy_map_cut_short_anywhere(tmp_path, name):
    file = tmp_path / name
    (np.save if name == "a.npy" else np.savez)(file, np.ones((3, 4, 5), bool))
    raw = file.read_bytes()
    for length in range(len(raw)):
        file.write_bytes(raw[:length])
        with pytest.raises(FileError, match=re.escape(f"{file}: expected complete NumPy data")):
            load_map(file)


# Both kinds of files


def test_unknown_suffix(tmp_path):
    for name in ("a.txt", "a", "a.npy.gz", "a.gz", "a.scen"):
        expected = (
            f"expected a name that ends in one of .3dmap[.gz], .map[.gz], .npy, .npz, got '{name}'"
        )
        with pytest.raises(FileError, match=message(tmp_path / name, None, expected)):
            load_map(tmp_path / name)
    expected = "expected a name that ends in one of .3dscen[.gz], .scen[.gz], got 'a.map'"
    with pytest.raises(FileError, match=message(tmp_path / "a.map", None, expected)):
        load_scenarios(tmp_path / "a.map")


@pytest.mark.parametrize("name", ["a.3dmap", "a.map.gz", "a.npy", "a.npz"])
def test_missing_map(tmp_path, name):
    with pytest.raises(FileNotFoundError):
        load_map(tmp_path / name)


def test_missing_scenarios(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_scenarios(tmp_path / "a.scen")


@pytest.mark.parametrize("name", ["a.3dmap", "a.map", "a.3dscen", "a.scen"])
def test_not_text(tmp_path, name):
    load = load_scenarios if name.endswith("scen") else load_map
    file = written(tmp_path, name, b"one\ntwo\nthr\xffee\n")
    with pytest.raises(FileError, match=message(file, 3, "expected UTF-8 text, got byte 0xff")):
        load(file)


@pytest.mark.parametrize("name", ["a.3dmap.gz", "a.scen.gz"])
def test_not_complete_gzip(tmp_path, name):
    load = load_scenarios if "scen" in name else load_map
    file = tmp_path / name
    raw = gzip.compress(b"voxel 2 3 4\n1 1 1\n")
    for broken in (b"voxel 2 3 4\n", raw[:5], raw[:-9], raw[:-1], raw[:12] + b"\xff" + raw[13:]):
        file.write_bytes(broken)
        with pytest.raises(FileError, match=re.escape(f"{file}: expected complete gzip data, got")):
            load(file)


# Round trips

voxel_maps = hnp.arrays(bool, hnp.array_shapes(min_dims=3, max_dims=3, max_side=6))
all_maps = hnp.arrays(bool, hnp.array_shapes(min_dims=2, max_dims=3, max_side=6))


@settings(max_examples=50, deadline=None)
@given(
    blocked=voxel_maps,
    word=st.sampled_from(["voxel", "rev_voxel"]),
    name=st.sampled_from(["a.3dmap", "a.3dmap.gz"]),
)
def test_voxel_text_round_trip(tmp_path_factory, blocked, word, name):
    file = written(tmp_path_factory.mktemp("round"), name, voxel_text(blocked, word))
    assert_same(load_map(file), blocked)


@settings(max_examples=50, deadline=None)
@given(blocked=all_maps)
def test_numpy_round_trip(tmp_path_factory, blocked):
    folder = tmp_path_factory.mktemp("round")
    np.save(folder / "a.npy", blocked)
    np.savez_compressed(folder / "a.npz", blocked=blocked)
    assert_same(load_map(folder / "a.npy"), blocked)
    assert_same(load_map(folder / "a.npz"), blocked)


# Scenarios


@pytest.mark.parametrize("name", ["a.3dscen", "a.3dmap.3dscen.gz"])
@pytest.mark.parametrize(("version", "extra"), [(1, ""), (2, " 17"), (2, "")])
def test_voxel_scenarios(tmp_path, name, version, extra):
    text = (
        f"version {version}\nsome room.3dmap\n"
        f"1 2 3 4 5 6 5.19615242 1.000{extra}\n7 8 9 7 8 9 0.00000000 1.000{extra}\n\n"
    )
    found = load_scenarios(written(tmp_path, name, text))
    assert found.map_name == "some room.3dmap"
    assert found.starts.tolist() == [[1, 2, 3], [7, 8, 9]]
    assert found.goals.tolist() == [[4, 5, 6], [7, 8, 9]]
    assert found.starts.dtype == found.goals.dtype == np.int64
    assert found.starts.flags.c_contiguous
    assert found.goals.flags.c_contiguous
    assert found.lengths.tolist() == [5.19615242, 0.0]
    assert found.tolerances == pytest.approx([1.005e-6, 1.005e-6])


@pytest.mark.parametrize("name", ["a.scen", "a.map.scen.gz"])
@pytest.mark.parametrize("version", ["version 1", "version 1.0"])
@pytest.mark.parametrize("tab", ["\t", " ", "\t "])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_grid_scenarios(tmp_path, name, version, tab, newline):
    lines = [version, "0 maps/a.map 49 50 1 11 1 12 1", "3 maps/b.map 49 50 2 3 14 4 12.4142", ""]
    text = newline.join([version, *(line.replace(" ", tab) for line in lines[1:])])
    found = load_scenarios(written(tmp_path, name, text))
    assert found.map_name == "maps/a.map"
    assert found.starts.tolist() == [[1, 11], [2, 3]]
    assert found.goals.tolist() == [[1, 12], [14, 4]]
    assert found.lengths.tolist() == [1.0, 12.4142]


def test_map_name_with_a_space_between_tabs_and_a_tab_at_the_end(tmp_path):
    line = "0\ta room.map\t9\t9\t1\t2\t3\t4\t2.82842712\t"
    assert load_scenarios(written(tmp_path, "a.scen", f"version 1\n{line}\n")).map_name == (
        "a room.map"
    )


@pytest.mark.parametrize(
    ("printed", "tolerances"),
    [
        (["3.41421356", "100.00000000"], [0.5e-8, 0.5e-8]),
        (["3.41", "100.91"], [0.5e-2, 0.5e-2]),
        (["1", "3.41421", "12.0711", "100.912", "0"], [0.5e-5, 0.5e-5, 0.5e-4, 0.5e-3, 0]),
        (["1234.56", "0.5", "1.23457e+06"], [0.5e-2, 0.5e-6, 5]),
        (["1", "2", "10", "1000"], [0.5e-5, 0.5e-5, 0.5e-4, 0.5e-2]),
    ],
)
def test_tolerances(tmp_path, printed, tolerances):
    lines = [f"0 a.map 9 9 1 2 3 4 {length}" for length in printed]
    found = load_scenarios(written(tmp_path, "a.scen", "\n".join(["version 1", *lines])))
    assert found.lengths.tolist() == [float(length) for length in printed]
    fixed = len({len(length.partition(".")[2]) for length in printed}) == 1 and "." in printed[0]
    single = 0.0 if fixed else found.lengths * 2.0**-23
    assert found.tolerances == pytest.approx(np.array(tolerances) + single + 1e-6)


@given(st.lists(st.floats(1e-3, 1e5), min_size=1, max_size=20))
@settings(max_examples=50, deadline=None)
def test_tolerances_cover_what_printing_dropped(tmp_path_factory, lengths):
    folder = tmp_path_factory.mktemp("printed")
    for style in ("g", ".8f", ".3f"):
        lines = [f"0 0 0 1 1 1 {length:{style}} 1" for length in lengths]
        text = "\n".join(["version 1", "a.3dmap", *lines])
        found = load_scenarios(written(folder, "a.3dscen", text))
        assert (np.abs(found.lengths - lengths) <= found.tolerances).all()


@pytest.mark.parametrize(
    ("name", "text", "line", "expected"),
    [
        ("a.3dscen", "", 1, "'version 1' or 'version 2', got an empty line"),
        ("a.3dscen", "version 3\na\n", 1, "'version 1' or 'version 2', got 'version 3'"),
        ("a.scen", "version 2\n", 1, "'version 1' or 'version 1.0', got 'version 2'"),
        ("a.3dscen", "version 1", 2, "the name of the map, got an empty line"),
        ("a.3dscen", "version 1\n \n1 2 3 4 5 6 7 1\n", 2, "the name of the map, got an empty"),
        ("a.3dscen", "version 1\na\n\n", None, f"at least one line '{QUERY_3D[14:]}, got none"),
        ("a.scen", "version 1\n", None, f"at least one line '{QUERY_2D[14:]}, got none"),
        ("a.3dscen", "version 1\na\n\n1 2 3 4 5 6 7\n", 4, f"{QUERY_3D}, got '1 2 3 4 5 6 7'"),
        ("a.3dscen", "version 1\na\n1 2 3 4 5 6 7 8 9\n", 3, f"{QUERY_3D}, got '1 2 3 4"),
        ("a.3dscen", "version 2\na\n1 2 3 4 5 6 7\n", 3, f"{QUERY_3D}, got '1 2 3 4 5 6 7'"),
        ("a.3dscen", "version 1\na\n1 2 x 4 5 6 7 1\n", 3, f"{QUERY_3D}, got '1 2 x 4"),
        ("a.3dscen", "version 1\na\n1 2 -3 4 5 6 7 1\n", 3, f"{QUERY_3D}, got '1 2 -3 4"),
        ("a.3dscen", "version 1\na\n1 2 3 4 5 6 nan 1\n", 3, f"{QUERY_3D}, got '1 2 3"),
        ("a.3dscen", "version 1\na\n1 2 3 4 5 6 1e999 1\n", 3, f"{QUERY_3D}, got '1 2 3"),
        ("a.3dscen", "version 1\na\n1 2 3 4 5 6 -7 1\n", 3, f"{QUERY_3D}, got '1 2 3"),
        ("a.scen", "version 1\n0 a 9 9 1 2 3 4\n", 2, f"{QUERY_2D}, got '0 a 9 9 1 2 3 4'"),
        ("a.scen", "version 1\n0\ta\t9\t9\t1.5\t2\t3\t4\t5\n", 2, QUERY_2D),
    ],
)
def test_scenarios_malformed(tmp_path, name, text, line, expected):
    file = written(tmp_path, name, text)
    with pytest.raises(FileError, match=message(file, line, f"expected {expected}")[:-1]):
        load_scenarios(file)


# Published data


@pytest.mark.skipif(not DATA.is_dir(), reason="the published maps are not beside the checkout")
def test_published_data():
    pairs = [(file, Path(f"{file}.3dscen")) for file in (DATA / "warframe").glob("[SC]*.3dmap")]
    for file in (DATA / "grid2d").glob("*.map"):
        pairs += [(file, scenario) for scenario in file.parent.glob(f"{file.stem}*.scen")]
    assert len(pairs) == 9
    shapes = {}
    for file, scenario in pairs:
        blocked, found = load_map(file), load_scenarios(scenario)
        shapes[file.name] = blocked.shape, np.count_nonzero(blocked)
        assert Path(found.map_name).name == file.name
        assert not blocked[tuple(found.starts.T)].any()
        assert not blocked[tuple(found.goals.T)].any()
        reach = np.abs(found.goals - found.starts).max(axis=1)
        assert (found.lengths >= reach - found.tolerances).all()
        assert (found.tolerances < 1e-3).all()
    assert shapes["Simple.3dmap"] == ((105, 132, 105), 512)
    assert shapes["Complex.3dmap"] == ((246, 154, 205), 46298)
    assert shapes["den312d.map"][0] == (65, 81)

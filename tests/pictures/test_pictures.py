import subprocess
import sys

import numpy as np
import pytest

import noctule as nt
from noctule.pictures import maps as pictures

image = pytest.importorskip("matplotlib.image")


def world(shape=(12, 9, 10), share=0.2, seed=0, **options):
    """A world with free corners and a path between them."""
    blocked = np.random.default_rng(seed).random(shape) < share
    ends = (0,) * len(shape), tuple(n - 1 for n in shape)
    for end in ends:
        blocked[end] = False
    grid = nt.Grid(blocked, **options)
    return grid, [nt.plan(grid, *map(grid.centre, ends), name) for name in ("a*", "theta*")]


def pixels_of(file, colour):
    """Return the number of pixels of exactly this colour."""
    wanted = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])
    pixels = np.round(255 * image.imread(file)[:, :, :3]).astype(int)
    return int((pixels == wanted).all(axis=2).sum())


@pytest.mark.parametrize("shape", [(12, 9, 10), (20, 15), (12, 1, 10), (6, 6, 1), (1, 9)])
def test_draws_paths_in_their_colours(tmp_path, shape):
    grid, paths = world(shape, share=0.0, cell=0.5, origin=(-3,) * len(shape))
    file = tmp_path / "a.png"
    pictures.picture(grid, paths, file, "a title")
    assert file.read_bytes().startswith(b"\x89PNG")
    height, width = image.imread(file).shape[:2]
    assert 600 <= width <= 2000
    assert 200 <= height <= 2000
    assert pixels_of(file, pictures.COLOURS[0]) > 100
    assert pixels_of(file, pictures.COLOURS[1]) > 100
    assert pixels_of(file, pictures.COLOURS[2]) == 0


def test_path_without_points_is_ignored(tmp_path):
    grid, paths = world()
    nowhere = nt.plan(nt.Grid(np.ones((12, 9, 10), bool)), (0.5,) * 3, (3.5,) * 3)
    pictures.picture(grid, [nowhere], tmp_path / "none.png")
    pictures.picture(grid, [nowhere, paths[0]], tmp_path / "one.png")
    assert pixels_of(tmp_path / "none.png", pictures.COLOURS[0]) == 0
    assert pixels_of(tmp_path / "one.png", pictures.COLOURS[0]) > 100


def test_same_picture_every_time(tmp_path):
    grid, paths = world()
    for name in ("a.png", "b.png"):
        pictures.picture(grid, paths, tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_suffix_selects_the_format(tmp_path):
    grid, paths = world((6, 6))
    pictures.picture(grid, paths, str(tmp_path / "a.svg"))
    assert "<svg" in (tmp_path / "a.svg").read_text()


def test_more_paths_than_colours(tmp_path):
    grid, paths = world((6, 6), share=0.0)
    pictures.picture(grid, paths * 6, tmp_path / "a.png")
    assert pixels_of(tmp_path / "a.png", pictures.COLOURS[7]) > 0


def test_partial_path_has_no_goal_mark(tmp_path, monkeypatch):
    grid, _ = world((30, 30), share=0.0)
    whole = nt.plan(grid, (0.5, 0.5), (29.5, 20.5))
    part = nt.plan(grid, (0.5, 0.5), (29.5, 20.5), max_expanded=5)
    assert part.partial
    figures = []
    monkeypatch.setattr(pictures, "save_figure", lambda figure, file: figures.append(figure))
    for path in (whole, part):
        pictures.picture(grid, [path], tmp_path / "a.png")
    marks = [figure.axes[0].get_legend_handles_labels()[1] for figure in figures]
    assert marks[0] == [f"a*  {whole.length:.2f}", "start", "goal"]
    assert marks[1] == [f"a*  {part.length:.2f} (partial)", "start"]


def test_picture_is_cropped_to_a_short_path():
    grid = nt.Grid(np.zeros((400, 300, 200), bool), cell=0.5)
    path = nt.plan(grid, grid.centre((100, 100, 100)), grid.centre((130, 110, 100)))
    scene = pictures._scene(grid, [path])
    assert scene.rock.shape == (31 + 2 * 10, 11 + 2 * 10, 1 + 2 * 10)
    np.testing.assert_array_equal(scene.low, [45, 45, 45])
    far = nt.plan(grid, grid.centre((0, 0, 0)), grid.centre((250, 10, 10)))
    assert pictures._scene(grid, [far]).rock.shape == grid.shape


def test_faces_are_drawn_from_far_to_near():
    blocked = np.zeros((9, 9, 9), bool)
    cells = np.array([[6, 2, 2], [4, 4, 4], [2, 6, 6]])  # towards the viewer
    blocked[tuple(cells[[1, 2, 0]].T)] = True
    corners, colours = pictures._faces(blocked)
    assert corners.shape == (9, 4, 3)
    assert np.abs(corners.mean(axis=1) - np.repeat(cells, 3, axis=0) - 0.5).max() == 0.5
    assert colours[:3].sum() > colours[3:6].sum() > colours[6:].sum()  # far faces are paler


def test_faces_of_a_single_cell_are_the_three_towards_the_viewer():
    blocked = np.zeros((3, 3, 3), bool)
    blocked[1, 1, 1] = True
    corners, _ = pictures._faces(blocked)
    outward = [face.mean(axis=0) - 1.5 for face in corners]
    assert sorted(map(tuple, outward)) == [(-0.5, 0, 0), (0, 0, 0.5), (0, 0.5, 0)]
    assert all(normal @ pictures.TOWARDS > 0 for normal in outward)


def test_near_walls_of_a_room_are_omitted():
    room = np.ones((9, 9, 9), bool)
    room[1:-1, 1:-1, 1:-1] = False
    shown = np.any(pictures._visible_faces(room), axis=0)
    assert pictures._visible(shown, np.array([[4.5, 4.5, 4.5]])).all()
    assert shown[8, 4, 4]  # the walls behind
    assert shown[4, 0, 4]
    assert not shown[0, 4, 4]  # but not those towards the viewer


def test_points_behind_blocked_cells_are_hidden():
    blocked = np.zeros((20, 20, 20), bool)
    blocked[8:12, 8:12, 8:12] = True
    shown = np.any(pictures._visible_faces(blocked), axis=0)
    middle = np.full(3, 10.0)
    places = np.array([middle - 6 * pictures.TOWARDS, middle + 6 * pictures.TOWARDS])
    assert pictures._visible(shown, places).tolist() == [False, True]


@pytest.mark.parametrize("share", [0.0, 0.02, 0.4, 0.9, 1.0])
def test_crowded_world_is_downsampled(share, monkeypatch):
    monkeypatch.setattr(pictures, "MAX_FACES", 500)
    monkeypatch.setattr(pictures, "MAX_CELLS", 5000)
    blocked = np.random.default_rng(1).random((41, 30, 53)) < share
    rock, scale = pictures._downsampled(blocked)
    assert rock.size <= 5000
    assert sum(f.sum() for f in pictures._visible_faces(rock)) <= 500
    assert rock.shape == tuple(-(-n // scale) for n in blocked.shape)
    assert rock.any() == blocked.any()


@pytest.mark.parametrize("scale", [1, 2, 3, 11])
def test_box_sums(scale):
    blocked = np.random.default_rng(2).random((13, 22, 7)) < 0.9
    box_sums = pictures.box_sums(blocked.view(np.uint8), scale)
    for index in np.ndindex(box_sums.shape):
        box = tuple(slice(i * scale, (i + 1) * scale) for i in index)
        assert box_sums[index] == blocked[box].sum()


def test_thin_wall_in_an_empty_world_remains(monkeypatch):
    monkeypatch.setattr(pictures, "MAX_CELLS", 1000)
    blocked = np.zeros((40, 40, 40), bool)
    blocked[17] = True
    rock, scale = pictures._downsampled(blocked)
    assert scale > 1
    assert rock[17 // scale].all()
    assert rock.sum() == rock[0].size


def test_error_names_the_extra(monkeypatch, tmp_path):
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    grid, paths = world((6, 6))
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'noctule\[plot\]'"):
        pictures.picture(grid, paths, tmp_path / "a.png")


def test_leaves_the_state_of_matplotlib_alone():
    code = "import noctule.pictures, sys; print('matplotlib' in sys.modules); "
    code += "noctule.pictures.require_matplotlib(); print('matplotlib.pyplot' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.stdout.split() == ["False", "False"], ran.stdout + ran.stderr

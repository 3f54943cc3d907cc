import base64
import copy
import re
import subprocess
import sys

import numpy as np
import pytest

import noctule as nt
from noctule.pictures import angled, maps
from noctule.pictures.orientation import orientation_of
from noctule.pictures.styles import style_of

image = pytest.importorskip("matplotlib.image")


def world(shape=(12, 9, 10), share=0.2, seed=0, **options):
    """A world with free corners and a path between them."""
    blocked = np.random.default_rng(seed).random(shape) < share
    ends = (0,) * len(shape), tuple(n - 1 for n in shape)
    for end in ends:
        blocked[end] = False
    grid = nt.Grid(blocked, **options)
    return grid, [nt.plan(grid, *map(grid.centre, ends), name) for name in ("a*", "theta*")]


def closed_world(shape=(12, 8, 6)):
    """A world with a wall without a gap, and the search that finds no path."""
    blocked = np.zeros(shape, bool)
    blocked[6] = True
    grid = nt.Grid(blocked)
    return grid, nt.plan(grid, np.full(len(shape), 1.5), np.array(shape) - 1.5, "a*")


def pixels_of(file, colour):
    """Return the number of pixels of exactly this colour."""
    wanted = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])
    pixels = np.round(255 * image.imread(file)[:, :, :3]).astype(int)
    return int((pixels == wanted).all(axis=2).sum())


def colour(path):
    return style_of(path.algorithm).colour


def labels(picture):
    return picture.axes[0].get_legend_handles_labels()[1]


@pytest.mark.parametrize("shape", [(12, 9, 10), (20, 15), (12, 1, 10), (6, 6, 1), (1, 9)])
def test_draws_paths_in_the_colours_of_studies(tmp_path, shape):
    grid, paths = world(shape, share=0.0, cell=0.5, origin=(-3,) * len(shape))
    file = tmp_path / "a.png"
    nt.draw(grid, *paths, title="a title").save(file)
    assert file.read_bytes().startswith(b"\x89PNG")
    height, width = image.imread(file).shape[:2]
    assert 600 <= width <= 2000
    assert 200 <= height <= 2000
    assert pixels_of(file, colour(paths[0])) > 100
    assert pixels_of(file, colour(paths[1])) > 100
    assert pixels_of(file, style_of("jps").colour) == 0


@pytest.mark.parametrize("shape", [(12, 8, 6), (12, 8)])
def test_without_a_path_both_ends_the_searched_nodes_and_the_reason_are_drawn(tmp_path, shape):
    grid, path = closed_world(shape)
    picture = nt.draw(grid, path)
    assert labels(picture) == [f"{path.algorithm}  no path", "start", "goal"]
    said = " ".join(text.get_text() for text in picture.figure.texts)
    assert said.startswith(f"no path: {path.reason[:40]}")
    if len(shape) == 2:
        (shown,) = picture.axes[0].get_images()
        cells = np.asarray(shown.get_array()).swapaxes(0, 1)
        tinted = (cells[:, :, 2] > cells[:, :, 0] + 0.05) & ~grid.blocked
        assert tinted[:6].all()  # all that can be reached was searched
        assert not tinted[7:].any()
    else:
        dots = [c for c in picture.axes[0].collections if len(c.get_offsets()) > 10]
        assert [len(c.get_offsets()) for c in dots] == [6 * 8 * 6]


def test_start_and_goal_of_many_plans_are_known(tmp_path):
    grid, _ = closed_world()
    pair = (grid.centre((1, 1, 1)), grid.centre((10, 2, 3)))
    for path in (nt.plan_many(grid, [pair, pair], "a*")[1], nt.plan(grid, *pair, "dijkstra")):
        np.testing.assert_allclose(path.ends, pair)
    blocked = nt.plan(grid, grid.centre((6, 1, 1)), pair[1], "a*")
    np.testing.assert_allclose(blocked.ends, (grid.centre((6, 1, 1)), pair[1]))
    assert "ends" not in blocked.to_dict()


def test_the_agent_is_drawn_at_its_true_radius():
    grid = nt.Grid(np.zeros((9, 9), bool), cell=2.0)
    path = nt.plan(grid, (3, 3), (15, 9), "a*", radius=0.7)
    circles = [p for p in nt.draw(grid, path).axes[0].patches if hasattr(p, "radius")]
    assert {circle.radius for circle in circles} == {0.7}
    centres = {tuple(map(float, circle.center)) for circle in circles}
    assert {tuple(point) for point in path.points} <= centres
    point = nt.plan(grid, (3, 3), (15, 9), "a*")
    assert not [p for p in nt.draw(grid, point).axes[0].patches if hasattr(p, "radius")]


def test_more_than_four_paths_get_a_panel_each():
    grid, _ = world((12, 9), share=0.1)
    ends = grid.centre((0, 0)), grid.centre((11, 8))
    names = ["a*", "theta*", "lazy-theta*", "jps", "dijkstra"]
    paths = [nt.plan(grid, *ends, name) for name in names]
    titles = [axes.get_title() for axes in nt.draw(grid, *paths).axes]
    assert titles[:5] == [f"{path.algorithm}  {path.length:.2f}" for path in paths]
    assert len(nt.draw(grid, *paths[:4]).axes) == 1


@pytest.mark.parametrize("count", [1, 3, 4])
def test_the_legend_fits_into_the_picture(count):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    grid, _ = world((12, 9), share=0.1)
    path = nt.plan(grid, grid.centre((0, 0)), grid.centre((11, 8)), "a*")
    names = ["a very long name of an algorithm with many words"] * count
    figure = nt.draw(grid, *[path] * count, labels=names).figure
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    (legend,) = figure.legends
    box, page = legend.get_window_extent(canvas.get_renderer()), figure.bbox
    assert box.x0 >= 0
    assert box.x1 <= page.x1
    assert box.y0 >= 0


def test_labels_name_raw_and_smoothed_paths():
    grid, (path, _) = world((12, 9), share=0.1)
    picture = nt.draw(grid, path, nt.smooth(path, grid, "greedy"), labels=["raw", "smoothed"])
    assert labels(picture)[:2] == ["raw", "smoothed"]
    lines = {line.get_label(): line.get_color() for line in picture.axes[0].lines}
    assert lines["raw"] != lines["smoothed"]
    with pytest.raises(ValueError, match="labels has 1 entries for 2 paths"):
        nt.draw(grid, path, path, labels=["one"])


def test_rows_of_benchmark_maps_go_downwards():
    grid, paths = world((12, 9), share=0.0)
    assert not nt.draw(grid, *paths).axes[0].yaxis_inverted()
    assert nt.draw(grid, *paths, up="-y").axes[0].yaxis_inverted()


def test_up_selects_the_axis_that_points_up():
    blocked = np.zeros((6, 5, 4), bool)
    blocked[:, :, 0] = True  # a floor
    grid = nt.Grid(blocked)
    path = nt.plan(grid, (0.5, 0.5, 2.5), (5.5, 4.5, 2.5), "a*")
    above, at_an_angle = nt.draw(grid, path, up="z").axes
    assert (above.get_xlabel(), above.get_ylabel()) == ("x", "y")
    names = [text.get_text() for text in at_an_angle.texts]
    assert names == ["x  0 to 6", "z  0 to 4", "y  0 to 5"]
    turned = orientation_of("z", 3)
    rock = angled.Rock.of(turned.cells(blocked), turned.box([0, 0, 0], [6, 5, 4])[0], 1.0)
    assert rock.sees(turned.points(np.array([[3.0, 2.0, 2.0]]))).all()
    assert not rock.sees(turned.points(np.array([[3.0, 2.0, -0.5]]))).any()
    with pytest.raises(ValueError, match="up is 'x'; allowed are 'y' and 'z'"):
        nt.draw(grid, up="x")


@pytest.mark.parametrize("up", ["y", "z"])
def test_orientations_keep_cells_at_their_points(up):
    blocked = np.random.default_rng(3).random((4, 5, 6)) < 0.5
    turned = orientation_of(up, 3)
    low, _ = turned.box([0, 0, 0], blocked.shape)
    cells = turned.cells(blocked)
    for index in np.argwhere(blocked):
        place = turned.points(index + 0.5) - low
        assert cells[tuple(np.floor(place).astype(int))]
    assert cells.sum() == blocked.sum()


def test_a_closed_room_is_cut_above_the_path():
    blocked = np.zeros((10, 10, 10), bool)
    blocked[1:9, 1:9, 1:6] = True
    blocked[2:8, 2:8, 2:5] = False
    grid = nt.Grid(blocked, cell=0.5)
    path = nt.plan(grid, (1.25, 1.25, 1.25), (3.75, 3.75, 1.25), "a*", radius=0.2)
    picture = nt.draw(grid, path, up="z")
    assert picture.axes[1].get_title().startswith("cut at z = 1.95")
    view = maps.view_of_map(grid, [path], "z")
    assert view.rock.sees(view.turned.points(path.points)).any()
    assert nt.draw(grid, path, up="z", cut=4.0).axes[1].get_title() == "cut at z = 4"
    free, paths = world(share=0.05)
    assert nt.draw(free, *paths).axes[0].get_title() == ""


def test_draws_on_axes_of_the_user():
    from matplotlib.figure import Figure

    left, right = Figure().subplots(1, 2)
    grid, paths = world((12, 9))
    assert nt.draw(grid, *paths, ax=left).axes == [left]
    paths[0].plot(ax=right, title="one")
    assert right.get_title() == "one"
    assert len(left.lines) > len(right.lines) > 0


def test_a_path_that_does_not_know_its_world():
    _, (path, _) = world((6, 6))
    with pytest.raises(ValueError, match="use noctule\\.draw"):
        copy.copy(path).plot()
    assert copy.copy(path)._repr_png_() is None


def test_notebooks_show_pictures_and_numbers(monkeypatch):
    grid, (path, _) = world()
    for value, word in ((path, "algorithm"), (grid, "blocked"), (nt.draw(grid), "")):
        assert value._repr_png_().startswith(b"\x89PNG")
        if word:
            html = value._repr_html_()
            assert word in html
            data = re.search('base64,([^"]*)', html)[1]
            assert base64.b64decode(data).startswith(b"\x89PNG")
    _, none = closed_world()
    assert "no: there is no way" in none._repr_html_()
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    assert grid._repr_html_() is None


def test_scenes_and_flights_are_shown():
    space = nt.Space((0, 0, 0), (12, 8, 8), up="z")
    slider = nt.Body("slider", nt.Box((2, 2, 2)), (6, 4, 4), motion=lambda t: (6, 4, 4 + t))
    scene = nt.Scene(space, nt.Agent((1, 1, 1)), nt.Destination((10, 6, 6)), [slider])
    assert scene._repr_png_().startswith(b"\x89PNG")
    assert "1, 1 of them moving" in scene._repr_html_()
    assert nt.Scene(space)._repr_png_().startswith(b"\x89PNG")  # without agent and goal
    assert "agent" not in nt.Scene(space)._repr_html_()
    options = {"prediction": False, "limit": 0.1, "start": 0.0}
    result = nt.Flight(scene, algorithm="a*", **options, record=True).run()
    assert result.trace.about["up"] == "z"
    assert result._repr_png_().startswith(b"\x89PNG")
    assert "not there after" in result._repr_html_()
    titles = [axes.get_title() for axes in nt.draw(result).axes]
    assert titles == ["0.0 s", "0.0 s", "0.1 s", "0.1 s"]
    result = nt.Flight(scene, algorithm="a*", **options).run()
    assert result._repr_png_() is None
    assert "reached" in result._repr_html_()
    with pytest.raises(ValueError, match="fly with record=True"):
        nt.draw(result)
    with pytest.raises(ValueError, match="world is 3; expected a Grid, Scene"):
        nt.draw(3)


def test_same_picture_every_time(tmp_path):
    grid, paths = world()
    for name in ("a.png", "b.png"):
        nt.draw(grid, *paths).save(tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_suffix_selects_the_format(tmp_path):
    grid, paths = world((6, 6))
    maps.picture(grid, paths, str(tmp_path / "a.svg"))
    assert "<svg" in (tmp_path / "a.svg").read_text()


def test_partial_path_has_no_goal_mark():
    grid, _ = world((30, 30), share=0.0)
    whole = nt.plan(grid, (0.5, 0.5), (29.5, 20.5), "a*")
    part = nt.plan(grid, (0.5, 0.5), (29.5, 20.5), "a*", max_expanded=5)
    assert part.partial
    assert labels(nt.draw(grid, whole)) == [
        f"{whole.algorithm}  {whole.length:.2f}", "start", "goal",
    ]  # fmt: skip
    assert labels(nt.draw(grid, part)) == [f"a*  {part.length:.2f} (partial)", "start"]


def test_picture_is_cropped_to_a_short_path():
    grid = nt.Grid(np.zeros((400, 300, 200), bool), cell=0.5)
    path = nt.plan(grid, grid.centre((100, 100, 100)), grid.centre((130, 110, 100)), "a*")
    view = maps.view_of_map(grid, [path])
    assert grid.blocked[view.part].shape == (31 + 2 * 10, 11 + 2 * 10, 1 + 2 * 10)
    np.testing.assert_array_equal(view.low, [45, 45, 45])
    far = nt.plan(grid, grid.centre((0, 0, 0)), grid.centre((250, 10, 10)), "a*")
    assert grid.blocked[maps.view_of_map(grid, [far]).part].shape == grid.shape


def test_faces_are_drawn_from_far_to_near():
    blocked = np.zeros((9, 9, 9), bool)
    cells = np.array([[6, 2, 2], [4, 4, 4], [2, 6, 6]])  # towards the viewer
    blocked[tuple(cells[[1, 2, 0]].T)] = True
    corners, colours = angled.faces(blocked)
    assert corners.shape == (9, 4, 3)
    assert np.abs(corners.mean(axis=1) - np.repeat(cells, 3, axis=0) - 0.5).max() == 0.5
    assert colours[:3].sum() > colours[3:6].sum() > colours[6:].sum()  # far faces are paler


def test_faces_of_a_single_cell_are_the_three_towards_the_viewer():
    blocked = np.zeros((3, 3, 3), bool)
    blocked[1, 1, 1] = True
    corners, _ = angled.faces(blocked)
    outward = [face.mean(axis=0) - 1.5 for face in corners]
    assert sorted(map(tuple, outward)) == [(-0.5, 0, 0), (0, 0, 0.5), (0, 0.5, 0)]
    assert all(normal @ angled.TOWARDS > 0 for normal in outward)


def test_near_walls_of_a_room_are_omitted():
    room = np.ones((9, 9, 9), bool)
    room[1:-1, 1:-1, 1:-1] = False
    shown = np.any(angled.visible_faces(room), axis=0)
    assert angled.visible(shown, np.array([[4.5, 4.5, 4.5]])).all()
    assert shown[8, 4, 4]  # the walls behind
    assert shown[4, 0, 4]
    assert not shown[0, 4, 4]  # but not those towards the viewer


def test_points_behind_blocked_cells_are_hidden():
    blocked = np.zeros((20, 20, 20), bool)
    blocked[8:12, 8:12, 8:12] = True
    shown = np.any(angled.visible_faces(blocked), axis=0)
    middle = np.full(3, 10.0)
    places = np.array([middle - 6 * angled.TOWARDS, middle + 6 * angled.TOWARDS])
    assert angled.visible(shown, places).tolist() == [False, True]


@pytest.mark.parametrize("share", [0.0, 0.02, 0.4, 0.9, 1.0])
def test_crowded_world_is_downsampled(share, monkeypatch):
    monkeypatch.setattr(angled, "MAX_FACES", 500)
    monkeypatch.setattr(angled, "MAX_CELLS", 5000)
    blocked = np.random.default_rng(1).random((41, 30, 53)) < share
    rock, scale = angled.downsampled(blocked)
    assert rock.size <= 5000
    assert sum(f.sum() for f in angled.visible_faces(rock)) <= 500
    assert rock.shape == tuple(-(-n // scale) for n in blocked.shape)
    assert rock.any() == blocked.any()


@pytest.mark.parametrize("scale", [1, 2, 3, 11])
def test_box_sums(scale):
    blocked = np.random.default_rng(2).random((13, 22, 7)) < 0.9
    box_sums = angled.box_sums(blocked.view(np.uint8), scale)
    for index in np.ndindex(box_sums.shape):
        box = tuple(slice(i * scale, (i + 1) * scale) for i in index)
        assert box_sums[index] == blocked[box].sum()


def test_thin_wall_in_an_empty_world_remains(monkeypatch):
    monkeypatch.setattr(angled, "MAX_CELLS", 1000)
    blocked = np.zeros((40, 40, 40), bool)
    blocked[17] = True
    rock, scale = angled.downsampled(blocked)
    assert scale > 1
    assert rock[17 // scale].all()
    assert rock.sum() == rock[0].size


def test_error_names_the_extra(monkeypatch, tmp_path):
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    grid, paths = world((6, 6))
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'noctule\[plot\]'"):
        maps.picture(grid, paths, tmp_path / "a.png")


def test_leaves_the_state_of_matplotlib_alone():
    code = "import noctule.pictures, sys; print('matplotlib' in sys.modules); "
    code += "noctule.pictures.require_matplotlib(); print('matplotlib.pyplot' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.stdout.split() == ["False", "False"], ran.stdout + ran.stderr

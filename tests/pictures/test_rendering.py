"""Solids, balls and lines on a `Canvas`, and figures on disk."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noctule.pictures.figures import require_matplotlib, save_figure
from noctule.pictures.rendering import FINER, HIDDEN, SHADE, Canvas, view_of
from noctule.worlds.shapes import Box, Hull

RED, BLUE, PAPER = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 1.0)
THREE_BOXES = [(-3, 2.0, RED), (0, 2.0, BLUE), (3, 0.5, RED)]  # depth, size, colour
LOW, HIGH = np.zeros(3), np.full(3, 10.0)


def canvas(width=96):
    return Canvas(view_of(LOW, HIGH, width), PAPER)


def pixel_of(view, point):
    """Return row and column of a point in the image."""
    x, y, _ = view.place(np.array(point, float)) / FINER
    return int(y), int(x)


def colour_at(drawn, point):
    return drawn.image()[pixel_of(drawn.view, point)].tolist()


def draw_box(drawn, centre, size, colour):
    box = Box(size)
    drawn.solid(box.vertices + centre, box.triangles, colour)


def test_empty_canvas_is_paper():
    view = view_of(LOW, HIGH, 96)
    for colour in (PAPER, (0.2, 0.4, 0.6)):
        image = Canvas(view, colour).image()
        assert image.shape == (*view.size[::-1], 3)
        assert image.dtype == np.uint8
        assert (image == np.round(255 * np.array(colour)).astype(int)).all()


def test_a_pixel_is_the_mean_of_those_drawn():
    drawn = canvas()
    drawn._colour[:] = np.random.default_rng(0).integers(0, 256, drawn._colour.shape)
    width, height = drawn.view.size
    mean = drawn._colour.reshape(3, height, FINER, width, FINER).mean(axis=(2, 4))
    np.testing.assert_array_equal(drawn.image(), np.floor(mean + 0.5).transpose(1, 2, 0))


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_nearest_solid_is_visible_in_any_order(order):
    drawn = canvas()
    towards = drawn.view.axes[:, 2]
    middle = np.full(3, 5.0)
    boxes = [
        (middle - 3 * towards, 2.0, RED),
        (middle, 2.0, BLUE),
        (middle + 3 * towards, 0.5, RED),
    ]
    for i in order:
        centre, side, colour = boxes[i]
        draw_box(drawn, centre, (side,) * 3, colour)
    image = drawn.image()
    centre = image[pixel_of(drawn.view, middle)]
    assert centre[0] > 255 * SHADE - 2  # the small red box is in front
    assert centre[2] == 0
    blue = image[..., 2].astype(int) - image[..., 0] > 100
    assert blue.sum() > 50  # the blue box around it
    behind = canvas()
    draw_box(behind, middle - 3 * towards, (2.0,) * 3, RED)
    covered = behind.image()[blue]
    assert (covered[:, 0] > covered[:, 2]).mean() > 0.8  # it hides the large red box


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_solid_covers_the_pixels_whose_rays_meet_it(seed):
    points = np.random.default_rng(seed).uniform(2, 8, (8, 3))
    hull = Hull(points)
    drawn = canvas(48)
    drawn.solid(hull.vertices, hull.triangles, RED)
    covered = drawn._depth > -np.inf
    rows, columns = np.mgrid[: covered.shape[0], : covered.shape[1]] + 0.5
    corner = hull.vertices[hull.triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    axes, shift = drawn.view.axes, drawn.view.shift
    place = np.stack([columns, rows, np.zeros_like(rows)], axis=-1) @ np.linalg.inv(axes)
    place -= shift @ np.linalg.inv(axes)
    # Along the line place + s * towards, the solid is where s lies between these bounds.
    towards = np.array([0.0, 0.0, 1.0]) @ np.linalg.inv(axes)
    slope = normal @ towards
    bound = ((corner[:, 0] * normal).sum(axis=1) - place @ normal.T) / slope
    last = np.where(slope > 0, bound, np.inf).min(axis=-1)
    first = np.where(slope < 0, bound, -np.inf).max(axis=-1)
    clear = np.abs(last - first) > 1e-6
    assert (covered == (last > first))[clear].all()
    inside = covered & clear
    np.testing.assert_allclose(drawn._depth[inside], last[inside], rtol=1e-5, atol=1e-5)


def test_line_is_pale_where_a_solid_hides_it():
    drawn = canvas()
    towards = drawn.view.axes[:, 2]
    middle = np.full(3, 5.0)
    draw_box(drawn, middle, (3.0,) * 3, RED)
    grey = np.array(colour_at(drawn, middle))
    across = drawn.view.axes[:, 0] / np.linalg.norm(drawn.view.axes[:, 0])
    behind = [middle - 6 * towards - 5 * across, middle - 6 * towards + 5 * across]
    drawn.line(behind, BLUE, 3.0)
    expected = grey * (1 - HIDDEN) + 255 * np.array(BLUE) * HIDDEN
    np.testing.assert_allclose(colour_at(drawn, middle), expected, atol=1)
    assert colour_at(drawn, behind[0] + 0.5 * across) == [0, 0, 255]
    drawn.line([middle + 6 * towards - across, middle + 6 * towards + across], BLUE, 3.0)
    assert colour_at(drawn, middle) == [0, 0, 255]


def test_a_line_there_and_back_is_drawn_once():
    once, twice = canvas(), canvas()
    towards = once.view.axes[:, 2]
    for drawn in (once, twice):
        draw_box(drawn, (5, 5, 5), (3.0,) * 3, RED)
    a, b = np.array([2.0, 5, 5]) - 4 * towards, np.array([8.0, 5, 5]) - 4 * towards
    once.line([a, b], BLUE, 3.0)
    twice.line([a, b, a], BLUE, 3.0)
    differing = (once.image() != twice.image()).any(axis=2)
    assert differing.mean() < 0.005  # where the line bends, its ends are rounded off


@pytest.mark.parametrize("turn", [1, -1])
def test_the_nearest_part_of_a_line_is_visible(turn):
    drawn = canvas()
    towards, across = drawn.view.axes[:, 2], drawn.view.axes[:, 0]
    across = across / np.linalg.norm(across)
    middle = np.full(3, 5.0)
    draw_box(drawn, middle, (3.0,) * 3, RED)
    line = [middle + 6 * towards * k + 4 * across * side for k, side in ((1, -1), (1, 1), (-1, -1))]
    drawn.line(line[::turn], BLUE, 3.0)
    assert colour_at(drawn, middle) == [0, 0, 255]


@pytest.mark.parametrize("through", [False, True])
def test_ball_behind_a_solid(through):
    drawn = canvas()
    towards = drawn.view.axes[:, 2]
    middle = np.full(3, 5.0)
    draw_box(drawn, middle, (3.0,) * 3, RED)
    hidden = colour_at(drawn, middle)
    drawn.ball(middle - 4 * towards, 0.8, BLUE, through)
    assert (colour_at(drawn, middle) != hidden) == through
    drawn.ball(middle + 4 * towards, 0.8, BLUE)
    assert colour_at(drawn, middle)[2] > 255 * SHADE


def test_a_figure_is_saved_as_matplotlib_saves_it(tmp_path):
    image = pytest.importorskip("matplotlib.image")
    for name in ("ours", "theirs"):
        figure = require_matplotlib()(figsize=(5, 3), layout="constrained")
        left, right = figure.subplots(1, 2)
        left.plot([0, 1], [0, 1], label="a line")
        left.set(xlabel="x", ylabel="y", title="a title")
        right.imshow(np.arange(12).reshape(3, 4))
        figure.suptitle("two of them")
        figure.legend(loc="outside lower center")
        if name == "ours":
            save_figure(figure, tmp_path / "ours.png")
            save_figure(figure, tmp_path / "ours.svg")
        else:
            figure.savefig(tmp_path / "theirs.png", dpi=120, facecolor="white")
    ours, theirs = (image.imread(tmp_path / f"{name}.png") for name in ("ours", "theirs"))
    np.testing.assert_array_equal(ours, theirs)
    assert "<svg" in (tmp_path / "ours.svg").read_text()

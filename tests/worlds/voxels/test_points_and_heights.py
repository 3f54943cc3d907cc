"""Cells of points, of balls around them, and of the ground below heights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noctule as nt

coordinates = st.integers(0, 40).map(lambda n: n / 8)
SPAN = ((0, 0, 0), (5, 5, 5))


def naive_counts(points, radius):
    counts = np.zeros((5, 5, 5), int)
    for cell in np.ndindex(counts.shape):
        low = np.array(cell)
        for point in points:
            if radius == 0:
                counts[cell] += bool((low <= point).all() and (point < low + 1).all())
            else:
                away = np.maximum(np.maximum(low - point, point - low - 1), 0)
                counts[cell] += bool((away**2).sum() < radius**2)
    return counts


@settings(max_examples=60)
@given(
    st.lists(st.tuples(coordinates, coordinates, coordinates), min_size=2, max_size=6),
    st.sampled_from([0.0, 0.25, 0.75, 1.5]),
    st.integers(1, 3),
)
def test_points(points, radius, least):
    cloud = np.array(points)
    grid = nt.Grid.from_points(cloud, cell=1.0, point_radius=radius, min_points=least, bounds=SPAN)
    assert np.array_equal(grid.blocked, naive_counts(cloud, radius) >= least)


def test_the_box_holds_all_points():
    cloud = np.array([(-1.0, 0.0, 0.3), (2.0, 1.0, 0.9)])
    grid = nt.Grid.from_points(cloud, cell=0.5)
    assert grid.origin.tolist() == [-1, 0, 0]
    assert grid.shape == (7, 3, 2)
    assert grid.blocked.sum() == 2
    wide = nt.Grid.from_points(cloud, cell=0.5, margin=1.0)
    assert wide.origin.tolist() == [-2, -1, -1]
    assert wide.blocked.sum() == 2


@pytest.mark.parametrize("ratio", [1, 2, 3, 0.5, 0.4, 1.5])
def test_heights(ratio):
    rng = np.random.default_rng(5)
    heights = rng.integers(-8, 17, (6, 9)) / 4
    cell = 0.5 * ratio
    grid = nt.Grid.from_heights(heights, pixel=0.5, cell=cell, origin=(3, -2), height=6.0)
    assert grid.origin[:2].tolist() == [3, -2]
    low = np.array(np.meshgrid(*map(np.arange, grid.shape), indexing="ij")).reshape(3, -1).T * cell
    for (x, y, z), cell_is_solid in zip(low, grid.blocked.reshape(-1), strict=True):
        over = [
            heights[i, j]
            for i, j in np.ndindex(heights.shape)
            if 0.5 * i < x + cell - 1e-9
            and x + 1e-9 < 0.5 * (i + 1)
            and 0.5 * j < y + cell - 1e-9
            and y + 1e-9 < 0.5 * (j + 1)
        ]
        assert cell_is_solid == (grid.origin[2] + z < max(over) - 1e-9)


def test_unknown_heights_are_solid():
    grid = nt.Grid.from_heights([[0.0, np.nan]], pixel=1.0, height=3)
    assert grid.blocked.tolist() == [[[False] * 3, [True] * 3]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nt.Grid.from_points(np.empty((0, 3)), cell=1), "points: there are none"),
        (lambda: nt.Grid.from_points([(1, 2)], cell=1), r"points have shape \(1, 2\)"),
        (lambda: nt.Grid.from_points([(0, 0, 0), (9, 9, 9)]), "cell is missing"),
        (lambda: nt.Grid.from_points([(0, 0, 0), (9, 9, 9)], cell=1, min_points=0), "min_points"),
        (lambda: nt.Grid.from_points([(0, 0, 0)], cell=1, point_radius=-1), "point_radius is -1"),
        (lambda: nt.Grid.from_points([(0, 0, 0), (1, 1, 1)], cell=2), "less than one cell of 2"),
        (lambda: nt.Grid.from_heights([1, 2], pixel=1), "numbers in 2 dimensions"),
        (lambda: nt.Grid.from_heights([[np.nan]], pixel=1), "none of them is a finite number"),
        (lambda: nt.Grid.from_heights([[1, 2]], pixel=0), "pixel is 0"),
        (lambda: nt.Grid.from_heights([[1, 2]], pixel=1, height=2), "highest ground is at 2"),
        (lambda: nt.Grid.from_heights([[1, 9e9]], pixel=1), "are made"),
    ],
)
def test_wrong_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()

"""`verify` must reject every path that is not free: compared with a check in rational numbers."""

import dataclasses
import itertools
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import RADII, blocked_arrays

import noctule as nt


@pytest.mark.parametrize("nodes", ["centres", "corners"])
@settings(max_examples=300)
@given(st.data())
def test_verify_agrees_with_the_twin(nodes, data):
    blocked = data.draw(blocked_arrays(longest=5))
    parts = data.draw(st.sampled_from((1, 2, 3, 4)))
    radius = data.draw(st.sampled_from(RADII))
    points = [
        [Fraction(data.draw(st.integers(0, n * parts)), parts) for n in blocked.shape]
        for _ in range(data.draw(st.integers(1, 4)))
    ]
    grid = nt.Grid(blocked, nodes=nodes)
    segments = list(itertools.pairwise(points)) or [(points[0], points[0])]
    exact = Fraction(radius).limit_denominator(1000)
    expected = all(
        naive.line_of_sight(blocked, p, q, exact, touch=nodes == "corners") for p, q in segments
    )
    path = np.array([[float(v) for v in point] for point in points])
    assert nt.verify(path, grid, radius=radius) == expected
    assert (next(nt.violations(path, grid, radius=radius), None) is None) == expected


@pytest.mark.parametrize("nodes", ["centres", "corners"])
@pytest.mark.parametrize("radius", [1e-15, 1e-12, 1e-9])
@pytest.mark.parametrize("cell", [0.01, 1.0])
def test_a_ball_smaller_than_places_are_exact_is_a_point(nodes, radius, cell):
    """No line through a solid is proved for it, and it finds what a point finds."""
    rng = np.random.default_rng(7)
    for dimension in (2, 3):
        grid = nt.Grid(rng.random((6,) * dimension) < 0.3, cell=cell, nodes=nodes)
        for _ in range(100):
            ends = rng.integers(0, 13, (2, dimension)) * 0.5 * cell
            proved = nt.verify(ends, grid, radius * cell)
            assert proved == nt.verify(ends, grid, 0.0)
            assert grid.line_of_sight(*ends, radius * cell) == proved
            path, of_point = (nt.plan(grid, *ends, "theta*", radius=r) for r in (radius * cell, 0))
            assert path.points.tolist() == of_point.points.tolist()
            assert nt.verify(path, grid)
    wall = np.zeros((5, 5), bool)
    wall[2] = True
    grid = nt.Grid(wall, cell, nodes=nodes)
    assert not nt.verify(np.array([(0.5, 2.5), (4.5, 2.5)]) * cell, grid, radius * cell)


def test_violations_name_segment_cell_and_distance():
    blocked = np.zeros((6, 6, 6), bool)
    blocked[3, 1, 0] = True  # spans 16 to 18, 2 to 4, 0 to 2 in world units
    grid = nt.Grid(blocked, cell=2.0, origin=(10.0, 0.0, 0.0))
    points = [(11, 1, 1), (11, 1, 3), (21, 1, 3), (21, 1, 1), (11, 1, 1)]
    assert nt.verify(points, grid, radius=1.0)
    found = [v for v in nt.violations(points, grid, radius=1.2) if v.cell == (3, 1, 0)]
    assert found == [nt.Violation(3, (3, 1, 0), 1.0)]
    assert str(found[0]) == "segment 3 comes within 1 of blocked cell (3, 1, 0)"


def test_a_wrong_length_is_not_verified():
    grid = nt.Grid(np.zeros((5, 5, 5), bool))
    path = nt.plan(grid, (0.5, 0.5, 0.5), (4.5, 3.5, 2.5), "a*")
    assert nt.verify(path, grid)
    assert not nt.verify(dataclasses.replace(path, length=path.length * 1.001), grid)


def test_outside_and_nan_are_not_verified():
    grid = nt.Grid(np.zeros((5, 5), bool))
    assert not nt.verify([(0.5, 0.5), (5.5, 0.5)], grid)
    assert not nt.verify([(0.5, 0.5), (np.nan, 0.5)], grid)
    assert not nt.verify([(0.5, 0.5), (4.5, 0.0)], grid)  # along the border of the world
    assert nt.verify([(0.5, 0.5), (4.5, 0.0)], nt.Grid(np.zeros((5, 5), bool), nodes="corners"))


def test_the_radius_of_the_path_is_the_default():
    blocked = np.zeros((5, 3), bool)
    blocked[2, 0] = True
    grid = nt.Grid(blocked)
    path = nt.plan(grid, (0.5, 1.5), (4.5, 1.5), "a*", radius=0.5)
    assert nt.verify(path, grid)
    assert not nt.verify(path, grid, radius=0.51)
    grid.block((2, 1))
    assert not nt.verify(path, grid)


def test_a_path_without_points_is_verified():
    grid = nt.Grid(np.ones((3, 3), bool))
    assert nt.verify(nt.plan(grid, (0.5, 0.5), (1.5, 0.5), "a*"), grid)


def test_every_single_blocked_cell_on_the_path_is_noticed():
    """Blocking any cell that the path meets makes `verify` reject it."""
    grid = nt.Grid(np.zeros((12, 9, 7), bool))
    path = nt.plan(grid, (0.5, 0.5, 0.5), (11.5, 8.5, 6.5), "theta*")
    assert len(path.points) == 2
    p, q = [Fraction(1, 2)] * 3, [Fraction(23, 2), Fraction(17, 2), Fraction(13, 2)]
    for cell in np.ndindex(grid.shape):
        grid.block(cell)
        met = naive.clip(p, q, cell, [i + 1 for i in cell], closed=True)
        assert nt.verify(path, grid) != met, cell
        grid.free(cell)

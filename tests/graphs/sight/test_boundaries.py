"""What is seen within a hair of faces, edges and corners, near the origin and far from it.

The rounding of coordinates may decide what is nearer than `resolution`; nothing else may.
"""

import itertools
import math
from fractions import Fraction

import naive
import numpy as np
import pytest
from boundaries import PLACES, segments_near_cells
from hypothesis import given, settings
from hypothesis import strategies as st

import noctule as nt

ALGORITHMS = ("a*", "theta*", "lazy-theta*", "d*-lite", "jps")


def exact(grid, points):
    """Points in cells as fractions: halves where they are halves but for rounding."""
    found = []
    for point in points.tolist():
        place = [
            (Fraction(v) - Fraction(low)) / Fraction(grid.cell)
            for v, low in zip(point, grid.origin.tolist(), strict=True)
        ]
        halves = [Fraction(round(2 * v), 2) for v in place]
        near = [abs(v - half) <= grid.resolution for v, half in zip(place, halves, strict=True)]
        found.append([h if n else v for h, v, n in zip(halves, place, near, strict=True)])
    return found


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=300)
@given(near=segments_near_cells())
def test_a_point_agent_sees_what_is_proved(place, near):
    grid, (p, q) = near.grid(place)
    a, b = exact(grid, np.array([p, q]))
    seen, proved = grid.line_of_sight(p, q), nt.verify([p, q], grid)
    assert grid.line_of_sight(q, p) == seen
    assert proved or not seen
    assert proved == naive.line_of_sight(near.blocked, a, b)
    margin = Fraction(2 * grid.resolution)
    if naive.line_of_sight(near.blocked, a, b, margin):
        assert seen


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=300)
@given(near=segments_near_cells(radii=(0.0,)))
def test_where_a_point_may_be_is_where_it_is_proved_to_be(place, near):
    """Both ways: no place, however near to a face, is one that only one of them allows."""
    grid, (p, _) = near.grid(place)
    assert grid.line_of_sight(p, p) == nt.verify([p], grid) == nt.verify([p, p], grid)
    corners, (p, _) = near.grid(place, nodes="corners")
    assert corners.line_of_sight(p, p) == nt.verify([p], corners)


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=300)
@given(near=segments_near_cells(radii=(0.0,)))
def test_between_corners(place, near):
    grid, (p, q) = near.grid(place, nodes="corners")
    a, b = exact(grid, np.array([p, q]))
    seen, proved = grid.line_of_sight(p, q), nt.verify([p, q], grid)
    assert grid.line_of_sight(q, p) == seen
    assert proved or not seen
    if naive.line_of_sight(near.blocked, a, b, touch=True):
        assert proved
        assert seen


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=300)
@given(near=segments_near_cells(radii=(1e-3, 0.25, 0.45, 0.5, 1.0)))
def test_a_ball_sees_what_is_proved(place, near):
    grid, (p, q) = near.grid(place)
    radius = near.radius * grid.cell
    a, b = exact(grid, np.array([p, q]))
    seen, proved = grid.line_of_sight(p, q, radius), nt.verify([p, q], grid, radius)
    assert grid.line_of_sight(q, p, radius) == seen
    assert proved or not seen
    wide = Fraction(near.radius)
    margin = Fraction(2 * grid.resolution)
    if naive.line_of_sight(near.blocked, a, b, wide):
        assert seen
    if proved:
        assert naive.line_of_sight(near.blocked, a, b, wide - margin)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("nodes", ["centres", "corners"])
@settings(max_examples=200)
@given(near=segments_near_cells(), data=st.data())
def test_paths_from_such_places_are_proved(nodes, place, near, data):
    grid, (p, q) = near.grid(place, nodes=nodes)
    algorithm = data.draw(st.sampled_from(ALGORITHMS))
    radius = near.radius * grid.cell if nodes == "centres" else 0.0
    if algorithm == "jps" and (nodes == "corners" or near.radius > 0.5):
        return
    for start, goal in ((p, q), (q, p)):
        path = nt.plan(grid, start, goal, algorithm, radius=radius)
        assert nt.verify(path, grid)
        if len(path.points):
            assert path.points[0].tolist() == start.tolist()
        many = nt.plan_many(grid, [(start, goal)], algorithm, threads=1, radius=radius)[0]
        assert (many.found, many.length) == (path.found, pytest.approx(path.length))


@pytest.mark.parametrize("place", ["utm", "far"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_ball_of_half_a_cell_finds_every_path_far_away(algorithm, place):
    """The same ones as near the origin, and all of them are proved."""
    origin, cell = PLACES[place]
    for seed in range(12):
        rng = np.random.default_rng(seed)
        blocked = rng.random((9, 8, 7)) < 0.25
        s, t = (rng.choice(np.argwhere(~blocked)) for _ in range(2))
        near, far = nt.Grid(blocked), nt.Grid(blocked, cell, origin)
        expected = nt.plan(near, near.centre(s), near.centre(t), algorithm, radius=0.5)
        path = nt.plan(far, far.centre(s), far.centre(t), algorithm, radius=cell / 2)
        assert path.found == expected.found
        assert nt.verify(path, far)
        if path.found:
            assert path.nodes.tolist() == expected.nodes.tolist()
            assert path.length == pytest.approx(expected.length * cell, abs=1e-6 * cell)


def test_cells_too_small_for_the_coordinates_are_refused():
    blocked = np.zeros((5, 5, 5), bool)
    for make in (
        lambda: nt.Grid(blocked, 1e-5, (5e5, 5.5e6, 0)),
        lambda: nt.Space((5e5, 5.5e6, 0), (5, 5, 5), 1e-5),
    ):
        with pytest.raises(ValueError, match=r"coordinates up to 5.5e\+06 are rounded to 9.3e-10"):
            make()
    with pytest.raises(ValueError, match="coordinates up to 1e"):
        nt.Grid(blocked, 1.0, (1e300, 0, 0))
    assert nt.Grid(blocked, 1e-3, (5e5, 5.5e6, 0)).resolution < 1e-5
    assert nt.Grid(blocked, 1e-5).resolution == 1e-9


def test_a_start_within_rounding_of_a_face():
    """Found and proved, or neither: wherever a coordinate ends up beside a face."""
    blocked = np.zeros((3, 3, 3), bool)
    blocked[1, 1, 1] = True
    grid = nt.Grid(blocked)
    for offset in (0.0, 1e-12, 9e-11, 3e-10, 9e-10, 1.1e-9, 3e-9, 1e-6):
        for sign in (1, -1):
            start = (1.5, 1.5, 2.0 + sign * offset)
            path = nt.plan(grid, start, (0.5, 0.5, 0.5), "a*")
            assert path.found == (sign * offset > grid.resolution) == nt.verify([start], grid)
            assert nt.verify(path, grid)
            assert math.isfinite(path.length) == path.found


@pytest.mark.parametrize("offset", [1e-3, -1e-3, 1e-6, -1e-6])
@pytest.mark.parametrize("side", sorted(set(itertools.product((-1, 0, 1), repeat=3)) - {(0, 0, 0)}))
def test_a_ball_that_all_but_touches_one_cell(side, offset):
    """At each face, edge and corner: with an end of the segment, with its middle, or in passing."""
    blocked = np.zeros((17, 17, 17), bool)
    blocked[8, 8, 8] = True
    grid, rng = nt.Grid(blocked), np.random.default_rng(1)
    outside = np.array(side) != 0
    for radius in (0.25, 0.5, 1.0, 2.7):
        away = np.where(outside, side * rng.uniform(0.2, 1.0, 3), 0.0)
        away /= np.linalg.norm(away)
        touched = np.where(outside, 8.5 + np.array(side) / 2, 8.0 + rng.uniform(0.2, 0.8, 3))
        nearest = touched + (radius + offset) * away
        across = np.cross(away, rng.normal(size=3))  # along a plane with the cell on one side
        across /= np.linalg.norm(across)
        for p, q in (
            (nearest, nearest),
            (nearest, nearest + 2 * away),
            (nearest, nearest + away + 0.7 * across),
            (nearest, nearest + across),
            (nearest - across, nearest + 0.6 * across),
        ):
            free = offset > 0
            assert grid.line_of_sight(p, q, radius) == free, (radius, p, q)
            assert grid.line_of_sight(q, p, radius) == free, (radius, p, q)
            assert nt.verify([p, q], grid, radius) == free, (radius, p, q)


STEPS = [
    *itertools.product(range(4), repeat=3),
    *itertools.permutations((4, 3, 2)),  # within a cell along one axis they change both others
    *itertools.permutations((5, 4, 3)),
]


@pytest.mark.parametrize("step", STEPS)
def test_segments_between_centres_past_one_cell(step):
    """Each cell of the box around the segment is blocked alone, in one of eight directions."""
    signs = np.random.default_rng(step).choice((-1, 1), 3)
    start, goal = np.zeros(3, int), np.array(step)
    start, goal = np.where(signs < 0, goal, start), np.where(signs < 0, start, goal)
    p, q = ([Fraction(2 * int(i) + 1, 2) for i in end] for end in (start, goal))
    for cell in itertools.product(*(range(d + 1) for d in step)):
        blocked = np.zeros((6, 6, 6), bool)
        blocked[cell] = True
        grid = nt.Grid(blocked)
        seen = grid.line_of_sight(grid.centre(start.tolist()), grid.centre(goal.tolist()))
        assert seen == naive.line_of_sight(blocked, p, q), (start, goal, cell)

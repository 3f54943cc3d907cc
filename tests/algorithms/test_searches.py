"""Every algorithm of the catalogue against plain twins, on generated worlds."""

import math
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import NEIGHBOURHOODS, RADII, blocked_arrays, random_world

import noctule as nt

SPATIAL = [row.name for row in nt.algorithms() if not (row.corners_only or row.timed)]
OPTIMAL = [row.name for row in nt.algorithms() if row.optimal and not row.corners_only]


def node_point(grid, node):
    return grid.positions(np.array([node]))[0]


@pytest.mark.parametrize("algorithm", SPATIAL)
@settings(max_examples=150)
@given(st.data())
def test_every_graph(algorithm, data):
    """Any neighbourhood, centres and corners, any radius, any weight: a verified path, or none."""
    blocked = data.draw(blocked_arrays(longest=5))
    neighbours = data.draw(st.sampled_from(NEIGHBOURHOODS[blocked.ndim]))
    nodes = data.draw(st.sampled_from(("centres", "corners")))
    radius = data.draw(st.sampled_from(RADII))
    weight = data.draw(st.sampled_from((1.0, 1.0, 1.5, 3.0)))
    more = 1 if nodes == "corners" else 0
    s, t = (tuple(data.draw(st.integers(0, n - 1 + more)) for n in blocked.shape) for _ in range(2))

    grid = nt.Grid(blocked, neighbours=neighbours, nodes=nodes)
    start, goal = node_point(grid, s), node_point(grid, t)
    path = nt.plan(grid, start, goal, algorithm, radius=radius, weight=weight)
    twin = naive.Graph(blocked, neighbours, nodes, Fraction(radius).limit_denominator(1000))
    shortest = twin.distances(s).get(t)
    assert path.found == (shortest is not None), path.reason
    if shortest is None:
        assert path.reason
        return
    assert nt.verify(path, grid, radius=radius)
    assert path.points[0].tolist() == start.tolist()
    assert path.points[-1].tolist() == goal.tolist()
    assert path.length <= path.bound * shortest + 1e-9
    if algorithm in OPTIMAL and weight == 1.0:
        assert math.isclose(path.length, shortest, abs_tol=1e-9)


def test_many_worlds(cases):
    """Generated worlds, many more at night: `pytest --cases 100000 -k many_worlds`."""
    longer = 0
    worst = 1.0
    any_angle = 0
    for seed in range(cases):
        blocked, neighbours, s, t = random_world(seed)
        grid = nt.Grid(blocked, neighbours=neighbours)
        start, goal = grid.centre(s), grid.centre(t)
        shortest = naive.Graph(blocked, neighbours).distances(s).get(t)
        reachable = not blocked[s] and t in naive.flood(blocked, s) and not blocked[t]
        assert (shortest is not None) == reachable, seed
        for algorithm in SPATIAL:
            path = nt.plan(grid, start, goal, algorithm)
            assert path.found == reachable, (seed, algorithm)
            if not reachable:
                continue
            assert nt.verify(path, grid), (seed, algorithm)
            assert path.length <= path.bound * shortest + 1e-9, (seed, algorithm)
            if algorithm in OPTIMAL:
                assert math.isclose(path.length, shortest, abs_tol=1e-9), (seed, algorithm)
            else:
                any_angle += 1
                longer += path.length > shortest + 1e-9
                worst = max(worst, path.length / shortest if shortest else 1.0)
    print(f"{longer} of {any_angle} any-angle paths longer than A*'s, at most {worst:.4f} times")
    assert longer <= max(1, any_angle / 500)
    assert worst < 1.01


@settings(max_examples=100)
@given(blocked_arrays(longest=6), st.data())
def test_start_and_goal_anywhere(blocked, data):
    nodes = data.draw(st.sampled_from(("centres", "corners")))
    radius = data.draw(st.sampled_from((0.0, 0.2, 0.5, 0.8)))
    algorithm = data.draw(st.sampled_from(SPATIAL))
    grid = nt.Grid(blocked, nodes=nodes, cell=0.5, origin=(1.0,) * blocked.ndim)
    ends = [
        [1.0 + 0.5 * n * data.draw(st.floats(0.0, 1.0)) for n in blocked.shape] for _ in range(2)
    ]
    path = nt.plan(grid, *ends, algorithm, radius=radius)
    if not path.found:
        assert path.reason
        return
    assert nt.verify(path, grid, radius=radius)
    assert path.points[0].tolist() == ends[0]
    assert path.points[-1].tolist() == ends[1]


def test_own_cell_centre_is_always_seen():
    """An agent no wider than a cell that is free where it is can start there."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        blocked = rng.random((5, 5, 5)) < 0.4
        grid = nt.Grid(blocked)
        point = rng.random(3) * 5
        radius = float(rng.choice((0.0, 0.2, 0.5)))
        if grid.line_of_sight(point, point, radius):
            path = nt.plan(grid, point, grid.centre(grid.cell_of(point)), "a*", radius=radius)
            assert path.found, path.reason


@pytest.mark.parametrize("algorithm", SPATIAL)
def test_same_input_same_result(algorithm):
    rng = np.random.default_rng(9)
    grid = nt.Grid(rng.random((20, 20, 20)) < 0.2)
    pairs = [(grid.centre(s), grid.centre(t)) for s, t in rng.integers(0, 20, (30, 2, 3))]
    first = [nt.plan(grid, *pair, algorithm) for pair in pairs]
    again = nt.plan_many(grid, pairs, algorithm, threads=4)
    for a, b in zip(first, again, strict=True):
        assert a.points.tobytes() == b.points.tobytes()
        assert (a.expanded, a.sight_checks) == (b.expanded, b.sight_checks)
    assert sum(path.found for path in first) > 10


def test_mirrored_worlds_have_equal_lengths():
    """Metamorphic: turn the world round, swap start and goal; A*'s length stays."""
    rng = np.random.default_rng(4)
    for _ in range(40):
        blocked = rng.random((6, 7, 5)) < 0.25
        s, t = (tuple(rng.integers(0, blocked.shape)) for _ in range(2))
        grid, turned = nt.Grid(blocked), nt.Grid(blocked.transpose(2, 0, 1)[::-1])
        path = nt.plan(grid, grid.centre(s), grid.centre(t), "a*")
        other = [turned.centre((4 - c[2], c[0], c[1])) for c in (t, s)]
        back = nt.plan(turned, *other, "a*")
        assert path.found == back.found
        if path.found:
            assert math.isclose(path.length, back.length, abs_tol=1e-9)


def test_freeing_cells_never_makes_a_path_longer():
    rng = np.random.default_rng(6)
    grid = nt.Grid(rng.random((8, 8, 8)) < 0.4)
    grid.free([(0, 0, 0), (7, 7, 7)])
    length = math.inf
    for _ in range(40):
        path = nt.plan(grid, grid.centre((0, 0, 0)), grid.centre((7, 7, 7)), "a*")
        assert path.length <= length + 1e-9
        length = path.length
        solid = np.argwhere(grid.blocked)
        grid.free(solid[rng.integers(0, len(solid), 4)])
    assert length < math.inf


def test_lines_that_graze_a_corner_from_anywhere():
    """A straight line past a corner is as free as rounding lets it be, and verified so."""
    rng = np.random.default_rng(12)
    blocked = np.zeros((9, 9), bool)
    blocked[4, 4] = True
    grid = nt.Grid(blocked, nodes="corners")
    for _ in range(400):
        corner = np.array([4, 5]) if rng.random() < 0.5 else np.array([5, 4])
        away = (rng.random(2) * 4 + 0.01) * [1, 1]
        start, goal = corner - away, corner + away * rng.random()
        for algorithm in ("theta*", "visibility"):
            path = nt.plan(grid, start, goal, algorithm)
            assert path.found
            assert nt.verify(path, grid)
            assert path.length <= math.dist(start, goal) + 1e-8


def test_visibility_through_plan():
    rng = np.random.default_rng(14)
    for _ in range(60):
        blocked = rng.random((9, 8)) < 0.3
        grid = nt.Grid(blocked, nodes="corners", cell=0.25, origin=(-1.0, 5.0))
        ends = [grid.origin + 0.25 * rng.random(2) * grid.shape for _ in range(2)]
        path = nt.plan(grid, *ends, "visibility")
        other = nt.plan(grid, *ends, "theta*")
        assert path.found == other.found
        if path.found:
            assert nt.verify(path, grid)
            assert path.bound == 1.0
            assert path.length <= other.length + 1e-9
            assert path.points[0].tolist() == ends[0].tolist()
            assert path.points[-1].tolist() == ends[1].tolist()
        elif not path.reason.startswith("there is no way"):
            assert path.reason == other.reason


def test_visibility_says_what_it_needs():
    flat = np.zeros((4, 4), bool)
    with pytest.raises(ValueError, match="visibility needs a world in the plane with nodes at"):
        nt.Planner(nt.Grid(flat), "visibility")
    with pytest.raises(ValueError, match="visibility needs a world in the plane"):
        nt.Planner(nt.Grid(np.zeros((3, 3, 3), bool), nodes="corners"), "visibility")
    grid = nt.Grid(flat, nodes="corners")
    with pytest.raises(ValueError, match=r"radius is 0.1; visibility allows 0.0 only"):
        nt.Planner(grid, "visibility", radius=0.1)
    with pytest.raises(ValueError, match=r"time_limit is 1.0; visibility allows None only"):
        nt.Planner(grid, "visibility", time_limit=1.0)
    part = nt.plan(
        nt.Grid(np.eye(9, dtype=bool)[:, ::-1], nodes="corners"),
        (0, 0),
        (9, 9),
        "visibility",
        max_expanded=1,
    )
    assert part.partial
    assert nt.verify(part, nt.Grid(np.eye(9, dtype=bool)[:, ::-1], nodes="corners"))


@pytest.mark.parametrize("algorithm", ["a*", "jps", "dijkstra"])
def test_long_paths_are_whole(algorithm):
    """Longer than what a search expects, alone and with others."""
    blocked = np.zeros((41, 41), bool)
    blocked[1::2] = True
    blocked[1::4, 40] = blocked[3::4, 0] = False
    grid = nt.Grid(blocked)
    ends = (0.5, 0.5), (40.5, 40.5)
    planner = nt.Planner(grid, algorithm)
    for path in [planner.plan(*ends), *planner.plan_many([ends] * 3)]:
        assert len(path.nodes) == 21 * 41 + 20
        assert path.length == 21 * 40 + 2 * 20
        assert nt.verify(path, grid)

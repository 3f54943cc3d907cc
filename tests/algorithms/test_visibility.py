"""The shortest path in the plane against a plain twin: all corners, all pairs, in fractions."""

import heapq
import itertools
import math
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import blocked_arrays

import noctule as nt
from noctule.algorithms.visibility import shortest_in_plane
from noctule.path import polyline_length

# ------------------------------------------------------------------ the twin


def exact(point):
    return tuple(int(v) if v == int(v) else Fraction(v) for v in point)


def sees(blocked, p, q):
    """The papers' rule: no interior of a blocked cell, no edge between two blocked cells.

    An open cell is clear of a segment if a line along one of its sides, or along the segment, has
    them on different sides.
    """
    (px, py), (qx, qy) = p, q
    for x, y in np.argwhere(blocked).tolist():
        sides = [
            (qx - px) * (cy - py) - (qy - py) * (cx - px)
            for cx, cy in itertools.product((x, x + 1), (y, y + 1))
        ]
        apart = max(px, qx) <= x or min(px, qx) >= x + 1 or max(py, qy) <= y or min(py, qy) >= y + 1
        if not (apart or min(sides) >= 0 or max(sides) <= 0):
            return False
    for axis in (0, 1):
        line, low, high = p[axis], *sorted((p[1 - axis], q[1 - axis]))
        if line == q[axis] and isinstance(line, int):
            for j in range(math.floor(low), math.ceil(high)):
                beside = [(line - 1, j), (line, j)] if axis == 0 else [(j, line - 1), (j, line)]
                if all(naive.is_blocked(blocked, cell) for cell in beside):
                    return False
    return True


def may_bend(blocked, x, y):
    cells = [(x - 1, y - 1), (x, y - 1), (x, y), (x - 1, y)]  # in this order round the corner
    solid = [naive.is_blocked(blocked, cell) for cell in cells]
    return sum(solid) == 1 or (sum(solid) == 2 and solid[0] == solid[2])


def shortest_length(blocked, start, goal):
    """Dijkstra's algorithm over start, goal and all corners to bend at; None if unreachable."""
    start, goal = exact(start), exact(goal)
    lattice = itertools.product(range(blocked.shape[0] + 1), range(blocked.shape[1] + 1))
    vertices = {start, goal, *(c for c in lattice if may_bend(blocked, *c))}
    closed, queue = set(), [(0.0, start)]
    while queue:
        g, s = heapq.heappop(queue)
        if s == goal:
            return g
        if s in closed:
            continue
        closed.add(s)
        for t in vertices - closed:
            if sees(blocked, s, t):
                heapq.heappush(queue, (g + math.dist(s, t), t))
    return None


# ------------------------------------------------------------------ worlds


def is_free(blocked, point):
    """Whether a point touches a free cell."""
    sides = [(math.ceil(v) - 1, math.floor(v)) for v in point]
    return any(not naive.is_blocked(blocked, cell) for cell in itertools.product(*sides))


def coordinates(n):
    """Lattice lines, numbers that are exact in binary, ones that are not, and anything."""
    return st.one_of(
        st.integers(0, n).map(float),
        st.integers(0, 8 * n).map(lambda i: i / 8),
        st.integers(0, 10 * n).map(lambda i: i / 10),
        st.integers(0, 3 * n).map(lambda i: i / 3),
        st.floats(0, n, allow_subnormal=False),
    )


@st.composite
def queries(draw, points=coordinates, longest=8):
    """A world with two free points in it."""
    blocked = draw(blocked_arrays(dimension=2, longest=longest))
    places = st.tuples(*(points(n) for n in blocked.shape))
    if blocked.all():
        blocked[draw(st.integers(0, blocked.shape[0] - 1)), 0] = False
    free = places.filter(lambda point: is_free(blocked, point))
    return blocked, draw(free), draw(free)


def solve(blocked, start, goal):
    """Length of the path, after a look at it; None without one."""
    grid = nt.Grid(blocked, nodes="corners")
    path = shortest_in_plane(grid, start, goal)
    if path is None:
        return None
    assert path.complete
    assert path.corners[0].tolist() == list(start)
    assert path.corners[-1].tolist() == list(goal)
    assert nt.verify(path.corners, grid, radius=0), list(nt.violations(path.corners, grid, 0))
    for x, y in path.corners[1:-1].astype(int).tolist():
        assert may_bend(blocked, x, y)
    return polyline_length(path.corners)


def agrees(blocked, start, goal):
    length, expected = solve(blocked, start, goal), shortest_length(blocked, start, goal)
    assert (length is None) == (expected is None)
    assert expected is None or math.isclose(length, expected, abs_tol=1e-9)


# ------------------------------------------------------------------ laws


@settings(max_examples=250)
@given(queries(points=lambda n: st.integers(0, n).map(float)))
@example((np.array([[1, 0, 0, 1], [0, 1, 0, 0]], bool), (2.0, 1.0), (1.0, 4.0)))
def test_between_corners(query):
    agrees(*query)


@settings(max_examples=250)
@given(queries())
@example((np.array([[False, False], [True, False]]), (0.1, 0.3), (1.5, 1.7)))
@example((np.array([[False], [False]]), (0.0, 0.0), (2.0, 1e-9)))
@example((np.array([[0, 0, 0, 0], [1, 1, 1, 0]], bool), (0.1, 0.3), (1.2, 3.6)))
@example((np.array([[0, 0], [1, 0], [1, 0], [0, 0]], bool), (0.0, 1.0 + 1.4e-9), (3.0, 0.6)))
def test_between_any_points(query):
    agrees(*query)


def test_many_worlds(cases):
    """Seeded worlds, many more at night: `pytest --cases 100000 -k many_worlds`."""
    for seed in range(cases):
        rng = np.random.default_rng(seed)
        blocked = rng.random(rng.integers(1, 8, 2)) < rng.choice((0.1, 0.3, 0.4, 0.5, 0.6))
        parts = rng.choice((1, 1, 2, 3, 10), 2)
        places = [
            tuple((rng.integers(0, blocked.shape * parts + 1) / parts).tolist()) for _ in "sg"
        ]
        if all(is_free(blocked, place) for place in places):
            agrees(blocked, *places)


@settings(max_examples=100)
@given(queries(longest=12))
def test_the_way_back_is_as_long(query):
    blocked, start, goal = query
    there, back = solve(blocked, start, goal), solve(blocked, goal, start)
    assert there == back or math.isclose(there, back, abs_tol=1e-9)


@settings(max_examples=50)
@given(queries(longest=6), st.integers(0, 7))
def test_mirrored_world(query, symmetry):
    blocked, *ends = query
    nx, ny = blocked.shape
    length = solve(blocked, *ends)
    if symmetry & 1:
        blocked, ends = blocked[::-1], [(nx - x, y) for x, y in ends]
    if symmetry & 2:
        blocked, ends = blocked[:, ::-1], [(x, ny - y) for x, y in ends]
    if symmetry & 4:
        blocked, ends = blocked.T, [(y, x) for x, y in ends]
    mirrored = solve(blocked, *ends)
    assert length == mirrored or math.isclose(length, mirrored, abs_tol=1e-9)


@pytest.mark.parametrize("percent", [10, 20, 30, 40])
def test_never_longer_than_other_searches(percent):
    rng = np.random.default_rng(percent)
    blocked = rng.random((60, 60)) < percent / 100
    grid = nt.Grid(blocked, nodes="corners")
    compared = 0
    while compared < 20:
        start, goal = (tuple(map(float, rng.integers(0, 61, 2))) for _ in range(2))
        if not (is_free(blocked, start) and is_free(blocked, goal)):
            continue
        compared += 1
        length = solve(blocked, start, goal)
        for algorithm in ("a*", "theta*"):
            other = nt.plan(grid, start, goal, algorithm)
            assert other.found == (length is not None)
            assert length is None or length <= other.length + 1e-9


# ------------------------------------------------------------------ places with known answers


def test_between_cells_that_touch_diagonally():
    blocked = np.array([[False, True], [True, False]])
    assert solve(blocked, (0.0, 0.0), (2.0, 2.0)) == pytest.approx(math.sqrt(8))
    assert solve(blocked, (0.5, 0.75), (1.5, 1.5)) == pytest.approx(
        math.dist((0.5, 0.75), (1, 1)) + math.dist((1, 1), (1.5, 1.5))
    )


def test_along_edges():
    """A line between cells is free where one of the two is; here they alternate."""
    blocked = np.array([[True, False], [False, True], [True, False], [False, True]])
    assert solve(blocked, (0.0, 1.0), (4.0, 1.0)) == 4.0
    assert solve(blocked, (0.25, 1.0), (3.5, 1.0)) == 3.25
    assert solve(blocked.T, (1.0, 0.0), (1.0, 4.0)) == 4.0
    blocked[2] = True
    assert solve(blocked, (0.0, 1.0), (4.0, 1.0)) is None


def test_round_the_border_of_the_world():
    blocked = np.zeros((5, 4), bool)
    blocked[1:4, :3] = True
    assert solve(blocked, (1.0, 0.0), (4.0, 0.0)) == 9.0
    blocked[2, 3] = True
    assert solve(blocked, (1.0, 0.0), (4.0, 0.0)) is None


def test_start_is_goal():
    blocked = np.array([[False, True], [False, False]])
    for place in ((0.0, 0.0), (1.0, 1.0), (0.3, 0.9), (1.0, 0.4)):
        path = shortest_in_plane(nt.Grid(blocked, nodes="corners"), place, place)
        assert path.corners.tolist() == [list(place)]


@pytest.mark.parametrize("ends", [((0, 0), (1, 1)), ((0, 1), (1, 1)), ((0.25, 0.5), (0.75, 1))])
def test_world_of_one_cell(ends):
    assert solve(np.array([[False]]), *ends) == math.dist(*ends)


def test_corners_in_line_are_left_out():
    blocked = np.zeros((9, 3), bool)
    blocked[1::2, 0] = True
    path = shortest_in_plane(nt.Grid(blocked, nodes="corners"), (0.0, 0.0), (9.0, 0.0))
    assert path.corners.tolist() == [[0, 0], [1, 1], [8, 1], [9, 0]]


def test_limit():
    rng = np.random.default_rng(3)
    grid = nt.Grid(rng.random((60, 60)) < 0.3, nodes="corners")
    start, goal = (1.0, 1.0), (59.0, 58.0)
    whole = shortest_in_plane(grid, start, goal)
    assert whole.complete
    for limit in (1, 5, 50):
        part = shortest_in_plane(grid, start, goal, limit)
        assert not part.complete
        assert part.expanded == limit
        assert part.corners[0].tolist() == list(start)
        assert nt.verify(part.corners, grid, radius=0)
    same = shortest_in_plane(grid, start, goal, whole.expanded + 1)
    assert (same.complete, same.corners.tolist()) == (True, whole.corners.tolist())


def test_large_random_map():
    blocked = np.random.default_rng(0).random((512, 512)) < 0.2
    blocked[0, 0] = blocked[-1, -1] = False
    grid = nt.Grid(blocked, nodes="corners")
    path = shortest_in_plane(grid, (0.0, 0.0), (512.0, 512.0))
    assert nt.verify(path.corners, grid, radius=0)
    theta = nt.plan(grid, (0, 0), (512, 512), "theta*")
    assert polyline_length(path.corners) <= theta.length


@pytest.mark.parametrize(("algorithm", "most"), [("theta*", 1.0045), ("lazy-theta*", 1.012)])
def test_any_angle_searches_stay_near_the_shortest_path(algorithm, most):
    """Dense noise on 40 x 40 cells, from corner to corner: how much longer they are on average."""
    ratios = []
    for seed in range(60):
        blocked = np.random.default_rng(seed).random((40, 40)) < 0.25
        grid = nt.Grid(blocked, nodes="corners")
        shortest = nt.plan(grid, (0, 0), (40, 40), "visibility")
        if shortest.found:
            path = nt.plan(grid, (0, 0), (40, 40), algorithm)
            assert nt.verify(path, grid)
            assert path.length >= shortest.length - 1e-9
            ratios.append(path.length / shortest.length)
    assert len(ratios) > 30
    assert np.mean(ratios) < most

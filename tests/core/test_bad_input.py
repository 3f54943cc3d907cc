"""What users get wrong, and what they are told."""

import math

import numpy as np
import pytest

import noctule as nt

EMPTY = np.zeros((4, 5, 6), dtype=bool)


@pytest.mark.parametrize(
    ("blocked", "message"),
    [
        (np.zeros(5, bool), "blocked has 1 dimensions; a grid has 2 or 3"),
        (np.zeros((2, 2, 2, 2), bool), "blocked has 4 dimensions"),
        (np.zeros((3, 0), bool), r"blocked has shape \(3, 0\); a grid has at least one cell"),
        (np.zeros((3, 3)), "blocked has type float64; expected bool"),
        (np.full((3, 3), 2), "blocked has type int64; expected bool, or whole numbers 0 and 1"),
        (np.array([["a", "b"], ["c", "d"]]), "blocked has type <U1"),
        ([[True, False], [True]], "blocked"),
    ],
)
def test_blocked(blocked, message):
    with pytest.raises(ValueError, match=message):
        nt.Grid(blocked)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cell": 0}, "cell is 0; it must be a number above 0"),
        ({"cell": math.nan}, "cell is nan"),
        ({"cell": "big"}, "cell is 'big'"),
        ({"origin": (0, 0)}, r"origin has shape \(2,\); expected 3 numbers"),
        ({"origin": (0, 0, math.inf)}, r"origin is \(0, 0, inf\); coordinates must be finite"),
        ({"neighbours": 8}, "neighbours is 8; a 3-D grid has 6, 18, 26"),
        ({"nodes": "edges"}, "nodes is 'edges'; allowed are 'centres' and 'corners'"),
    ],
)
def test_grid_options(options, message):
    with pytest.raises(ValueError, match=message):
        nt.Grid(EMPTY, **options)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([(0, 0)], r"cells have shape \(1, 2\); expected \(n, 3\)"),
        ([(0.5, 0, 0)], "cells have type float64; cell indices are whole numbers"),
        ([(0, 0, 0), (4, 0, 0)], r"cell \(4, 0, 0\) lies outside the grid of 4 x 5 x 6 cells"),
        ([(0, -1, 0)], r"cell \(0, -1, 0\) lies outside"),
    ],
)
def test_cells(cells, message):
    grid = nt.Grid(EMPTY)
    before = grid.blocked
    for change in (grid.block, grid.free):
        with pytest.raises(ValueError, match=message):
            change(cells)
    assert (grid.blocked == before).all()  # nothing is half done


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ((0.5, 0.5, 9.0), r"start \(0.5, 0.5, 9\) lies outside the world, which spans \(0, 0, 0\)"),
        ((-1, 0.5, 0.5), "lies outside the world"),
        ((math.nan, 1, 1), r"start is \(nan, 1, 1\); coordinates must be finite"),
        ((1, 1), r"start has shape \(2,\); expected 3 numbers"),
        ("here", "start is 'here'; expected 3 numbers"),
        (None, "start"),
    ],
)
def test_points(start, message):
    grid = nt.Grid(EMPTY)
    with pytest.raises(ValueError, match=message):
        nt.plan(grid, start, (0.5, 0.5, 0.5), "a*")
    with pytest.raises(ValueError, match=message.replace("start", "goal")):
        nt.plan(grid, (0.5, 0.5, 0.5), start, "a*")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"radius": -0.1}, "radius is -0.1; it must be a number of at least 0"),
        ({"radius": math.nan}, "radius is nan"),
        ({"radius": "wide"}, "radius is 'wide'"),
        ({"radius": True}, "radius is True"),
        ({"weight": 0.9}, "weight is 0.9; it must be a number of at least 1"),
        ({"weight": math.inf}, "weight is inf"),
        ({"cost": "unit"}, "cost is 'unit'; allowed are 'length' and 'steps'"),
        ({"max_expanded": 0}, "max_expanded is 0; it must be a number of at least 1"),
        ({"time_limit": -1}, "time_limit is -1; it must be a number of at least 0"),
        ({"algorithm": "theta**"}, r"unknown algorithm 'theta\*\*'; did you mean theta\*"),
        ({"algorithm": "lasy-theta"}, r"did you mean lazy-theta\*"),
        ({"algorithm": "xyzzy"}, r"unknown algorithm 'xyzzy'; known are dijkstra, a\*"),
        ({"algorithm": 7}, "unknown algorithm 7"),
    ],
)
def test_options(options, message):
    with pytest.raises(ValueError, match=message):
        nt.plan(nt.Grid(EMPTY), (0.5, 0.5, 0.5), (1.5, 0.5, 0.5), **options)


def test_not_a_grid():
    with pytest.raises(ValueError, match=r"graph is a ndarray; expected a noctule\.Grid"):
        nt.plan(EMPTY, (0.5, 0.5, 0.5), (1.5, 0.5, 0.5), "a*")


@pytest.mark.parametrize("spelling", ["a*", "astar", "a-star", "A*", " a ", "a_star"])
def test_spellings(spelling):
    path = nt.plan(nt.Grid(EMPTY), (0.5, 0.5, 0.5), (1.5, 0.5, 0.5), spelling)
    assert path.algorithm == "a*"


def test_blocked_ends_are_a_result():
    grid = nt.Grid(EMPTY)
    grid.block((1, 1, 1))
    inside, free = (1.5, 1.5, 1.2), (3.5, 4.5, 5.5)
    path = nt.plan(grid, inside, free, "a*")
    assert not path.found
    assert path.reason == "start (1.5, 1.5, 1.2) lies in blocked cell (1, 1, 1)"
    path = nt.plan(grid, free, inside, "a*")
    assert path.reason == "goal (1.5, 1.5, 1.2) lies in blocked cell (1, 1, 1)"
    near = nt.plan(grid, (0.9, 1.5, 1.5), free, "a*", radius=0.4)
    assert "start (0.9, 1.5, 1.5) is too near to a blocked cell" in near.reason
    assert len(near.points) == 0
    assert near.length == math.inf
    border = nt.plan(grid, (0.2, 0.5, 0.5), free, "a*", radius=0.4)
    assert "border of the world" in border.reason


def test_cut_off_goal_is_a_result():
    blocked = EMPTY.copy()
    blocked[2] = True
    path = nt.plan(nt.Grid(blocked), (0.5, 0.5, 0.5), (3.5, 0.5, 0.5), "a*")
    assert not path.found
    assert path.reason.startswith("there is no way")
    assert path.expanded == 60


def test_full_and_empty_worlds():
    full = nt.Grid(np.ones((3, 3, 3), bool))
    assert not nt.plan(full, (0.5, 0.5, 0.5), (2.5, 2.5, 2.5), "a*").found
    empty = nt.Grid(np.zeros((3, 3, 3), bool))
    assert math.isclose(
        nt.plan(empty, (0.5, 0.5, 0.5), (2.5, 2.5, 2.5), "a*").length, 2 * math.sqrt(3)
    )


@pytest.mark.parametrize("nodes", ["centres", "corners"])
@pytest.mark.parametrize("algorithm", ["dijkstra", "a*", "theta*", "lazy-theta*"])
def test_start_is_goal(algorithm, nodes):
    grid = nt.Grid(EMPTY, nodes=nodes)
    for point in ((1.5, 1.5, 1.5), (1.0, 2.0, 3.0), (1.2, 1.3, 1.4)):
        path = nt.plan(grid, point, point, algorithm)
        assert path.found
        assert (path.length, path.bound) == (0.0, 1.0)
        assert path.points.tolist() == [list(point)]
        assert nt.verify(path, grid)


def test_same_cell():
    grid = nt.Grid(EMPTY)
    path = nt.plan(grid, (1.1, 1.1, 1.1), (1.9, 1.2, 1.3), "a*")
    assert len(path.points) == 2
    assert path.length == pytest.approx(math.dist((1.1, 1.1, 1.1), (1.9, 1.2, 1.3)))


def test_agent_wider_than_every_gap():
    blocked = np.zeros((9, 9), bool)
    blocked[4, ::2] = True
    grid = nt.Grid(blocked)
    ends = (1.5, 1.5), (7.5, 7.5)
    assert nt.plan(grid, *ends, "lazy-theta*", radius=0.5).found
    path = nt.plan(grid, *ends, "lazy-theta*", radius=0.6)
    assert not path.found
    assert path.reason.startswith("there is no way")
    path = nt.plan(grid, *ends, "a*", radius=100.0)
    assert "start (1.5, 1.5) is too near" in path.reason


def test_threads():
    with pytest.raises(ValueError, match="threads is 0; it must be a number of at least 1"):
        nt.plan_many(nt.Grid(EMPTY), [], threads=0)


def test_smoothing_method():
    grid = nt.Grid(EMPTY)
    path = nt.plan(grid, (0.5, 0.5, 0.5), (3.5, 4.5, 5.5), "a*")
    with pytest.raises(ValueError, match="method is 'spline'; allowed are 'rubber-band'"):
        nt.smooth(path, grid, method="spline")


def test_verify_arguments():
    grid = nt.Grid(EMPTY)
    with pytest.raises(ValueError, match=r"path has shape \(2, 2\); expected \(n, 3\)"):
        nt.verify([(0, 0), (1, 1)], grid)
    with pytest.raises(ValueError, match="radius is -1"):
        nt.verify([(0.5, 0.5, 0.5)], grid, radius=-1)

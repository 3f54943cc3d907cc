"""The checks that the algorithms and graphs of Noctule pass."""

import numpy as np
from noctule_greedy import ring

import noctule as nt
from noctule.testing import check_algorithm, check_graph


def test_greedy():
    check_algorithm("greedy")


def test_ring():
    check_graph(ring(), algorithms="all")
    check_graph("ring")


def test_kernels_find_the_same_paths():
    rng = np.random.default_rng(1)
    grid = nt.Grid(rng.random((20, 20, 10)) < 0.25)
    free = np.argwhere(~grid.blocked)
    fast, plain = (nt.Planner(grid, "greedy", engine=engine) for engine in ("fast", "reference"))
    found = 0
    for _ in range(20):
        start, goal = (grid.centre(cell) for cell in rng.choice(free, 2))
        ours, theirs = fast.plan(start, goal), plain.plan(start, goal)
        assert (ours.found, ours.expanded) == (theirs.found, theirs.expanded)
        assert np.array_equal(ours.nodes, theirs.nodes)
        assert (ours.engine, theirs.engine) == ("kernels", "python") or not ours.expanded
        found += ours.found
    assert found > 10

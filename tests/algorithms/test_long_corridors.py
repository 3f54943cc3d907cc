"""Any-angle searches along corridors and across plains that are longer than any line they test."""

import itertools
import math

import numpy as np
import pytest

import noctule as nt
from noctule.graphs.grid.lattice import FARTHEST

ALGORITHMS = ["theta*", "theta*-fast", "lazy-theta*", "aamt-d*-lite", "aamt-d*-lite-fast"]
LENGTHS = 3_000, 6_000, 12_000


def legs(path):
    return [math.dist(p, q) for p, q in itertools.pairwise(path.points.tolist())]


@pytest.mark.parametrize("engine", ["fast", "reference"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("radius", [0.0, 0.4])
def test_the_work_along_a_corridor_grows_with_its_length(algorithm, engine, radius):
    """Cells that lines cross: each of the tests crosses at most as many as the longest leg."""
    work = []
    for n in LENGTHS:
        grid = nt.Grid(np.zeros((n, 1, 1), bool))
        start, goal = (0.5, 0.5, 0.5), (n - 0.5, 0.5, 0.5)
        path = nt.plan(grid, start, goal, algorithm, engine=engine, radius=radius)
        assert path.found
        assert path.length == n - 1
        assert nt.verify(path, grid)
        work.append(path.sight_walks * max(legs(path)))
    for less, more in itertools.pairwise(work):
        assert more < 2.5 * less
    assert work[-1] <= LENGTHS[-1] * FARTHEST


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_paths_across_a_plain_hardly_get_longer(algorithm):
    """At an angle that no move has: the path bends where a line would be longer."""
    grid = nt.Grid(np.zeros((5_000, 40), bool))
    start, goal = (0.5, 0.5), (4_999.5, 33.5)
    path = nt.plan(grid, start, goal, algorithm)
    assert nt.verify(path, grid)
    assert max(legs(path)) <= FARTHEST
    assert path.length <= math.dist(start, goal) * (1 + 1e-4)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_lines_as_long_as_that_are_tested(algorithm):
    n = int(FARTHEST) + 1
    grid = nt.Grid(np.zeros((n, 1), bool))
    path = nt.plan(grid, (0.5, 0.5), (n - 0.5, 0.5), algorithm)
    assert legs(path) == [FARTHEST]

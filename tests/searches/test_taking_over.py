"""Searches that begin anew with what A* has found out: is all that they know then true?"""

import math

import naive
import numpy as np
import pytest

import noctule as nt
from noctule.graphs.heuristics import STEP_1
from noctule.kernels import kernel
from noctule.searches import remembered
from noctule.searches.best_first import STAMP

BEGIN_WITH_A_STAR = ("d*-lite", "basic-mt-d*-lite", "mt-d*-lite")


@kernel
def open_nodes(search, nodes):
    n = 0
    for s in remembered.members(search):
        nodes[n] = s
        n += 1
    return n


def look_up(search, column, s):
    """What the search knows of a node; infinity if it has not touched it."""
    return column[s] / STEP_1 if search.mark[s] == search.counts[STAMP] else math.inf


@pytest.mark.parametrize("neighbours", [4, 8, 6, 18, 26])
@pytest.mark.parametrize("weight", [1.0, 1.7])
def test_what_is_taken_over_is_consistent(neighbours, weight):
    """rhs follows from the g of all neighbours, and open is what is inconsistent, nothing else."""
    unknown = inconsistent = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        shape = (12, 11) if neighbours in (4, 8) else (7, 6, 5)
        blocked = rng.random(shape) < rng.choice((0.0, 0.2, 0.4))
        grid = nt.Grid(blocked, neighbours=neighbours)
        ends = rng.integers(0, shape, (2, len(shape)))
        grid.free(ends)
        twin = naive.Graph(grid.blocked, neighbours)
        name = BEGIN_WITH_A_STAR[seed % 3]
        planner = nt.Planner(grid, name, weight=weight)
        path = planner.plan(*(grid.centre(end) for end in ends))
        assert path.restarted or len(path.nodes) == 1
        if planner._kept is None or planner._kept.root < 0:
            continue
        kept = planner._kept
        search = kept.search
        nodes = np.empty(grid.node_count, np.int64)
        open_ = set(nodes[: open_nodes(search, nodes)].tolist())
        for cell in np.argwhere(~grid.blocked):
            s = int(grid.number(cell[None])[0])
            g, rhs = look_up(search, search.g, s), look_up(search, search.rhs, s)
            others = twin.neighbours(tuple(cell.tolist()))
            told = [(int(grid.number(np.array([t]))[0]), c) for t, c in others]
            offers = [look_up(search, search.g, t) + c for t, c in told]
            expected = 0.0 if s == kept.root else min(offers, default=math.inf)
            assert rhs == expected or math.isclose(rhs, expected, rel_tol=1e-9), (seed, cell)
            assert (g != rhs) == (s in open_), (seed, cell)
            unknown += rhs == math.inf
            inconsistent += g != rhs
        assert not kept.room.any()
    assert unknown > 20
    assert inconsistent > 20


@pytest.mark.parametrize("name", BEGIN_WITH_A_STAR)
def test_a_repair_that_takes_long_is_given_up(name):
    """In that very plan the search begins anew with A*, and the next one repairs again."""
    blocked = np.zeros((24, 24, 24), bool)
    blocked[12, :, :20] = True
    grid = nt.Grid(blocked)
    ends = grid.centre((0, 12, 0)), grid.centre((23, 12, 0))
    planner = nt.Planner(grid, name)
    planner._engines[0].least, planner._engines[0].patience = 10, 0.01
    planner.plan(*ends)
    grid.block([(12, y, z) for y in range(24) for z in range(20, 23)])
    after = planner.plan(*ends)
    assert after.restarted
    assert math.isclose(after.length, nt.plan(grid, *ends).length, rel_tol=1e-9)
    grid.block((20, 20, 20))
    assert not planner.plan(*ends).restarted

"""Searches that begin again with what A* has found out: is all that they know then true?"""

import math

import naive
import numpy as np
import pytest

import noctule as nt
from noctule.algorithms.endpoint import Endpoint
from noctule.algorithms.incremental.memory import best_target
from noctule.algorithms.incremental.state import NOTHING, RepairLimits
from noctule.core.jit import kernel
from noctule.engines.packed_nodes import close, new_packed_nodes, pack, unpack
from noctule.engines.warm_start import new_room, take_over
from noctule.graphs.heuristics import STEP_1
from noctule.queues.protocol import members

BEGIN_WITH_A_STAR = ("d*-lite", "basic-mt-d*-lite", "mt-d*-lite")


@kernel
def open_nodes(search, nodes):
    n = 0
    for s in members(search.open):
        nodes[n] = s
        n += 1
    return n


def look_up(search, column, s):
    """What the search knows of a node; infinity if it has not touched it."""
    return column[s] / STEP_1 if search.generation[s] == search.stats[0].generation else math.inf


def check_consistency(grid, search, root):
    """rhs follows from the g of all neighbours, and open is what is inconsistent, nothing else.

    Returns how many nodes are inconsistent.
    """
    twin = naive.Graph(grid.blocked, grid.neighbours)
    nodes = np.empty(grid.node_count, np.int64)
    open_ = set(nodes[: open_nodes(search, nodes)].tolist())
    for cell in np.argwhere(~grid.blocked):
        s = int(grid.number(cell[None])[0])
        g, rhs = look_up(search, search.g, s), look_up(search, search.rhs, s)
        others = twin.neighbours(tuple(cell.tolist()))
        told = [(int(grid.number(np.array([t]))[0]), c) for t, c in others]
        offers = [look_up(search, search.g, t) + c for t, c in told]
        expected = 0.0 if s == root else min(offers, default=math.inf)
        assert rhs == expected or math.isclose(rhs, expected, rel_tol=1e-9), cell
        assert (g != rhs) == (s in open_), cell
    return len(open_)


def worlds(neighbours):
    """Random worlds, and two free cells of each."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        shape = (12, 11) if neighbours in (4, 8) else (7, 6, 5)
        grid = nt.Grid(rng.random(shape) < rng.choice((0.0, 0.2, 0.4)), neighbours=neighbours)
        ends = rng.integers(0, shape, (2, len(shape)))
        grid.free(ends)
        yield grid, ends, rng


@pytest.mark.parametrize("neighbours", [4, 8, 6, 18, 26])
@pytest.mark.parametrize("weight", [1.0, 1.7])
def test_a_search_that_has_begun_is_consistent(neighbours, weight):
    inconsistent = 0
    for i, (grid, ends, _) in enumerate(worlds(neighbours)):
        planner = nt.Planner(grid, BEGIN_WITH_A_STAR[i % 3], weight=weight)
        path = planner.plan(*(grid.centre(end) for end in ends))
        memory = planner._replanner.memory
        if len(memory.root.nodes):  # else both ends are the same
            assert path.restarted
            inconsistent += check_consistency(grid, memory.search, int(memory.root.nodes[0]))
            room = grid.acquire(new_room)
            assert not room.any()
            grid.release(new_room, room)
    assert inconsistent > 20


@pytest.mark.parametrize("neighbours", [4, 8, 6, 18, 26])
def test_any_costs_can_be_taken_over(neighbours):
    """Whatever A* says: what is not proven follows from what is said of the neighbours."""
    for grid, ends, rng in worlds(neighbours):
        planner = nt.Planner(grid, "mt-d*-lite")
        engine = planner._engines[0]
        memory = engine.new_memory(grid.node_count)
        root, target = (int(s) for s in grid.number(ends))
        start, goal = (Endpoint(np.array([s]), np.zeros(1)) for s in (root, target))
        engine.begin(memory, start, goal)
        query = memory.query
        field = new_packed_nodes(grid.node_count)
        engine.warm_start._a_star.search(field, start, goal, 10**6, False)
        closed = np.flatnonzero(unpack(field.packed)[2])
        for s in closed[closed != root][::2]:  # some are too near, some too far, some forgotten
            change = int(rng.integers(3))
            field.packed[s] += pack((0, 3 * STEP_1, -(STEP_1 // 2))[change], 0, 0)
            field.packed[s] -= close(0) if change == 0 else 0
        lattice = engine.graph.lattice._replace(free3=new_room(grid.node_count))
        roots = start.nodes, start.costs
        take_over(query, engine.graph, lattice, memory.search, field, *roots, False)
        memory.pending = NOTHING
        check_consistency(grid, memory.search, root)
        engine.compute(memory, 10**6)
        path = nt.plan(grid, *(grid.centre(end) for end in ends), "a*")
        _, cost = best_target(query, memory.search)
        assert path.found == (cost < math.inf)
        if path.found:
            assert math.isclose(cost / STEP_1, path.length, rel_tol=1e-9)


@pytest.mark.parametrize("name", BEGIN_WITH_A_STAR)
def test_a_repair_that_takes_long_is_given_up(name):
    """In that very plan the search begins again with A*, and the next one repairs again."""
    blocked = np.zeros((24, 24, 24), bool)
    blocked[12, :, :20] = True
    grid = nt.Grid(blocked)
    ends = grid.centre((0, 12, 0)), grid.centre((23, 12, 0))
    planner = nt.Planner(grid, name)
    planner._engines[0].limits = RepairLimits(0.01, 10)
    planner.plan(*ends)
    grid.block([(12, y, z) for y in range(24) for z in range(20, 23)])
    after = planner.plan(*ends)
    assert after.restarted
    assert math.isclose(after.length, nt.plan(grid, *ends, "a*").length, rel_tol=1e-9)
    grid.block((20, 20, 20))
    assert not planner.plan(*ends).restarted

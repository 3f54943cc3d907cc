"""Jump point search against A* that tries every move, and its rows against their definition."""

import math

import numpy as np
import pytest
from strategies import random_world

import noctule as nt
from noctule.algorithms.search_engine import Goal, initialize, search, trace_path
from noctule.core.jit import kernel
from noctule.core.status import FOUND
from noctule.engines.jps import JumpOptions
from noctule.engines.jps_bitmaps import new_rows, run_length
from noctule.engines.lattice_a_star import LatticeAStar
from noctule.engines.packed_nodes import new_packed_nodes
from noctule.engines.pruning import Pruning, pruning_of, worth_trying
from noctule.graphs.grid.changed_nodes import set_cell
from noctule.graphs.grid.lattice import free_cube, legal_moves
from noctule.graphs.heuristics import VOXEL, ZERO


def everything(moves):
    """Tables that leave nothing out."""
    none, all_moves = np.zeros(28, np.int64), np.full(28, moves)
    table = np.zeros((28, 1), np.int64)
    return Pruning(all_moves, table, table, none, none, all_moves)


NOTHING = np.zeros(1)


@kernel
def count_longer(options, full, graph, nodes, cells, worlds, flat, path):
    """Queries between all pairs of free cells of all worlds, and how many came out too long.

    A path as traced back must have the cost that the search says.
    """
    queries = longer = 0
    lattice = graph.lattice
    for world in worlds:
        for i in range(len(cells)):
            set_cell(lattice.free3, cells[i], world >> i & 1 == 0, flat)
        options.rows.bits[:] = 0
        for a in range(len(cells)):
            for b in range(len(cells)):
                if a == b or world >> a & 1 or world >> b & 1:
                    continue
                goal = Goal(cells[b], cells[b : b + 1], NOTHING, 0.0, 0.0, 0.0)
                initialize(full, graph, nodes, cells[a : a + 1], NOTHING, goal)
                search(full, graph, nodes, goal, 1 << 40, False)
                least = nodes.stats[0].best_cost
                initialize(options, graph, nodes, cells[a : a + 1], NOTHING, goal)
                status = search(options, graph, nodes, goal, 1 << 40, False)
                queries += 1
                if nodes.stats[0].best_cost > options.weight * least:
                    longer += 1
                elif status == FOUND:
                    n = trace_path(options, graph, nodes, cells[b], path)
                    first = len(path) - n
                    cost = 0
                    for i in range(first, len(path) - 1):
                        move = path[i + 1] - path[i]
                        for k in range(27):
                            if lattice.moves >> k & 1 and lattice.offset[k] == move:
                                cost += options.moves.cost[k]
                    longer += path[first] != cells[a] or cost > nodes.stats[0].best_cost
    return queries, longer


@pytest.mark.parametrize(
    ("shape", "heuristic", "weight"),
    [
        ((3, 4), VOXEL, 1.0),
        ((3, 4), VOXEL, 1.7),
        ((4, 5), ZERO, 1.0),
        ((2, 3, 3), VOXEL, 1.0),
        ((3, 3, 3), ZERO, 1.0),
        ((3, 3, 3), VOXEL, 1.7),
        ((3, 3, 5), VOXEL, 1.0),
        ((2, 4, 5), VOXEL, 1.0),
    ],
)
def test_no_path_gets_longer(shape, heuristic, weight):
    grid = nt.Grid(np.zeros(shape, bool))
    graph = grid.kernel_graph(0.0)
    cells = np.array([grid.node_at(grid.centre(c)) for c in np.ndindex(*shape)], np.int64)
    n = len(cells)
    rng = np.random.default_rng(n)
    worlds = np.zeros(1000, np.int64)
    density = 0.7 * rng.random(len(worlds))
    for i in range(n):
        worlds |= (rng.random(len(worlds)) < density).astype(np.int64) << i
    if n <= 12:
        worlds = np.arange(1 << n)
    pruned = LatticeAStar(graph, weight, heuristic)._options
    moves = pruned.moves._replace(pruning=everything(graph.lattice.moves))
    full = pruned._replace(weight=1.0, moves=moves)
    options = JumpOptions(*pruned, new_rows(graph.lattice, grid.row_ages))
    nodes, path = new_packed_nodes(grid.node_count), np.zeros(n + 1, np.int64)
    flat = len(shape) == 2
    queries, longer = count_longer(options, full, graph, nodes, cells, worlds, flat, path)
    assert queries > 50_000
    assert longer == 0


SHAPES = [(5, 6, 7), (2, 3, 150), (130, 3, 2), (2, 127, 9), (30, 70), (25, 26, 34)]


@pytest.mark.parametrize("shape", SHAPES)
def test_runs_end_where_another_move_is_worth_trying(shape):
    rng = np.random.default_rng(1)
    for percent in (0.03, 3, 15, 40, 100):
        blocked = rng.random(shape) < percent / 100
        if percent == 100:  # all cells of some words
            blocked = np.indices(shape).sum(axis=0) >= 63
        grid = nt.Grid(blocked)
        lattice = grid.kernel_graph().lattice
        rows = new_rows(lattice, grid.row_ages)
        pruning = pruning_of(lattice.moves)
        for cell in rng.permutation(np.argwhere(~grid.blocked))[:300]:
            start = int(grid.number(cell[None, :])[0])
            for moves in ((4, 22), (10, 16), (12, 14))[: grid.dimension]:
                for k in moves:
                    if not legal_moves(lattice, free_cube(lattice, start)) >> k & 1:
                        continue
                    s, n = start, 0
                    while True:
                        s, n = s + int(lattice.offset[k]), n + 1
                        if not lattice.free3[s] & 2:
                            expected = -n
                            break
                        cube = free_cube(lattice, s)
                        tried = legal_moves(lattice, cube) & worth_trying(pruning, cube, k)
                        if tried & ~(1 << k):
                            expected = n
                            break
                    place = [*map(int, cell), 0][:3]
                    assert run_length(rows, lattice, k, k, *place) == expected


def test_rows_follow_the_world():
    rng = np.random.default_rng(2)
    for seed in range(40):
        blocked, _, s, t = random_world(seed, longest=9)
        if seed >= 30:  # with blocks of cells that are all free
            blocked, s, t = np.zeros((18, 34, 26), bool), (0, 3, 5), (17, 30, 20)
        grid = nt.Grid(blocked)
        planners = [nt.Planner(grid, name) for name in ("jps", "a*")]
        for _ in range(20):
            ends = grid.centre(s), grid.centre(t)
            path, other = (planner.plan(*ends) for planner in planners)
            assert path.found == other.found
            assert path.length == other.length or math.isclose(path.length, other.length)
            cells = rng.integers(0, blocked.shape, (int(rng.integers(1, 5)), blocked.ndim))
            if seed >= 30:  # a wall
                cells = (cells[0] + np.argwhere(np.ones((1, 12, 12)))) % blocked.shape
            (grid.block if rng.random() < 0.5 else grid.free)(cells)


def test_two_searches_at_once_see_the_same_change():
    """Every memory keeps rows of its own; a change reaches those that lie idle, too."""
    grid = nt.Grid(np.zeros((6, 6, 70), bool))
    pairs = [(grid.centre((0, 0, 0)), grid.centre((5, 5, z))) for z in range(70)]
    planner = nt.Planner(grid, "jps")
    before = planner.plan_many(pairs, threads=4)
    grid.block([(3, y, z) for y in range(6) for z in range(1, 70)])
    after = planner.plan_many(pairs, threads=4)
    expected = nt.Planner(grid, "a*").plan_many(pairs, threads=1)
    assert [path.length for path in after] != [path.length for path in before]
    assert np.allclose([path.length for path in after], [path.length for path in expected])


@pytest.mark.parametrize(
    ("neighbours", "nodes", "radius"),
    [(18, "centres", 0.0), (26, "corners", 0.0), (26, "centres", 0.8)],
)
def test_where_nothing_can_be_jumped_it_is_a_star(neighbours, nodes, radius):
    rng = np.random.default_rng(3)
    grid = nt.Grid(rng.random((8, 8, 8)) < 0.1, neighbours=neighbours, nodes=nodes)
    start, goal = grid.centre((1, 1, 1)), grid.centre((6, 6, 6))
    grid.free([(x, y, z) for x in (0, 1, 2, 5, 6, 7) for y in range(8) for z in range(8)])
    a, b = (nt.plan(grid, start, goal, name, radius=radius) for name in ("jps", "a*"))
    assert a.algorithm == "jps"
    assert a.points.tolist() == b.points.tolist()

"""Leaving moves out must not make any path longer: compared with trying all moves."""

import numpy as np
import pytest

import noctule as nt
from noctule.algorithms.search_engine import Goal, initialize, search
from noctule.core.jit import kernel
from noctule.engines.lattice_a_star import LatticeAStar
from noctule.engines.packed_nodes import new_packed_nodes
from noctule.engines.pruning import NOWHERE, Pruning, pruning_of
from noctule.graphs.grid.changed_nodes import set_cell
from noctule.graphs.heuristics import MANHATTAN, VOXEL, VOXEL_18, ZERO

ALL = (1 << 27) - 1 - (1 << NOWHERE)


def everything(moves):
    """Tables that leave nothing out."""
    none, all_moves = np.zeros(28, np.int64), np.full(28, moves)
    table = np.zeros((28, 1), np.int64)
    return Pruning(all_moves, table, table, none, none, all_moves)


NOTHING = np.zeros(1)


@kernel
def cost_of(options, graph, nodes, start, goal):
    end = Goal(goal, start, NOTHING, 0.0, 0.0, 0.0)
    initialize(options, graph, nodes, start, NOTHING, end)
    search(options, graph, nodes, end, 1 << 40, False)
    return nodes.stats[0].best_cost


@kernel
def count_longer(pruned, full, graph, nodes, cells, worlds, flat, weight):
    """Queries between all pairs of free cells of all worlds, and how many came out too long."""
    queries = longer = 0
    for world in worlds:
        for i in range(len(cells)):
            set_cell(graph.lattice.free3, cells[i], world >> i & 1 == 0, flat)
        for a in range(len(cells)):
            for b in range(len(cells)):
                if a == b or world >> a & 1 or world >> b & 1:
                    continue
                least = cost_of(full, graph, nodes, cells[a : a + 1], cells[b])
                cost = cost_of(pruned, graph, nodes, cells[a : a + 1], cells[b])
                queries += 1
                longer += cost > weight * least
    return queries, longer


@pytest.mark.parametrize("weight", [1.0, 1.7])
@pytest.mark.parametrize(
    ("shape", "neighbours", "heuristic"),
    [
        ((3, 4), 8, VOXEL),
        ((4, 5), 8, ZERO),
        ((4, 5), 4, MANHATTAN),
        ((2, 3, 3), 26, VOXEL),
        ((3, 3, 3), 26, ZERO),
        ((3, 3, 5), 26, VOXEL),
        ((3, 3, 3), 18, VOXEL_18),
        ((3, 3, 3), 6, MANHATTAN),
    ],
)
def test_no_path_gets_longer(shape, neighbours, heuristic, weight):
    grid = nt.Grid(np.zeros(shape, bool), neighbours=neighbours)
    graph = grid.kernel_graph(0.0)
    cells = np.array([grid.node_at(grid.centre(c)) for c in np.ndindex(*shape)], np.int64)
    n = len(cells)
    rng = np.random.default_rng(len(shape) + n)
    worlds = np.zeros(1500, np.int64)
    density = 0.7 * rng.random(len(worlds))
    for i in range(n):
        worlds |= (rng.random(len(worlds)) < density).astype(np.int64) << i
    if n <= 12:
        worlds = np.arange(1 << n)
    pruned = LatticeAStar(graph, weight, heuristic)._options
    moves = pruned.moves._replace(pruning=everything(graph.lattice.moves))
    full = pruned._replace(weight=1.0, moves=moves)
    flat = len(shape) == 2
    nodes = new_packed_nodes(grid.node_count)
    queries, longer = count_longer(pruned, full, graph, nodes, cells, worlds, flat, weight)
    assert queries > 50_000
    assert longer == 0


def test_moves_left_in_free_space_are_those_of_jump_point_search():
    natural = pruning_of(ALL).natural
    straight, in_plane, in_space = 14, 17, 26  # +z; +y+z; +x+y+z
    assert natural[straight] == 1 << straight
    assert natural[in_plane] == 1 << 14 | 1 << 16 | 1 << 17
    assert bin(natural[in_space]).count("1") == 7
    assert natural[NOWHERE] == ALL

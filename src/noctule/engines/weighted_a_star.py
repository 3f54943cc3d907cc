"""A* where cells have costs, with an array of buckets instead of a heap.

A bucket is a sixteenth of a cell wide at first, so nodes may be expanded slightly out of order. A
node is then expanded again when its g falls, and the search ends when nothing in the queue can beat
the path it has. Where a weight misleads the search it reopens the same nodes again and again, and
gives up: the next engine of the query takes over.

Where all cells around a node cost the same, moves are pruned as in `lattice_a_star`: the other
paths that make a move needless stay among these cells.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.search_engine import (
    SearchEngine,
    end_of_path,
    initialize,
    next_generation,
    note_if_nearest,
    search,
    trace_path,
)
from noctule.core.intrinsics import at, prefetch
from noctule.core.jit import INF, kernel, per_type
from noctule.core.memory import reserve
from noctule.core.stats import new_stats
from noctule.core.status import EXHAUSTED, FOUND, FULL, GAVE_UP, STOPPED
from noctule.engines.pruning import NOWHERE, Pruning, next_move, pruning_of, worth_trying
from noctule.graphs.costs.segment_cost import cost_place
from noctule.graphs.costs.weighted import Weighted
from noctule.graphs.grid.lattice import Balls, Cells, Corners, coordinates, free_cube, legal_moves
from noctule.graphs.grid.move_sets import move_costs
from noctule.graphs.grid.wide_cells import WideCells
from noctule.graphs.heuristics import lattice_estimate
from noctule.graphs.protocol import edges, max_degree, next_edge
from noctule.queues.buckets import (
    LAST,
    Buckets,
    clear,
    has_room,
    let_go,
    lowest_stack,
    new_buckets,
    next_in,
    push,
    take,
    take_last_stack,
)

STACKS_PER_CELL = 16.0

# A search with a weight gives up after this many reopened nodes, if they are half of its work.
MANY_REOPENED = 1 << 15


# A tag holds the move that led to a node (5 bits), whether it is closed, and the generation.
_MOVE, _CLOSED, _GENERATION = 31, 1 << 5, 6
LAST_GENERATION = (1 << 31 - _GENERATION) - 1


class WeightedNodes(NamedTuple):
    """Memory of a search: twelve bytes a node, and the queue."""

    g: np.ndarray
    tag: np.ndarray  # of the search that reached the node; beside g in memory
    queue: Buckets
    stats: np.ndarray  # with f of the first stack, and the number of stacks a cell of f


class WeightedOptions(NamedTuple):
    """Options of A* on cells that cost."""

    weight: float
    heuristic: int
    step: np.ndarray  # of the 27 moves
    pruning: Pruning


def new_weighted_nodes(n: int) -> WeightedNodes:
    """Reserve memory for searches on a lattice of `n` nodes."""
    record = reserve(n, [("g", np.float64), ("tag", np.int32)])
    stats = new_stats(lowest_f=float, stacks_per_cell=float, best_cost=float, reopened=int)
    return WeightedNodes(record["g"], record["tag"], new_buckets(), stats)


@kernel
def new_tag(generation, move):
    """Return the tag of an open node."""
    return generation << _GENERATION | move


def is_visited(nodes: WeightedNodes) -> NDArray[np.bool_]:
    """Return which nodes the last search reached."""
    found: NDArray[np.bool_] = nodes.tag >> _GENERATION == nodes.stats[0].generation
    return found


def is_closed(nodes: WeightedNodes) -> NDArray[np.bool_]:
    """Return which nodes were closed, by the last search that reached them."""
    closed: NDArray[np.bool_] = nodes.tag & _CLOSED != 0
    return closed


@initialize.register
def _(options: WeightedOptions, graph, nodes, starts, costs, goal):
    stats = nodes.stats
    next_generation(stats, nodes.tag, 1, LAST_GENERATION, starts[0])
    x1, y1, z1 = coordinates(graph.lattice, goal.node)
    clear(nodes.queue)
    stats[0].lowest_f, stats[0].best_cost, stats[0].reopened = INF, INF, 0
    stats[0].stacks_per_cell = STACKS_PER_CELL
    for i in range(len(starts)):
        x0, y0, z0 = coordinates(graph.lattice, starts[i])
        h = lattice_estimate(options.heuristic, x1 - x0, y1 - y0, z1 - z0)
        stats[0].lowest_f = min(stats[0].lowest_f, costs[i] + h)
    for i in range(len(starts)):
        s = starts[i]
        nodes.g[s] = costs[i]
        nodes.tag[s] = new_tag(stats[0].generation, NOWHERE)
        x0, y0, z0 = coordinates(graph.lattice, s)
        push(nodes.queue, stack_of(options, nodes, s, x1 - x0, y1 - y0, z1 - z0), s)
        if s == goal.node:
            stats[0].best_cost = min(stats[0].best_cost, costs[i])


@kernel
def stack_of(options, nodes, s, dx, dy, dz):
    """Return the stack for f(s) = g(s) + w h(s); `dx`, `dy`, `dz` lead from `s` to the goal."""
    stats = nodes.stats
    f = nodes.g[at(s)] + options.weight * lattice_estimate(options.heuristic, dx, dy, dz)
    return max(int((f - stats[0].lowest_f) * stats[0].stacks_per_cell), 0)


@kernel
def last_stack(stats):
    """Return the stack from which on nothing can improve the best path."""
    best_cost = stats[0].best_cost
    if best_cost == INF:
        return LAST + 1
    return int((best_cost - stats[0].lowest_f) * stats[0].stacks_per_cell) + 1


@search.register
def _(options: WeightedOptions, graph, nodes, goal, limit, partial):
    lattice, queue, stats, tag = graph.lattice, nodes.queue, nodes.stats, nodes.tag
    target = goal.node
    goal_x, goal_y, goal_z = coordinates(lattice, target)
    while True:
        stack = lowest_stack(queue)
        if stack < 0 or stack >= last_stack(stats):
            return FOUND if stats[0].best_cost < INF else EXHAUSTED
        if stack == LAST:
            widen(options, graph, nodes, target)
            continue
        if stats[0].expanded >= limit:
            return STOPPED
        if not has_room(queue, max_degree(graph)):
            return FULL
        if stats[0].reopened > max(MANY_REOPENED, stats[0].expanded // 2):
            return GAVE_UP
        s = take(queue, stack)
        following = lowest_stack(queue)
        if following >= 0:
            prefetch_rows(graph, nodes, next_in(queue, following))
        if tag[at(s)] & _CLOSED != 0:
            continue  # since it was put in
        tag[at(s)] |= _CLOSED
        stats[0].expanded += 1
        x, y, z = coordinates(lattice, s)
        dx, dy, dz = goal_x - x, goal_y - y, goal_z - z
        if partial:
            note_if_nearest(stats, s, math.sqrt(dx * dx + dy * dy + dz * dz))
        if s != target:
            expand(options, graph, nodes, s, target, dx, dy, dz)


@kernel
def expand(options, graph, nodes, s, target, dx, dy, dz):
    """Relax the edges of `s`; `dx`, `dy`, `dz` lead from `s` to the goal."""
    g, tag, stats, step = nodes.g, nodes.tag, nodes.stats, options.step
    generation, g_s, d = stats[0].generation, g[at(s)], np.int64(tag[at(s)]) & _MOVE
    moves = moves_worth_trying(graph.rule, graph.cost, options.pruning, d, s)
    while moves != 0:
        k = next_move(moves)
        moves ^= 1 << k
        t, c, _ = next_edge(graph, s, 1 << k)
        known, g_t = np.int64(tag[at(t)]), g_s + c
        if known >> _GENERATION == generation:
            if g_t >= g[at(t)]:
                continue
            if options.weight > 1.0 and known & _CLOSED != 0:
                stats[0].reopened += 1
        g[at(t)] = g_t
        tag[at(t)] = new_tag(generation, k)
        if t == target:
            stats[0].best_cost = g_t
        to_goal = dx - step[at(k), 0], dy - step[at(k), 1], dz - step[at(k), 2]
        push(nodes.queue, stack_of(options, nodes, t, *to_goal), t)


@per_type
def moves_worth_trying(rule, cost, pruning, d, s):
    """Return the moves from `s`, reached by move `d`, without those that others make needless."""


@moves_worth_trying.register
def _(rule: Cells, cost, pruning, d, s):
    cube = free_cube(rule.lattice, s)
    moves = legal_moves(rule.lattice, cube)
    return moves & worth_trying(pruning, cube, d) if is_even(rule.lattice, cost, s) else moves


@moves_worth_trying.register
def _(rule: Corners | Balls | WideCells, cost, pruning, d, s):
    return edges(rule, s)


@kernel
def is_even(lattice, cost, s):
    """Whether all cells around `s` cost the same."""
    c, here = cost_place(lattice, s), cost[at(cost_place(lattice, s))]
    if lattice.flat:
        row = lattice.ny + 2
        for i in range(-1, 2):
            n = c + i * row
            if cost[at(n - 1)] != here or cost[at(n)] != here or cost[at(n + 1)] != here:
                return False
        return True
    for i in range(-1, 2):
        for j in range(-1, 2):
            n = c + i * lattice.sx + j * lattice.sy
            if cost[at(n - 1)] != here or cost[at(n)] != here or cost[at(n + 1)] != here:
                return False
    return True


@kernel
def prefetch_rows(graph, nodes, s):
    """Prefetch the nodes around `s`, and their cells."""
    lattice = graph.lattice
    for i in range(3):
        for j in range(3):
            t = s + (i - 1) * lattice.sx + (j - 1) * lattice.sy
            prefetch(nodes.g, t)
            prefetch(lattice.free3, t)
            prefetch(graph.cost, cost_place(lattice, t))


@kernel
def widen(options, graph, nodes, goal):
    """Halve the number of stacks a cell: everything left in the queue lies in the last one."""
    nodes.stats[0].stacks_per_cell *= 0.5
    goal_x, goal_y, goal_z = coordinates(graph.lattice, goal)
    e = take_last_stack(nodes.queue)
    while e >= 0:
        s, e = let_go(nodes.queue, e)
        if nodes.tag[at(s)] & _CLOSED == 0:
            x, y, z = coordinates(graph.lattice, s)
            stack = stack_of(options, nodes, s, goal_x - x, goal_y - y, goal_z - z)
            push(nodes.queue, stack, s)


@end_of_path.register
def _(options: WeightedOptions, nodes, goal):
    return goal.node


@trace_path.register
def _(options: WeightedOptions, graph, nodes, s, path):
    n = 0
    while True:
        n += 1
        if n <= len(path):
            path[len(path) - n] = s
        d = np.int64(nodes.tag[at(s)]) & _MOVE
        if d == NOWHERE:
            return n
        s -= graph.lattice.offset[d]


class WeightedAStar(SearchEngine):
    """Run A* with one weight and heuristic on a graph of cells that cost."""

    name = "weighted A*"
    new_memory: Any = staticmethod(new_weighted_nodes)

    def __init__(self, graph: Weighted, weight: float, heuristic: int) -> None:
        pruning = pruning_of(graph.lattice.moves)
        super().__init__(graph, WeightedOptions(weight, heuristic, move_costs()[1], pruning))

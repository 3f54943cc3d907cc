"""A* where cells have costs, with an array of buckets instead of a heap.

A bucket is a sixteenth of a cell wide at first, so nodes may be expanded slightly out of order. A
node is then expanded again when its g falls, and the search ends when nothing in the queue can beat
the path it has. Where a weight misleads the search it reopens the same nodes again and again, and
gives up: the next engine of the query takes over.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from noctule.algorithms.search_engine import (
    SearchEngine,
    end_of_path,
    initialize,
    next_generation,
    note_if_nearest,
    parent_of,
    search,
)
from noctule.core.intrinsics import at, lowest_bit, prefetch
from noctule.core.jit import INF, kernel
from noctule.core.memory import reserve
from noctule.core.stats import LAST_GENERATION, new_stats
from noctule.core.status import EXHAUSTED, FOUND, FULL, GAVE_UP, STOPPED
from noctule.engines.theta_nodes import lower_of, pair, upper_of
from noctule.graphs.grid.lattice import coordinates
from noctule.graphs.grid.move_sets import move_costs
from noctule.graphs.grid.weighted import Weighted
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


class WeightedNodes(NamedTuple):
    """Memory of a search. A generation is that of the search, or one more for a closed node."""

    g: np.ndarray
    link: np.ndarray  # pair of generation and parent; beside g in memory
    queue: Buckets
    stats: np.ndarray  # with f of the first stack, and the number of stacks a cell of f


class WeightedOptions(NamedTuple):
    """Options of A* on cells that cost."""

    weight: float
    heuristic: int
    step: np.ndarray  # of the 27 moves


def new_weighted_nodes(n: int) -> WeightedNodes:
    """Reserve memory for searches on a lattice of `n` nodes."""
    record = reserve(n, [("g", np.float64), ("link", np.int64)])
    stats = new_stats(lowest_f=float, stacks_per_cell=float, best_cost=float, reopened=int)
    return WeightedNodes(record["g"], record["link"], new_buckets(), stats)


@parent_of.register
def _(nodes: WeightedNodes, s):
    return lower_of(nodes.link[at(s)])


@initialize.register
def _(options: WeightedOptions, graph, nodes, starts, costs, goal):
    stats = nodes.stats
    next_generation(stats, nodes.link, 2, LAST_GENERATION, starts[0])
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
        nodes.link[s] = pair(stats[0].generation, s)
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
    lattice, queue, stats, link = graph.lattice, nodes.queue, nodes.stats, nodes.link
    opened, target = stats[0].generation, goal.node
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
        later = next_in(queue, stack)
        if later >= 0:
            prefetch_rows(graph, nodes, later)
        if upper_of(link[at(s)]) != opened:
            continue  # closed since it was put in
        link[at(s)] += pair(1, 0)
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
    g, link, stats, step = nodes.g, nodes.link, nodes.stats, options.step
    opened, g_s, left = stats[0].generation, g[at(s)], edges(graph, s)
    while left != 0:
        k = lowest_bit(left)
        t, c, left = next_edge(graph, s, left)
        generation, g_t = upper_of(link[at(t)]), g_s + c
        if generation >= opened and g_t >= g[at(t)]:
            continue
        if options.weight > 1.0 and generation > opened:
            stats[0].reopened += 1
        g[at(t)] = g_t
        link[at(t)] = pair(opened, s)
        if t == target:
            stats[0].best_cost = g_t
        to_goal = dx - step[at(k), 0], dy - step[at(k), 1], dz - step[at(k), 2]
        push(nodes.queue, stack_of(options, nodes, t, *to_goal), t)


@kernel
def prefetch_rows(graph, nodes, s):
    """Prefetch the nodes around `s`, and their cells."""
    lattice = graph.lattice
    for i in range(3):
        for j in range(3):
            t = s + (i - 1) * lattice.sx + (j - 1) * lattice.sy
            prefetch(nodes.g, t)
            prefetch(lattice.free3, t)


@kernel
def widen(options, graph, nodes, goal):
    """Halve the number of stacks a cell: everything left in the queue lies in the last one."""
    nodes.stats[0].stacks_per_cell *= 0.5
    goal_x, goal_y, goal_z = coordinates(graph.lattice, goal)
    e = take_last_stack(nodes.queue)
    while e >= 0:
        s, e = let_go(nodes.queue, e)
        if upper_of(nodes.link[at(s)]) == nodes.stats[0].generation:
            x, y, z = coordinates(graph.lattice, s)
            stack = stack_of(options, nodes, s, goal_x - x, goal_y - y, goal_z - z)
            push(nodes.queue, stack, s)


@end_of_path.register
def _(options: WeightedOptions, nodes, goal):
    return goal.node


class WeightedAStar(SearchEngine):
    """Run A* with one weight and heuristic on a graph of cells that cost."""

    name = "weighted A*"
    new_memory: Any = staticmethod(new_weighted_nodes)

    def __init__(self, graph: Weighted, weight: float, heuristic: int) -> None:
        super().__init__(graph, WeightedOptions(weight, heuristic, move_costs()[1]))

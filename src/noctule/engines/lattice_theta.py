"""Theta* and Lazy Theta* on a lattice: 1.6 to 2.7 times as fast as the reference engine.

On a hybrid graph 1.2 to 1.5 times. The steps are those of `theta_star` and `lazy_theta_star`. What
it gains by: coordinates are computed once an expansion, not once a neighbour; the queue is an array
of buckets a sixteenth of a cell wide, so nodes of nearly equal f come in no particular order; and
Theta* caches which node did not see which parent (`theta_nodes`).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from noctule.algorithms.best_first import REOPEN
from noctule.algorithms.lazy_theta_star import LazyThetaStar
from noctule.algorithms.search_engine import (
    SearchEngine,
    cost_beyond,
    initialize,
    next_generation,
    note_if_nearest,
    search,
)
from noctule.core.intrinsics import at, lowest_bit
from noctule.core.jit import INF, kernel
from noctule.core.stats import LAST_GENERATION
from noctule.core.status import EXHAUSTED, FOUND, FULL, STOPPED
from noctule.engines.theta_nodes import (
    lower_of,
    new_theta_nodes,
    pair,
    sees,
    sees_cached,
    upper_of,
)
from noctule.graphs.grid.lattice import Cells, Corners, coordinates, prefetch_around
from noctule.graphs.grid.move_sets import ALL_MOVES, long_edge, long_edges, move_costs
from noctule.graphs.grid.wide_cells import WideCells
from noctule.graphs.heuristics import real_estimate
from noctule.graphs.hybrid.hybrid_graph import HybridCells
from noctule.graphs.protocol import edges, is_turning_node, max_degree
from noctule.queues.buckets import (
    LAST,
    clear,
    has_room,
    let_go,
    lowest_stack,
    next_in,
    push,
    take,
    take_last_stack,
)

STACKS_PER_CELL = 16.0

# Theta* on corners in the plane: among nodes of about equal f, the one with the smaller g first. On
# 36 worlds of 40 x 40 cells with 25 % noise paths are 0.28 % longer than the shortest instead of
# 0.73 %, with fewer expansions; half of the difference is the order, half the width of the stacks.
# In space it costs expansions (a tenth more at centres) and gains nothing.
CORNER_STACKS_PER_CELL, CORNER_SHARE = 256.0, 1.001


class ThetaOptions(NamedTuple):
    """Options of Theta* (`lazy`: of Lazy Theta*) on a lattice."""

    weight: float
    heuristic: int
    lazy: bool
    fast: bool  # whether sight is tested only from nodes where a taut path may turn
    stacks_per_cell: float
    share: float  # of g in the order of the open list; above 1, the smaller g first among equal f
    step: np.ndarray  # of the 27 moves


@initialize.register
def _(options: ThetaOptions, graph, nodes, starts, costs, goal):
    stats = nodes.stats
    if next_generation(stats, nodes.link, 2, LAST_GENERATION, starts[0]):
        nodes.unseen[:] = 0
    x1, y1, z1 = coordinates(graph.lattice, goal.node)
    clear(nodes.queue)
    # No f is lower than the first; a lower one would be put on the first stack.
    x0, y0, z0 = coordinates(graph.lattice, starts[0])
    h = real_estimate(options.heuristic, x1 - x0, y1 - y0, z1 - z0)
    stats[0].lowest_f = max(h - costs[0], 0.0)
    stats[0].stacks_per_cell = options.stacks_per_cell
    for i in range(len(starts)):
        s = starts[i]
        x0, y0, z0 = coordinates(graph.lattice, s)
        nodes.g[s] = costs[i]
        nodes.link[s] = pair(stats[0].generation, s)
        push(nodes.queue, stack_of(options, nodes, s, x1 - x0, y1 - y0, z1 - z0), s)
    stats[0].best_cost = INF
    stats[0].slack = -goal.costs[0]  # it is not optimal: end as with the first node only


@kernel
def stack_of(options, nodes, s, dx, dy, dz):
    """Return the stack for f(s) = g(s) + w h(s); `dx`, `dy`, `dz` lead from `s` to the goal."""
    h = real_estimate(options.heuristic, dx, dy, dz)
    return stack_for(nodes.stats, options.share * float(nodes.g[s]) + options.weight * h)


@kernel
def stack_for(stats, f):
    """Return the stack for a value of f."""
    return max(int((f - stats[0].lowest_f) * stats[0].stacks_per_cell), 0)


@kernel
def last_stack(options, stats):
    """Return the stack from which on nothing can improve the best path."""
    best_cost = options.share * stats[0].best_cost
    return stack_for(stats, best_cost + stats[0].slack) if best_cost < INF else LAST + 1


@search.register
def _(options: ThetaOptions, graph, nodes, goal, limit, partial):
    lattice, queue, stats, link = graph.lattice, nodes.queue, nodes.stats, nodes.link
    opened, step = stats[0].generation, options.step
    goal_x, goal_y, goal_z = coordinates(lattice, goal.node)
    end = last_stack(options, stats)
    while True:
        stack = lowest_stack(queue)
        if stack < 0 or stack >= end:
            return FOUND if stats[0].best_cost < INF else EXHAUSTED
        if stack == LAST:
            widen(options, graph, nodes, goal.node)
            end = last_stack(options, stats)
            continue
        if stats[0].expanded >= limit:
            return STOPPED
        if not has_room(queue, max_degree(graph) + 1):
            return FULL
        s = take(queue, stack)
        later = next_in(queue, stack)
        if later >= 0:
            prefetch_around(lattice, nodes.g, later)
        if upper_of(link[at(s)]) != opened:
            continue  # closed since it was put in
        x, y, z = coordinates(lattice, s)
        p = lower_of(link[at(s)])
        px, py, pz = coordinates(lattice, p)
        moves = edges(graph, s) & ALL_MOVES
        if options.lazy and p != s:
            stats[0].sight_checks += 1
            if not sees(graph, nodes, s, x, y, z, px, py, pz):
                p = take_closed_neighbour(graph, nodes, s, moves)
                px, py, pz = coordinates(lattice, p)
                if nodes.g[s] == INF:
                    continue  # every possible parent is open again and will reach `s` again
        beyond = cost_beyond(goal, s)
        if beyond >= 0.0:
            stack_now = stack_of(options, nodes, s, goal_x - x, goal_y - y, goal_z - z)
            if stack_now > stack:
                push(queue, stack_now, s)  # its f was too low: others go first
                continue
            if float(nodes.g[s]) + beyond < stats[0].best_cost:
                stats[0].best_cost, stats[0].best_end = float(nodes.g[s]) + beyond, s
                end = last_stack(options, stats)
                if stack >= end:
                    return FOUND
        link[at(s)] = pair(opened + 1, p)
        stats[0].expanded += 1
        if partial:
            dx, dy, dz = goal_x - x, goal_y - y, goal_z - z
            note_if_nearest(stats, s, math.sqrt(dx * dx + dy * dy + dz * dz))
        if options.fast and not is_turning_node(graph, s):
            p, px, py, pz = s, x, y, z  # it becomes the parent, as in A*
        while moves != 0:
            k = lowest_bit(moves)
            moves &= moves - 1
            t, c = s + lattice.offset[at(k)], lattice.length[at(k)]
            tx, ty, tz = x + step[at(k), 0], y + step[at(k), 1], z + step[at(k), 2]
            if improve(options, graph, nodes, s, t, c, p, px, py, pz, tx, ty, tz):
                push(queue, stack_of(options, nodes, t, goal_x - tx, goal_y - ty, goal_z - tz), t)
        first, last = long_edges(graph, s)
        for e in range(first, last):
            t, c = long_edge(graph, e)
            if c < INF:
                tx, ty, tz = coordinates(lattice, t)
                if improve(options, graph, nodes, s, t, c, p, px, py, pz, tx, ty, tz):
                    to_goal = goal_x - tx, goal_y - ty, goal_z - tz
                    push(queue, stack_of(options, nodes, t, *to_goal), t)


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


@kernel
def take_closed_neighbour(graph, nodes, s, moves):
    """Make the closed neighbour with the shortest path the parent of `s`: path 1."""
    closed = nodes.stats[0].generation + 1
    best, parent = INF, s
    while moves != 0:
        k = lowest_bit(moves)
        moves &= moves - 1
        t, c = s + graph.lattice.offset[k], graph.lattice.length[k]
        if upper_of(nodes.link[t]) == closed and float(nodes.g[t]) + c < best:
            best, parent = float(nodes.g[t]) + c, t
    first, last = long_edges(graph, s)
    for e in range(first, last):
        t, c = long_edge(graph, e)
        closed_before = upper_of(nodes.link[t]) == closed
        if c < INF and closed_before and float(nodes.g[t]) + c < best:
            best, parent = float(nodes.g[t]) + c, t
    nodes.g[s] = best
    nodes.link[s] = pair(closed - 1, parent)
    return parent


@kernel
def improve(options, graph, nodes, s, t, c, p, px, py, pz, tx, ty, tz):
    """Update g and parent of `t`, at (tx, ty, tz), from its neighbour `s` with parent `p`."""
    g, link, opened = nodes.g, nodes.link, nodes.stats[0].generation
    generation = upper_of(link[at(t)])
    g_old = g[at(t)] if generation >= opened else np.float32(INF)
    path_1 = g[at(s)] + np.float32(c)
    if generation == opened + 1 and (options.weight > 1.0 or path_1 >= g_old - np.float32(REOPEN)):
        return False
    dx, dy, dz = tx - px, ty - py, tz - pz
    g_new, parent = g[at(p)] + np.float32(math.sqrt(dx * dx + dy * dy + dz * dz)), p  # path 2
    tests_sight = not options.lazy and p != s
    if tests_sight:
        nodes.stats[0].sight_checks += 1
    # Path 1 is never shorter than path 2: where path 2 is no gain, sight need not be tested.
    if g_new >= g_old:
        return False
    if tests_sight and not sees_cached(graph, nodes, t, p, tx, ty, tz, px, py, pz):
        g_new, parent = path_1, s
        if g_new >= g_old:
            return False
    g[at(t)] = g_new
    link[at(t)] = pair(opened, parent)
    return True


class LatticeTheta(SearchEngine):
    """Run Theta* or Lazy Theta* on cells, corners or a hybrid graph."""

    name = "lattice Theta*"
    new_memory = staticmethod(new_theta_nodes)

    def __init__(self, graph: Cells | WideCells | Corners | HybridCells, algorithm: Any) -> None:
        lazy, (_, step) = isinstance(algorithm, LazyThetaStar), move_costs()
        fast = not lazy and algorithm.fast
        order = STACKS_PER_CELL, 1.0
        if isinstance(graph, Corners) and graph.lattice.flat and not lazy:
            order = CORNER_STACKS_PER_CELL, CORNER_SHARE
        options = ThetaOptions(algorithm.weight, algorithm.heuristic, lazy, fast, *order, step)
        super().__init__(graph, options)

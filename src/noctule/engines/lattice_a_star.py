"""A* on cells, made for speed: whole-number costs, a queue of buckets, one word a node.

It finds paths as short as `best_first` does. Steps cost whole numbers, as `heuristics` has them, so
that sums are exact and equal paths are equal. The queue keeps f in order but for a sixteenth of a
cell; a node that was taken too early is put in again when its g falls, and the search ends when
nothing in the queue can beat the path that it has. That also proves the bound of weighted A*; but
where a weight leads it astray, it opens the same nodes again and again, and gives up.
"""

from typing import NamedTuple

import numpy as np

from noctule.algorithms.best_first import (
    EXHAUSTED,
    EXPANDED,
    FOUND,
    STAMP,
    STOPPED,
    note_if_nearest,
    restart,
)
from noctule.core.intrinsics import at
from noctule.core.jit import kernel, kernel_short, per_type
from noctule.engines.packed_nodes import (
    CLOSED,
    ONE_COST,
    ONE_SEARCH,
    REOPENED,
    TOO_FAR,
    WHICH_SEARCH,
    WIDENED,
    WIDTH,
    bucket_of,
    f_of,
    whole_cost,
    widen,
)
from noctule.engines.pruning import NOWHERE, Pruning, next_move, worth_trying
from noctule.graphs.grid.lattice import coordinates, free_cube, legal_moves, prefetch_around
from noctule.graphs.heuristics import whole_estimate
from noctule.graphs.protocol import distance, max_degree
from noctule.queues.buckets import (
    FULL,
    LAST,
    clear,
    has_room,
    lowest_stack,
    next_in,
    push,
    take,
)

GAVE_UP = 3  # the status of a search for which a node's word is too small, or its weight too large

OFTEN = 1 << 15  # to open so many closed nodes again is no matter, nor is one in two expansions


class Engine(NamedTuple):
    """What the searches of one planner need: weight, heuristic, costs and steps of the 27 moves."""

    weight: float
    heuristic: int
    cost: np.ndarray
    step: np.ndarray
    pruning: Pruning


@kernel_short
def begin(engine, lattice, field, starts, costs, goal):
    """Forget the last search and put the nodes where a path may start into the queue."""
    restart(field, starts[0], 1)
    field.counts[REOPENED] = field.counts[WIDENED] = 0
    x1, y1, z1 = coordinates(lattice, goal)
    field.best[0] = field.best[1] = TOO_FAR
    clear(field.queue)
    for i in range(len(starts)):
        x0, y0, z0 = coordinates(lattice, starts[i])
        h = whole_estimate(engine.heuristic, x1 - x0, y1 - y0, z1 - z0)
        field.best[1] = min(field.best[1], whole_cost(costs[i]) + h)
    for i in range(len(starts)):
        s, g = starts[i], whole_cost(costs[i])
        f = weighted_f(engine, lattice, g, s, goal)
        field.word[s] = g * ONE_COST + field.counts[STAMP] * ONE_SEARCH + NOWHERE
        push(field.queue, bucket_of(field, f), s)
        if s == goal:
            field.best[0] = min(field.best[0], g)


@f_of.register
def _(engine: Engine, graph, field, s, goal):
    return weighted_f(engine, graph.lattice, field.word[at(s)] >> 26, s, goal)


@kernel
def weighted_f(engine, lattice, g, s, goal):
    """The sum of g and the weighted estimate of what is left from `s` to the goal."""
    x0, y0, z0 = coordinates(lattice, s)
    x1, y1, z1 = coordinates(lattice, goal)
    h = whole_estimate(engine.heuristic, x1 - x0, y1 - y0, z1 - z0)
    return g + (h if engine.weight == 1.0 else int(engine.weight * h))


@kernel
def search(engine, graph, field, goal, limit, partial):
    """Expand nodes until the best path to the goal is proven, or `limit` nodes are expanded."""
    word, queue = field.word, field.queue
    lowest_f, expanded = field.best[1], field.counts[EXPANDED]
    aim = coordinates(graph.lattice, goal)
    while True:
        stack = lowest_stack(queue)
        if stack < 0 or lowest_f + (stack << WIDTH + field.counts[WIDENED]) >= field.best[0]:
            none = EXHAUSTED if stack < 0 else GAVE_UP  # what is left is too far for a word
            status = FOUND if field.best[0] < TOO_FAR else none
            break
        if stack == LAST:
            widen(engine, graph, field, goal)
            continue
        if expanded >= limit:
            status = STOPPED
            break
        if not has_room(queue, max_degree(graph)):
            status = FULL
            break
        if engine.weight > 1.0 and field.counts[REOPENED] > max(OFTEN, expanded // 2):
            status = GAVE_UP
            break
        s = take(queue, stack)
        later = next_in(queue, stack)
        if later >= 0:
            prefetch_node(engine, graph, field, later)
        about = word[at(s)]
        if about & CLOSED:
            continue
        word[at(s)] = about | CLOSED
        expanded += 1
        if partial:
            note_if_nearest(field, s, distance(graph, s, goal))
        if not expand(engine, graph, field, s, about, goal, *aim):
            status = GAVE_UP
            break
    field.counts[EXPANDED] = expanded
    return status


@per_type
def prefetch_node(engine, graph, field, s):
    """Ask for what an expansion of `s` will need, the next one most likely."""


@prefetch_node.register
def _(engine: Engine, graph, field, s):
    prefetch_around(graph.lattice, field.word, s)


@per_type
def expand(engine, graph, field, s, about, goal, goal_x, goal_y, goal_z):
    """Try the moves from `s` that are worth it; False if a node's word has no room for a cost."""


@expand.register
def _(engine: Engine, graph, field, s, about, goal, goal_x, goal_y, goal_z):
    lattice = graph.lattice
    x, y, z = coordinates(lattice, s)
    to_goal = goal_x - x, goal_y - y, goal_z - z
    cube = free_cube(lattice, s)
    moves = legal_moves(lattice, cube) & worth_trying(engine.pruning, cube, about & 31)
    while moves != 0:
        k = next_move(moves)
        moves ^= 1 << k
        t = s + lattice.offset[at(k)]
        if not improve(engine, field, goal, t, about, k, 1, *to_goal):
            return False
    return True


@kernel
def improve(engine, field, goal, t, about, k, n, goal_dx, goal_dy, goal_dz):
    """Let `n` moves `k` lead to `t`, from a node with the word `about`, if its path is shorter so.

    The last three arguments are what is left to the goal from that node. False if a node's word
    has no room for the cost.
    """
    word, this_search = field.word, about & WHICH_SEARCH
    g_t = (about >> 26) + n * engine.cost[at(k)]
    known = word[at(t)]
    if known & WHICH_SEARCH == this_search:
        if known >> 26 <= g_t:
            return True
        if engine.weight > 1.0 and known & CLOSED:
            field.counts[REOPENED] += 1
    step = engine.step
    dx, dy, dz = n * step[at(k), 0], n * step[at(k), 1], n * step[at(k), 2]
    h = whole_estimate(engine.heuristic, goal_dx - dx, goal_dy - dy, goal_dz - dz)
    f = g_t + (h if engine.weight == 1.0 else int(engine.weight * h))
    if f >= field.best[0]:
        return field.best[0] != TOO_FAR
    word[at(t)] = g_t * ONE_COST + this_search + k
    if t == goal:
        field.best[0] = g_t
    else:
        push(field.queue, bucket_of(field, f), t)
    return True


@per_type
def step_back(engine, lattice, field, s, d, g):
    """The node before `s` on its path, which move `d` reached at cost `g`; its own `d` and `g`."""


@step_back.register
def _(engine: Engine, lattice, field, s, d, g):
    s -= lattice.offset[at(d)]
    return s, field.word[at(s)] & 31, g


@kernel_short
def trace_path(engine, lattice, field, s, nodes):
    """Write the path to `s` to the end of `nodes`, from start to `s`; returns how long it is.

    As much of it, from its end, as there is room for.
    """
    n, d, g = 0, field.word[at(s)] & 31, field.word[at(s)] >> 26
    while True:
        n += 1
        if n <= len(nodes):
            nodes[len(nodes) - n] = s
        if d == NOWHERE:
            return n
        s, d, g = step_back(engine, lattice, field, s, d, g)


@kernel
def find_path(engine, graph, field, starts, costs, goal, limit, nodes):
    """Begin a search, run it, and trace the path if it is found: a call takes a microsecond.

    Returns the status of the search and the size of the path.
    """
    begin(engine, graph.lattice, field, starts, costs, goal)
    status = search(engine, graph, field, goal, limit, False)
    n = trace_path(engine, graph.lattice, field, goal, nodes) if status == FOUND else 0
    return status, n

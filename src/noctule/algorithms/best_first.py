"""The loop that A*, Theta* and Lazy Theta* share, over any graph, with a heap: the reference.

Nash, Daniel, Koenig, Felner, "Theta*: Any-Angle Path Planning on Grids" (AAAI 2007), figures 1
and 3: Main() and UpdateVertex(). An algorithm is a NamedTuple of its options that registers
`set_vertex` and `compute_cost`. Deviations from the listing: the search can stop after a number of
expansions and resume later; memory is not cleared between searches but tagged with a generation;
a goal that leaves the open list with a cost that turns out too low, which Lazy Theta* allows, is
inserted again; and a closed node is reopened if a much shorter path to it is found. Without the
last two, one path of Lazy Theta* in some thousands is longer than A*'s, by up to a fifth.
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.algorithms.search_engine import (
    SearchEngine,
    cost_beyond,
    end_of_path,
    initialize,
    next_generation,
    note_if_nearest,
    parent_of,
    search,
    slack_of,
)
from noctule.core.jit import INF, kernel, per_type
from noctule.core.stats import LAST_GENERATION, new_stats
from noctule.core.status import EXHAUSTED, FOUND, STOPPED
from noctule.graphs.protocol import distance, estimate, line_of_sight, neighbours, too_far_to_see
from noctule.queues.heap import Heap, new_heap, pop
from noctule.queues.protocol import insert

# Sums of the same steps in another order differ in their last bits. Keys are compared in units of
# 2^-30: then equal paths have equal keys, and ties are broken as intended.
KEY_UNITS = 2.0**30

# A closed node is reopened if a path to it is shorter by this much (in cells). Lazy Theta* may
# close a node on a detour; smaller gains are not worth another expansion. With a weight nothing is
# reopened: it would happen again and again, and the bound of A* holds without.
REOPEN = 0.15


class Tree(NamedTuple):
    """Memory of a search: a tree of paths from the start.

    `generation[s]` is that of the search while `s` is open and one more once it is closed. A lower
    number is left from an earlier search: then nothing else about `s` is valid.
    """

    g: np.ndarray
    parent: np.ndarray
    generation: np.ndarray
    open: Heap
    stats: np.ndarray  # besides: cost and last node of the best path, and see `slack_of`


def new_tree(n: int) -> Tree:
    """Reserve memory for searches on a graph of `n` nodes."""
    parent, generation = np.empty(n, np.int32), np.zeros(n, np.int32)
    stats = new_stats(best_cost=float, best_end=int, slack=float)
    return Tree(np.empty(n), parent, generation, new_heap(n), stats)


@per_type
def set_vertex(algorithm, graph, tree, s):
    """Settle the parent of `s` when it leaves the open list."""


@per_type
def compute_cost(algorithm, graph, tree, s, t, c):
    """Improve g(t) and parent(t) by a path through `s`; the edge from `s` to `t` costs `c`."""


@initialize.register(tuple)
def _(algorithm, graph, tree, starts, costs, goal):
    next_generation(tree.stats, tree.generation, 2, LAST_GENERATION, starts[0])
    tree.open.size[0] = 0
    for i in range(len(starts)):
        s = starts[i]
        visit(tree, s)
        tree.g[s] = costs[i]
        tree.parent[s] = s
        enqueue(algorithm, graph, tree, s, goal.node)
    tree.stats[0].best_cost = INF
    tree.stats[0].slack = slack_of(graph, algorithm.heuristic, goal, algorithm.weight)


@search.register(tuple)
def _(algorithm, graph, tree, goal, limit, partial):
    stats = tree.stats
    closed = stats[0].generation + 1
    while tree.open.size[0] > 0:
        if stats[0].expanded >= limit:
            return STOPPED
        s = pop(tree.open)
        g_old = tree.g[s]
        set_vertex(algorithm, graph, tree, s)
        if tree.g[s] == INF:
            continue  # every possible parent is open again and will reach `s` again
        beyond = cost_beyond(goal, s)
        if beyond >= 0.0:
            if tree.g[s] != g_old:
                enqueue(algorithm, graph, tree, s, goal.node)  # its key was too low
                continue
            if tree.g[s] + beyond < stats[0].best_cost:
                stats[0].best_cost, stats[0].best_end = tree.g[s] + beyond, s
        if key_of(algorithm, graph, tree, s, goal.node) >= in_key_units(
            stats[0].best_cost + stats[0].slack
        ):
            return FOUND
        tree.generation[s] = closed
        stats[0].expanded += 1
        if partial:
            note_if_nearest(stats, s, distance(graph, s, goal.node))
        for t, c in neighbours(graph, s):
            gain = tree.g[t] - (tree.g[s] + c)
            if tree.generation[t] == closed and gain > REOPEN and algorithm.weight == 1.0:
                tree.generation[t] = stats[0].generation
            if tree.generation[t] != closed:
                update_vertex(algorithm, graph, tree, s, t, c, goal.node)
    return FOUND if stats[0].best_cost < INF else EXHAUSTED


@end_of_path.register(tuple)
def _(algorithm, tree, goal):
    return tree.stats[0].best_end


@parent_of.register
def _(tree: Tree, s):
    return np.int64(tree.parent[s])


@kernel
def update_vertex(algorithm, graph, tree, s, t, c, goal):
    """Relax the edge from `s` to its neighbour `t`."""
    visit(tree, t)
    g_old = tree.g[t]
    compute_cost(algorithm, graph, tree, s, t, c)
    if tree.g[t] < g_old:
        enqueue(algorithm, graph, tree, t, goal)


@kernel
def visit(tree, t):
    """Reset `t` if its memory is left from an earlier search."""
    if tree.generation[t] < tree.stats[0].generation:
        tree.generation[t] = tree.stats[0].generation
        tree.g[t] = INF
        tree.open.place[t] = 0


@kernel
def enqueue(algorithm, graph, tree, s, goal):
    """Insert `s` into the open list by f(s) = g(s) + w h(s); among equal f, the larger g first."""
    insert(tree.open, s, key_of(algorithm, graph, tree, s, goal), -tree.g[s])


@kernel
def key_of(algorithm, graph, tree, s, goal):
    """Return f(s) in units of keys."""
    f = tree.g[s] + algorithm.weight * estimate(graph, algorithm.heuristic, s, goal)
    return in_key_units(f)


@kernel
def in_key_units(f):
    """Round a cost to units of keys."""
    return math.floor(f * KEY_UNITS + 0.5) if f < INF else INF


@kernel
def improve(tree, s, t, c):
    """Make `s` the parent of `t` if that shortens the path to `t`."""
    if tree.g[s] + c < tree.g[t]:
        tree.parent[t] = s
        tree.g[t] = tree.g[s] + c


@kernel
def sees(graph, tree, s, t):
    """Test line of sight, unless the line is too long, and count the test."""
    if too_far_to_see(graph, s, t):
        return False
    tree.stats[0].sight_walks += 1
    return line_of_sight(graph, s, t)


class BestFirst(SearchEngine):
    """The reference engine: any algorithm of this kind on any graph, with a heap."""

    name = "reference"
    new_memory = staticmethod(new_tree)

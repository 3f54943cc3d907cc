"""The loop that A*, Theta* and Lazy Theta* share: Main() and UpdateVertex() of the papers.

Nash, Daniel, Koenig, Felner, "Theta*: Any-Angle Path Planning on Grids" (AAAI 2007), figures 1
and 3. An algorithm is a NamedTuple of its options that registers `set_vertex` and `compute_cost`.
Differences from the listing: the search can stop after a number of expansions and go on later;
memory is not cleared between searches but marked with the number of the search; a goal that leaves
the open list on a false promise, as in Lazy Theta* it may, goes back into it; and a closed node is
opened again if it turns out to be much nearer. Without the last two, one path of Lazy Theta* in
some thousands is longer than A*'s, by up to a fifth.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import INF, bind, kernel, kernel_short, per_type
from noctule.graphs.protocol import distance, estimate, line_of_sight, neighbours
from noctule.queues.heap import Open, insert, new_open, pop

FOUND, EXHAUSTED, STOPPED = range(3)

# Sums of the same steps in another order differ in their last bits. Keys are compared in units of
# 2^-30: then equal paths have equal keys, and ties are broken as they should be.
KEY_UNITS = 2.0**30

# A closed node is opened again if it can be reached by so much shorter a path (in cells). Lazy
# Theta* may close a node on a detour; every small gain is not worth another expansion. With a
# weight, none is: nodes would be opened again and again, and the bound of A* holds without.
REOPEN = 0.15

LAST_STAMP = 2**31 - 4


class Tree(NamedTuple):
    """What a search from one start keeps for each node.

    `mark[s]` is `stamp` while `s` is in the open list, `stamp + 1` once it is closed; any lower
    number is left from an earlier search, and then nothing else about `s` is valid.
    """

    g: np.ndarray
    parent: np.ndarray
    mark: np.ndarray
    open: Open
    counts: np.ndarray  # see below
    nearest: np.ndarray  # smallest distance to the goal of a closed node


STAMP, EXPANDED, SIGHT_CHECKS, SIGHT_WALKS, NEAREST = range(5)  # what `counts` holds


def new_tree(n: int) -> Tree:
    """Reserve memory for searches on a graph of `n` nodes."""
    counts, nearest = np.zeros(5, np.int64), np.full(1, INF)
    return Tree(
        np.empty(n), np.empty(n, np.int32), np.zeros(n, np.int32), new_open(n), counts, nearest
    )


@per_type
def set_vertex(algorithm, graph, tree, s):
    """Settle the parent of `s` when it leaves the open list."""


@per_type
def compute_cost(algorithm, graph, tree, s, t, c):
    """Improve g(t) and parent(t) by going through `s`; the step from `s` to `t` costs `c`."""


@kernel_short
def begin(algorithm, graph, tree, starts, costs, goal):
    """Forget the last search and put the nodes where a path may start into the open list."""
    restart(tree, starts[0], 2)
    tree.open.size[0] = 0
    for i in range(len(starts)):
        s = starts[i]
        visit(tree, s)
        tree.g[s] = costs[i]
        tree.parent[s] = s
        enqueue(algorithm, graph, tree, s, goal)


@kernel
def restart(memory, start, stamps):
    """Begin to count for another search, which marks nodes with so many new stamps."""
    counts = memory.counts
    counts[STAMP] += stamps
    counts[EXPANDED] = counts[SIGHT_CHECKS] = counts[SIGHT_WALKS] = 0
    counts[NEAREST] = start
    memory.nearest[0] = INF


@kernel
def best_first(algorithm, graph, tree, goal, limit, partial):
    """Search until the goal leaves the open list, or `limit` nodes have been expanded.

    With `partial`, remember which closed node is nearest to the goal.
    """
    closed = tree.counts[STAMP] + 1
    while tree.open.size[0] > 0:
        if tree.counts[EXPANDED] >= limit:
            return STOPPED
        s = pop(tree.open)
        g_old = tree.g[s]
        set_vertex(algorithm, graph, tree, s)
        if tree.g[s] == INF:
            continue  # all that it could come from is open again, and will find it again
        if s == goal:
            if tree.g[s] == g_old:
                return FOUND
            enqueue(algorithm, graph, tree, s, goal)  # farther than its key said: others go first
            continue
        tree.mark[s] = closed
        tree.counts[EXPANDED] += 1
        if partial:
            note_if_nearest(tree, s, distance(graph, s, goal))
        for t, c in neighbours(graph, s):
            gain = tree.g[t] - (tree.g[s] + c)
            if tree.mark[t] == closed and gain > REOPEN and algorithm.weight == 1.0:
                tree.mark[t] = tree.counts[STAMP]
            if tree.mark[t] != closed:
                update_vertex(algorithm, graph, tree, s, t, c, goal)
    return EXHAUSTED


@kernel
def note_if_nearest(tree, s, d):
    """Remember the closed node that is nearest to the goal, where a partial path would end."""
    if d < tree.nearest[0]:
        tree.nearest[0] = d
        tree.counts[NEAREST] = s


@kernel
def update_vertex(algorithm, graph, tree, s, t, c, goal):
    """Look at `t` from its neighbour `s`."""
    visit(tree, t)
    g_old = tree.g[t]
    compute_cost(algorithm, graph, tree, s, t, c)
    if tree.g[t] < g_old:
        enqueue(algorithm, graph, tree, t, goal)


@kernel
def visit(tree, t):
    """Make the memory of `t` belong to this search."""
    if tree.mark[t] < tree.counts[STAMP]:
        tree.mark[t] = tree.counts[STAMP]
        tree.g[t] = INF
        tree.open.place[t] = 0


@kernel
def enqueue(algorithm, graph, tree, s, goal):
    """Put `s` into the open list by f(s) = g(s) + w h(s); of equal f, the larger g comes first."""
    f = tree.g[s] + algorithm.weight * estimate(graph, algorithm.heuristic, s, goal)
    insert(tree.open, s, math.floor(f * KEY_UNITS + 0.5), -tree.g[s])


@kernel
def improve(tree, s, t, c):
    """Let the path to `t` come from `s` if that makes it shorter."""
    if tree.g[s] + c < tree.g[t]:
        tree.parent[t] = s
        tree.g[t] = tree.g[s] + c


@kernel
def sees(graph, tree, s, t):
    """Line of sight, counted."""
    tree.counts[SIGHT_WALKS] += 1
    return line_of_sight(graph, s, t)


@kernel
def path_size(tree, s):
    """How many nodes the path to `s` has."""
    n = 1
    while tree.parent[s] != s:
        s = tree.parent[s]
        n += 1
    return n


@kernel
def trace_path(tree, s, nodes):
    """Write the path to `s` into `nodes`, which has the right size, from start to `s`."""
    for i in range(len(nodes) - 1, -1, -1):
        nodes[i] = s
        s = tree.parent[s]


class BestFirst:
    """The shell: runs searches of one algorithm on one graph."""

    new_memory = staticmethod(new_tree)

    def __init__(self, graph: Any, algorithm: Any) -> None:
        self._graph = graph
        self._algorithm = algorithm
        self._begin, self._best_first = bind(begin), bind(best_first)

    def begin(
        self, tree: Tree, starts: NDArray[np.int64], costs: NDArray[np.float64], goal: int
    ) -> None:
        """Prepare a search from several nodes, which it costs something to get to."""
        if tree.counts[STAMP] >= LAST_STAMP:  # the numbers of searches are used up
            tree.mark[:] = 0
            tree.counts[STAMP] = 0
        self._begin(self._algorithm, self._graph, tree, starts, costs, goal)

    def run(self, tree: Tree, goal: int, limit: int, partial: bool) -> int:
        """Search until the goal is found or `limit` nodes have been expanded in all."""
        what = self._algorithm, self._graph, tree, goal, limit, partial
        return int(self._best_first(*what))

    def trail(self, tree: Tree, node: int) -> NDArray[np.int64]:
        """The numbers of the nodes on the path to `node`."""
        nodes = np.empty(path_size(tree, node), np.int64)
        trace_path(tree, node, nodes)
        return nodes

    def costs_of(self, tree: Tree, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """How far nodes are from the start; infinite if the search has not closed them."""
        return np.where(tree.mark[nodes] == tree.counts[STAMP] + 1, tree.g[nodes], INF)

    def cost_to_goal(self, tree: Tree, goal: int) -> float:
        """How far the goal is, once it has been found."""
        return float(tree.g[goal])

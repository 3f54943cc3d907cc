"""D* (Stentz, "Optimal and Efficient Path Planning for Partially-Known Environments", ICRA 1994).

PROCESS-STATE, MODIFY-COST and INSERT as listed there, without a heuristic. The search grows from
the goal; h(X) is the distance to it, b(X) the next node on the way, and k(X), the key of an open
node, the smallest h(X) since it was opened: if k < h, the node raises others, else it lowers them.

A blocked edge costs ∞, and `neighbours` does not yield it. Nothing is told over it, therefore: a
node that has lost the edge to its b(X) is raised by MODIFY-COST itself.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.best_first import EXHAUSTED, EXPANDED, FOUND, STAMP, STOPPED
from noctule.algorithms.incremental import Changes, Kept, Remembering
from noctule.algorithms.remembered import NO_NODE, Aim
from noctule.core.jit import INF, kernel
from noctule.graphs.protocol import changed_nodes, neighbours
from noctule.queues.heap import Open, insert, new_open, pop

NEW, OPEN, CLOSED = range(3)


class States(NamedTuple):
    """What D* knows of each node, valid where `mark` has the number of the search."""

    h: np.ndarray
    b: np.ndarray
    mark: np.ndarray
    open: Open
    counts: np.ndarray


def new_states(n: int) -> States:
    """Reserve memory for a graph of `n` nodes."""
    b, mark, counts = np.empty(n, np.int32), np.zeros(n, np.int32), np.zeros(11, np.int64)
    return States(np.empty(n), b, mark, new_open(n), counts)


@kernel
def tag(states, X):
    """Whether X has never been open, is open, or is closed: t(X)."""
    if states.mark[X] != states.counts[STAMP]:
        return NEW
    return OPEN if states.open.place[X] > 0 else CLOSED


@kernel
def insert_state(states, X, h_new):
    """INSERT(X, h_new): open X, or change its place in the open list."""
    t = tag(states, X)
    if t == NEW:
        states.mark[X] = states.counts[STAMP]
        states.open.place[X] = 0
        k = h_new
    elif t == OPEN:
        k = min(states.open.key[states.open.place[X] - 1, 0], h_new)
    else:
        k = min(states.h[X], h_new)
    states.h[X] = h_new
    insert(states.open, X, k, 0.0)


@kernel
def begin(states, goal):
    """Forget the last search; the goal is open."""
    states.counts[STAMP] += 1
    states.open.size[0] = 0
    states.b[goal] = NO_NODE
    insert_state(states, goal, 0.0)


@kernel
def process_state(graph, states):
    """PROCESS-STATE(): take the first node X and tell its neighbours what it knows."""
    h, b = states.h, states.b
    k_old = states.open.key[0, 0]
    X = pop(states.open)
    if k_old < h[X]:
        for Y, c in neighbours(graph, X):
            if tag(states, Y) != NEW and h[Y] <= k_old and h[X] > h[Y] + c:
                b[X] = Y
                h[X] = h[Y] + c
    lowers = k_old == h[X]
    for Y, c in neighbours(graph, X):
        t = tag(states, Y)
        if t == NEW or (b[Y] == X and h[Y] != h[X] + c):
            b[Y] = X
            insert_state(states, Y, h[X] + c)
        elif b[Y] != X and h[Y] > h[X] + c:
            if lowers:
                b[Y] = X
                insert_state(states, Y, h[X] + c)
            elif tag(states, X) == CLOSED:
                insert_state(states, X, h[X])
        elif not lowers and b[Y] != X and h[X] > h[Y] + c and t == CLOSED and h[Y] > k_old:
            insert_state(states, Y, h[Y])


@kernel
def modify_cost(graph, states, goal, changes):
    """MODIFY-COST for all edges of all nodes that a change concerns."""
    for change in changes:
        for X, _ in changed_nodes(graph, change):
            if tag(states, X) == NEW:
                continue
            joined = goal == X
            for Y, _ in neighbours(graph, X):
                joined |= states.b[X] == Y
            if not joined:
                states.b[X] = NO_NODE
                insert_state(states, X, INF)
            elif tag(states, X) == CLOSED:
                insert_state(states, X, states.h[X])


@kernel
def process_states(graph, states, start, limit):
    """Process nodes until none can concern the way from the start."""
    while states.open.size[0] > 0:
        if states.open.key[0, 0] >= distance_of(states, start):
            break
        if states.counts[EXPANDED] >= limit:
            return STOPPED
        states.counts[EXPANDED] += 1
        process_state(graph, states)
    return FOUND if distance_of(states, start) < INF else EXHAUSTED


@kernel
def distance_of(states, X):
    """h(X), infinite while X is new."""
    return INF if tag(states, X) == NEW else states.h[X]


@kernel
def path_size(states, s, goal):
    """How many nodes the path from `s` to the goal has."""
    n = 1
    while s != goal:
        s = np.int64(states.b[s])
        n += 1
    return n


@kernel
def trace_path(states, s, nodes):
    """Write the path from `s` to the goal into `nodes`, which has the right size."""
    for i in range(len(nodes)):
        nodes[i] = s
        s = np.int64(states.b[s])


class KeptStates(Kept):
    """What D* remembers from plan to plan."""

    make = staticmethod(new_states)


class DStar(Remembering):
    """D*."""

    new_memory = KeptStates
    backwards = True

    def restart(self, kept: Kept, aim: Aim) -> None:
        """Begin anew."""
        kept.begin_anew()
        begin(kept.search, aim.root)

    def node_motion(self, kept: Kept, moved: float) -> None:
        """Without a heuristic, it makes no difference where nodes are."""

    def repair(self, kept: Kept, aim: Aim, changes: Changes) -> None:
        """Without a heuristic, a moved start changes nothing."""
        modify_cost(self._graph, kept.search, aim.root, changes)

    def search(self, kept: Kept, limit: int) -> int:
        """Find the shortest path."""
        return int(process_states(self._graph, kept.search, kept.target, limit))

    def trail(self, kept: Kept, node: int) -> NDArray[np.int64]:
        """The numbers of the nodes on the path, from start to goal."""
        states: Any = kept.search
        nodes = np.empty(path_size(states, kept.target, kept.root), np.int64)
        trace_path(states, kept.target, nodes)
        return nodes

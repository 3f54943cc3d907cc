"""D* (Stentz, "Optimal and Efficient Path Planning for Partially-Known Environments", ICRA 1994).

PROCESS-STATE, MODIFY-COST and INSERT as listed there, without a heuristic. The search grows from
the goal; h(X) is the distance to it, b(X) the next node on the way, and k(X), the key of an open
node, the smallest h(X) since it was opened: if k < h, the node raises others, else it lowers them.

A blocked edge costs ∞, and `neighbours` does not yield it. Nothing is told over it, therefore: a
node that has lost the edge to its b(X) is raised by MODIFY-COST itself.
"""

from typing import Any, NamedTuple

import numpy as np

from noctule.algorithms.incremental.memory import Target
from noctule.algorithms.incremental.procedures import (
    compute_shortest_path,
    initialize,
    trace_path,
    update,
)
from noctule.algorithms.incremental.state import IncrementalAlgorithm
from noctule.core.jit import INF, kernel
from noctule.core.stats import new_stats
from noctule.core.status import EXHAUSTED, FOUND, STOPPED
from noctule.graphs.protocol import changed_nodes, neighbours
from noctule.queues.heap import Heap, new_heap, pop
from noctule.queues.protocol import NO_NODE, insert

NEW, OPEN, CLOSED = range(3)


class DStarQuery(NamedTuple):
    """Where the search ends; D* has no heuristic."""

    target: Target
    weight: float
    heuristic: int


class States(NamedTuple):
    """What D* knows of each node, valid where `generation` has the number of the search."""

    h: np.ndarray
    b: np.ndarray
    generation: np.ndarray
    open: Heap
    stats: np.ndarray


def new_states(n: int, new_queue: Any = None) -> States:
    """Reserve memory for `n` nodes; k(X) needs the keys of the heap, so there is no other queue."""
    b, generation = np.empty(n, np.int32), np.zeros(n, np.int32)
    stats = new_stats(km=float, change_pass=int, parent_searches=int, broken_off=int, run=int)
    return States(np.empty(n), b, generation, new_heap(n), stats)


@kernel
def tag(states, X):
    """Whether X has never been open, is open, or is closed: t(X)."""
    if states.generation[X] != states.stats[0].generation:
        return NEW
    return OPEN if states.open.place[X] > 0 else CLOSED


@kernel
def insert_state(states, X, h_new):
    """INSERT(X, h_new): open X, or change its place in the open list."""
    t = tag(states, X)
    if t == NEW:
        states.generation[X] = states.stats[0].generation
        states.open.place[X] = 0
        k = h_new
    elif t == OPEN:
        k = min(states.open.key[states.open.place[X] - 1, 0], h_new)
    else:
        k = min(states.h[X], h_new)
    states.h[X] = h_new
    insert(states.open, X, k, 0.0)


@initialize.register
def _(query: DStarQuery, graph, states, goals, costs):
    states.stats[0].generation += 1
    states.open.size[0] = 0
    for i in range(len(goals)):
        insert_state(states, goals[i], costs[i])
        states.b[goals[i]] = NO_NODE


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


@update.register
def _(query: DStarQuery, graph, states, s_last, changes):
    # MODIFY-COST for all edges of the nodes that a change concerns; the start may move freely.
    for change in changes:
        for X, _ in changed_nodes(graph, change):
            if tag(states, X) == NEW:
                continue
            joined = states.b[X] == NO_NODE and states.h[X] < INF  # a goal
            for Y, _ in neighbours(graph, X):
                joined |= states.b[X] == Y
            if not joined:
                states.b[X] = NO_NODE
                insert_state(states, X, INF)
            elif tag(states, X) == CLOSED:
                insert_state(states, X, states.h[X])


@compute_shortest_path.register
def _(query: DStarQuery, graph, states, limit):
    # Process states until none can concern the path from the start.
    while states.open.size[0] > 0:
        _, distance = best_start(query, states)
        if states.open.key[0, 0] >= distance + query.target.slack:
            break
        if states.stats[0].expanded >= limit:
            return STOPPED
        states.stats[0].expanded += 1
        process_state(graph, states)
    _, distance = best_start(query, states)
    return FOUND if distance < INF else EXHAUSTED


@kernel
def best_start(query, states):
    """Return the start node from which the path is shortest, and its length with the cost of it."""
    best, lowest = NO_NODE, INF
    for i in range(len(query.target.nodes)):
        X = query.target.nodes[i]
        if tag(states, X) != NEW and states.h[X] + query.target.costs[i] < lowest:
            best, lowest = X, states.h[X] + query.target.costs[i]
    return best, lowest


@trace_path.register
def _(states: States, query, last, nodes):
    X, n = best_start(query, states)[0], 0
    while X != NO_NODE:
        nodes[n] = X
        n += 1
        X = np.int64(states.b[X])
    return n


D_STAR = IncrementalAlgorithm(DStarQuery, root="goal", new_search=new_states)

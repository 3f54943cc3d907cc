"""ARA* (Likhachev, Gordon, Thrun, "ARA*: Anytime A* with Provable Bounds", NIPS 2003, figure 3).

A* with an inflated heuristic, run again and again with smaller weights on the search that it has.
In a run a node is expanded once (CLOSED); one whose g falls after that waits for the next run
(INCONS). If anything changes, it starts from scratch.

Differences from the listing: several starts and goals, each with a cost; whole-number costs; g(s)
is stored in `rhs`, and the value with which `s` was last expanded, v(s) in later papers, in `g`.
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.algorithms import ad_star
from noctule.algorithms.d_star_lite import target_key
from noctule.algorithms.incremental.memory import ROOT, Target, new_closing_search, visit
from noctule.algorithms.incremental.state import IncrementalAlgorithm
from noctule.core.jit import INF, kernel
from noctule.core.status import EXHAUSTED, FOUND, STOPPED
from noctule.graphs.protocol import edges_pruned, estimate, next_edge
from noctule.queues.protocol import NO_NODE, calculate_key, clear, insert, pop_below, rekey


class Query(NamedTuple):
    """Where the search ends, its keys, and whether a node is expanded once in a run."""

    target: Target
    weight: float
    heuristic: int
    closes: bool = False


@calculate_key.register
def _(query: Query, graph, search, s):  # fvalue(s)
    h = estimate(graph, query.heuristic, s, query.target.node)
    return search.rhs[s] + math.floor(query.weight * h), -search.rhs[s]


@kernel
def initialize(query, graph, search, roots, costs):  # Main(), 01 to 03
    """Forget the last search and start from the roots."""
    search.stats[0].generation += 1
    search.stats[0].run += 1
    search.stats[0].incons = 0
    search.stats[0].root = roots[0]
    clear(search.open, costs[0] + estimate(graph, query.heuristic, roots[0], query.target.node))
    for i in range(len(roots)):
        visit(search, roots[i])
        search.parent[roots[i]] = ROOT
        search.rhs[roots[i]] = costs[i]
        open_node(query, graph, search, roots[i])


@kernel
def open_node(query, graph, search, s):
    """Insert `s` into OPEN, or move it there."""
    key1, key2 = calculate_key(query, graph, search, s)
    insert(search.open, s, key1, key2)


@kernel
def improve_path(query, graph, search, limit):  # ImprovePath()
    """Expand nodes until no key is below the cost of the path, or `limit` nodes are expanded."""
    bound = target_key(query, search)
    while search.stats[0].expanded < limit:
        s = pop_below(search.open, query, graph, search, bound)
        if s == NO_NODE:
            return FOUND if bound < INF else EXHAUSTED
        search.stats[0].expanded += 1
        expand(query, graph, search, s)
        bound = target_key(query, search)
    return STOPPED


@kernel
def expand(query, graph, search, s):  # 04 to 12
    """Close `s` and improve its neighbours."""
    rhs, parent = search.rhs, search.parent
    search.g[s] = rhs[s]
    if search.closed[s] != -search.stats[0].run:
        search.closed[s] = search.stats[0].run
    left = edges_pruned(graph, parent[s], s)
    while left != 0:
        t, c, left = next_edge(graph, s, left)
        visit(search, t)
        if rhs[s] + c < rhs[t]:
            parent[t], rhs[t] = s, rhs[s] + c
            if not query.closes or abs(search.closed[t]) != search.stats[0].run:
                open_node(query, graph, search, t)
            elif search.closed[t] > 0:
                search.closed[t] = -search.closed[t]
                search.incons[search.stats[0].incons] = t
                search.stats[0].incons += 1


@kernel
def improve(query, graph, search):  # Main(), 07 to 11
    """Begin the next run: move INCONS to OPEN, recompute all keys, empty CLOSED."""
    search.stats[0].run += 1
    for i in range(search.stats[0].incons):
        open_node(query, graph, search, np.int64(search.incons[i]))
    search.stats[0].incons = 0
    base = estimate(graph, query.heuristic, search.stats[0].root, query.target.node)
    rekey(search.open, query, graph, search, base)


ARA_STAR = IncrementalAlgorithm(
    Query,
    initialize,
    None,
    improve_path,
    root="start",
    new_search=new_closing_search,
    improve=improve,
    lowest_estimate=ad_star.lowest_estimate,
)

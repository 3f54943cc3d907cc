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

from noctule.algorithms import ad_star, d_star_lite
from noctule.algorithms.d_star_lite import target_key, update_vertex
from noctule.algorithms.incremental.memory import Target, new_closing_search, visit
from noctule.algorithms.incremental.procedures import compute_shortest_path, initialize, update
from noctule.algorithms.incremental.state import IncrementalAlgorithm
from noctule.core.jit import INF, kernel
from noctule.core.status import EXHAUSTED, FOUND, STOPPED
from noctule.graphs.protocol import edges_pruned, estimate, next_edge
from noctule.queues.protocol import NO_NODE, calculate_key, insert, pop_below, rekey


class ARAStarQuery(NamedTuple):
    """Where the search ends, its keys, and whether a node is expanded once in a run."""

    target: Target
    weight: float
    heuristic: int
    closes: bool = False


@calculate_key.register
def _(query: ARAStarQuery, graph, search, s):  # fvalue(s)
    h = estimate(graph, query.heuristic, s, query.target.node)
    return search.rhs[s] + math.floor(query.weight * h), -search.rhs[s]


@update_vertex.register
def _(query: ARAStarQuery, graph, search, s):
    key1, key2 = calculate_key(query, graph, search, s)
    insert(search.open, s, key1, key2)


initialize.register(ARAStarQuery, d_star_lite.initialize_tree)  # Main(), 01 to 03


@compute_shortest_path.register
def _(query: ARAStarQuery, graph, search, limit):  # ImprovePath()
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
                update_vertex(query, graph, search, t)
            elif search.closed[t] > 0:
                search.closed[t] = -search.closed[t]
                search.incons[search.stats[0].incons] = t
                search.stats[0].incons += 1


@update.register
def _(query: ARAStarQuery, graph, search, s_last, changes):  # Main(), 07 to 11
    # Begin the next run: move INCONS to OPEN, recompute all keys, empty CLOSED.
    search.stats[0].run += 1
    for i in range(search.stats[0].incons):
        update_vertex(query, graph, search, np.int64(search.incons[i]))
    search.stats[0].incons = 0
    base = estimate(graph, query.heuristic, search.stats[0].root, query.target.node)
    rekey(search.open, query, graph, search, base)


ARA_STAR = IncrementalAlgorithm(
    ARAStarQuery,
    root="start",
    repairs=False,
    new_search=new_closing_search,
    suboptimality=ad_star.suboptimality,
)

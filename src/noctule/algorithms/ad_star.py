"""Anytime Dynamic A* (Likhachev, Ferguson, Gordon, Stentz, Thrun, ICAPS 2005, figures 2 and 3).

D* Lite with the inflated keys of ARA*, and with its sets: a node is expanded once in a run
(CLOSED), and one that becomes inconsistent after that waits for the next run (INCONS). After a
change or a move of the agent it goes back to the largest weight, on the search that it has; a new
goal starts a new search. `compute_shortest_path` of D* Lite is ComputeorImprovePath() of the paper,
and `update_vertex` its UpdateState(); costs and keys differ from the listing as in `d_star_lite`.
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.algorithms import d_star_lite
from noctule.algorithms.d_star_lite import (
    lower,
    offer_to_neighbours,
    raise_,
    update_edges,
    update_open,
    update_rhs,
    update_vertex,
)
from noctule.algorithms.incremental.memory import Target, best_target, new_closing_search
from noctule.algorithms.incremental.procedures import compute_shortest_path, initialize, update
from noctule.algorithms.incremental.state import IncrementalAlgorithm
from noctule.core.jit import INF, kernel
from noctule.graphs.protocol import estimate
from noctule.queues.protocol import calculate_key, members, remove


class ADStarQuery(NamedTuple):
    """Where the search ends, its keys, and whether a node is expanded once in a run."""

    target: Target
    weight: float
    heuristic: int
    closes: bool = False


@calculate_key.register
def _(query: ADStarQuery, graph, search, s):  # key(s), 01 to 05
    g, rhs = search.g[s], search.rhs[s]
    h = estimate(graph, query.heuristic, s, query.target.node)
    if g > rhs:
        return rhs + math.floor(query.weight * h) + search.stats[0].km, -rhs
    return g + h + search.stats[0].km - 0.5, g


@update_vertex.register
def _(query: ADStarQuery, graph, search, s):  # UpdateState(s), 09 to 14
    # An under-consistent node, or one that was raised in this run, may not wait for the next run:
    # the path could lead through it.
    g, rhs = search.g[s], search.rhs[s]
    if query.closes and INF > g > rhs and abs(search.closed[s]) == search.stats[0].run:
        remove(search.open, s)
        if search.closed[s] > 0:
            search.closed[s] = -search.closed[s]
            search.incons[search.stats[0].incons] = s
            search.stats[0].incons += 1
    else:
        update_open(query, graph, search, s)


@lower.register
def _(query: ADStarQuery, graph, search, s):  # 16 to 20
    if search.closed[s] != -search.stats[0].run:
        search.closed[s] = search.stats[0].run
    offer_to_neighbours(query, graph, search, s)


raise_.register(ADStarQuery, d_star_lite.raise_node)  # 21 to 24
update_rhs.register(ADStarQuery, d_star_lite.update_rhs_of_node)  # 06 to 08
initialize.register(ADStarQuery, d_star_lite.initialize_tree)  # Main(), 02 to 05
compute_shortest_path.register(ADStarQuery, d_star_lite.expand_nodes)


@update.register
def _(query: ADStarQuery, graph, search, s_last, changes):  # Main(), 08 to 18
    # Begin the next run: move INCONS to OPEN, recompute all keys, empty CLOSED.
    update_edges(query, graph, search, changes)
    search.stats[0].run += 1
    for i in range(search.stats[0].incons):
        update_vertex(query, graph, search, np.int64(search.incons[i]))
    search.stats[0].incons = 0
    d_star_lite.restart_keys(query, graph, search)


@kernel
def suboptimality(query, graph, search, weight):
    """Return how many times too long the path is at most: the weight, or less if proven.

    The shortest path is known, or leads over OPEN or INCONS.
    """
    _, cost = best_target(query, search)
    lowest = cost
    for s in members(search.open):
        lowest = min(lowest, estimate_through(query, graph, search, s))
    for i in range(search.stats[0].incons):
        s = np.int64(search.incons[i])
        lowest = min(lowest, estimate_through(query, graph, search, s))
    return min(weight, cost / lowest) if lowest > 0.0 else 1.0


@kernel
def estimate_through(query, graph, search, s):
    """Return the least cost of a path over `s`."""
    h = estimate(graph, query.heuristic, s, query.target.node)
    return min(search.g[s], search.rhs[s]) + h - max(query.target.slack, 0.0)


AD_STAR = IncrementalAlgorithm(
    ADStarQuery, root="goal", new_search=new_closing_search, suboptimality=suboptimality
)

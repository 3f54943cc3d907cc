"""D* Lite (Koenig, Likhachev, "D* Lite", AAAI 2002, figure 4: the final version).

The search grows from the goal to the start, so the agent may move without invalidating it: only the
keys change, and km accounts for that. A new goal starts a new search.

g(s) is the distance from the root of the tree that `s` last told its neighbours, rhs(s) the one
that follows from theirs. A node is consistent if they are equal, over-consistent if g > rhs and
under-consistent if g < rhs. The open list holds the inconsistent nodes.

Differences from the listing:

* The tree may have several roots, and the path may end at several targets, each with a cost: start
  and goal need not be nodes. Roots have the parent ROOT, and their rhs is given.
* Costs are whole numbers in floats, so sums are exact, and g = rhs after any number of repairs.
* An under-consistent node has a key without inflation, as in AD*: with the plain key and a weight
  above 1, a search may end before it has raised a node of the path (Krafft 2019, 4.3.3.1). It also
  has half a unit less, so that it comes first among equals.
* Each node knows its parent. An over-consistent node offers itself to its neighbours; an
  under-consistent one makes only its children search for another parent.
"""

import math
from typing import NamedTuple

from noctule.algorithms.incremental.memory import ROOT, Target, best_target, visit
from noctule.algorithms.incremental.procedures import compute_shortest_path, initialize, update
from noctule.algorithms.incremental.state import IncrementalAlgorithm
from noctule.core.jit import INF, kernel, kernel_cold, per_type, per_type_cold
from noctule.core.status import EXHAUSTED, FOUND, STOPPED
from noctule.graphs.heuristics import STEP_1
from noctule.graphs.protocol import changed_nodes, edges, edges_pruned, estimate, next_edge
from noctule.queues.protocol import (
    NO_NODE,
    calculate_key,
    clear,
    insert,
    pop_below,
    rekey,
    remove,
)

LARGEST_KM = 500.0 * STEP_1  # larger ones would leave the range that a bucket queue keeps in order
TARGETS_EVERY = 16  # expansions between two looks at the costs of several targets


class DStarLiteQuery(NamedTuple):
    """Where the search ends, and its keys."""

    target: Target
    weight: float
    heuristic: int


@calculate_key.register
def _(query: DStarLiteQuery, graph, search, s):  # 01'
    g, rhs, km = search.g[s], search.rhs[s], search.stats[0].km
    h = estimate(graph, query.heuristic, s, query.target.node)
    if g < rhs:
        return g + h + km - 0.5, g
    return rhs + math.floor(query.weight * h) + km, -rhs


@initialize.register
def initialize_tree(query: DStarLiteQuery, graph, search, roots, costs):  # 02' to 06'
    """Forget the last search and start from the roots; no node is closed or in INCONS."""
    search.stats[0].generation += 1
    search.stats[0].run += 1
    search.stats[0].incons = 0
    search.stats[0].km = 0.0
    search.stats[0].root = roots[0]
    h = estimate(graph, query.heuristic, roots[0], query.target.node)
    clear(search.open, costs[0] + min(query.weight, 1.0) * h)
    for i in range(len(roots)):
        s = roots[i]
        visit(search, s)
        search.parent[s] = ROOT
        search.rhs[s] = costs[i]
        update_vertex(query, graph, search, s)


@per_type
def update_vertex(query, graph, search, s):
    """Keep `s` in the open list exactly while it is inconsistent."""


@update_vertex.register
def update_inconsistent(query: DStarLiteQuery, graph, search, s):
    """Update the open list, without exceptions."""
    update_open(query, graph, search, s)


@kernel
def update_open(query, graph, search, s):  # 07' to 09'
    """Insert, move or remove `s`."""
    if search.g[s] != search.rhs[s]:
        key1, key2 = calculate_key(query, graph, search, s)
        insert(search.open, s, key1, key2)
    else:
        remove(search.open, s)


@compute_shortest_path.register
def expand_nodes(query: DStarLiteQuery, graph, search, limit):  # 10' to 26'
    """Expand nodes until no key is below that of the target, or the work exceeds `limit`."""
    stats = search.stats
    bound = target_key(query, search)
    while work_of_repair(search) < limit:
        s = pop_below(search.open, query, graph, search, bound)
        if s == NO_NODE:
            before, bound = bound, target_key(query, search)
            if bound > before:
                continue
            if bound == INF:
                return EXHAUSTED
            if not repair_path(query, graph, search):
                return FOUND
            bound = target_key(query, search)
            continue
        stats[0].expanded += 1
        if search.g[s] > search.rhs[s]:
            lower(query, graph, search, s)
        else:
            raise_(query, graph, search, s)
        if len(query.target.nodes) == 1 or stats[0].expanded % TARGETS_EVERY == 0:
            bound = target_key(query, search)
    return STOPPED


@kernel
def target_key(query, search):
    """Return the bound from which on keys cannot improve the path to any target."""
    _, cost = best_target(query, search)
    return cost + query.target.slack + search.stats[0].km


@per_type
def repair_path(query, graph, search):
    """Repair the first fault of a path that was found, where there may be one."""


@repair_path.register(tuple)
def _(query, graph, search):
    return False


@kernel
def work_of_repair(search):
    """Return the work so far: to find another parent costs about as much as an expansion."""
    return search.stats[0].expanded + search.stats[0].parent_searches


@per_type
def lower(query, graph, search, s):
    """Make an over-consistent node consistent and offer it to its neighbours as a parent."""


@lower.register
def _(query: DStarLiteQuery, graph, search, s):
    offer_to_neighbours(query, graph, search, s)


@kernel
def offer_to_neighbours(query, graph, search, s):  # 14' to 19'
    """Set g(s) = rhs(s) and let the neighbours of `s` come from it where that is nearer."""
    g, rhs, parent = search.g, search.rhs, search.parent
    g[s] = rhs[s]
    left = edges_pruned(graph, parent[s], s)
    while left != 0:
        t, c, left = next_edge(graph, s, left)
        visit(search, t)
        if g[s] + c < rhs[t] and parent[t] != ROOT:
            parent[t], rhs[t] = s, g[s] + c
            update_vertex(query, graph, search, t)


@per_type_cold
def raise_(query, graph, search, s):
    """Give up the distance of an under-consistent node; its children find other parents."""


@raise_.register
def raise_node(query: DStarLiteQuery, graph, search, s):  # 20' to 26'
    """Let the children of `s` among its neighbours find other parents."""
    parent, rhs = search.parent, search.rhs
    search.g[s] = INF
    left = edges(graph, s)
    while left != 0:
        t, _, left = next_edge(graph, s, left)
        if parent[t] == s and search.generation[t] == search.stats[0].generation:
            parent[t], rhs[t] = best_parent(graph, search, t)
            update_vertex(query, graph, search, t)
    update_vertex(query, graph, search, s)


@kernel
def best_parent(graph, search, s):
    """Return the neighbour through which `s` is nearest to a root, and how near."""
    search.stats[0].parent_searches += 1
    parent, rhs = NO_NODE, INF
    left = edges(graph, s)
    while left != 0:
        t, c, left = next_edge(graph, s, left)
        if search.generation[t] == search.stats[0].generation and search.g[t] + c < rhs:
            parent, rhs = t, search.g[t] + c
    return parent, rhs


@per_type
def update_rhs(query, graph, search, s):
    """Recompute rhs(s) and the parent of `s`."""


@update_rhs.register
def update_rhs_of_node(query: DStarLiteQuery, graph, search, s):
    """Recompute rhs(s) from all neighbours."""
    visited = search.generation[s] == search.stats[0].generation
    if visited and search.parent[s] == ROOT:
        return
    parent, rhs = best_parent(graph, search, s)
    if visited or rhs < INF:
        visit(search, s)
        search.parent[s] = parent
        if rhs != search.rhs[s]:
            search.rhs[s] = rhs
            update_vertex(query, graph, search, s)


@update.register
def _(query: DStarLiteQuery, graph, search, s_last, changes):  # Main(), 36' to 47'
    move_target(query, graph, search, s_last)
    update_edges(query, graph, search, changes)


@kernel
def move_target(query, graph, search, s_last):
    """Add to km what keys in the open list may now be too high by.

    With a weight it is one unit more than the inflated estimate, which is rounded.
    """
    if s_last != query.target.node:
        h = estimate(graph, query.heuristic, s_last, query.target.node)
        search.stats[0].km += int(query.weight * h) + 1 if query.weight > 1.0 else h
    if search.stats[0].km > LARGEST_KM:
        restart_keys(query, graph, search)


@kernel_cold
def restart_keys(query, graph, search):
    """Recompute all keys with km = 0."""
    root = search.stats[0].root
    search.stats[0].km = 0.0
    h = estimate(graph, query.heuristic, root, query.target.node)
    rekey(search.open, query, graph, search, search.rhs[root] + min(query.weight, 1.0) * h)


@kernel
def update_edges(query, graph, search, changes):
    """Update every node that may have gained or lost an edge.

    A node that can only have lost edges needs nothing while the edge to its parent is left.
    """
    search.stats[0].change_pass += 2
    for change in changes:
        for s, gained in changed_nodes(graph, change):
            this_pass = search.stats[0].change_pass + (1 if gained else 0)
            if search.seen[s] < this_pass:
                search.seen[s] = this_pass
                visited = search.generation[s] == search.stats[0].generation
                if gained or (visited and not has_edge(graph, s, search.parent[s])):
                    update_rhs(query, graph, search, s)


@kernel
def has_edge(graph, s, parent):
    """Return whether there is an edge between `s` and its parent."""
    left = edges(graph, s)
    while left != 0:
        t, _, left = next_edge(graph, s, left)
        if t == parent:
            return True
    return False


D_STAR_LITE = IncrementalAlgorithm(DStarLiteQuery, root="goal")

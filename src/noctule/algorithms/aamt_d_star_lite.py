"""Any-angle Moving Target D* Lite (Krafft 2021, chapter 5.3): MT-D* Lite with Theta*'s parents.

rhs(s) may come from the parent of a neighbour that has line of sight to `s`. So a parent may be far
away, and two things differ from MT-D* Lite. When a node is raised, all its children find other
parents, not only those among its neighbours. And a change may block the line between a node and its
parent while nothing changes at either: of the parents around a changed cell, all children whose
line comes near to that cell are checked.

Differences from the thesis: neither this search nor Theta* is optimal, and not every blocked line
is found that way. So the path is checked before it is returned, from the target to the start; what
is wrong is repaired and the search goes on, until the path is free and as long as it says. The
factor phi only saves some of this work. Listing 20 skips four parents if one of them is better;
here, as its text says, those that are not. A node is not expanded again to gain less than `REOPEN`.
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.algorithms.best_first import REOPEN
from noctule.algorithms.d_star_lite import (
    expand_nodes,
    has_edge,
    initialize_tree,
    lower,
    move_target,
    raise_,
    repair_path,
    update_inconsistent,
    update_rhs,
    update_vertex,
    work_of_repair,
)
from noctule.algorithms.incremental.memory import (
    ROOT,
    Target,
    best_target,
    new_search_with_children,
    set_parent,
    visit,
)
from noctule.algorithms.incremental.procedures import compute_shortest_path, initialize, update
from noctule.algorithms.incremental.state import NEVER
from noctule.algorithms.mt_d_star_lite import MT_D_STAR_LITE, add_children
from noctule.core.jit import INF, kernel, kernel_cold
from noctule.graphs.heuristics import STEP_1
from noctule.graphs.protocol import (
    changed_nodes,
    distance,
    edges,
    estimate,
    has_costs,
    is_turning_node,
    line_of_sight,
    may_block,
    next_edge,
    segment_cost,
    too_far_to_see,
)
from noctule.queues.protocol import NO_NODE, calculate_key

GAIN = REOPEN * STEP_1


class AAMTQuery(NamedTuple):
    """Where the search ends, its keys, and which lines of sight it checks."""

    target: Target
    weight: float
    heuristic: int
    start: int = NO_NODE  # the path is checked from the target to this node, or to its root
    limit: int = NEVER  # the work after which a repair is broken off
    phi: float = 1.0  # share of the estimate in the key of an under-consistent node
    fast: bool = False  # whether only turning nodes look farther than their neighbours


@calculate_key.register
def _(query: AAMTQuery, graph, search, s):
    g, rhs, km = search.g[s], search.rhs[s], search.stats[0].km
    h = estimate(graph, query.heuristic, s, query.target.node)
    if g < rhs:
        return g + math.floor(query.phi * h) + km - 0.5, g
    return rhs + math.floor(query.weight * h) + km, -rhs


update_vertex.register(AAMTQuery, update_inconsistent)
initialize.register(AAMTQuery, initialize_tree)
compute_shortest_path.register(AAMTQuery, expand_nodes)


@kernel
def straight(graph, s, t):
    """Return the cost of a segment in whole units, rounded up so that no detour is shorter."""
    return math.ceil(STEP_1 * segment_cost(graph, s, t))


@kernel
def straight_within(graph, s, t, most):
    """Return the cost of a segment, or infinity if its length alone is more than `most`."""
    too_long = has_costs(graph) and STEP_1 * distance(graph, s, t) > most
    return INF if too_long else straight(graph, s, t)


@kernel
def sees(graph, search, p, s):
    """Check line of sight, unless the last check of this pair failed since the last changes."""
    search.stats[0].sight_checks += 1
    pair = search.stats[0].change_pass << 32 | p
    if search.unseen_by[s] == pair or too_far_to_see(graph, p, s):
        return False
    search.stats[0].sight_walks += 1
    if line_of_sight(graph, p, s):
        return True
    search.unseen_by[s] = pair
    return False


@kernel_cold
def is_valid_parent(graph, p, s):
    """Return whether `p` has line of sight to `s`, or an edge."""
    return line_of_sight(graph, p, s) or has_edge(graph, s, p)


@kernel_cold
def best_parent(query, graph, search, s, below):
    """Return the neighbour, or parent of one, by which rhs(s) is least and less than `below`."""
    search.stats[0].parent_searches += 1
    g, parent, rhs, current = search.g, NO_NODE, below, search.stats[0].generation
    all_edges = edges(graph, s)
    left = all_edges
    while left != 0:
        t, _, left = next_edge(graph, s, left)
        if search.generation[t] == current and g[t] < INF:
            cost = g[t] + straight(graph, t, s)
            if cost < rhs:
                parent, rhs = t, cost
    if query.fast and not is_turning_node(graph, s):
        return parent, rhs
    left = all_edges
    while left != 0:
        t, _, left = next_edge(graph, s, left)
        if search.generation[t] == current and g[t] < INF:
            p = np.int64(search.parent[t])
            if p >= 0 and p != s and g[p] < INF:
                cost = g[p] + straight_within(graph, p, s, rhs - g[p])
                if cost < below and cost <= rhs and p != parent and sees(graph, search, p, s):
                    parent, rhs = p, cost
    return parent, rhs


@kernel
def is_broken_off(query, search):
    """Return whether the repair takes too long; if so, mark the search as invalid."""
    if work_of_repair(search) >= query.limit:
        search.stats[0].broken_off = 1
    return search.stats[0].broken_off == 1


@update_rhs.register
def _(query: AAMTQuery, graph, search, s):
    parent, rhs = best_parent(query, graph, search, s, INF)
    set_parent(search, s, parent)
    if rhs != search.rhs[s]:
        search.rhs[s] = rhs
        update_vertex(query, graph, search, s)


@lower.register
def _(query: AAMTQuery, graph, search, s):
    g, rhs = search.g, search.rhs
    g[s] = rhs[s]
    p = np.int64(search.parent[s])
    looks = p >= 0 and g[p] < INF and not (query.fast and not is_turning_node(graph, s))
    left = edges(graph, s)
    while left != 0:
        t, _, left = next_edge(graph, s, left)
        visit(search, t)
        if search.parent[t] == ROOT:
            continue
        parent, cost = s, g[s] + straight(graph, s, t)
        if g[t] == rhs[t] and cost >= rhs[t] - GAIN and g[t] < INF:
            continue
        if looks and t != p:
            shorter = g[p] + straight_within(graph, p, t, min(cost, rhs[t]) - g[p])
            if shorter <= cost and shorter < rhs[t] and sees(graph, search, p, t):
                parent, cost = p, shorter
        if cost < rhs[t]:
            set_parent(search, t, parent)
            rhs[t] = cost
            update_vertex(query, graph, search, t)


@raise_.register
def _(query: AAMTQuery, graph, search, s):  # it may have thousands of children
    search.g[s] = INF
    t = np.int64(search.child[s])
    while t != NO_NODE:
        if is_broken_off(query, search):
            return
        after = np.int64(search.next[t])
        update_rhs(query, graph, search, t)
        t = after
    update_vertex(query, graph, search, s)


@update.register
def _(query: AAMTQuery, graph, search, s_last, changes):
    move_target(query, graph, search, s_last)
    search.stats[0].change_pass += 2
    for change in changes:
        last = np.int64(NO_NODE)
        for s, gained in changed_nodes(graph, change):
            if is_broken_off(query, search):
                return
            may_lose = not gained or has_costs(graph)  # what is left may cost more
            if may_lose and search.generation[s] == search.stats[0].generation:
                p = np.int64(search.parent[s])
                if p >= 0 and p != last:
                    last = p
                    check_children(query, graph, search, change, p)
    for change in changes:
        for s, gained in changed_nodes(graph, change):
            if is_broken_off(query, search):
                return
            this_pass = search.stats[0].change_pass + (1 if gained else 0)
            if search.seen[s] < this_pass:
                search.seen[s] = this_pass
                check_node(query, graph, search, s, gained)


@kernel_cold
def check_children(query, graph, search, change, p):
    """Check the lines from `p` to its children that a change may block."""
    s = np.int64(search.child[p])
    while s != NO_NODE:
        after = np.int64(search.next[s])
        if search.seen[s] < search.stats[0].change_pass and may_block(graph, change, p, s):
            search.seen[s] = search.stats[0].change_pass
            check_node(query, graph, search, s, False)
        s = after


@kernel_cold
def check_node(query, graph, search, s, gained):
    """Find another parent for a node that has lost its own, or may have gained a better one."""
    below = INF
    if search.generation[s] == search.stats[0].generation:
        p = np.int64(search.parent[s])
        if p == ROOT:
            return
        if p != NO_NODE:
            dearer = has_costs(graph) and search.rhs[s] != search.g[p] + straight(graph, p, s)
            if dearer or not is_valid_parent(graph, p, s):
                update_rhs(query, graph, search, s)
                return
            below = search.rhs[s] - (GAIN if search.rhs[s] == search.g[s] else 0.0)
    if gained:
        parent, rhs = best_parent(query, graph, search, s, below)
        if parent != NO_NODE:
            visit(search, s)
            set_parent(search, s, parent)
            search.rhs[s] = rhs
            update_vertex(query, graph, search, s)


@repair_path.register
def _(query: AAMTQuery, graph, search):
    # The parent of each node is nearer to the root, so the loop ends.
    s, _ = best_target(query, search)
    while s != query.start:
        p = np.int64(search.parent[s])
        if p == ROOT:
            return False
        if search.g[p] < search.rhs[p]:
            raise_(query, graph, search, p)
            return True
        if search.rhs[s] != search.g[p] + straight(graph, p, s) or not is_valid_parent(graph, p, s):
            update_rhs(query, graph, search, s)
            return True
        s = p
    return False


@add_children.register
def _(query: AAMTQuery, graph, search, s, count):
    t = np.int64(search.child[s])
    while t != NO_NODE:
        search.deleted[count] = t
        count += 1
        t = np.int64(search.next[t])
    return count


AAMT_D_STAR_LITE = MT_D_STAR_LITE._replace(
    query=AAMTQuery,
    new_search=new_search_with_children,
    any_angle=True,
)
AAMT_D_STAR_LITE_FAST = AAMT_D_STAR_LITE._replace(options={"phi": 0.5, "fast": True})  # 5.3.3

"""The core of the incremental search at any angle: rhs from a far parent, and paths that are free.

What `incremental` does along edges; `aamt_d_star_lite` tells of the differences.
"""

import math

import numpy as np

from noctule.algorithms.best_first import FOUND, REOPEN, SIGHT_CHECKS, SIGHT_WALKS, STAMP
from noctule.algorithms.child_lists import Families, adopt
from noctule.algorithms.incremental_core import (
    compute_shortest_path,
    expand,
    is_joined,
    make_room,
    update_state,
    work,
)
from noctule.algorithms.remembered import LOOKS, NO_NODE, PASS, TORN, visit
from noctule.core.jit import INF, kernel
from noctule.graphs.heuristics import STEP_1
from noctule.graphs.protocol import (
    distance,
    edges,
    is_turning_node,
    line_of_sight,
    max_degree,
    next_edge,
)

GAIN = REOPEN * STEP_1


@kernel
def straight(graph, s, t):
    """The length of a segment as a whole number: rounded up, so that no detour is shorter."""
    return math.ceil(STEP_1 * distance(graph, s, t))


@kernel
def sees(graph, search, p, s):
    """Line of sight, unless it is known that there is none."""
    search.counts[SIGHT_CHECKS] += 1
    proposal = search.counts[PASS] << 32 | p
    if search.unseen_by[s] == proposal:
        return False
    search.counts[SIGHT_WALKS] += 1
    if line_of_sight(graph, p, s):
        return True
    search.unseen_by[s] = proposal
    return False


@kernel
def is_held(graph, p, s):
    """Whether `p` can be the parent of `s`: it sees it, or there is an edge."""
    return line_of_sight(graph, p, s) or is_joined(graph, s, p)


@kernel
def is_known(search, s):
    """Whether the search has told the neighbours of `s` how far it is."""
    return search.mark[s] == search.counts[STAMP] and search.g[s] < INF


@kernel
def find_parent(graph, search, aim, s, below):
    """The parent by which rhs(s) is least, and less than `below`: a neighbour or one of theirs."""
    search.counts[LOOKS] += 1
    g, parent, rhs = search.g, NO_NODE, below
    all_ways = edges(graph, s)
    left = all_ways
    while left != 0:
        t, _, left = next_edge(graph, s, left)
        if is_known(search, t):
            cost = g[t] + straight(graph, t, s)
            if cost < rhs:
                parent, rhs = t, cost
    if aim.fast and not is_turning_node(graph, s):
        return parent, rhs
    left = all_ways
    while left != 0:
        t, _, left = next_edge(graph, s, left)
        if is_known(search, t):
            p = np.int64(search.parent[t])
            if p != NO_NODE and p != s and g[p] < INF:
                cost = g[p] + straight(graph, p, s)
                if cost < below and cost <= rhs and p != parent and sees(graph, search, p, s):
                    parent, rhs = p, cost
    return parent, rhs


@kernel
def is_enough(search, aim):
    """Whether to break a repair off."""
    if work(search) >= aim.enough:
        search.counts[TORN] = 1
    return search.counts[TORN] == 1


@kernel
def look_again(graph, search, aim, s):
    """Determine rhs(s) anew, whatever happened around `s` or to the line to its parent."""
    parent, rhs = find_parent(graph, search, aim, s, INF)
    adopt(search, s, parent)
    if rhs != search.rhs[s]:
        search.rhs[s] = rhs
        update_state(graph, search, aim, s)


@expand.register
def _(search: Families, graph, aim, s):
    if search.g[s] > search.rhs[s]:
        lower(graph, search, aim, s)
    else:
        raise_(graph, search, aim, s)


@kernel
def lower(graph, search, aim, s):
    """Make an over-consistent node consistent; offer it and its parent to its neighbours."""
    g, rhs = search.g, search.rhs
    g[s] = rhs[s]
    p = np.int64(search.parent[s])
    looks = p != NO_NODE and g[p] < INF and not (aim.fast and not is_turning_node(graph, s))
    left = edges(graph, s)
    while left != 0:
        t, _, left = next_edge(graph, s, left)
        visit(search, t)
        if t == aim.root:
            continue
        parent, cost = s, g[s] + straight(graph, s, t)
        if g[t] == rhs[t] and cost >= rhs[t] - GAIN and g[t] < INF:
            continue
        if looks and t != p:
            shorter = g[p] + straight(graph, p, t)
            if shorter <= cost and shorter < rhs[t] and sees(graph, search, p, t):
                parent, cost = p, shorter
        if cost < rhs[t]:
            adopt(search, t, parent)
            rhs[t] = cost
            update_state(graph, search, aim, t)


@kernel
def raise_(graph, search, aim, s):
    """Give up the distance of an under-consistent node; its children look for other parents.

    There may be thousands of them, and then it is better to begin anew.
    """
    search.g[s] = INF
    t = np.int64(search.child[s])
    while t != NO_NODE:
        if is_enough(search, aim):
            return
        after = np.int64(search.next[t])
        look_again(graph, search, aim, t)
        t = after
    update_state(graph, search, aim, s)


@kernel
def mend(graph, search, aim, start):
    """Mend the first thing that is wrong with the path from target to start; whether any was.

    Every look makes sure that the parent is nearer to the root, so the walk has an end.
    """
    s = np.int64(aim.target)
    while s != start and s != aim.root:
        p = np.int64(search.parent[s])
        if search.g[p] < search.rhs[p]:
            raise_(graph, search, aim, p)
            return True
        if search.rhs[s] != search.g[p] + straight(graph, p, s) or not is_held(graph, p, s):
            look_again(graph, search, aim, s)
            return True
        s = p
    return False


@kernel
def compute_free_path(graph, search, aim, start, limit):
    """Expand nodes until the way to the target is known, and free."""
    status = compute_shortest_path(graph, search, aim, limit)
    while status == FOUND and mend(graph, search, aim, start):
        make_room(graph, search, aim, max_degree(graph) + 1)
        status = compute_shortest_path(graph, search, aim, limit)
    return status

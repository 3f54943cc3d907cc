"""The core of the searches that remember: g, rhs and the open list of inconsistent nodes.

Koenig, Likhachev, "D* Lite" (AAAI 2002), figures 3 and 4; Likhachev, Ferguson, Gordon, Stentz,
Thrun, "Anytime Dynamic A*" (ICAPS 2005), figure 3; Sun, Yeoh, Koenig, "Moving Target D* Lite"
(AAMAS 2010), figure 2. A search grows a tree from its `root` until it knows the way to its
`target`. D* Lite and AD* root it at the goal, the others at the start. g(s) is the distance
from the root that was last told to the neighbours of `s`, rhs(s) the one that follows from theirs.
A node is consistent if they are equal, over-consistent if g > rhs, under-consistent if g < rhs.

Differences from the listings:

* Lengths are whole numbers in floats (`heuristics.WHOLE`): sums are exact and g = rhs means what it
  says, after any number of repairs.
* An under-consistent node has a key without inflation, as in AD*: with the plain key of D* Lite and
  a weight above 1, a search may end before it has raised a node of the path (Krafft 2019, 4.3.3.1).
* Of equal first keys, the papers take the smaller second one, min(g, rhs), first. All that matters
  of this is that under-consistent nodes come before the others: half a unit less says it in one
  number. Of the others, as in A*, the last comes first, which saves most of those that tie.
* An over-consistent node offers itself to its neighbours; an under-consistent one makes only those
  neighbours look for another parent that had it for theirs.
"""

import math

import numpy as np

from noctule.algorithms.best_first import EXHAUSTED, EXPANDED, FOUND, STAMP, STOPPED
from noctule.algorithms.remembered import (
    BASE,
    KM,
    LATEST,
    LISTED,
    LOOKS,
    NO_NODE,
    NOWHERE,
    PASS,
    PUT_OFF,
    RUN,
    WIDTH,
    Search,
    members,
    visit,
)
from noctule.core.jit import INF, kernel, per_type
from noctule.graphs.protocol import (
    changed_nodes,
    edges,
    edges_pruned,
    estimate,
    max_degree,
    next_edge,
)
from noctule.queues.buckets import STACKS, has_room, lowest_stack, push, take
from noctule.queues.buckets import clear as clear_buckets


@kernel
def calculate_key(graph, search, aim, s):
    """The key of `s`: without inflation if it is under-consistent, and then first among equals."""
    g, rhs = search.g[s], search.rhs[s]
    h = estimate(graph, aim.heuristic, s, aim.target)
    if g < rhs:
        return g + math.floor(aim.phi * h) + search.keys[KM] - 0.5
    return rhs + math.floor(aim.weight * h) + search.keys[KM]


@kernel
def stack_of(search, s, key):
    """The stack for a key: two for each range of keys, the first for under-consistent nodes."""
    i = int(max(key - search.keys[BASE], 0.0)) // WIDTH
    return 2 * min(i, STACKS // 2 - 1) + (0 if search.g[s] < search.rhs[s] else 1)


@kernel
def lowest_key(search, i):
    """No key on stack `i`, or on one above it, is lower than this."""
    return -INF if i < 2 else search.keys[BASE] + (i >> 1) * WIDTH


@kernel
def initialize(graph, search, aim):
    """Forget everything and begin at the root."""
    search.counts[STAMP] += 1
    search.counts[RUN] += 1
    search.counts[LISTED] = 0
    visit(search, aim.root)
    search.rhs[aim.root] = 0.0
    clear(graph, search, aim)
    update_state(graph, search, aim, aim.root)


@kernel
def clear(graph, search, aim):
    """Empty the open list, and begin to count keys anew."""
    clear_buckets(search.open)
    h = estimate(graph, aim.heuristic, aim.root, aim.target)
    search.counts[PUT_OFF] = 0
    search.keys[KM] = 0.0
    search.keys[BASE] = search.rhs[aim.root] + h
    search.keys[LATEST] = INF


@kernel
def update_state(graph, search, aim, s):
    """Keep `s` in the open list exactly while it is inconsistent.

    AD* sets a node aside that it has expanded in this run, until the next. It may not do so with
    an under-consistent one, or one that was raised since: the path could lead through it.
    """
    g, rhs = search.g[s], search.rhs[s]
    if g == rhs:
        search.stack[s] = NOWHERE
    elif aim.closing and INF > g > rhs and abs(search.closed[s]) == search.counts[RUN]:
        set_aside(search, s)
    else:
        i = stack_of(search, s, calculate_key(graph, search, aim, s))
        search.stack[s] = i
        push(search.open, i, s)


@kernel
def set_aside(search, s):
    """Put a closed node into the list, once."""
    search.stack[s] = NOWHERE
    if search.closed[s] > 0:
        search.closed[s] = -search.closed[s]
        search.list[search.counts[LISTED]] = s
        search.counts[LISTED] += 1


@kernel
def find_parent(graph, search, s):
    """The neighbour through which `s` is nearest to the root, and how near."""
    search.counts[LOOKS] += 1
    parent, rhs = NO_NODE, INF
    left = edges(graph, s)
    while left != 0:
        t, c, left = next_edge(graph, s, left)
        if search.mark[t] == search.counts[STAMP] and search.g[t] + c < rhs:
            parent, rhs = t, search.g[t] + c
    return parent, rhs


@kernel
def update_vertex(graph, search, aim, s):
    """Determine rhs(s) anew, whatever happened around `s`."""
    if s == aim.root:
        return
    parent, rhs = find_parent(graph, search, s)
    known = search.mark[s] == search.counts[STAMP]
    if rhs < INF or known:
        visit(search, s)
        search.parent[s] = parent
        if rhs != search.rhs[s]:
            search.rhs[s] = rhs
            update_state(graph, search, aim, s)


@kernel
def update_edges(graph, search, aim, changes):
    """Look again at every node that may have won or lost an edge.

    One that may only have lost some is none the worse if the edge to its parent is left.
    """
    make_room(graph, search, aim, 2 * len(search.g))
    search.counts[PASS] += 2
    for change in changes:
        for s, won in changed_nodes(graph, change):
            look = search.counts[PASS] + (1 if won else 0)
            if search.seen[s] < look:
                search.seen[s] = look
                known = search.mark[s] == search.counts[STAMP]
                if won or (known and not is_joined(graph, s, search.parent[s])):
                    update_vertex(graph, search, aim, s)


@kernel
def is_joined(graph, s, parent):
    """Whether there is an edge between `s` and its parent."""
    left = edges(graph, s)
    while left != 0:
        t, _, left = next_edge(graph, s, left)
        if t == parent:
            return True
    return False


@kernel
def compute_shortest_path(graph, search, aim, limit):
    """Expand nodes until nothing in the open list can concern the way to the target.

    Or until so many nodes were expanded, or looked for another parent.
    """
    visit(search, aim.target)
    status = STOPPED
    while work(search) < limit:
        target_key = search.rhs[aim.target] + search.keys[KM]
        i = lowest_stack(search.open)
        if i < 0 or lowest_key(search, i) >= target_key:
            if search.keys[LATEST] >= target_key:
                status = FOUND if search.rhs[aim.target] < INF else EXHAUSTED
                break
            bring_back(graph, search, aim)
            continue
        s = take(search.open, i)
        if search.stack[s] == i:
            search.stack[s] = NOWHERE
            key = calculate_key(graph, search, aim, s)
            if stack_of(search, s, key) > i:
                update_state(graph, search, aim, s)
            elif key < target_key or search.counts[PUT_OFF] == len(search.late):
                make_room(graph, search, aim, max_degree(graph) + 1)
                search.counts[EXPANDED] += 1
                expand(search, graph, aim, s)
            else:
                put_off(search, s, key)
    bring_back(graph, search, aim)
    return status


@kernel
def work(search):
    """What a plan has cost so far."""
    return search.counts[EXPANDED] + search.counts[LOOKS]


@kernel
def put_off(search, s, key):
    """Set a node apart that is not worth expanding for the target of now."""
    search.late[search.counts[PUT_OFF]] = s
    search.counts[PUT_OFF] += 1
    search.keys[LATEST] = min(search.keys[LATEST], key)


@kernel
def bring_back(graph, search, aim):
    """Put what was put off into the open list again."""
    for i in range(search.counts[PUT_OFF]):
        s = np.int64(search.late[i])
        if search.stack[s] == NOWHERE:
            update_state(graph, search, aim, s)
    search.counts[PUT_OFF] = 0
    search.keys[LATEST] = INF


@per_type
def expand(search, graph, aim, s):
    """Tell others what has become of an inconsistent node."""


@expand.register
def _(search: Search, graph, aim, s):
    if search.g[s] > search.rhs[s]:
        lower(graph, search, aim, s)
    else:
        raise_(graph, search, aim, s)


@kernel
def lower(graph, search, aim, s):
    """Make an over-consistent node consistent, and offer it to its neighbours as a parent."""
    g, rhs, parent = search.g, search.rhs, search.parent
    g[s] = rhs[s]
    if search.closed[s] != -search.counts[RUN]:
        search.closed[s] = search.counts[RUN]
    left = edges_pruned(graph, parent[s], s)
    while left != 0:
        t, c, left = next_edge(graph, s, left)
        visit(search, t)
        if g[s] + c < rhs[t] and t != aim.root:
            parent[t], rhs[t] = s, g[s] + c
            update_state(graph, search, aim, t)


@kernel
def raise_(graph, search, aim, s):
    """Give up the distance of an under-consistent node; its children look for other parents."""
    g, rhs, parent = search.g, search.rhs, search.parent
    g[s] = INF
    left = edges(graph, s)
    while left != 0:
        t, _, left = next_edge(graph, s, left)
        if parent[t] == s and search.mark[t] == search.counts[STAMP]:
            parent[t], rhs[t] = find_parent(graph, search, t)
            update_state(graph, search, aim, t)
    update_state(graph, search, aim, s)


@kernel
def make_room(graph, search, aim, n):
    """See to it that `n` nodes can be put into the open list, where void entries add up."""
    if not has_room(search.open, n):
        restore_order(graph, search, aim)


@kernel
def restore_order(graph, search, aim):
    """Begin another run: all inconsistent nodes into the open list, with the keys of now."""
    search.counts[RUN] += 1
    count = search.counts[LISTED]
    for i in range(search.counts[PUT_OFF]):
        search.list[count] = search.late[i]
        count += 1
    for s in members(search):
        search.stack[s] = NOWHERE
        search.list[count] = s
        count += 1
    search.counts[LISTED] = 0
    clear(graph, search, aim)
    for i in range(count):
        s = np.int64(search.list[i])
        if search.stack[s] == NOWHERE:
            update_state(graph, search, aim, s)

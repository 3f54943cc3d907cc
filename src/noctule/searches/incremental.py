"""The core of the searches that remember: g, rhs and the open list of inconsistent nodes.

Koenig, Likhachev, "D* Lite" (AAAI 2002), figures 3 and 4; Likhachev, Ferguson, Gordon, Stentz,
Thrun, "Anytime Dynamic A*" (ICAPS 2005), figure 3; Sun, Yeoh, Koenig, "Moving Target D* Lite"
(AAMAS 2010), figure 2. A search grows a tree from its `root` until it knows the way to its
`target`. D* Lite and AD* root it at the goal, the moving-target searches at the start. g(s) is the distance
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
* Untouched nodes cost nothing: what is not marked with the number of the search has g = rhs = ∞.
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.graphs.heuristics import STEP_1
from noctule.graphs.protocol import affected, estimate, next_way, ways, ways_past
from noctule.kernels import INF, kernel, lowest_bit
from noctule.searches.best_first import EXHAUSTED, EXPANDED, FOUND, STAMP, STOPPED
from noctule.searches.buckets import (
    STACKS,
    Buckets,
    has_room,
    lowest_stack,
    new_buckets,
    push,
    take,
)
from noctule.searches.buckets import clear as clear_buckets

NO_NODE = -1

WIDTH = 1 << 17  # keys of one stack of the open list differ by less than this: 0.06 cells
DISORDER = WIDTH / STEP_1  # the same in cells
NOWHERE = -1  # the stack of a node that is not in the open list

# What `counts` holds after the five numbers of every search: the number of the pass over changed
# edges, the number of the run that closes nodes, how many nodes are in `list`, and in `late`.
PASS, RUN, LISTED, PUT_OFF = range(5, 9)
KM, BASE, LATEST = range(3)  # what `keys` holds

NODE = np.dtype(
    [
        ("g", "f8"),
        ("rhs", "f8"),
        ("parent", "i4"),
        ("mark", "i4"),  # the number of the search that the rest belongs to
        ("stack", "i4"),  # where it is in the open list; other entries for it there are void
        ("closed", "i4"),  # the number of the run that expanded it, negative once it is listed
    ]
)


class Search(NamedTuple):
    """What a search remembers. The first six are columns of one table."""

    g: np.ndarray
    rhs: np.ndarray
    parent: np.ndarray
    mark: np.ndarray
    stack: np.ndarray
    closed: np.ndarray
    open: Buckets
    seen: np.ndarray  # the number of the pass over changed edges that saw the node
    list: np.ndarray  # nodes set aside: AD*'s INCONS, MT-D* Lite's DELETED
    late: np.ndarray  # nodes of the open list that can wait until the next search
    counts: np.ndarray
    keys: np.ndarray  # km; the key where the first stack begins; the lowest key in `late`


class Aim(NamedTuple):
    """Where a search goes and by which keys."""

    root: int
    target: int
    weight: float
    heuristic: int
    closing: bool  # whether a node is expanded only once in a run, as in AD*


def new_search(n: int) -> Search:
    """Reserve memory for a graph of `n` nodes; what no search touches costs nothing."""
    node = np.zeros(n, NODE)
    return Search(
        *(node[name] for name in NODE.names),
        new_buckets(4 * n + 1024),
        np.zeros(n, np.int32),
        np.empty(2 * n, np.int32),
        np.empty(4096, np.int32),
        np.zeros(9, np.int64),
        np.zeros(3),
    )


@kernel
def calculate_key(graph, search, aim, s):
    """The key of `s`: without inflation if it is under-consistent, and then first among equals."""
    g, rhs = search.g[s], search.rhs[s]
    h = estimate(graph, aim.heuristic, s, aim.target)
    if g < rhs:
        return g + h + search.keys[KM] - 0.5
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
    touch(search, aim.root)
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
def touch(search, s):
    """Make the memory of `s` belong to this search."""
    if search.mark[s] != search.counts[STAMP]:
        search.mark[s] = search.counts[STAMP]
        search.g[s] = search.rhs[s] = INF
        search.parent[s] = NO_NODE
        search.stack[s] = NOWHERE


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
    parent, rhs = NO_NODE, INF
    left = ways(graph, s)
    while left != 0:
        t, c, left = next_way(graph, s, left)
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
        touch(search, s)
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
        for s, won in affected(graph, change):
            look = search.counts[PASS] + (1 if won else 0)
            if search.seen[s] < look:
                search.seen[s] = look
                known = search.mark[s] == search.counts[STAMP]
                if won or (known and not is_joined(graph, s, search.parent[s])):
                    update_vertex(graph, search, aim, s)


@kernel
def is_joined(graph, s, parent):
    """Whether there is an edge between `s` and its parent."""
    left = ways(graph, s)
    while left != 0:
        t, _, left = next_way(graph, s, left)
        if t == parent:
            return True
    return False


@kernel
def compute_shortest_path(graph, search, aim, limit):
    """Expand nodes until nothing in the open list can concern the way to the target."""
    touch(search, aim.target)
    status = STOPPED
    while search.counts[EXPANDED] < limit:
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
                make_room(graph, search, aim, 64)
                expand(graph, search, aim, s)
            else:
                put_off(search, s, key)
    bring_back(graph, search, aim)
    return status


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


@kernel
def expand(graph, search, aim, s):
    """Tell the neighbours of an inconsistent node what has become of it."""
    search.counts[EXPANDED] += 1
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
    left = ways_past(graph, parent[s], s)
    while left != 0:
        t, c, left = next_way(graph, s, left)
        touch(search, t)
        if g[s] + c < rhs[t] and t != aim.root:
            parent[t], rhs[t] = s, g[s] + c
            update_state(graph, search, aim, t)


@kernel
def raise_(graph, search, aim, s):
    """Give up the distance of an under-consistent node; its children look for other parents."""
    g, rhs, parent = search.g, search.rhs, search.parent
    g[s] = INF
    left = ways(graph, s)
    while left != 0:
        t, _, left = next_way(graph, s, left)
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


@kernel
def members(search):
    """Yield every node that is in the open list."""
    for word in range(len(search.open.in_use)):
        bits = search.open.in_use[word]
        while bits != 0:
            i = 32 * word + lowest_bit(bits)
            bits &= bits - 1
            e = np.int64(search.open.head[i])
            while e >= 0:
                s = np.int64(search.open.entry[e, 0])
                e = np.int64(search.open.entry[e, 1])
                if search.stack[s] == i:
                    yield s


@kernel
def lowest_estimate(graph, search, aim):
    """No path is shorter than this: each leads over an inconsistent node, or is known."""
    lowest = search.rhs[aim.target]
    for s in members(search):
        lowest = min(lowest, estimate_through(graph, search, aim, s))
    for i in range(search.counts[LISTED]):
        lowest = min(lowest, estimate_through(graph, search, aim, np.int64(search.list[i])))
    return lowest


@kernel
def estimate_through(graph, search, aim, s):
    """What a path over `s` must cost at least."""
    h = estimate(graph, aim.heuristic, s, aim.target)
    return min(search.g[s], search.rhs[s]) + h


@kernel
def leads_through(search, aim, s):
    """Whether `s` is on the path between root and target."""
    t = np.int64(aim.target)
    while t != s and t != aim.root:
        t = np.int64(search.parent[t])
    return t == s


@kernel
def path_size(search, aim):
    """How many nodes the path between root and target has."""
    n, s = 1, np.int64(aim.target)
    while s != aim.root:
        s = np.int64(search.parent[s])
        n += 1
    return n


@kernel
def trace_path(search, aim, nodes):
    """Write the path from target to root into `nodes`, which has the right size."""
    s = np.int64(aim.target)
    for i in range(len(nodes)):
        nodes[i] = s
        s = np.int64(search.parent[s])

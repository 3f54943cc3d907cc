"""The core of the searches that remember: g, rhs and the open list of inconsistent nodes.

Koenig, Likhachev, "D* Lite" (AAAI 2002), figures 3 and 4; Likhachev, Ferguson, Gordon, Stentz,
Thrun, "Anytime Dynamic A*" (ICAPS 2005), figure 3; Sun, Yeoh, Koenig, "Moving Target D* Lite"
(AAMAS 2010), figure 2. A search grows a tree from its `root` until it knows the way to its `target`.
D* Lite and AD* root it at the goal, the moving-target searches at the start. g(s) is the distance
from the root that was last told to the neighbours of `s`, rhs(s) the one that follows from theirs.
A node is consistent if they are equal, over-consistent if g > rhs, under-consistent if g < rhs.

Differences from the listings:

* Lengths are whole numbers in floats (`heuristics.WHOLE`): sums are exact and g = rhs means what it
  says, after any number of repairs.
* An under-consistent node has a key without inflation, as in AD*: with the plain key of D* Lite and
  a weight above 1, a search may end before it has raised a node of the path (Krafft 2019, 4.3.3.1).
* Among equal first keys, under-consistent nodes come first and then the larger rhs, where the papers
  take the smaller: as in A*, that saves most of the nodes that tie with the target.
* An over-consistent node offers itself to its neighbours; an under-consistent one makes only those
  neighbours look for another parent that had it for theirs.
* Untouched nodes cost nothing: what is not marked with the number of the search has g = rhs = ∞.
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.graphs.protocol import affected, estimate, neighbours
from noctule.kernels import INF, kernel
from noctule.searches.best_first import EXHAUSTED, EXPANDED, FOUND, STAMP, STOPPED
from noctule.searches.open_list import Open, insert, new_open, pop, remove, reorder

NO_NODE = -1

# What `counts` holds after the five numbers of every search: the number of the pass over changed
# edges, the number of the run that closes nodes, how many nodes are in `list`.
PASS, RUN, LISTED = range(5, 8)

NODE = np.dtype(
    [
        ("g", "f8"),
        ("rhs", "f8"),
        ("parent", "i4"),
        ("mark", "i4"),  # the number of the search that the rest belongs to
        (
            "closed",
            "i4",
        ),  # the number of the run that expanded the node, negative once it is listed
        ("seen", "i4"),  # the number of the pass over changed edges that saw the node
    ]
)


class Search(NamedTuple):
    """What a search remembers. The first six are columns of one table: a node is half a line."""

    g: np.ndarray
    rhs: np.ndarray
    parent: np.ndarray
    mark: np.ndarray
    closed: np.ndarray
    seen: np.ndarray
    open: Open
    list: np.ndarray  # nodes set aside: AD*'s INCONS, MT-D* Lite's DELETED
    counts: np.ndarray
    km: np.ndarray  # by how much keys in the open list may be too low since the target moved


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
    columns = (node[name] for name in ("g", "rhs", "parent", "mark", "closed", "seen"))
    return Search(*columns, new_open(n), np.empty(n, np.int32), np.zeros(8, np.int64), np.zeros(1))


@kernel
def calculate_key(graph, search, aim, s):
    """The place of `s` in the open list: under-consistent nodes without inflation, and first."""
    g, rhs = search.g[s], search.rhs[s]
    h = estimate(graph, aim.heuristic, s, aim.target)
    if g < rhs:
        return g + h + search.km[0], -INF
    return rhs + math.floor(aim.weight * h) + search.km[0], -rhs


@kernel
def initialize(graph, search, aim):
    """Forget everything and begin at the root."""
    search.counts[STAMP] += 1
    search.counts[RUN] += 1
    search.counts[LISTED] = 0
    search.open.size[0] = 0
    search.km[0] = 0.0
    touch(search, aim.root)
    search.rhs[aim.root] = 0.0
    update_state(graph, search, aim, aim.root)


@kernel
def touch(search, s):
    """Make the memory of `s` belong to this search."""
    if search.mark[s] != search.counts[STAMP]:
        search.mark[s] = search.counts[STAMP]
        search.g[s] = search.rhs[s] = INF
        search.parent[s] = NO_NODE
        search.closed[s] = 0
        search.open.place[s] = 0


@kernel
def update_state(graph, search, aim, s):
    """Keep `s` in the open list exactly while it is inconsistent.

    AD* sets a node aside that it has expanded in this run, until the next. It may not do so with
    an under-consistent one, or one that was raised since: the path could lead through it.
    """
    g, rhs = search.g[s], search.rhs[s]
    if g == rhs:
        remove(search.open, s)
    elif aim.closing and INF > g > rhs and abs(search.closed[s]) == search.counts[RUN]:
        set_aside(search, s)
    else:
        key1, key2 = calculate_key(graph, search, aim, s)
        insert(search.open, s, key1, key2)


@kernel
def set_aside(search, s):
    """Put a closed node into the list, once."""
    remove(search.open, s)
    if search.closed[s] > 0:
        search.closed[s] = -search.closed[s]
        search.list[search.counts[LISTED]] = s
        search.counts[LISTED] += 1


@kernel
def find_parent(graph, search, s):
    """The neighbour through which `s` is nearest to the root, and how near."""
    parent, rhs = NO_NODE, INF
    for t, c in neighbours(graph, s):
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
    """Look again at every node that may have won or lost an edge."""
    search.counts[PASS] += 1
    for change in changes:
        for s in affected(graph, change):
            if search.seen[s] != search.counts[PASS]:
                search.seen[s] = search.counts[PASS]
                update_vertex(graph, search, aim, s)


@kernel
def compute_shortest_path(graph, search, aim, limit):
    """Expand nodes until nothing in the open list can concern the way to the target."""
    g, rhs = search.g, search.rhs
    touch(search, aim.target)
    while search.open.size[0] > 0:
        s = np.int64(search.open.node[0])
        key1 = search.open.key[0, 0]
        target_key = rhs[aim.target] + search.km[0]
        if key1 > target_key or (key1 == target_key and g[s] > rhs[s]):
            break
        if search.counts[EXPANDED] >= limit:
            return STOPPED
        new1, new2 = calculate_key(graph, search, aim, s)
        if key1 < new1:
            insert(search.open, s, new1, new2)
        else:
            pop(search.open)
            expand(graph, search, aim, s)
    return FOUND if rhs[aim.target] < INF else EXHAUSTED


@kernel
def expand(graph, search, aim, s):
    """Tell the neighbours: an over-consistent node offers a way, an under-consistent one had none."""
    g, rhs, parent = search.g, search.rhs, search.parent
    search.counts[EXPANDED] += 1
    offers = g[s] > rhs[s]
    g[s] = rhs[s] if offers else INF
    if offers and search.closed[s] != -search.counts[RUN]:
        search.closed[s] = search.counts[RUN]
    for t, c in neighbours(graph, s):
        if t == aim.root:
            continue
        if offers:
            touch(search, t)
            if g[s] + c >= rhs[t]:
                continue
            parent[t], rhs[t] = s, g[s] + c
        else:
            if search.mark[t] != search.counts[STAMP] or parent[t] != s:
                continue
            parent[t], rhs[t] = find_parent(graph, search, t)
        update_state(graph, search, aim, t)
    if not offers:
        update_state(graph, search, aim, s)


@kernel
def restore_order(graph, search, aim):
    """Begin another run: all inconsistent nodes into the open list, with the keys of now."""
    search.counts[RUN] += 1
    listed, search.counts[LISTED] = search.counts[LISTED], 0
    open = search.open
    for i in range(open.size[0]):
        key1, key2 = calculate_key(graph, search, aim, np.int64(open.node[i]))
        open.key[i, 0], open.key[i, 1] = key1, key2
    reorder(open)
    for i in range(listed):
        update_state(graph, search, aim, np.int64(search.list[i]))


@kernel
def lowest_estimate(graph, search, aim):
    """No path is shorter than this: each leads over an inconsistent node, or is known."""
    lowest = search.rhs[aim.target]
    for i in range(search.open.size[0]):
        lowest = min(lowest, estimate_through(graph, search, aim, np.int64(search.open.node[i])))
    for i in range(search.counts[LISTED]):
        lowest = min(lowest, estimate_through(graph, search, aim, np.int64(search.list[i])))
    return lowest


@kernel
def estimate_through(graph, search, aim, s):
    """What a path over `s` must cost at least."""
    h = estimate(graph, aim.heuristic, s, aim.target)
    return min(search.g[s], search.rhs[s]) + h


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

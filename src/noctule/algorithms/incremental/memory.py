"""What an incremental search keeps for each node, and the path that its parents spell.

A node that the current search has not visited has g = rhs = ∞: arrays are never cleared, each node
is marked with the generation (the number of the search) that its values belong to.
"""

from typing import Any, NamedTuple

import numpy as np

from noctule.core.jit import INF, kernel
from noctule.core.memory import in_one_block
from noctule.core.stats import new_stats
from noctule.queues.bucket_open import new_bucket_open
from noctule.queues.protocol import NO_NODE, forget

ROOT = -2  # the parent of a root


class Search(NamedTuple):
    """The memory of a search; arrays that an algorithm does not need are empty."""

    g: np.ndarray
    rhs: np.ndarray
    parent: np.ndarray
    generation: np.ndarray  # the search that visited the node; the others' values are void
    seen: np.ndarray  # the last pass over changed edges that saw the node
    open: Any  # a queue
    deleted: np.ndarray  # MT-D* Lite: the nodes of the subtree that is being deleted
    closed: np.ndarray  # AD*, ARA*: the run that expanded the node; negative once it is in INCONS
    incons: np.ndarray  # AD*, ARA*: nodes that became inconsistent after they were expanded
    child: np.ndarray  # AAMT-D* Lite: the first child of each node, ..
    next: np.ndarray  # .. and the next ..
    previous: np.ndarray  # .. and the previous child of the same parent
    unseen_by: np.ndarray  # AAMT-D* Lite: change pass and number of a node without line of sight
    stats: np.ndarray


class Target(NamedTuple):
    """Where a path may end: at any of these nodes, each with the cost of going on from there."""

    node: int  # the heuristic leads to this one of the nodes
    nodes: np.ndarray
    costs: np.ndarray
    slack: float  # no node is nearer by more than this than the heuristic says


def new_search(n: int, new_queue: Any = new_bucket_open) -> Search:
    """Reserve memory for `n` nodes; memory that no search uses is never committed."""
    return _new_search(n, new_queue, 0, 0)


def new_search_with_children(n: int, new_queue: Any = new_bucket_open) -> Search:
    """Reserve memory for `n` nodes and the lists of their children."""
    return _new_search(n, new_queue, 0, n)


def new_closing_search(n: int, new_queue: Any = new_bucket_open) -> Search:
    """Reserve memory for `n` nodes with CLOSED and INCONS."""
    return _new_search(n, new_queue, n, 0)


def _new_search(n: int, new_queue: Any, closing: int, children: int) -> Search:
    stats = new_stats(
        km=float,
        root=int,
        change_pass=int,
        parent_searches=int,
        broken_off=int,
        run=int,
        incons=int,
    )
    # Zeros are needed where numbers mark nodes; the rest is void until a search visits a node.
    marks = (children, np.int64), (n, np.int32), (n, np.int32), (closing, np.int32)
    void = (n, float), (n, float), (n, np.int32), (2 * n, np.int32), (closing, np.int32)
    unseen_by, generation, seen, closed = in_one_block(np.zeros, *marks)
    g, rhs, parent, deleted, incons, links = in_one_block(np.empty, *void, (3 * children, np.int32))
    child, following, previous = links.reshape(-1, 3).T
    return Search(
        g,
        rhs,
        parent,
        generation,
        seen,
        new_queue(n),
        deleted,
        closed,
        incons,
        child,
        following,
        previous,
        unseen_by,
        stats,
    )


@kernel
def visit(search, s):
    """Make the memory of `s` belong to the current search."""
    if search.generation[s] != search.stats[0].generation:
        search.generation[s] = search.stats[0].generation
        search.parent[s] = NO_NODE
        forget(search.open, s)
        reset(search, s)


@kernel
def reset(search, s):
    """Forget the distance and the children of a visited node."""
    search.g[s] = search.rhs[s] = INF
    if len(search.child) > 0:
        search.child[s] = search.next[s] = search.previous[s] = NO_NODE
        search.unseen_by[s] = -1


@kernel
def set_parent(search, s, parent):
    """Set the parent of `s`, and update the lists of children."""
    old = search.parent[s]
    if old == parent:
        return
    if old >= 0:
        after, before = search.next[s], search.previous[s]
        if before != NO_NODE:
            search.next[before] = after
        else:
            search.child[old] = after
        if after != NO_NODE:
            search.previous[after] = before
    search.parent[s] = parent
    if parent >= 0:
        first = search.child[parent]
        search.next[s], search.previous[s] = first, NO_NODE
        search.child[parent] = s
        if first != NO_NODE:
            search.previous[first] = s


@kernel
def best_target(query, search):
    """Return the target at which the path ends, and the cost of the path."""
    best, lowest = NO_NODE, INF
    for i in range(len(query.target.nodes)):
        s = query.target.nodes[i]
        if search.generation[s] == search.stats[0].generation:
            cost = search.rhs[s] + query.target.costs[i]
            if cost < lowest:
                best, lowest = s, cost
    return best, lowest

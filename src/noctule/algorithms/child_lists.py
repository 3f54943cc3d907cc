"""What an any-angle search that repairs keeps: as `remembered`, and the children of each node.

A parent may be far away, so the children of a node are not found among its neighbours. They are
linked lists: the first child of each node, and the next and previous one of the same parent.
"""

from typing import NamedTuple

import numpy as np

from noctule.algorithms.best_first import STAMP
from noctule.algorithms.remembered import NO_NODE, NOWHERE, new_search, visit
from noctule.core.jit import INF, kernel
from noctule.queues.buckets import Buckets


class Families(NamedTuple):
    """The memory of a search; but for the last four as `Search`."""

    g: np.ndarray
    rhs: np.ndarray
    parent: np.ndarray
    mark: np.ndarray
    stack: np.ndarray
    closed: np.ndarray
    open: Buckets
    seen: np.ndarray
    list: np.ndarray
    late: np.ndarray
    counts: np.ndarray
    keys: np.ndarray
    child: np.ndarray  # the first child
    next: np.ndarray  # .. and the one after this, of the same parent
    previous: np.ndarray
    unseen_by: np.ndarray  # the number of the pass over changes, and who did not see the node then


def new_families(n: int) -> Families:
    """Reserve memory for a graph of `n` nodes."""
    links = np.zeros((n, 3), np.int32)
    unseen_by = np.zeros(n, np.int64)
    return Families(*new_search(n), links[:, 0], links[:, 1], links[:, 2], unseen_by)


@visit.register
def _(search: Families, s):
    if search.mark[s] != search.counts[STAMP]:
        search.mark[s] = search.counts[STAMP]
        search.stack[s] = NOWHERE
        search.parent[s] = NO_NODE
        forget(search, s)


@kernel
def forget(search, s):
    """Leave nothing of what is known of a node but that it has been touched."""
    search.g[s] = search.rhs[s] = INF
    search.child[s] = search.next[s] = search.previous[s] = NO_NODE
    search.unseen_by[s] = -1


@kernel
def adopt(search, s, parent):
    """Make `s` a child of another node, or of none."""
    old = search.parent[s]
    if old == parent:
        return
    if old != NO_NODE:
        after, before = search.next[s], search.previous[s]
        if before != NO_NODE:
            search.next[before] = after
        else:
            search.child[old] = after
        if after != NO_NODE:
            search.previous[after] = before
    search.parent[s] = parent
    if parent != NO_NODE:
        first = search.child[parent]
        search.next[s], search.previous[s] = first, NO_NODE
        search.child[parent] = s
        if first != NO_NODE:
            search.previous[first] = s

"""What an incremental search keeps for each node, and the path that this spells.

Lengths are whole numbers in floats. Nodes that no search has touched cost nothing: what is not
marked with the number of the search has g = rhs = ∞.
"""

from typing import NamedTuple

import numpy as np

from noctule.algorithms.best_first import STAMP
from noctule.core.intrinsics import lowest_bit
from noctule.core.jit import INF, kernel, per_type
from noctule.graphs.heuristics import STEP_1
from noctule.queues.buckets import Buckets, new_buckets

NO_NODE = -1
NEVER = 1 << 62  # more work than there will ever be

WIDTH = 1 << 17  # keys of one stack of the open list differ by less than this: 0.06 cells
DISORDER = WIDTH / STEP_1  # the same in cells
NOWHERE = -1  # the stack of a node that is not in the open list

# What `counts` holds after the five numbers of every search: the number of the pass over changed
# edges, the number of the run that closes nodes, how many nodes are in `list`, and in `late`, and
# how many times a node looked for another parent: each costs about as much as an expansion.
# TORN is 1 if a repair was broken off so that nothing of the search is of use.
PASS, RUN, LISTED, PUT_OFF, LOOKS, TORN = range(5, 11)
KM, BASE, LATEST = range(3)  # what `keys` holds


class Search(NamedTuple):
    """What a search remembers. One array each: of columns of a table, kernels know less."""

    g: np.ndarray
    rhs: np.ndarray
    parent: np.ndarray
    mark: np.ndarray  # the number of the search that the rest belongs to
    stack: np.ndarray  # where it is in the open list; other entries for it there are void
    closed: np.ndarray  # the number of the run that expanded it, negative once it is listed
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
    phi: float = 1.0  # what is counted of the estimate in the key of an under-consistent node
    fast: bool = False  # at any angle: whether only some nodes look farther than to neighbours
    enough: int = NEVER  # at any angle: the work after which a repair is broken off


def new_search(n: int) -> Search:
    """Reserve memory for a graph of `n` nodes; what no search touches costs nothing."""
    return Search(
        np.zeros(n),
        np.zeros(n),
        np.zeros(n, np.int32),
        np.zeros(n, np.int32),
        np.zeros(n, np.int32),
        np.zeros(n, np.int32),
        new_buckets(4 * n + 1024),
        np.zeros(n, np.int32),
        np.empty(2 * n, np.int32),
        np.empty(4096, np.int32),
        np.zeros(11, np.int64),
        np.zeros(3),
    )


@per_type
def visit(search, s):
    """Make the memory of `s` belong to this search."""


@visit.register
def _(search: Search, s):
    if search.mark[s] != search.counts[STAMP]:
        search.mark[s] = search.counts[STAMP]
        search.g[s] = search.rhs[s] = INF
        search.parent[s] = NO_NODE
        search.stack[s] = NOWHERE


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
def trace_path(search, aim, last, nodes):
    """Write the path from the target to `last`, on the way to the root; how many nodes it has.

    0 if it does not lead over that node.
    """
    n, s = 0, np.int64(aim.target)
    while True:
        nodes[n] = s
        n += 1
        if s == last:
            return n
        if s == aim.root:
            return 0
        s = np.int64(search.parent[s])

"""What an incremental search keeps for each node, and the path that this spells.

Lengths are whole numbers in floats. Nodes that no search has touched cost nothing: what is not
marked with the number of the search has g = rhs = ∞.
"""

from typing import NamedTuple

import numpy as np

from noctule.graphs.heuristics import STEP_1
from noctule.kernels import INF, kernel, lowest_bit, per_type
from noctule.searches.best_first import STAMP
from noctule.searches.buckets import Buckets, new_buckets

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
    phi: float = 1.0  # what is counted of the estimate in the key of an under-consistent node


def new_search(n: int) -> Search:
    """Reserve memory for a graph of `n` nodes; what no search touches costs nothing."""
    node = np.zeros(n, NODE)
    return Search(
        node["g"],
        node["rhs"],
        node["parent"],
        node["mark"],
        node["stack"],
        node["closed"],
        new_buckets(4 * n + 1024),
        np.zeros(n, np.int32),
        np.empty(2 * n, np.int32),
        np.empty(4096, np.int32),
        np.zeros(9, np.int64),
        np.zeros(3),
    )


@per_type
def touch(search, s):
    """Make the memory of `s` belong to this search."""


@touch.register
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

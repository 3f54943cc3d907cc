"""What Theta* and Lazy Theta* on a lattice keep of its nodes: twelve bytes each, and the queue.

A node's g is rounded to a ten-millionth; the length of a path is that of its corners, and exact.
Theta* remembers which node did not see which parent, because the node's other neighbours often
propose the same one. Later pairs overwrite earlier ones, which costs another look at most.
"""

from typing import NamedTuple

import numpy as np

from noctule.algorithms.best_first import SIGHT_WALKS, STAMP
from noctule.core.intrinsics import at
from noctule.core.jit import INF, kernel, kernel_short
from noctule.core.memory import reserve
from noctule.graphs.grid.lattice import point_sees
from noctule.graphs.sight.ball import ball_sees
from noctule.queues.buckets import Buckets, new_buckets

# How many pairs of nodes that don't see each other it remembers: a power of two.
FEWEST_UNSEEN, MOST_UNSEEN = 1 << 10, 1 << 15


class Nodes(NamedTuple):
    """Memory of a search. `mark` and `counts` are those of `Tree`."""

    g: np.ndarray
    mark_and_parent: np.ndarray  # in the upper and the lower half; beside g in memory
    unseen: np.ndarray  # rows of a node and a parent that it did not see, and the search's number
    queue: Buckets
    scale: np.ndarray  # the f of the first stack, and how many stacks a cell has
    counts: np.ndarray
    nearest: np.ndarray


def new_nodes(n: int) -> Nodes:
    """Reserve memory for searches on a lattice of `n` nodes."""
    unseen = min(max(1 << (n // 48).bit_length(), FEWEST_UNSEEN), MOST_UNSEEN)
    record = reserve(n, [("g", np.float32), ("mark_and_parent", np.int64)])
    counts, nearest = np.zeros(5, np.int64), np.full(1, INF)
    return Nodes(
        record["g"],
        record["mark_and_parent"],
        np.zeros((unseen, 2), np.int64),
        new_buckets(),
        np.zeros(2),
        counts,
        nearest,
    )


@kernel
def sees(graph, nodes, s, x, y, z, px, py, pz):
    """Line of sight from node `s` at (x, y, z) to its parent-to-be at (px, py, pz), counted.

    From `s`, because a neighbour of it sees that parent: what is in the way is mostly near `s`.
    """
    lattice = graph.lattice
    nodes.counts[SIGHT_WALKS] += 1
    if lattice.reach > 0.0:
        c, cz = lattice.centred, lattice.centred | lattice.flat
        if c and not point_sees(lattice, s, x, y, z, px, py, pz):
            return False  # what stops a point stops a ball, and is found sooner
        start = 2 * x + c, 2 * y + c, 2 * z + cz
        return ball_sees(lattice, *start, 2 * px + c, 2 * py + c, 2 * pz + cz, lattice.reach)
    return point_sees(lattice, s, x, y, z, px, py, pz)


@kernel
def remembered_or_seen(graph, nodes, t, p, tx, ty, tz, px, py, pz):
    """`sees` from node `t` to its parent-to-be `p`, unless it is remembered that it does not."""
    unseen, opened = nodes.unseen, nodes.counts[STAMP]
    row, pair = t & (len(unseen) - 1), t << 32 | p
    if unseen[at(row), 0] == pair and unseen[at(row), 1] == opened:
        return False
    if sees(graph, nodes, t, tx, ty, tz, px, py, pz):
        return True
    unseen[at(row), 0], unseen[at(row), 1] = pair, opened
    return False


@kernel_short
def path_size(nodes, s):
    """How many nodes the path to `s` has."""
    n = 1
    while nodes.mark_and_parent[s] & 0xFFFFFFFF != s:
        s = nodes.mark_and_parent[s] & 0xFFFFFFFF
        n += 1
    return n


@kernel_short
def trace_path(nodes, s, path):
    """Write the path to `s` into `path`, which has the right size, from start to `s`."""
    for i in range(len(path) - 1, -1, -1):
        path[i] = s
        s = nodes.mark_and_parent[s] & 0xFFFFFFFF

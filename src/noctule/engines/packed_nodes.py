"""Nodes of A* on a lattice: g, generation, closed flag and move packed into one 64-bit number.

One cache miss a node instead of four. Other modules use the accessors below, not the layout: move
(5 bits), closed (1 bit), generation (20 bits), g in whole-number units (36 bits).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.core.intrinsics import at
from noctule.core.jit import kernel, per_type
from noctule.core.memory import reserve
from noctule.core.stats import new_stats
from noctule.graphs.heuristics import STEP_1
from noctule.queues.buckets import Buckets, let_go, new_buckets, push, take_last_stack

WIDTH = 17  # a bucket is 2^17 units of f wide at first: 0.06 cells

_MOVE, _CLOSED, _GENERATION, _G = 31, 1 << 5, 6, 26
LAST_GENERATION = (1 << _G - _GENERATION) - 1
_GENERATION_BITS = LAST_GENERATION << _GENERATION
TOO_FAR = 1 << 64 - _G - 2  # no g is as large as this

COUNTERS = {
    "best_cost": np.int64,  # of the best path to the goal so far
    "lowest_f": np.int64,  # of a start: where the first bucket begins
    "reopened": np.int64,  # closed nodes that a weighted search opened again
    "widened": np.int64,  # how many times buckets were made twice as wide
}


class PackedNodes(NamedTuple):
    """Memory of a search: packed nodes, the queue, and `COUNTERS` among the statistics."""

    packed: np.ndarray
    queue: Buckets
    stats: np.ndarray


def new_packed_nodes(n: int) -> PackedNodes:
    """Reserve memory for searches on a grid of `n` cells."""
    return PackedNodes(reserve(n, np.int64), new_buckets(), new_stats(**COUNTERS))


@kernel
def pack(g, generation, move):
    """Pack an open node."""
    return g << _G | generation << _GENERATION | move


@kernel
def repack(packed, g, move):
    """Pack an open node of the same search as another one."""
    return (packed & _GENERATION_BITS) + (g << _G) + move


@kernel
def is_same_search(packed, other):
    """Return whether two nodes were reached by the same search."""
    return (packed ^ other) & _GENERATION_BITS == 0


@kernel
def close(packed):
    """Set the closed flag."""
    return packed | _CLOSED


@kernel
def is_closed(packed):
    """Return whether the node is closed."""
    return packed & _CLOSED != 0


@kernel
def g_of(packed):
    """Return the cost of the path to the node."""
    return packed >> _G


@kernel
def move_of(packed):
    """Return the move that led to the node."""
    return packed & _MOVE


@kernel
def generation_of(packed):
    """Return the generation of the search that reached the node."""
    return packed >> _GENERATION & LAST_GENERATION


def unpack(packed: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """Return g, generation, closed flag (0 or 1) and move of many nodes."""
    closed = packed // _CLOSED & 1
    return packed >> _G, packed >> _GENERATION & LAST_GENERATION, closed, packed & _MOVE


@kernel
def whole_cost(length):
    """Convert a length in cells to a whole-number cost."""
    return int(length * STEP_1 + 0.5)


@kernel
def bucket_of(stats, f):
    """Return the bucket for a node with this f."""
    return (f - stats[0].lowest_f) >> WIDTH + stats[0].widened


@kernel
def widen(options, graph, nodes, goal):
    """Make buckets twice as wide: everything left in the queue lies in the last one."""
    nodes.stats[0].widened += 1
    e = take_last_stack(nodes.queue)
    while e >= 0:
        s, e = let_go(nodes.queue, e)
        if not is_closed(nodes.packed[at(s)]):
            push(nodes.queue, bucket_of(nodes.stats, f_of(options, graph, nodes, s, goal)), s)


@per_type
def f_of(options, graph, nodes, s, goal):
    """Return f of a node in the queue."""

"""Nodes of Theta* and Lazy Theta* on a lattice: twelve bytes each, and the queue.

g is rounded to a ten-millionth; the length of a path is computed from its corners and exact.
Theta* caches which node did not see which parent, because other neighbours of the node often
propose the same parent. Later pairs overwrite earlier ones, which costs at most another test.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.search_engine import parent_of
from noctule.core.intrinsics import at
from noctule.core.jit import kernel, per_type
from noctule.core.memory import reserve
from noctule.core.stats import new_stats
from noctule.graphs.grid.lattice import FARTHEST, Cells, Corners
from noctule.graphs.grid.wide_cells import WideCells
from noctule.graphs.hybrid.hybrid_graph import HybridCells
from noctule.graphs.sight.ball import ball_sees
from noctule.graphs.sight.point import centres_see, corners_see
from noctule.graphs.sight.wide_ball import wide_ball_sees
from noctule.queues.buckets import Buckets, new_buckets

MIN_UNSEEN, MAX_UNSEEN = 1 << 10, 1 << 15  # size of the cache of blocked lines: a power of two

_HALF = 32
_LOWER = (1 << _HALF) - 1


class ThetaNodes(NamedTuple):
    """Memory of a search. A generation is that of the search, or one more for a closed node."""

    g: np.ndarray
    link: np.ndarray  # pair of generation and parent; beside g in memory
    unseen: np.ndarray  # rows of a pair (node, parent it did not see) and the generation
    queue: Buckets
    stats: np.ndarray  # with f of the first stack, and the number of stacks a cell of f


def new_theta_nodes(n: int) -> ThetaNodes:
    """Reserve memory for searches on a lattice of `n` nodes."""
    rows = min(max(1 << (n // 48).bit_length(), MIN_UNSEEN), MAX_UNSEEN)
    record = reserve(n, [("g", np.float32), ("link", np.int64)])
    unseen = np.zeros((rows, 2), np.int64)
    stats = new_stats(
        lowest_f=float, stacks_per_cell=float, best_cost=float, best_end=int, slack=float
    )
    return ThetaNodes(record["g"], record["link"], unseen, new_buckets(), stats)


@kernel
def pair(upper, lower):
    """Pack two numbers below 2^31 into one."""
    return upper << _HALF | lower


@kernel
def upper_of(pair):
    """Return the first number of a pair: the generation of a link."""
    return pair >> _HALF


@kernel
def lower_of(pair):
    """Return the second number of a pair: the parent of a link."""
    return pair & _LOWER


def unpack_pairs(pairs: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and the second numbers of many pairs."""
    return pairs >> _HALF, pairs & _LOWER


@parent_of.register
def _(nodes: ThetaNodes, s):
    return lower_of(nodes.link[at(s)])


@kernel
def sees(graph, nodes, s, x, y, z, px, py, pz):
    """Test line of sight from `s` at (x, y, z) to a parent at (px, py, pz), and count the test.

    It starts at `s`: a neighbour of `s` sees the parent, so an obstacle is probably near `s`.
    """
    dx, dy, dz = px - x, py - y, pz - z
    if dx * dx + dy * dy + dz * dz > FARTHEST * FARTHEST:
        return False
    nodes.stats[0].sight_walks += 1
    return sees_at(graph, s, x, y, z, px, py, pz)


@per_type
def sees_at(graph, s, x, y, z, px, py, pz):
    """`line_of_sight` from `s` to a node, given the coordinates of both."""


@sees_at.register
def _(graph: Cells | HybridCells, s, x, y, z, px, py, pz):
    lattice = graph.lattice
    if not centres_see(lattice, s, x, y, z, px, py, pz):
        return False  # what stops a point stops a ball, and is found faster
    if lattice.reach == 0.0:
        return True
    start, end = (2 * x + 1, 2 * y + 1, 2 * z + 1), (2 * px + 1, 2 * py + 1, 2 * pz + 1)
    return ball_sees(lattice, *start, *end, lattice.reach)


@sees_at.register
def _(graph: Corners, s, x, y, z, px, py, pz):
    return corners_see(graph.lattice, s, x, y, z, px, py, pz)


@sees_at.register
def _(graph: WideCells, s, x, y, z, px, py, pz):
    start, end = (2 * x + 1, 2 * y + 1, 2 * z + 1), (2 * px + 1, 2 * py + 1, 2 * pz + 1)
    return wide_ball_sees(graph, *start, *end, graph.lattice.reach)


@kernel
def sees_cached(graph, nodes, t, p, tx, ty, tz, px, py, pz):
    """Test line of sight from `t` to `p`, unless the cache says that it is blocked."""
    unseen, generation = nodes.unseen, nodes.stats[0].generation
    row, line = t & (len(unseen) - 1), pair(t, p)
    if unseen[at(row), 0] == line and unseen[at(row), 1] == generation:
        return False
    if sees(graph, nodes, t, tx, ty, tz, px, py, pz):
        return True
    unseen[at(row), 0], unseen[at(row), 1] = line, generation
    return False

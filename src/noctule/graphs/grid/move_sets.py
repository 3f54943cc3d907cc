"""Edges on a lattice: sets of moves in numbers of 27 bits, and long edges in the bits above them.

When a search reaches s from p, the neighbours of p have been relaxed from p already, and a detour
over s is never shorter than one step: `edges_pruned` leaves them out.
"""

import numpy as np
from numpy.typing import NDArray

from noctule.core.intrinsics import lowest_bit
from noctule.core.jit import INF, kernel, per_type
from noctule.graphs.grid.lattice import (
    Balls,
    Cells,
    Corners,
    free_cube,
    legal_moves,
    moves_from_corner,
)
from noctule.graphs.heuristics import STEP_1, STEP_2, STEP_3
from noctule.graphs.protocol import edges, edges_pruned, line_of_sight, max_degree, next_edge

STAY = 1 << 13
ALL_MOVES = (1 << 27) - 1
_STEPS = np.stack(np.unravel_index(np.arange(27), (3, 3, 3)), axis=1) - 1


def _shared(d: int) -> int:
    """Return the moves k for which d and then k are together one move, or none."""
    both = np.abs(_STEPS[d] + _STEPS).max(axis=1) <= 1
    return sum(1 << int(k) for k in np.flatnonzero(both))


SHARED = tuple(_shared(d) for d in range(27))


@edges.register
def edges_of_cell(graph: Cells, s):
    """Return the legal moves from a cell."""
    return legal_moves(graph.lattice, free_cube(graph.lattice, s))


@edges.register
def _(graph: Corners, s):
    return moves_from_corner(graph.lattice, s)


@edges.register
def _(graph: Balls, s):
    found, moves = 0, graph.lattice.moves
    while moves != 0:
        k = lowest_bit(moves)
        moves &= moves - 1
        if line_of_sight(graph, s, s + graph.lattice.offset[k]):
            found |= 1 << k
    return found


@edges_pruned.register
def _(graph: Cells, p, s):
    moves = legal_moves(graph.lattice, free_cube(graph.lattice, s))
    return moves & ~reached_from(graph.lattice, p, s) if p >= 0 else moves


@kernel
def reached_from(lattice, p, s):
    """Return the moves from `s` to `p`, its neighbour, and to neighbours of `p`."""
    d = move_between(lattice, p, s)
    moves = legal_moves(lattice, free_cube(lattice, p)) | STAY
    return (moves >> (d - 13) if d >= 13 else moves << (13 - d)) & SHARED[d]


@edges_pruned.register
def _(graph: Corners | Balls, p, s):
    return edges(graph, s)


@kernel
def move_between(lattice, p, s):
    """Return the number of the move from `p` to its neighbour `s`; products as in `coordinates`."""
    d = s - p + lattice.sx + lattice.sy + 1
    x = int((d + 0.5) * lattice.per_sx)
    d -= x * lattice.sx
    y = int((d + 0.5) * lattice.per_sy)
    return 9 * x + 3 * y + d - y * lattice.sy


@next_edge.register
def next_move(graph: Cells | Corners | Balls, s, edges):
    """Return where the first of some moves leads, its length, and the other moves."""
    k = lowest_bit(edges)
    return s + graph.lattice.offset[k], graph.lattice.length[k], edges & (edges - 1)


@max_degree.register
def max_moves(graph: Cells | Corners | Balls):
    """Return the most moves from a node."""
    return 26


@kernel
def open_edges(graph, s, left):
    """Return how many of the first `left` long edges of `s` there are up to the last open one."""
    first = graph.first[s]
    while left > 0 and graph.length[first + left - 1] == INF:
        left -= 1
    return left


@per_type
def long_edges(graph, s):
    """Return the first and the last of the long edges of node `s`, as a range."""


@long_edges.register
def no_long_edges(graph: Cells | Corners, s):
    """Return no edge."""
    return 0, 0


@per_type
def long_edge(graph, e):
    """Return the target and the length of a long edge; the length is infinite if it is closed."""


@long_edge.register
def no_long_edge(graph: Cells | Corners, e):
    """Return a closed edge."""
    return 0, INF


def move_costs() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the cost of each of the 27 moves in whole numbers, and its steps along the axes."""
    return np.array([0, STEP_1, STEP_2, STEP_3])[np.abs(_STEPS).sum(axis=1)], _STEPS.copy()


def moves_along(
    axes: int, strides: tuple[int, int, int], flat: bool
) -> tuple[NDArray[np.int64], NDArray[np.float64], int]:
    """Return offset and length of the 27 moves, and those along at most `axes` axes."""
    count = np.abs(_STEPS).sum(axis=1)
    chosen = (count >= 1) & (count <= axes)
    if flat:
        chosen &= _STEPS[:, 2] == 0
    moves = sum(1 << int(k) for k in np.flatnonzero(chosen))
    return _STEPS @ np.array(strides), np.sqrt(count.astype(np.float64)), moves

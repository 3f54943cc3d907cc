"""Neighbours on a lattice as sets of moves: numbers of 27 bits.

When a search reaches s from p, it has been told by p already how near the neighbours of p are, and
a detour over s is never shorter than one step: `edges_pruned` leaves those out.
"""

import numpy as np

from noctule.core.intrinsics import lowest_bit
from noctule.core.jit import INF, kernel
from noctule.graphs.grid.lattice import (
    Balls,
    Cells,
    Corners,
    free_cube,
    legal_moves,
    moves_from_corner,
)
from noctule.graphs.protocol import edges, edges_pruned, line_of_sight, max_degree, next_edge

STAY = 1 << 13
_STEPS = np.stack(np.unravel_index(np.arange(27), (3, 3, 3)), axis=1) - 1


def _shared(d: int) -> int:
    """The moves k for which d and k in a row are a move, or stay."""
    both = np.abs(_STEPS[d] + _STEPS).max(axis=1) <= 1
    return sum(1 << int(k) for k in np.flatnonzero(both))


SHARED = tuple(_shared(d) for d in range(27))


@edges.register
def _(graph: Cells, s):
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
    """The moves from `s` to what one step from `p`, its neighbour, leads to as well."""
    d = move_between(lattice, p, s)
    told = legal_moves(lattice, free_cube(lattice, p)) | STAY
    return (told >> (d - 13) if d >= 13 else told << (13 - d)) & SHARED[d]


@edges_pruned.register
def _(graph: Corners | Balls, p, s):
    return edges(graph, s)


@kernel
def move_between(lattice, p, s):
    """The number of the move from `p` to its neighbour `s`; products as in `coordinates`."""
    d = s - p + lattice.sx + lattice.sy + 1
    x = int((d + 0.5) * lattice.per_sx)
    d -= x * lattice.sx
    y = int((d + 0.5) * lattice.per_sy)
    return 9 * x + 3 * y + d - y * lattice.sy


@next_edge.register
def _(graph: Cells | Corners | Balls, s, edges):
    k = lowest_bit(edges)
    return s + graph.lattice.offset[k], graph.lattice.length[k], edges & (edges - 1)


@max_degree.register
def _(graph: Cells | Corners | Balls):
    return 26


@kernel
def open_edges(graph, s, left):
    """Of the first `left` explicit edges of `s`, those up to the last that is not shut."""
    first = graph.first[s]
    while left > 0 and graph.length[first + left - 1] == INF:
        left -= 1
    return left

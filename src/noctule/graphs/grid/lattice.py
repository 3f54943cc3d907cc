"""The cell grid as kernels see it: three rules of movement over one array of cells.

* `Cells`: nodes at centres, radius at most half a cell: a step needs its whole box free;
* `Corners`: nodes at corners, a point agent that may touch solids, as in the papers on Theta*;
* `Balls`: either kind of nodes with any radius: a step needs line of sight for the ball. At centres
  `WideCells` answers the same, and faster.

A cell is one byte of `free3`: the free bits of the cell below it along z (1), of the cell itself
(2) and of the one above (4), so that nine reads tell all 27 cells around a node. The array has a
border of blocked cells, so a neighbour is `s + offset[k]` without a test of bounds. Node (x, y, z)
has the number of cell (x, y, z); at corners it is that cell's low corner. A world in the plane is
one layer that repeats above and below, where a ball is a disc.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.core.intrinsics import at, prefetch
from noctule.core.jit import kernel
from noctule.graphs.heuristics import lattice_estimate
from noctule.graphs.protocol import (
    distance,
    estimate,
    line_of_sight,
    segment_is_free,
    too_far_to_see,
)
from noctule.graphs.sight.ball import ball_sees
from noctule.graphs.sight.point import centres_see, corners_see, touching_sees

FARTHEST = 2048.0  # cells; a search tests no longer lines


class Lattice(NamedTuple):
    """The cells, the moves between nodes, and the size of the agent."""

    free3: np.ndarray
    offset: np.ndarray  # number of the neighbour by move k = 9 (dx+1) + 3 (dy+1) + (dz+1), less s
    length: np.ndarray  # length of move k
    moves: int  # the moves of the neighbourhood, one bit each
    nx: int
    ny: int
    nz: int
    sx: int  # difference in number of one step along x
    sy: int  # the same along y; along z it is 1
    per_sx: float  # 1 / sx
    per_sy: float  # 1 / sy
    centred: int  # 1: nodes at centres, 0: at corners
    flat: int  # 1: a world in the plane
    reach: float  # radius of the agent in half cells
    touch: float  # half cells; points that are no nodes are rounded: what is nearer touches


class Cells(NamedTuple):
    """Nodes at the centres of cells; the agent is no wider than a cell."""

    lattice: Lattice


class Corners(NamedTuple):
    """Nodes at the corners of cells, for a point agent."""

    lattice: Lattice


class Balls(NamedTuple):
    """Nodes at centres or corners, for an agent of any radius, without any preparation."""

    lattice: Lattice


# The moves from a corner into, or along the sides of, each of the 8 cells around it.
OCTANTS = tuple(
    sum(
        1 << (9 * (1 + x * i) + 3 * (1 + y * j) + 1 + z * k)
        for i in (0, 1)
        for j in (0, 1)
        for k in (0, 1)
        if i + j + k > 0
    )
    for x in (-1, 1)
    for y in (-1, 1)
    for z in (-1, 1)
)


@kernel
def coordinates(lattice, s):
    """Return the lattice coordinates of node `s`.

    A product is faster than a division, and exact here: (s + 1/2) / sx is never nearer to a whole
    number than 1 / (2 sx), far more than its rounding error. The two products are independent.
    """
    x = int((s + 0.5) * lattice.per_sx)
    column = int((s + 0.5) * lattice.per_sy)
    return x - 1, column - x * (lattice.ny + 2) - 1, s - column * lattice.sy - 1


@kernel
def half_cells(lattice, s):
    """Return the position of node `s`, in half cells from the low corner of the grid."""
    x, y, z = coordinates(lattice, s)
    return (
        2 * x + lattice.centred,
        2 * y + lattice.centred,
        2 * z + (lattice.centred | lattice.flat),
    )


@kernel
def free_cube(lattice, s):
    """Return the free cells of the 27 around `s`, bit k for the one that move k leads to."""
    free3 = lattice.free3
    cube = 0
    for i in range(3):
        row = s + (i - 1) * lattice.sx
        cube |= np.int64(free3[at(row - lattice.sy)]) << (9 * i)
        cube |= np.int64(free3[at(row)]) << (9 * i + 3)
        cube |= np.int64(free3[at(row + lattice.sy)]) << (9 * i + 6)
    return cube


@kernel
def prefetch_cube(lattice, s):
    """Prefetch the cells around `s`."""
    for i in range(3):
        for j in range(3):
            prefetch(lattice.free3, s + (i - 1) * lattice.sx + (j - 1) * lattice.sy)


@kernel
def prefetch_around(lattice, memory, s):
    """Prefetch the cells around `s` and the search memory of these nodes."""
    prefetch_cube(lattice, s)
    for i in range(3):
        for j in range(3):
            prefetch(memory, s + (i - 1) * lattice.sx + (j - 1) * lattice.sy)


@kernel
def legal_moves(lattice, cube):
    """Return the moves from a centre, with these free cells around it, whose whole box is free."""
    middle = cube & 0o222222222
    cube &= middle | middle << 1 | middle >> 1
    middle = cube & 0o070070070
    cube &= middle | middle << 3 | middle >> 3
    middle = cube & 0o000777000
    cube &= middle | middle << 9 | middle >> 9
    return cube & lattice.moves


@kernel
def moves_from_corner(lattice, s):
    """Return the moves from corner `s` that run in, or along the side of, a free cell."""
    free3 = lattice.free3
    moves = 0
    for i in range(2):
        for j in range(2):
            below_and_here = free3[s + (i - 1) * lattice.sx + (j - 1) * lattice.sy]
            if below_and_here & 1:
                moves |= OCTANTS[4 * i + 2 * j]
            if below_and_here & 2:
                moves |= OCTANTS[4 * i + 2 * j + 1]
    return moves & lattice.moves


@kernel
def straight_distance(lattice, s, t):
    """Return the length of the line between two nodes."""
    x0, y0, z0 = coordinates(lattice, s)
    x1, y1, z1 = coordinates(lattice, t)
    dx, dy, dz = x1 - x0, y1 - y0, z1 - z0
    return math.sqrt(dx * dx + dy * dy + dz * dz)


# All graphs on a lattice share these kernels.


@distance.register
def distance_on_lattice(graph: Cells | Corners | Balls, s, t):
    """Return the length of the line between two nodes."""
    return straight_distance(graph.lattice, s, t)


@estimate.register
def estimate_on_lattice(graph: Cells | Corners | Balls, heuristic, s, t):
    """Estimate the cost between two nodes by one of the heuristics."""
    x0, y0, z0 = coordinates(graph.lattice, s)
    x1, y1, z1 = coordinates(graph.lattice, t)
    return lattice_estimate(heuristic, x1 - x0, y1 - y0, z1 - z0)


@too_far_to_see.register
def too_far_on_lattice(graph: Cells | Corners | Balls, s, t):
    """Whether the line between two nodes is longer than a search tests."""
    return straight_distance(graph.lattice, s, t) > FARTHEST


@line_of_sight.register
def centres_in_sight(graph: Cells, s, t):
    """Line of sight between centres, for an agent no wider than a cell."""
    if graph.lattice.reach > 0.0:
        return ball_between(graph.lattice, s, t)
    return point_between(graph.lattice, s, t)


@line_of_sight.register
def _(graph: Corners, s, t):
    return point_between(graph.lattice, s, t)


@line_of_sight.register
def _(graph: Balls, s, t):
    return ball_between(graph.lattice, s, t)


@kernel
def point_between(lattice, s, t):
    """Line of sight between two nodes for a point."""
    x0, y0, z0 = coordinates(lattice, s)
    x1, y1, z1 = coordinates(lattice, t)
    return point_sees(lattice, s, x0, y0, z0, x1, y1, z1)


@kernel
def point_sees(lattice, s, x0, y0, z0, x1, y1, z1):
    """Line of sight for a point between two nodes, given their coordinates."""
    if lattice.centred == 1:
        return centres_see(lattice, s, x0, y0, z0, x1, y1, z1)
    return corners_see(lattice, s, x0, y0, z0, x1, y1, z1)


@kernel
def ball_between(lattice, s, t):
    """Line of sight between two nodes for the ball."""
    x0, y0, z0 = half_cells(lattice, s)
    x1, y1, z1 = half_cells(lattice, t)
    return ball_sees(lattice, x0, y0, z0, x1, y1, z1, lattice.reach)


@segment_is_free.register
def ball_flies(graph: Cells | Balls, x0, y0, z0, x1, y1, z1):
    """Whether the ball can fly straight between two places (in cells)."""
    reach = max(graph.lattice.reach - graph.lattice.touch, graph.lattice.touch)
    return ball_sees(graph.lattice, 2 * x0, 2 * y0, 2 * z0, 2 * x1, 2 * y1, 2 * z1, reach)


@segment_is_free.register
def _(graph: Corners, x0, y0, z0, x1, y1, z1):
    return touching_sees(graph.lattice, 2 * x0, 2 * y0, 2 * z0, 2 * x1, 2 * y1, 2 * z1)


def three_bits(blocked: NDArray[np.bool_], padded: tuple[int, ...]) -> NDArray[np.uint8]:
    """Return one byte a cell, as described above, inside a border of blocked cells."""
    free3 = np.zeros(padded, np.uint8)
    if blocked.ndim == 2:
        free3[1:-1, 1:-1, :] = 7 * (~blocked).view(np.uint8)[:, :, None]
        return free3
    for layer, solid in zip(free3[1:-1, 1:-1], blocked, strict=True):  # needs little extra memory
        free = (~solid).view(np.uint8)
        layer[:, 2:] = free
        layer[:, 1:-1] |= free << 1
        layer[:, :-2] |= free << 2
    return free3

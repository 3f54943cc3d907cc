"""What a change of the world means to a search: which cells changed, and which nodes that concerns.

A grid logs the number of every cell that changes in a ring. Its version is how many changes there
were in all, so each planner asks for what came after the version that it saw last.
"""

import math

import numpy as np
from numpy.typing import NDArray

from noctule.core.intrinsics import lowest_bit
from noctule.core.jit import kernel
from noctule.graphs.grid.lattice import Balls, Cells, Corners, coordinates, half_cells
from noctule.graphs.protocol import changed_nodes, is_turning_node, may_block

LOG_SIZE = 1 << 16
HALF_DIAGONAL = math.sqrt(3.0) + 1e-9  # of a cell, in half cells


class ChangeLog:
    """The cells that changed lately."""

    def __init__(self, size: int = LOG_SIZE) -> None:
        self.ring = np.empty(size, np.int32)
        self.version = 0

    def since(self, version: int) -> NDArray[np.int32] | None:
        """The cells that changed after `version`, perhaps some twice; None if that is forgotten."""
        size = len(self.ring)
        if self.version - version > size:
            return None
        first, last = version % size, self.version % size
        if self.version == version or first < last:
            return self.ring[first:last].copy()
        return np.concatenate([self.ring[first:], self.ring[:last]])


@kernel
def set_cells(free3, cells, free, flat):
    """Make cells, given by number, free or blocked."""
    for cell in cells:
        set_cell(free3, cell, free, flat)


@kernel
def set_cell(free3, cell, free, flat):
    """Make one cell free or blocked."""
    if flat:  # the one layer of the plane repeats above and below
        for layer in range(cell - 1, cell + 2):
            free3[layer] = 7 if free else 0
    else:
        set_bit(free3, cell, 2, free)
        set_bit(free3, cell - 1, 4, free)
        set_bit(free3, cell + 1, 1, free)


@kernel
def set_bit(free3, cell, bit, free):
    """Set or clear one of the three bits of a cell."""
    free3[cell] = free3[cell] | bit if free else free3[cell] & (7 - bit)


@kernel
def change_cells(free3, cells, free, flat, ring, version):
    """Make cells free or blocked; log those that were not, and return the new version."""
    for cell in cells:
        if (free3[cell] & 2 != 0) != free:
            set_cell(free3, cell, free, flat)
            ring[version % len(ring)] = cell
            version += 1
    return version


@kernel
def is_node(lattice, s):
    """Whether number `s` is a node of the grid, and not of the border around it."""
    x, y, z = coordinates(lattice, s)
    more = 1 - lattice.centred
    inside = x >= 0 and y >= 0 and z >= 0 and x < lattice.nx + more and y < lattice.ny + more
    return inside and z < lattice.nz + (0 if lattice.flat else more)


@changed_nodes.register
def _(graph: Cells, cell):
    """A step needs its box, so a cell matters to itself and to those that a move joins to it.

    Of these, one that is blocked has no steps, and had none unless it changed as well.
    """
    free3 = graph.lattice.free3
    won = free3[cell] & 2 != 0
    moves = graph.lattice.moves | 1 << 13
    while moves != 0:
        k = lowest_bit(moves)
        moves &= moves - 1
        s = cell + graph.lattice.offset[k]
        if k == 13 or free3[s] & 2 != 0:
            yield s, won


@changed_nodes.register
def _(graph: Corners, cell):
    """A step runs in or along cells that have both its ends as corners."""
    lattice = graph.lattice
    won = lattice.free3[cell] & 2 != 0
    for i in range(2):
        for j in range(2):
            for k in range(1 if lattice.flat else 2):
                yield cell + i * lattice.sx + j * lattice.sy + k, won


@changed_nodes.register
def _(graph: Balls, cell):
    """A step keeps within one cell of its ends, and the ball within its radius of the step."""
    lattice = graph.lattice
    won = lattice.free3[cell] & 2 != 0
    wide = lattice.reach / 2 + 1.5  # along each axis, from the centre of the cell
    shift = 0.0 if lattice.centred else 0.5
    low, high = math.ceil(shift - wide), math.floor(shift + wide)
    x, y, z = coordinates(lattice, cell)
    z0, z1 = (0, 0) if lattice.flat else (max(low, -z), min(high, lattice.nz - z))
    for i in range(max(low, -x), min(high, lattice.nx - x) + 1):
        for j in range(max(low, -y), min(high, lattice.ny - y) + 1):
            for k in range(z0, z1 + 1):
                s = cell + i * lattice.sx + j * lattice.sy + k
                if is_node(lattice, s):
                    yield s, won


@may_block.register
def _(graph: Cells | Corners | Balls, cell, s, t):
    return is_near_line(graph.lattice, cell, s, t)


@is_turning_node.register
def _(graph: Cells | Corners | Balls, s):
    return True  # anything may come anywhere


@kernel
def is_near_line(lattice, cell, s, t):
    """Whether the ball around a cell comes as near to the segment between nodes as the agent."""
    x, y, z = coordinates(lattice, cell)
    ax, ay, az = half_cells(lattice, s)
    bx, by, bz = half_cells(lattice, t)
    px, py, pz = 2 * x + 1 - ax, 2 * y + 1 - ay, (0 if lattice.flat else 2 * z + 1 - az)
    dx, dy, dz = bx - ax, by - ay, bz - az
    along = px * dx + py * dy + pz * dz
    length = dx * dx + dy * dy + dz * dz
    part = min(max(along / length, 0.0), 1.0) if length > 0 else 0.0
    qx, qy, qz = px - part * dx, py - part * dy, pz - part * dz
    near = HALF_DIAGONAL + lattice.reach
    return qx * qx + qy * qy + qz * qz <= near * near

"""Changes of cells: apply and log them, and find the nodes whose edges they alter.

A change is the number of a cell (see `change_log`).
"""

import math

from noctule.core.intrinsics import lowest_bit
from noctule.core.jit import kernel
from noctule.graphs.grid.lattice import Balls, Cells, Corners, coordinates, half_cells
from noctule.graphs.protocol import changed_nodes, is_turning_node, may_block

HALF_DIAGONAL = math.sqrt(3.0) + 1e-9  # of a cell, in half cells


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
    """Make cells free or blocked; log those that change, and return the new version."""
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
    """A move needs its box, so a cell matters to itself and to those that a move joins to it.

    A blocked one of these has no moves, and had none unless it changed as well.
    """
    free3 = graph.lattice.free3
    gained = free3[cell] & 2 != 0
    moves = graph.lattice.moves | 1 << 13
    while moves != 0:
        k = lowest_bit(moves)
        moves &= moves - 1
        s = cell + graph.lattice.offset[k]
        if k == 13 or free3[s] & 2 != 0:
            yield s, gained


@changed_nodes.register
def _(graph: Corners, cell):
    """A move runs in or along cells that have both its ends as corners."""
    lattice = graph.lattice
    gained = lattice.free3[cell] & 2 != 0
    for i in range(2):
        for j in range(2):
            for k in range(1 if lattice.flat else 2):
                yield cell + i * lattice.sx + j * lattice.sy + k, gained


@changed_nodes.register
def _(graph: Balls, cell):
    gained = graph.lattice.free3[cell] & 2 != 0
    for s in nodes_near(graph.lattice, cell):
        yield s, gained


@kernel
def nodes_near(lattice, cell):
    """Yield the nodes whose moves the ball can't make where a cell is blocked, and others near.

    A move keeps within one cell of its ends, and the ball within its radius of the move.
    """
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
                    yield s


@may_block.register
def may_block_on_lattice(graph: Cells | Corners | Balls, cell, s, t):
    """Whether a cell comes near enough to a segment."""
    return is_near_line(graph.lattice, cell, s, t)


@is_turning_node.register
def always_turning_node(graph: Cells | Corners | Balls, s):
    """Count every node as one."""
    return True  # any cell may become one


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

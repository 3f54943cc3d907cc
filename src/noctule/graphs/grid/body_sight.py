"""Lines of sight that are judged by the bodies themselves instead of cells.

`BodyWorld` answers for any two points. `BodyCells` are cells with such lines, as in the theses:
moves between neighbours need a free box of cells; a longer line needs every body to be at least the
agent's radius away. Cells cover more than bodies do, so such paths are shorter.
"""

from typing import NamedTuple

import numpy as np

from noctule.core.jit import kernel
from noctule.graphs.grid.lattice import (
    Lattice,
    coordinates,
    distance_on_lattice,
    estimate_on_lattice,
    too_far_on_lattice,
)
from noctule.graphs.grid.move_sets import edges_of_cell, next_move
from noctule.graphs.protocol import (
    distance,
    edges,
    estimate,
    is_turning_node,
    line_of_sight,
    next_edge,
    segment_is_free,
    too_far_to_see,
)
from noctule.worlds.geometry.distances import any_solid
from noctule.worlds.geometry.solids import Solids


class BodyWorld(NamedTuple):
    """A box in space with bodies in it, for an agent of this radius."""

    solids: Solids
    poses: np.ndarray
    radius: float
    cell: float
    x: float  # the low corner of the box
    y: float
    z: float
    nx: int  # size of the box in cells
    ny: int
    nz: int
    edge: float  # least distance from the faces of the box, in cells
    last: np.ndarray  # the solids that blocked a segment last


class BodyCells(NamedTuple):
    """Nodes at the centres of cells; lines of sight depend on the bodies."""

    lattice: Lattice
    world: BodyWorld


@kernel
def in_box(world, x, y, z):
    """Whether the agent at a place (in cells) is inside the box."""
    low = world.edge
    if min(x, y, z) < low or x > world.nx - low:
        return False
    return y <= world.ny - low and z <= world.nz - low


@kernel
def in_world(world, x, y, z):
    """Convert a place (in cells) to world units."""
    return world.x + x * world.cell, world.y + y * world.cell, world.z + z * world.cell


@segment_is_free.register
def _(graph: BodyWorld, x0, y0, z0, x1, y1, z1):
    if not in_box(graph, x0, y0, z0) or not in_box(graph, x1, y1, z1):
        return False
    p, q = in_world(graph, x0, y0, z0), in_world(graph, x1, y1, z1)
    return any_solid(graph.solids, graph.poses, p, q, graph.radius, graph.last) < 0


@segment_is_free.register
def _(graph: BodyCells, x0, y0, z0, x1, y1, z1):
    return segment_is_free(graph.world, x0, y0, z0, x1, y1, z1)


@line_of_sight.register
def _(graph: BodyCells, s, t):
    if not graph.lattice.free3[s] & 2 or not graph.lattice.free3[t] & 2:
        return False
    x0, y0, z0 = coordinates(graph.lattice, s)
    x1, y1, z1 = coordinates(graph.lattice, t)
    p, q = (x0 + 0.5, y0 + 0.5, z0 + 0.5), (x1 + 0.5, y1 + 0.5, z1 + 0.5)
    return segment_is_free(graph.world, *p, *q)


@is_turning_node.register
def _(graph: BodyCells, s):
    return True


edges.register(BodyCells, edges_of_cell)
next_edge.register(BodyCells, next_move)
too_far_to_see.register(BodyCells, too_far_on_lattice)
distance.register(BodyCells, distance_on_lattice)
estimate.register(BodyCells, estimate_on_lattice)

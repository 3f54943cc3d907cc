"""Cells whose lines of sight are judged by the bodies themselves, as in the theses.

Steps between neighbours need a free box of cells, as ever; a longer line needs every body of the
scene to be at least the agent's radius away, whatever the cells under it say. Cells cover more than
bodies do, so such paths are shorter.
"""

from typing import NamedTuple

import numpy as np

from noctule.core.jit import kernel
from noctule.graphs.grid.lattice import (
    Lattice,
    coordinates,
    distance_on_lattice,
    estimate_on_lattice,
    neighbouring_cells,
)
from noctule.graphs.protocol import (
    distance,
    estimate,
    is_turning_node,
    line_of_sight,
    neighbours,
    segment_is_free,
)
from noctule.worlds.geometry.distances import nearest_solid
from noctule.worlds.geometry.solids import Solids


class BodyCells(NamedTuple):
    """Nodes at the centres of cells; what is seen depends on the bodies."""

    lattice: Lattice
    solids: Solids
    poses: np.ndarray
    radius: float
    cell: float
    x: float
    y: float
    z: float


@kernel
def sees_past_bodies(graph, x0, y0, z0, x1, y1, z1):
    """Whether no body is too near to a segment between two places (in cells)."""
    size = graph.cell
    p = (graph.x + x0 * size, graph.y + y0 * size, graph.z + z0 * size)
    q = (graph.x + x1 * size, graph.y + y1 * size, graph.z + z1 * size)
    body, _ = nearest_solid(graph.solids, graph.poses, p, q, graph.radius)
    return body < 0


neighbours.register(BodyCells, neighbouring_cells)
distance.register(BodyCells, distance_on_lattice)
estimate.register(BodyCells, estimate_on_lattice)


@line_of_sight.register
def _(graph: BodyCells, s, t):
    if not graph.lattice.free3[s] & 2 or not graph.lattice.free3[t] & 2:
        return False
    x0, y0, z0 = coordinates(graph.lattice, s)
    x1, y1, z1 = coordinates(graph.lattice, t)
    return sees_past_bodies(graph, x0 + 0.5, y0 + 0.5, z0 + 0.5, x1 + 0.5, y1 + 0.5, z1 + 0.5)


@segment_is_free.register
def _(graph: BodyCells, x0, y0, z0, x1, y1, z1):
    edge = 0.5 * graph.lattice.reach - 1e-9
    low = min(x0, x1, y0, y1, z0, z1)
    if low < edge or max(x0, x1) > graph.lattice.nx - edge:
        return False
    if max(y0, y1) > graph.lattice.ny - edge or max(z0, z1) > graph.lattice.nz - edge:
        return False
    return sees_past_bodies(graph, x0, y0, z0, x1, y1, z1)


@is_turning_node.register
def _(graph: BodyCells, s):
    return True

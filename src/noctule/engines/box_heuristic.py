"""Heuristic for a destination that is visible from several nodes of the hybrid graph.

These end nodes lie in a box. No path is shorter than the straight distance to the box plus the
smallest cost from an end node to the destination, and none is shorter than the straight distance to
the destination itself. A search takes the one that is larger at its starts.
"""

import math
from typing import NamedTuple

from noctule.core.jit import INF, kernel
from noctule.graphs.grid.lattice import coordinates
from noctule.graphs.heuristics import STEP_1


class BoxHeuristic(NamedTuple):
    """Heuristic: scale x distance to a box + offset."""

    low_x: float
    low_y: float
    low_z: float
    high_x: float
    high_y: float
    high_z: float
    scale: float
    offset: float


SIZE = len(BoxHeuristic._fields)

# One unit less than STEP_1 a cell: admissible however costs and roots were rounded.
_SCALE = STEP_1 - 1.0


@kernel
def estimate_to_box(heuristic, x, y, z):
    """Estimate the cost from (x, y, z) to the destination, as a whole number."""
    dx = max(heuristic.low_x - x, x - heuristic.high_x, 0.0)
    dy = max(heuristic.low_y - y, y - heuristic.high_y, 0.0)
    dz = max(heuristic.low_z - z, z - heuristic.high_z, 0.0)
    return int(heuristic.scale * math.sqrt(dx * dx + dy * dy + dz * dz) + heuristic.offset)


@kernel
def heuristic_to_point(x, y, z):
    """Return the heuristic for a destination at (x, y, z)."""
    return BoxHeuristic(x, y, z, x, y, z, _SCALE, 0.0)


@kernel
def heuristic_to_box(lattice, ends, n):
    """Return the heuristic for the box around the first `n` rows (node, cost) of `ends`."""
    low_x, low_y, low_z, high_x, high_y, high_z = INF, INF, INF, -INF, -INF, -INF
    offset = INF
    for i in range(n):
        x, y, z = coordinates(lattice, ends[i, 0])
        low_x, low_y, low_z = min(low_x, float(x)), min(low_y, float(y)), min(low_z, float(z))
        high_x, high_y, high_z = max(high_x, float(x)), max(high_y, float(y)), max(high_z, float(z))
        offset = min(offset, float(ends[i, 1]))
    return BoxHeuristic(low_x, low_y, low_z, high_x, high_y, high_z, _SCALE, offset)


@kernel
def scaled(heuristic, weight):
    """Multiply a heuristic by a weight."""
    a, b, c, d, e, f, scale, offset = heuristic
    return BoxHeuristic(a, b, c, d, e, f, weight * scale, weight * offset)


@kernel
def store_heuristic(array, heuristic):
    """Write a heuristic into an array of `SIZE` numbers."""
    for i in range(SIZE):
        array[i] = heuristic[i]


@kernel
def load_heuristic(a):
    """Read a heuristic from an array."""
    return BoxHeuristic(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7])

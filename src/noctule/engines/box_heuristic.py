"""Where a search on the hybrid graph goes: a destination that is seen from several nodes.

These ends lie in a box. No way to the destination is shorter than the straight one to the box, and
on from the end that is nearest to the destination; and none is shorter than the straight line to
the destination itself. The one or the other is the estimate.
"""

import math
from typing import NamedTuple

from noctule.core.jit import INF, kernel
from noctule.graphs.grid.lattice import coordinates
from noctule.graphs.heuristics import STEP_1


class Aim(NamedTuple):
    """What is left to go from a place: `scale` times the way to a box, and `rest`."""

    low_x: float
    low_y: float
    low_z: float
    high_x: float
    high_y: float
    high_z: float
    scale: float
    rest: float


SIZE = len(Aim._fields)

# One unit less than STEP_1 a cell: never too much, however costs and roots were rounded.
_SCALE = STEP_1 - 1.0


@kernel
def left(aim, x, y, z):
    """The estimate of what it costs to get from a place to the destination, a whole number."""
    dx = max(aim.low_x - x, x - aim.high_x, 0.0)
    dy = max(aim.low_y - y, y - aim.high_y, 0.0)
    dz = max(aim.low_z - z, z - aim.high_z, 0.0)
    return int(aim.scale * math.sqrt(dx * dx + dy * dy + dz * dz) + aim.rest)


@kernel
def aim_at(x, y, z):
    """Aim at a place."""
    return Aim(x, y, z, x, y, z, _SCALE, 0.0)


@kernel
def aim_at_box(lattice, ends, n):
    """Aim at the box around the first `n` ends: nodes, and what it costs to go on from them."""
    low_x, low_y, low_z, high_x, high_y, high_z = INF, INF, INF, -INF, -INF, -INF
    rest = INF
    for i in range(n):
        x, y, z = coordinates(lattice, ends[i, 0])
        low_x, low_y, low_z = min(low_x, float(x)), min(low_y, float(y)), min(low_z, float(z))
        high_x, high_y, high_z = max(high_x, float(x)), max(high_y, float(y)), max(high_z, float(z))
        rest = min(rest, float(ends[i, 1]))
    return Aim(low_x, low_y, low_z, high_x, high_y, high_z, _SCALE, rest)


@kernel
def times(aim, weight):
    """The same aim, with another estimate."""
    a, b, c, d, e, f, scale, rest = aim
    return Aim(a, b, c, d, e, f, weight * scale, weight * rest)


@kernel
def keep_aim(array, aim):
    """Write down an aim."""
    for i in range(SIZE):
        array[i] = aim[i]


@kernel
def kept_aim(a):
    """The aim that was written down."""
    return Aim(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7])

"""Cells that points, or balls around them, meet."""

import math

from noctule.core.jit import kernel

MOST = 255  # a cell counts no further


@kernel
def count_points(places, radius, counts):
    """Count in each cell the points in it; with a radius (in cells), the open balls that meet it.

    A point on the border of two cells is in the higher one.
    """
    nx, ny, nz = counts.shape
    for p in range(len(places)):
        x, y, z = places[p, 0], places[p, 1], places[p, 2]
        i0, i1 = reached(x, radius, nx)
        j0, j1 = reached(y, radius, ny)
        k0, k1 = reached(z, radius, nz)
        for i in range(i0, i1 + 1):
            for j in range(j0, j1 + 1):
                for k in range(k0, k1 + 1):
                    dx = max(i - x, 0.0, x - i - 1.0)
                    dy = max(j - y, 0.0, y - j - 1.0)
                    dz = max(k - z, 0.0, z - k - 1.0)
                    near = radius == 0.0 or dx * dx + dy * dy + dz * dz < radius * radius
                    if near and counts[i, j, k] < MOST:
                        counts[i, j, k] += 1


@kernel
def reached(x, radius, n):
    """Return the first and last of `n` cells within `radius` of a coordinate."""
    if radius == 0.0:
        first = last = math.floor(x)
    else:
        first, last = math.floor(x - radius), math.ceil(x + radius) - 1
    return int(max(first, 0)), int(min(last, n - 1))

"""How far points and polylines are from the nearest solid: exact, in squared half cells.

The border of the world counts as solid. A world in the plane has none above and below.
"""

import math

from noctule.core.jit import kernel, kernel_short
from noctule.graphs.sight.ball import beyond, first_cell, last_cell
from noctule.graphs.sight.point import is_free

SLACK = 1e-6  # half cells; rounding must not hide a cell


@kernel
def to_border(lattice, x, y, z):
    """Return the squared distance of a point from the border of the world, zero outside."""
    gap = min(x, 2 * lattice.nx - x, y, 2 * lattice.ny - y)
    if not lattice.flat:
        gap = min(gap, z, 2 * lattice.nz - z)
    return max(gap, 0.0) ** 2


@kernel
def gap_to(v, i):
    """Return the distance of `v` from cell `i` along one axis."""
    return max(2 * i - v, v - 2 * i - 2, 0.0)


@kernel
def point_clearance(lattice, x, y, z):
    """Return the squared distance of a point from the nearest solid.

    Cells are scanned in growing cubic shells around that of the point.
    """
    best = to_border(lattice, x, y, z)
    i0, j0, k0 = int(0.5 * x), int(0.5 * y), int(0.5 * z)
    shell = 0
    while 2 * (shell - 1) < 0 or (2 * (shell - 1)) ** 2 < best:
        for i in range(max(i0 - shell, 0), min(i0 + shell, lattice.nx - 1) + 1):
            gap_x = gap_to(x, i) ** 2
            for j in range(max(j0 - shell, 0), min(j0 + shell, lattice.ny - 1) + 1):
                gap_xy = gap_x + gap_to(y, j) ** 2
                if gap_xy >= best:
                    continue
                row = (i + 1) * lattice.sx + (j + 1) * lattice.sy + 1
                whole = max(abs(i - i0), abs(j - j0)) == shell
                for k in range(k0 - shell, k0 + shell + 1, 1 if whole or shell == 0 else 2 * shell):
                    if 0 <= k < lattice.nz and not is_free(lattice.free3, row + k):
                        gap_z = 0.0 if lattice.flat else gap_to(z, k)
                        best = min(best, gap_xy + gap_z * gap_z)
        shell += 1
    return best


@kernel
def segment_clearance(lattice, p, q, best):
    """Return the squared distance of a segment from the nearest solid, or `best` if that is less.

    The cells within `best` of it are scanned, slab by slab along its longest axis.
    """
    best = min(best, point_clearance(lattice, p[0], p[1], p[2]))
    best = min(best, point_clearance(lattice, q[0], q[1], q[2]))
    d = abs(q[0] - p[0]), abs(q[1] - p[1]), abs(q[2] - p[2])
    sx, sy = lattice.sx, lattice.sy
    stride, size, axes = (sx, sy, 1), (lattice.nx, lattice.ny, lattice.nz), (0, 1, 2)
    if d[1] > d[0] and d[1] >= d[2]:
        stride, size, axes = (sy, sx, 1), (lattice.ny, lattice.nx, lattice.nz), (1, 0, 2)
    elif d[2] > d[0]:
        stride, size, axes = (1, sx, sy), (lattice.nz, lattice.nx, lattice.ny), (2, 0, 1)
    if p[axes[0]] > q[axes[0]]:  # the same arithmetic both ways
        p, q = q, p
    a, b, c = p[axes[0]], p[axes[1]], p[axes[2]]
    da, db, dc = q[axes[0]] - a, q[axes[1]] - b, q[axes[2]] - c
    slope_b, slope_c = (db / da, dc / da) if da > 0 else (0.0, 0.0)
    pad = math.sqrt(best) + SLACK
    for i in range(first_cell(a - pad), last_cell(a + da + pad, size[0]) + 1):
        pad = math.sqrt(best) + SLACK
        begin, end = max(2 * i - pad - a, 0.0), min(2 * i + 2 + pad - a, da)
        b0, b1 = b + slope_b * begin, b + slope_b * end
        c0, c1 = c + slope_c * begin, c + slope_c * end
        b0, b1, c0, c1 = min(b0, b1), max(b0, b1), min(c0, c1), max(c0, c1)
        for j in range(first_cell(b0 - pad), last_cell(b1 + pad, size[1]) + 1):
            gap_b = max(2 * j - b1, b0 - 2 * j - 2, 0.0)
            if gap_b * gap_b >= best:
                continue
            row = (i + 1) * stride[0] + (j + 1) * stride[1]
            for k in range(first_cell(c0 - pad), last_cell(c1 + pad, size[2]) + 1):
                if not is_free(lattice.free3, row + (k + 1) * stride[2]):
                    gap_c = max(2 * k - c1, c0 - 2 * k - 2, 0.0)
                    if gap_b * gap_b + gap_c * gap_c < best:
                        cell = 2 * i, 2 * j, 2 * k
                        best = min(best, squared_distance((a, b, c), (da, db, dc), cell))
    return best


@kernel
def squared_distance(p, d, low):
    """Return the squared distance of a segment, from `p` along `d`, from a cell.

    Along the segment it is convex, and quadratic between the planes of the cell's faces: the lowest
    is at an end, at such a plane, or where one of these parabolas has its vertex.
    """
    best = min(squared_gap(p, d, low, 0.0), squared_gap(p, d, low, 1.0))
    for axis in range(3):
        for side in range(0, 3, 2):
            if d[axis] != 0.0:
                best = min(best, squared_gap(p, d, low, (low[axis] + side - p[axis]) / d[axis]))
    for sides in range(27):
        slope = curve = 0.0
        side = sides
        for axis in range(3):
            if side % 3 != 1:  # the segment is below the cell along this axis, or above it
                slope += d[axis] * (p[axis] - low[axis] - (side % 3))
                curve += d[axis] * d[axis]
            side //= 3
        if curve > 0.0:
            best = min(best, squared_gap(p, d, low, -slope / curve))
    return best


@kernel
def squared_gap(p, d, low, t):
    """Return the squared distance of the point at `t` of a segment from a cell; of one on it."""
    t = min(max(t, 0.0), 1.0)
    x = beyond(p[0] + t * d[0], low[0])
    y = beyond(p[1] + t * d[1], low[1])
    z = beyond(p[2] + t * d[2], low[2])
    return x * x + y * y + z * z


@kernel_short
def clearance_along(lattice, places):
    """Return the squared distance of a polyline, with corners in cells, from the nearest solid."""
    first = 2.0 * places[0, 0], 2.0 * places[0, 1], 2.0 * places[0, 2]
    best = point_clearance(lattice, *first)
    for n in range(1, len(places)):
        p = 2.0 * places[n - 1, 0], 2.0 * places[n - 1, 1], 2.0 * places[n - 1, 2]
        q = 2.0 * places[n, 0], 2.0 * places[n, 1], 2.0 * places[n, 2]
        best = segment_clearance(lattice, p, q, best)
    return best

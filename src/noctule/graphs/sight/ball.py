"""Line of sight through cells for a ball of any radius: exact.

`ball_sees` is for any two points, given in half cells as in `point`: whole numbers where they are
nodes.
"""

from noctule.core.intrinsics import at
from noctule.core.jit import kernel
from noctule.graphs.sight.point import clear_of_border, is_free

TIE = 1.0 - 1e-12  # a tie between rationals must not be decided by the rounding of the radius


@kernel
def ball_sees(lattice, x0, y0, z0, x1, y1, z1, reach):
    """Whether every blocked cell lies at least `reach` half cells from the segment.

    Cells are scanned slab by slab along the longest axis of the segment.
    """
    if not (
        clear_of_border(x0, x1, lattice.nx, reach)
        and clear_of_border(y0, y1, lattice.ny, reach)
        and (lattice.flat or clear_of_border(z0, z1, lattice.nz, reach))
    ):
        return False
    free3, sx, sy = lattice.free3, lattice.sx, lattice.sy
    nx, ny, nz = lattice.nx, lattice.ny, lattice.nz
    dx, dy, dz = abs(x1 - x0), abs(y1 - y0), abs(z1 - z0)
    if dx >= dy and dx >= dz:
        return slabs_clear(free3, sx, sy, 1, nx, ny, nz, x0, y0, z0, x1, y1, z1, reach)
    if dy >= dz:
        return slabs_clear(free3, sy, sx, 1, ny, nx, nz, y0, x0, z0, y1, x1, z1, reach)
    return slabs_clear(free3, 1, sx, sy, nz, nx, ny, z0, x0, y0, z1, x1, y1, reach)


@kernel
def slabs_clear(free3, sa, sb, sc, na, nb, nc, a0, b0, c0, a1, b1, c1, reach):
    """`ball_sees` with the axes ordered so that the segment is longest along the first.

    Obstacles are mostly near the end that is given first: slabs are scanned from there.
    """
    limit = reach * reach * TIE
    pad = reach + 1e-6
    back = a1 < a0
    if back:  # the same arithmetic both ways
        a0, b0, c0, a1, b1, c1 = a1, b1, c1, a0, b0, c0
    da, db, dc = a1 - a0, b1 - b0, c1 - c0
    slope_b, slope_c = (db / da, dc / da) if da > 0 else (0.0, 0.0)
    i0, i1 = first_cell(a0 - pad), last_cell(a1 + pad, na)
    i, step = (i1, -1) if back else (i0, 1)
    # In the middle of slab i the segment is at (b, c), in cells, and no farther from there than
    # (wide_b, wide_c) where it is near to the slab: the cells within that are mostly all free.
    b, c = (b0 + slope_b * (2 * i + 1 - a0)) * 0.5, (c0 + slope_c * (2 * i + 1 - a0)) * 0.5
    wide_b, wide_c = (
        (abs(slope_b) * (1.0 + pad) + pad) * 0.5,
        (abs(slope_c) * (1.0 + pad) + pad) * 0.5,
    )
    for _ in range(i1 - i0 + 1):
        j0, j1 = max(int(b - wide_b), 0), min(int(b + wide_b), nb - 1)
        k0, k1 = max(int(c - wide_c), 0), min(int(c + wide_c), nc - 1)
        low = (i + 1) * sa + (j0 + 1) * sb + (k0 + 1) * sc
        if not cells_free(free3, low, sb, sc, j1 - j0 + 1, k1 - k0 + 1) and not slab_clear(
            free3, sa, sb, sc, nb, nc, a0, b0, c0, da, db, dc, slope_b, slope_c, i, pad, limit
        ):
            return False
        i += step
        b += step * slope_b
        c += step * slope_c
    return True


@kernel
def slab_clear(free3, sa, sb, sc, nb, nc, a0, b0, c0, da, db, dc, slope_b, slope_c, i, pad, limit):
    """Whether the blocked cells of slab `i` are far enough from the segment."""
    # the part of the segment that is near enough to this slab, and the box around that part
    begin, end = max(2 * i - pad - a0, 0.0), min(2 * i + 2 + pad - a0, float(da))
    b_begin, b_end = b0 + slope_b * begin, b0 + slope_b * end
    c_begin, c_end = c0 + slope_c * begin, c0 + slope_c * end
    b_low, b_high = min(b_begin, b_end), max(b_begin, b_end)
    c_low, c_high = min(c_begin, c_end), max(c_begin, c_end)
    for j in range(first_cell(b_low - pad), last_cell(b_high + pad, nb) + 1):
        gap_b = max(2 * j - b_high, b_low - 2 * j - 2, 0.0)
        for k in range(first_cell(c_low - pad), last_cell(c_high + pad, nc) + 1):
            if is_free(free3, (i + 1) * sa + (j + 1) * sb + (k + 1) * sc):
                continue
            gap_c = max(2 * k - c_high, c_low - 2 * k - 2, 0.0)
            if gap_b * gap_b + gap_c * gap_c < limit and too_near(
                a0, b0, c0, da, db, dc, 2 * i, 2 * j, 2 * k, limit
            ):
                return False
    return True


@kernel
def cells_free(free3, low, sb, sc, nb, nc):
    """Whether all of `nb` by `nc` cells are free, of which `low` is the first.

    Three beside each other along z are in one byte, and at most six in the first byte and the last.
    """
    every = 7
    if sc == 1 and nc <= 6:
        both = 7 if nc >= 3 else (1 << nc) - 1
        last = max(nc - 2, 1)
        for _ in range(nb):
            every &= free3[at(low + 1)] & free3[at(low + last)]
            low += sb
        return every & both == both
    for _ in range(nb):
        for k in range(nc):
            every &= free3[at(low + k * sc)]
        low += sb
    return every & 2 != 0


@kernel
def first_cell(v):
    """Return the lowest cell of the grid that reaches up to `v` half cells."""
    return max(int(v * 0.5), 0)


@kernel
def last_cell(v, n):
    """Return the highest cell of the grid that reaches down to `v` half cells."""
    return min(int(v * 0.5), n - 1)


@kernel
def too_near(x, y, z, dx, dy, dz, lx, ly, lz, limit):
    """Whether the squared distance between a segment and a cell is below `limit`.

    The segment starts at (x, y, z) and runs along (dx, dy, dz); (lx, ly, lz) is the low corner of
    the cell, all in half cells. The squared distance of a point from the cell is convex along the
    segment and quadratic between the planes of the cell's faces: find the piece that holds the
    minimum. There, by Lagrange's identity, it is |w x d|^2 / |d|^2, an integer over an integer.
    """
    wx, wy, wz = beyond(x, lx), beyond(y, ly), beyond(z, lz)
    if wx * dx + wy * dy + wz * dz >= 0:
        return wx * wx + wy * wy + wz * wz < limit
    wx, wy, wz = beyond(x + dx, lx), beyond(y + dy, ly), beyond(z + dz, lz)
    if wx * dx + wy * dy + wz * dz <= 0:
        return wx * wx + wy * wy + wz * wz < limit

    t0, t1 = 0.0, 1.0  # the minimum lies between
    for side in range(0, 3, 2):
        for axis in range(3):
            v = x if axis == 0 else y if axis == 1 else z
            d = dx if axis == 0 else dy if axis == 1 else dz
            low = lx if axis == 0 else ly if axis == 1 else lz
            if d != 0:
                t = (low + side - v) / d
                if t0 < t < t1:
                    vx, vy, vz = (
                        beyond(x + t * dx, lx),
                        beyond(y + t * dy, ly),
                        beyond(z + t * dz, lz),
                    )
                    if vx * dx + vy * dy + vz * dz < 0:
                        t0 = t
                    else:
                        t1 = t
    t = (t0 + t1) / 2
    sx, sy, sz = side_of(x + t * dx, lx), side_of(y + t * dy, ly), side_of(z + t * dz, lz)
    wx, dx = (x - lx - 1 - sx) * abs(sx), dx * abs(sx)
    wy, dy = (y - ly - 1 - sy) * abs(sy), dy * abs(sy)
    wz, dz = (z - lz - 1 - sz) * abs(sz), dz * abs(sz)
    cx, cy, cz = wy * dz - wz * dy, wz * dx - wx * dz, wx * dy - wy * dx
    return cx * cx + cy * cy + cz * cz < limit * max(dx * dx + dy * dy + dz * dz, 1e-300)


@kernel
def beyond(v, low):
    """Return the signed distance of `v` from the cell's interval [low, low + 2]."""
    if v < low:
        return v - low
    if v > low + 2:
        return v - low - 2
    return v - v


@kernel
def side_of(v, low):
    """-1 below the cell's interval, 1 above it, 0 within."""
    if v < low:
        return -1
    return 1 if v > low + 2 else 0

"""Line of sight through cells: exact for a point and for a ball of any radius.

Three kernels, one for each way of asking:

* `corners_see`: a point agent between two corners, in integers (`slab_walk`: between centres);
* `ball_sees`: a ball between any two points: integers where the points are nodes;
* `touching_sees`: a point agent that may touch solids, between any two points.

Nodes and points are given in *half cells* (cell (x, y, z) spans 2x to 2x+2), because then the
centres of cells and their corners are both whole numbers. The world outside the grid is solid.
"""

import math

from noctule.kernels import at, kernel

# Points that are not nodes are floating-point numbers: what is nearer than this (in half cells)
# counts as touching. Two different distances between nodes never come so near to each other.
TOUCH = 2e-10


@kernel
def is_free(free3, cell):
    """Whether the cell itself is free: the middle bit of the three."""
    return free3[cell] & 2 != 0


@kernel
def corners_see(lattice, s, x0, y0, z0, x1, y1, z1):
    """Whether a point can fly straight from corner `s`, at (x0, y0, z0), to that at (x1, y1, z1).

    The walk visits every cell that the segment crosses. A step along x takes the fraction 1/nx of
    the segment; to compare crossings in integers, time runs from 0 to 2 nx ny nz, and the next face
    across x is crossed at tx. The segment may touch solids, and one that runs inside a face (along
    an edge) is blocked only if both (all four) cells are.
    """
    free3 = lattice.free3
    sx, sy = lattice.sx, lattice.sy
    dx, dy, dz = x1 - x0, y1 - y0, z1 - z0
    nx, ny, nz = abs(dx), abs(dy), abs(dz)
    tx, ty, tz = ux, uy, uz = (
        2 * max(ny, 1) * max(nz, 1),
        2 * max(nx, 1) * max(nz, 1),
        2 * max(nx, 1) * max(ny, 1),
    )
    never = max(nx, 1) * ux + 1
    jx = sx if dx > 0 else -sx
    jy = sy if dy > 0 else -sy
    jz = 1 if dz > 0 else -1
    # From the cell above the corner to the first cell on the segment's way.
    s -= (sx if dx < 0 else 0) + (sy if dy < 0 else 0) + (1 if dz < 0 else 0)
    wx = sx if dx == 0 else 0
    wy = sy if dy == 0 else 0
    wz = 1 if dz == 0 else 0
    left = max(nx - 1, 0) + max(ny - 1, 0) + max(nz - 1, 0)  # faces still to cross
    tx = tx if nx > 0 else never
    ty = ty if ny > 0 else never
    tz = tz if nz > 0 else never

    while is_free(free3, s) or beside_is_free(free3, s, wx, wy, wz):
        if left == 0:
            return True
        t = min(tx, ty, tz)
        if tx == t:
            s += jx
            tx += ux
            left -= 1
        if ty == t:
            s += jy
            ty += uy
            left -= 1
        if tz == t:
            s += jz
            tz += uz
            left -= 1
    return False


@kernel
def beside_is_free(free3, s, wx, wy, wz):
    """Whether any cell is free that shares with `s` the face or the edge the segment runs in."""
    some = free3[s - wx] | free3[s - wy] | free3[s - wz] | free3[s - wx - wy - wz]
    return (some | free3[s - wx - wy] | free3[s - wx - wz] | free3[s - wy - wz]) & 2 != 0


@kernel
def ball_sees(lattice, x0, y0, z0, x1, y1, z1, reach):
    """Whether every blocked cell lies at least `reach` half cells from the segment.

    Cells are looked at slab by slab along the longest axis of the segment.
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
def clear_of_border(v0, v1, n, reach):
    """Whether both ends keep `reach` from the two faces of the world across this axis."""
    reach *= 1.0 - 1e-12
    return min(v0, v1) >= reach and max(v0, v1) <= 2 * n - reach


@kernel
def slabs_clear(free3, sa, sb, sc, na, nb, nc, a0, b0, c0, a1, b1, c1, reach):
    """`ball_sees` with the axes ordered so that the segment is longest along the first.

    What is in the way is mostly near the end that is given first: slabs are looked at from there.
    """
    # A tie between rationals must not be decided by the rounding of the radius.
    limit = reach * reach * (1.0 - 1e-12)
    pad = reach + 1e-6
    back = a1 < a0
    if back:  # the same arithmetic both ways
        a0, b0, c0, a1, b1, c1 = a1, b1, c1, a0, b0, c0
    da, db, dc = a1 - a0, b1 - b0, c1 - c0
    slope_b, slope_c = (db / da, dc / da) if da > 0 else (0.0, 0.0)
    i0, i1 = first_cell(a0 - pad), last_cell(a1 + pad, na)
    for slab in range(i1 - i0 + 1):
        i = i1 - slab if back else i0 + slab
        # the part of the segment that is near enough to this slab, and the box around that part
        begin, end = max(2 * i - pad - a0, 0.0), min(2 * i + 2 + pad - a0, float(da))
        b_begin, b_end = b0 + slope_b * begin, b0 + slope_b * end
        c_begin, c_end = c0 + slope_c * begin, c0 + slope_c * end
        b_low, b_high = min(b_begin, b_end), max(b_begin, b_end)
        c_low, c_high = min(c_begin, c_end), max(c_begin, c_end)
        j0, j1 = first_cell(b_low - pad), last_cell(b_high + pad, nb)
        k0, k1 = first_cell(c_low - pad), last_cell(c_high + pad, nc)
        low = (i + 1) * sa + (j0 + 1) * sb + (k0 + 1) * sc
        if cells_free(free3, low, sb, sc, j1 - j0 + 1, k1 - k0 + 1):
            continue
        for j in range(j0, j1 + 1):
            gap_b = max(2 * j - b_high, b_low - 2 * j - 2, 0.0)
            for k in range(k0, k1 + 1):
                if is_free(free3, low + (j - j0) * sb + (k - k0) * sc):
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
    """The lowest cell of the grid that reaches up to `v` half cells."""
    return max(int(v * 0.5), 0)


@kernel
def last_cell(v, n):
    """The highest cell of the grid that reaches down to `v` half cells."""
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
    """How far `v` lies outside the cell's interval [low, low + 2], with its sign."""
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


@kernel
def touching_sees(lattice, x0, y0, z0, x1, y1, z1):
    """`point_sees` from corner to corner, for any two points: the agent may touch solids.

    Between two crossings of cell faces the segment lies in one cell, in a face, or on an edge.
    """
    if not (
        clear_of_border(x0, x1, lattice.nx, -TOUCH)
        and clear_of_border(y0, y1, lattice.ny, -TOUCH)
        and (lattice.flat or clear_of_border(z0, z1, lattice.nz, -TOUCH))
    ):
        return False
    dx, dy, dz = x1 - x0, y1 - y0, z1 - z0
    t = 0.0
    while True:
        turn = min(
            next_face(x0, dx, t),
            next_face(y0, dy, t),
            next_face(z0, dz, t) if not lattice.flat else 1.0,
        )
        m = (t + turn) / 2
        x, wx = cell_on_way(x0 + m * dx, dx)
        y, wy = cell_on_way(y0 + m * dy, dy)
        z, wz = cell_on_way(z0 + m * dz, dz)
        s = (x + 1) * lattice.sx + (y + 1) * lattice.sy + z + 1
        wx, wy = wx * lattice.sx, wy * lattice.sy
        if not (is_free(lattice.free3, s) or beside_is_free(lattice.free3, s, wx, wy, wz)):
            return False
        if turn >= 1.0:
            return True
        t = turn


@kernel
def next_face(v, d, t):
    """When, after `t`, the segment crosses a face of a cell across this axis; 1 at the latest."""
    if abs(d) <= TOUCH:
        return 1.0
    here = (v + t * d) / 2
    plane = math.floor(here + 1e-9) + 1 if d > 0 else math.ceil(here - 1e-9) - 1
    return min((2 * plane - v) / d, 1.0)


@kernel
def cell_on_way(v, d):
    """The cell of a coordinate, and whether the segment runs in its low face (1) or not (0)."""
    nearest = math.floor(v / 2 + 0.5)
    if abs(d) <= TOUCH and abs(v - 2 * nearest) <= TOUCH:
        return nearest, 1
    return math.floor(v / 2), 0

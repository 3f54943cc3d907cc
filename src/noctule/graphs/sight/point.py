"""Line of sight through cells for a point: exact.

`centres_see` is for the centres of two cells, where a point keeps clear of solids, and
`corners_see` for two corners, where it may touch them; both compute in integers. `touching_sees` is
the latter for any two points, given in *half cells* (cell (x, y, z) spans 2x to 2x+2): then the
centres of cells and their corners are both whole numbers. The world outside the grid is solid.
"""

import math

from noctule.core.intrinsics import at
from noctule.core.jit import kernel


@kernel
def is_free(free3, cell):
    """Whether the cell itself is free: the middle bit of the three."""
    return free3[cell] & 2 != 0


@kernel
def centres_see(lattice, s, x0, y0, z0, x1, y1, z1):
    """Whether a point can fly straight from cell `s`, at (x0, y0, z0), to that at (x1, y1, z1)."""
    dx, dy, dz = x1 - x0, y1 - y0, z1 - z0
    nx, ny, nz = abs(dx), abs(dy), abs(dz)
    jx = lattice.sx if dx > 0 else -lattice.sx
    jy = lattice.sy if dy > 0 else -lattice.sy
    jz = 1 if dz > 0 else -1
    if ny >= nx and ny >= nz:
        nx, ny, jx, jy = ny, nx, jy, jx
    elif nz >= nx:
        nx, nz, jx, jz = nz, nx, jz, jx
    return slabs_free(lattice.free3, s, nx, ny, nz, jx, jy, jz)


@kernel
def slabs_free(free3, s, na, nb, nc, ja, jb, jc):
    """Whether the segment from cell `s` that leads `na` >= `nb`, `nc` cells along the axes is free.

    The segment is walked slab by slab along its longest axis, a. Within a slab it crosses at most
    one face across each of the other axes, b and c, so that it keeps to two by two cells. If all
    four are free, the order in which it passes them does not matter.

    A step along an axis changes the number of the cell by `ja`, `jb`, `jc`. The segment leaves slab
    i at time (2 i + 1) / (2 na), and crosses its face j across b at (2 j + 1) / (2 nb): before it
    leaves the slab if `late_b` is above zero, and just then, through an edge, if it is zero. The
    loop has no branches that go one way as often as the other.
    """
    late_b, late_c = nb - na, nc - na
    for slab in range(na + 1):
        crosses_b, crosses_c = -late_b >> 63, -late_c >> 63  # all bits set if it does, or none
        kb, kc = jb & crosses_b, jc & crosses_c
        there = s + kb + kc
        if free3[at(s)] & free3[at(s + kb)] & free3[at(s + kc)] & free3[at(there)] & 2 == 0:
            order = late_c * nb - late_b * nc  # below zero: the face across b comes first
            between = s + kb if order < 0 else s + kc
            both = crosses_b & crosses_c != 0 and order != 0
            if not both or free3[at(s)] & free3[at(between)] & free3[at(there)] & 2 == 0:
                return False
        s = there + ja
        late_b += 2 * (nb - (na & crosses_b))
        late_c += 2 * (nc - (na & crosses_c))
        through_b, through_c = late_b == 2 * nb, late_c == 2 * nc
        if (through_b or through_c) and slab < na:
            kb, kc = jb if through_b else 0, jc if through_c else 0
            if not box_is_free(free3, there, ja, kb, kc):
                return False
            s += kb + kc
            late_b -= 2 * na if through_b else 0
            late_c -= 2 * na if through_c else 0
    return True


@kernel
def box_is_free(free3, s, ja, jb, jc):
    """Whether all the cells of the box between `s` and `s + ja + jb + jc` are free."""
    every = free3[s + ja] & free3[s + jb] & free3[s + jc] & free3[s + ja + jb + jc]
    return every & free3[s + ja + jb] & free3[s + ja + jc] & free3[s + jb + jc] & 2 != 0


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
    # From the cell above the corner to the first cell that the segment crosses.
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
def clear_of_border(v0, v1, n, reach):
    """Whether both ends keep `reach` from the two faces of the world across this axis."""
    reach *= 1.0 - 1e-12
    return min(v0, v1) >= reach and max(v0, v1) <= 2 * n - reach


@kernel
def touching_sees(lattice, x0, y0, z0, x1, y1, z1):
    """`point_sees` from corner to corner, for any two points: the agent may touch solids.

    Between two crossings of cell faces the segment lies in one cell, in a face, or on an edge.
    """
    touch = lattice.touch
    if not (
        clear_of_border(x0, x1, lattice.nx, -touch)
        and clear_of_border(y0, y1, lattice.ny, -touch)
        and (lattice.flat or clear_of_border(z0, z1, lattice.nz, -touch))
    ):
        return False
    dx, dy, dz = x1 - x0, y1 - y0, z1 - z0
    t = 0.0
    while True:
        turn = min(
            next_face(x0, dx, t, touch),
            next_face(y0, dy, t, touch),
            next_face(z0, dz, t, touch) if not lattice.flat else 1.0,
        )
        m = (t + turn) / 2
        x, wx = cell_on_way(x0 + m * dx, dx, touch)
        y, wy = cell_on_way(y0 + m * dy, dy, touch)
        z, wz = cell_on_way(z0 + m * dz, dz, touch)
        s = (x + 1) * lattice.sx + (y + 1) * lattice.sy + z + 1
        wx, wy = wx * lattice.sx, wy * lattice.sy
        if not (is_free(lattice.free3, s) or beside_is_free(lattice.free3, s, wx, wy, wz)):
            return False
        if turn >= 1.0:
            return True
        t = turn


@kernel
def next_face(v, d, t, touch):
    """Return when, after `t`, the segment crosses a face across this axis; 1 at the latest."""
    if abs(d) <= touch:
        return 1.0
    here, near = (v + t * d) / 2, touch / 2
    plane = math.floor(here + near) + 1 if d > 0 else math.ceil(here - near) - 1
    return min((2 * plane - v) / d, 1.0)


@kernel
def cell_on_way(v, d, touch):
    """Return the cell of a coordinate, and 1 if the segment runs in its low face, else 0."""
    nearest = math.floor(v / 2 + 0.5)
    if abs(d) <= touch and abs(v - 2 * nearest) <= touch:
        return nearest, 1
    return math.floor(v / 2), 0

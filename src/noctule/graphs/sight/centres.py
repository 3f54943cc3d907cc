"""Line of sight for a point between the centres of two cells, in whole numbers.

The segment is walked slab by slab along its longest axis, a. Within a slab it crosses at most one
face across each of the other axes, b and c, so that it keeps to two by two cells. If all four are
free, it does not matter in which order it passes them.
"""

import numpy as np

from noctule.core.jit import kernel


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
        if at(free3, s) & at(free3, s + kb) & at(free3, s + kc) & at(free3, there) & 2 == 0:
            order = late_c * nb - late_b * nc  # below zero: the face across b comes first
            between = s + kb if order < 0 else s + kc
            both = crosses_b & crosses_c != 0 and order != 0
            if not both or at(free3, s) & at(free3, between) & at(free3, there) & 2 == 0:
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
def at(free3, cell):
    """The byte of a cell; an index that cannot be negative is faster."""
    return free3[np.uint64(cell)]


@kernel
def box_is_free(free3, s, ja, jb, jc):
    """Whether all the cells of the box between `s` and `s + ja + jb + jc` are free."""
    every = free3[s + ja] & free3[s + jb] & free3[s + jc] & free3[s + ja + jb + jc]
    return every & free3[s + ja + jb] & free3[s + ja + jc] & free3[s + jb + jc] & 2 != 0

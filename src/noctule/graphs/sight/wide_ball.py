"""Line of sight for a ball wider than a cell: exact, with few looks at cells.

Which centres have room for the ball is known. The *span* of eight neighbouring centres is the cube
between them. Along each axis, the distance from a solid cell grows or falls all the way from one
centre to the next. So if all eight have room, the ball is free everywhere in the span; and if it is
not, then because of cells that are too near to one of those without room, but to none of the
others: `Suspects`. Only these are looked at, if they may be too near to an octant of the span that
the segment meets.
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.core.intrinsics import at
from noctule.core.jit import kernel
from noctule.graphs.sight.ball import TIE, cells_free, first_cell, last_cell, too_near
from noctule.graphs.sight.point import clear_of_border, is_free

SLACK = 1e-6  # half cells; rounding must not hide a cell

# Centre (i, j, k) of a span, each 0 or 1, is bit 4 i + 2 j + k; those with a zero along each axis:
LOW_X, LOW_Y, LOW_Z, ALL = 0b00001111, 0b00110011, 0b01010101, 0b11111111
# An octant of a span has the bit of the centre in it.


class Suspects(NamedTuple):
    """The cells too near to some centres of a span, but not to all, grouped by these centres."""

    octants: np.ndarray  # for each set of centres: to which those too near to none of these may be
    since: np.ndarray  # for each set of centres, and the end of the last ..
    groups: np.ndarray  # .. the groups that are too near to none of these
    centres: np.ndarray  # of each group
    first: np.ndarray  # the first cell of each group, and the end of the last
    cell: np.ndarray  # number of the cell, less that of the lowest centre of the span
    step: np.ndarray  # the same along each axis


@kernel
def wide_ball_sees(graph, x0, y0, z0, x1, y1, z1, reach):
    """`ball_sees`, told which centres have room for a ball of this reach or a larger one.

    The segment is walked from centre to centre along its longest axis, from the end given first.
    """
    lattice = graph.lattice
    if not (
        clear_of_border(x0, x1, lattice.nx, reach)
        and clear_of_border(y0, y1, lattice.ny, reach)
        and (lattice.flat or clear_of_border(z0, z1, lattice.nz, reach))
    ):
        return False
    dx, dy, dz = abs(x1 - x0), abs(y1 - y0), abs(z1 - z0)
    sx, sy = lattice.sx, lattice.sy
    if dx >= dy and dx >= dz:
        return parts_clear(graph, 0, sx, sy, 1, x0, y0, z0, x1, y1, z1, reach)
    if dy >= dz:
        return parts_clear(graph, 1, sy, sx, 1, y0, x0, z0, y1, x1, z1, reach)
    return parts_clear(graph, 2, 1, sx, sy, z0, x0, y0, z1, x1, y1, reach)


@kernel
def parts_clear(graph, axis, sa, sb, sc, a0, b0, c0, a1, b1, c1, reach):
    """`wide_ball_sees` with the axes ordered so that the segment is longest along the first."""
    back = a1 < a0
    if back:  # the same arithmetic both ways
        a0, b0, c0, a1, b1, c1 = a1, b1, c1, a0, b0, c0
    da, db, dc = a1 - a0, b1 - b0, c1 - c0
    slope_b, slope_c = (db / da, dc / da) if da > 0 else (0.0, 0.0)
    limit = reach * reach * TIE
    # Layers of centres are numbered from the border of the array.
    first, last = int(0.5 * a0 + 0.5), math.ceil(0.5 * a1 + 0.5)
    i, step = (last, -1) if back else (first, 1)
    b, c = (
        0.5 * b0 + 0.5 + slope_b * (i - 0.5 * a0 - 0.5),
        0.5 * c0 + 0.5 + slope_c * (i - 0.5 * a0 - 0.5),
    )
    free3 = graph.lattice.free3
    room = layer_has_room(free3, sa, sb, sc, i, b, c, slope_b, slope_c)
    for _ in range(max(last - first, 1)):
        before = room
        i, b, c = i + step, b + step * slope_b, c + step * slope_c
        room = layer_has_room(free3, sa, sb, sc, i, b, c, slope_b, slope_c)
        if before and room:
            continue
        low, high = (i, i + 1) if back else (i - 1, i)
        begin, stop = max(2.0 * low - 1.0 - a0, 0.0), min(2.0 * high - 1.0 - a0, da)
        ea = a0 + begin, a0 + stop
        eb, ec = ends(b0, slope_b, begin, stop), ends(c0, slope_c, begin, stop)
        if axis == 0:
            clear = part_clear(graph, a0, b0, c0, da, db, dc, ea, eb, ec, limit)
        elif axis == 1:
            clear = part_clear(graph, b0, a0, c0, db, da, dc, eb, ea, ec, limit)
        else:
            clear = part_clear(graph, b0, c0, a0, db, dc, da, eb, ec, ea, limit)
        if not clear:
            return False
    return True


@kernel
def layer_has_room(free3, sa, sb, sc, i, b, c, slope_b, slope_c):
    """Whether all centres of layer `i` have room that are around the parts before and after it.

    The segment passes the layer at (b, c).
    """
    wide_b, wide_c = abs(slope_b), abs(slope_c)
    j0, j1 = int(b - wide_b), math.ceil(b + wide_b)
    k0, k1 = int(c - wide_c), math.ceil(c + wide_c)
    return cells_free(free3, i * sa + j0 * sb + k0 * sc, sb, sc, j1 - j0 + 1, k1 - k0 + 1)


@kernel
def ends(v, slope, begin, stop):
    """Return the lower and the higher end of a part of a segment, along one axis."""
    p, q = v + slope * begin, v + slope * stop
    return min(p, q), max(p, q)


@kernel
def part_clear(graph, x, y, z, dx, dy, dz, xs, ys, zs, limit):
    """Whether no blocked cell near a part of a segment, in this box, is too near to the segment."""
    lattice = graph.lattice
    i0, i1 = int(0.5 * xs[0] + 0.5), math.ceil(0.5 * xs[1] + 0.5)
    j0, j1 = int(0.5 * ys[0] + 0.5), math.ceil(0.5 * ys[1] + 0.5)
    k0, k1 = int(0.5 * zs[0] + 0.5), math.ceil(0.5 * zs[1] + 0.5)
    in_x = ALL if i1 > i0 else LOW_X
    in_y = ALL if j1 > j0 else LOW_Y
    in_z = ALL if k1 > k0 else LOW_Z
    within = in_x & in_y & in_z
    for i in range(i0, max(i1, i0 + 1)):
        for j in range(j0, max(j1, j0 + 1)):
            for k in range(k0, max(k1, k0 + 1)):
                low = i * lattice.sx + j * lattice.sy + k
                without = within & ~room_around(lattice, low)
                if without == 0:
                    continue
                if without == within:
                    return box_clear(graph, x, y, z, dx, dy, dz, xs, ys, zs, limit)
                if not suspects_clear(
                    graph, low, (i, j, k), within, without, x, y, z, dx, dy, dz, xs, ys, zs, limit
                ):
                    return False
    return True


@kernel
def room_around(lattice, low):
    """Return which centres of a span have room, given the lowest."""
    free3, sx, sy = lattice.free3, lattice.sx, lattice.sy
    room = np.int64(free3[at(low)]) >> 1 & 3
    room |= (np.int64(free3[at(low + sy)]) >> 1 & 3) << 2
    room |= (np.int64(free3[at(low + sx)]) >> 1 & 3) << 4
    return room | (np.int64(free3[at(low + sx + sy)]) >> 1 & 3) << 6


@kernel
def suspects_clear(graph, low, span, within, without, x, y, z, dx, dy, dz, xs, ys, zs, limit):
    """Whether all blocked cells that may be too near in a span are not.

    Of its centres, only those `within` matter; the ones `without` room are some of these.
    """
    suspects, solid3 = graph.suspects, graph.solid3
    room = within & ~without
    met = halves(xs, span[0], LOW_X) & halves(ys, span[1], LOW_Y) & halves(zs, span[2], LOW_Z)
    if suspects.octants[room] & met == 0:
        return True
    for g in range(suspects.since[room], suspects.since[room + 1]):
        group = suspects.groups[at(g)]
        if suspects.centres[at(group)] & without == 0:
            continue
        for n in range(suspects.first[group], suspects.first[group + 1]):
            if solid3[at(low + suspects.cell[at(n)])] & 2 == 0:
                lx = 2 * (span[0] + suspects.step[n, 0] - 1)
                ly = 2 * (span[1] + suspects.step[n, 1] - 1)
                lz = 2 * (span[2] + suspects.step[n, 2] - 1)
                gap_x, gap_y, gap_z = gap(xs, lx), gap(ys, ly), gap(zs, lz)
                if gap_x * gap_x + gap_y * gap_y + gap_z * gap_z < limit and too_near(
                    x, y, z, dx, dy, dz, lx, ly, lz, limit
                ):
                    return False
    return True


@kernel
def halves(part, i, low):
    """Return the octants of span `i` that a part of a segment meets, along one axis."""
    middle = 2 * i
    if part[1] <= middle:
        return low
    return ALL if part[0] < middle else ALL & ~low


@kernel
def gap(part, low):
    """Return the distance of a part of a segment from a cell, along one axis."""
    return max(low - part[1], part[0] - low - 2, 0.0)


@kernel
def box_clear(graph, x, y, z, dx, dy, dz, xs, ys, zs, limit):
    """Whether no blocked cell near a box, that of a part of a segment, is too near to it."""
    lattice, solid3 = graph.lattice, graph.solid3
    pad = math.sqrt(limit) + SLACK
    for i in range(first_cell(xs[0] - pad), last_cell(xs[1] + pad, lattice.nx) + 1):
        gap_x = gap(xs, 2 * i)
        for j in range(first_cell(ys[0] - pad), last_cell(ys[1] + pad, lattice.ny) + 1):
            gap_y = gap(ys, 2 * j)
            left = limit - gap_x * gap_x - gap_y * gap_y
            if left <= 0.0:
                continue
            far = math.sqrt(left) + SLACK
            k, last = first_cell(zs[0] - far), last_cell(zs[1] + far, lattice.nz)
            row = (i + 1) * lattice.sx + (j + 1) * lattice.sy + 1
            while k <= last:
                if solid3[at(row + k + 1)] == 7:  # three free cells
                    k += 3
                    continue
                if not is_free(solid3, row + k) and too_near(
                    x, y, z, dx, dy, dz, 2 * i, 2 * j, 2 * k, limit
                ):
                    return False
                k += 1
    return True

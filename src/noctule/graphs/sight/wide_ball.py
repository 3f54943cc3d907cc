"""Line of sight for a ball wider than a cell: fast where there is room, exact everywhere.

Between eight centres with room for the ball there is room for it everywhere: along each axis, the
distance from a cell grows or falls all the way from one centre to the next. So where all centres
around a part of a segment have room, that part is free; only elsewhere cells are looked at.
"""

import math

from noctule.core.intrinsics import at
from noctule.core.jit import kernel
from noctule.graphs.sight.ball import TIE, cells_free, first_cell, last_cell, too_near
from noctule.graphs.sight.point import clear_of_border, is_free

SLACK = 1e-6  # half cells; rounding must not hide a cell


@kernel
def wide_ball_sees(graph, x0, y0, z0, x1, y1, z1, reach):
    """`ball_sees`, told which cells have room for a ball of this reach or a larger one.

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
    axis = 0 if dx >= dy and dx >= dz else 1 if dy >= dz else 2
    back = (x1 < x0) if axis == 0 else (y1 < y0) if axis == 1 else (z1 < z0)
    if back:  # the same arithmetic both ways
        x0, y0, z0, x1, y1, z1 = x1, y1, z1, x0, y0, z0
    dx, dy, dz = x1 - x0, y1 - y0, z1 - z0
    # in cells, from the first centre of the array, which is outside the world
    x, y, z = 0.5 * x0 + 0.5, 0.5 * y0 + 0.5, 0.5 * z0 + 0.5
    sx, sy = lattice.sx, lattice.sy
    if axis == 0:
        a, b, c, da, db, dc, sa, sb, sc = x, y, z, dx, dy, dz, sx, sy, 1
    elif axis == 1:
        a, b, c, da, db, dc, sa, sb, sc = y, x, z, dy, dx, dz, sy, sx, 1
    else:
        a, b, c, da, db, dc, sa, sb, sc = z, x, y, dz, dx, dy, 1, sx, sy
    slope_b, slope_c = (db / da, dc / da) if da > 0 else (0.0, 0.0)
    limit = reach * reach * TIE
    end = a + 0.5 * da
    first = int(a)
    parts = max(math.ceil(end) - first, 1)
    for part in range(parts):
        i = first + (parts - 1 - part if back else part)
        begin, stop = max(a, i), min(end, i + 1)
        if not has_room(
            lattice.free3, sa, sb, sc, begin, stop, b, c, slope_b, slope_c, a
        ) and not part_clear(
            graph.solid3, lattice, x0, y0, z0, dx, dy, dz, begin - a, stop - a, da, limit
        ):
            return False
    return True


@kernel
def has_room(room, sa, sb, sc, begin, stop, b, c, slope_b, slope_c, a):
    """Whether there is room at all centres around a part, at most a cell long, of a segment."""
    b0, b1 = b + slope_b * (begin - a), b + slope_b * (stop - a)
    c0, c1 = c + slope_c * (begin - a), c + slope_c * (stop - a)
    j0, j1 = int(min(b0, b1)), math.ceil(max(b0, b1))
    k0, k1 = int(min(c0, c1)), math.ceil(max(c0, c1))
    low = int(begin) * sa + j0 * sb + k0 * sc
    if not cells_free(room, low, sb, sc, j1 - j0 + 1, k1 - k0 + 1):
        return False
    return math.ceil(stop) == int(begin) or cells_free(
        room, low + sa, sb, sc, j1 - j0 + 1, k1 - k0 + 1
    )


@kernel
def part_clear(solid3, lattice, x0, y0, z0, dx, dy, dz, begin, stop, da, limit):
    """Whether all blocked cells around a part of a segment are far enough from the segment."""
    t0, t1 = (2.0 * begin / da, 2.0 * stop / da) if da > 0 else (0.0, 0.0)
    x_low, x_high = min(x0 + t0 * dx, x0 + t1 * dx), max(x0 + t0 * dx, x0 + t1 * dx)
    y_low, y_high = min(y0 + t0 * dy, y0 + t1 * dy), max(y0 + t0 * dy, y0 + t1 * dy)
    z_low, z_high = min(z0 + t0 * dz, z0 + t1 * dz), max(z0 + t0 * dz, z0 + t1 * dz)
    pad = math.sqrt(limit) + SLACK
    for i in range(first_cell(x_low - pad), last_cell(x_high + pad, lattice.nx) + 1):
        gap_x = max(2 * i - x_high, x_low - 2 * i - 2, 0.0)
        for j in range(first_cell(y_low - pad), last_cell(y_high + pad, lattice.ny) + 1):
            gap_y = max(2 * j - y_high, y_low - 2 * j - 2, 0.0)
            left = limit - gap_x * gap_x - gap_y * gap_y
            if left <= 0.0:
                continue
            far = math.sqrt(left) + SLACK
            k, last = first_cell(z_low - far), last_cell(z_high + far, lattice.nz)
            row = (i + 1) * lattice.sx + (j + 1) * lattice.sy + 1
            while k <= last:
                if solid3[at(row + k + 1)] == 7:  # three free cells
                    k += 3
                    continue
                if not is_free(solid3, row + k) and too_near(
                    x0, y0, z0, dx, dy, dz, 2 * i, 2 * j, 2 * k, limit
                ):
                    return False
                k += 1
    return True

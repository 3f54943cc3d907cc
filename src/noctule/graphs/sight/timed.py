"""Line of sight in time: a cell blocks only while it is busy when the ball passes it.

Time is in bins from the start of a timetable (see `worlds.occupancy.timetable`); lengths are in
half cells, as in `point`.
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.core.intrinsics import highest_bit, lowest_bit
from noctule.core.jit import INF, kernel
from noctule.graphs.sight.ball import first_cell, last_cell, too_near
from noctule.graphs.sight.point import clear_of_border, is_free

LAST_BIN = 62
SAME = 1e-9  # in bins; moments so near to each other are one
WALL = -1  # result of `busy_along` where a wall is too near


class TimeWindow(NamedTuple):
    """When cells are busy, and the speed of the agent."""

    word: np.ndarray  # of each cell: bit k is set while it is busy in bin k
    mask: int  # the bins that count: from the start of the plan to the end of its window
    margin: float  # bins that a cell must be free before and after it is used
    bins_per_cell: float  # bins that it takes to fly the length of a cell


@kernel
def bits_between(a, b):
    """Return the bins that overlap the time from `a` to `b`."""
    first = math.floor(min(max(a + SAME, 0.0), LAST_BIN))
    end = math.ceil(min(max(b - SAME, first + 1.0), LAST_BIN))
    return (1 << max(first, end)) - (1 << first)


@kernel
def free_until(word, t):
    """Return the end of the gap between set bits that contains `t`; -1 if its bit is set."""
    first = math.floor(min(max(t + SAME, 0.0), LAST_BIN))
    rest = word >> first
    if rest == 0:
        return INF
    gap = lowest_bit(rest)
    return -1.0 if gap == 0 else float(first + gap)


@kernel
def busy_along(lattice, hours, p, q, leave, lasts, spare):
    """Return the bins in which cells within the agent's reach of a segment are busy as it passes.

    `p` and `q` are in half cells; the agent leaves at `leave`, and its flight `lasts` so many bins.
    A cell must be free `spare` bins longer. `WALL` where a wall is too near. Also return how much
    later the agent must leave at least: any earlier departure is blocked as well.
    """
    reach = max(lattice.reach - lattice.touch, lattice.touch)
    if not (
        clear_of_border(p[0], q[0], lattice.nx, reach)
        and clear_of_border(p[1], q[1], lattice.ny, reach)
        and clear_of_border(p[2], q[2], lattice.nz, reach)
    ):
        return WALL, INF
    dx, dy, dz = abs(q[0] - p[0]), abs(q[1] - p[1]), abs(q[2] - p[2])
    stride, size = (lattice.sx, lattice.sy, 1), (lattice.nx, lattice.ny, lattice.nz)
    if dy > dx and dy >= dz:
        p, q = (p[1], p[0], p[2]), (q[1], q[0], q[2])
        stride, size = (lattice.sy, lattice.sx, 1), (lattice.ny, lattice.nx, lattice.nz)
    elif dz > dx:
        p, q = (p[2], p[0], p[1]), (q[2], q[0], q[1])
        stride, size = (1, lattice.sx, lattice.sy), (lattice.nz, lattice.nx, lattice.ny)
    return along_slabs(lattice.free3, hours, stride, size, p, q, (leave, lasts, spare, reach))


@kernel
def along_slabs(free3, hours, stride, size, p, q, time):
    """`busy_along` with the axes ordered so that the segment is longest along the first."""
    leave, lasts, spare, reach = time
    limit = reach * reach * (1.0 - 1e-12)
    pad = reach + 1e-6
    da, db, dc = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    busy, later = 0, 0.0
    low, high = min(p[0], q[0]), max(p[0], q[0])
    for i in range(first_cell(low - pad), last_cell(high + pad, size[0]) + 1):
        t0, t1 = part_within(p[0], da, 2 * i, pad)  # the part that is near enough to this slab
        t0, t1 = min(max(t0, 0.0), 1.0), min(max(t1, 0.0), 1.0)
        b0, b1 = p[1] + t0 * db, p[1] + t1 * db
        c0, c1 = p[2] + t0 * dc, p[2] + t1 * dc
        for j in range(first_cell(min(b0, b1) - pad), last_cell(max(b0, b1) + pad, size[1]) + 1):
            for k in range(
                first_cell(min(c0, c1) - pad), last_cell(max(c0, c1) + pad, size[2]) + 1
            ):
                cell = (i + 1) * stride[0] + (j + 1) * stride[1] + (k + 1) * stride[2]
                wall = not is_free(free3, cell)
                word = hours.word[cell] & hours.mask
                if not wall and word & ~busy == 0:
                    continue
                if not too_near(p[0], p[1], p[2], da, db, dc, 2 * i, 2 * j, 2 * k, limit):
                    continue
                if wall:
                    return WALL, INF
                t0, t1 = part_near(p, (da, db, dc), (2 * i, 2 * j, 2 * k), pad)
                there, gone = leave + t0 * lasts, leave + t1 * lasts
                word &= bits_between(there - spare, gone + spare)
                if word != 0:
                    busy |= word
                    later = max(later, highest_bit(word) + 1 + spare - there)
    return busy, later


@kernel
def part_near(p, d, low, pad):
    """Return the part of a segment that is near a cell with this low corner."""
    first, last = 0.0, 1.0
    for axis in range(3):
        t0, t1 = part_within(p[axis], d[axis], low[axis], pad)
        first, last = max(first, t0), min(last, t1)
    return first, max(first, last)


@kernel
def part_within(v, d, low, pad):
    """Return the part of a segment, along one axis, that is at most `pad` from a cell."""
    if d == 0:
        return 0.0, 1.0
    t0, t1 = (low - pad - v) / d, (low + 2 + pad - v) / d
    return min(t0, t1), max(t0, t1)


@kernel
def flight_time(hours, p, q):
    """Return the flight time between two places (in half cells), in bins."""
    return (
        0.5
        * hours.bins_per_cell
        * math.sqrt((q[0] - p[0]) ** 2 + (q[1] - p[1]) ** 2 + (q[2] - p[2]) ** 2)
    )


@kernel
def sees_in_time(lattice, hours, x0, y0, z0, x1, y1, z1, leave):
    """Whether the agent can fly straight from one place, which it leaves then, to another."""
    p, q = (x0, y0, z0), (x1, y1, z1)
    busy, _ = busy_along(lattice, hours, p, q, leave, flight_time(hours, p, q), hours.margin)
    return busy == 0


@kernel
def can_stay(lattice, hours, p, since, until):
    """Whether the agent can stay at `p` between two times."""
    busy, _ = busy_along(lattice, hours, p, p, since, until - since, hours.margin)
    return busy == 0


@kernel
def ever_busy_along(lattice, hours, p, q):
    """Return the bins in which any cell along a segment is busy, or `WALL`."""
    busy, _ = busy_along(lattice, hours, p, q, 0.0, 0.0, INF)
    return busy


@kernel
def first_departure(lattice, hours, p, q, t, limit):
    """Return the first time from `t` to `limit` to leave `p` for `q`; infinite if there is none."""
    lasts = flight_time(hours, p, q)
    while t <= limit and t < INF:
        busy, later = busy_along(lattice, hours, p, q, t, lasts, hours.margin)
        if busy == 0:
            return t
        t += later
    return INF

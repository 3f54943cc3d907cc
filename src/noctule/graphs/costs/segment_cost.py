"""The cost of a straight segment through cells: the integral of their cost along it.

The segment is cut where it crosses faces of cells. Where a piece runs inside a face or along an
edge, the lowest cost of the free cells around it counts. A segment is always walked from its
lexicographically lower end, so that both directions give the same number to the last bit. Times of
crossings are single divisions: those of an edge or a corner are equal to the last bit, too.
"""

import math

from noctule.core.intrinsics import at
from noctule.core.jit import INF, kernel, kernel_short


@kernel
def integral(lattice, cost, x0, y0, z0, x1, y1, z1):
    """Return the cost of the segment between two places, given in cells."""
    if x1 < x0 or (x1 == x0 and (y1 < y0 or (y1 == y0 and z1 < z0))):
        x0, y0, z0, x1, y1, z1 = x1, y1, z1, x0, y0, z0
    dx, dy, dz = x1 - x0, y1 - y0, z1 - z0
    i, plane_x, step_x, on_x = first_cell(x0, dx)
    j, plane_y, step_y, on_y = first_cell(y0, dy)
    k, plane_z, step_z, on_z = first_cell(z0, dz)
    jx, jy, jz = jumps(lattice)
    c = (i + 1) * jx + (j + 1) * jy + (k + 1) * jz
    ox, oy, oz = (jx if on_x else 0), (jy if on_y else 0), (jz if on_z else 0)
    shared = ox + oy + oz > 0
    tx = (plane_x - x0) / dx if step_x != 0 else INF
    ty = (plane_y - y0) / dy if step_y != 0 else INF
    tz = (plane_z - z0) / dz if step_z != 0 else INF
    total, t = 0.0, 0.0
    while True:
        after = min(tx, ty, tz, 1.0)
        if after > t:
            if shared:
                total += (after - t) * lowest_cost(lattice, cost, c, ox, oy, oz)
            else:
                total += (after - t) * float(cost[at(c)])
            t = after
        if after == 1.0:
            break
        if tx == after:
            c += step_x * jx
            plane_x += step_x
            tx = (plane_x - x0) / dx
        if ty == after:
            c += step_y * jy
            plane_y += step_y
            ty = (plane_y - y0) / dy
        if tz == after:
            c += step_z * jz
            plane_z += step_z
            tz = (plane_z - z0) / dz
    return total * math.sqrt(dx * dx + dy * dy + dz * dz)


@kernel
def first_cell(a, d):
    """Return how a segment with coordinate `a` and difference `d` begins along one axis.

    That is its first cell, the first plane that it crosses, the direction, and whether it stays in
    a plane between two cells: the one returned and the one below.
    """
    if d > 0.0:
        i = math.floor(a)
        return i, float(i + 1), 1, False
    if d < 0.0:
        i = math.ceil(a) - 1
        return i, float(i), -1, False
    i = math.floor(a)
    return i, 0.0, 0, a == i


@kernel
def jumps(lattice):
    """Return by how much the place in the array of costs changes along each axis.

    The costs of a world in the plane have no axis z.
    """
    if lattice.flat:
        return lattice.ny + 2, 1, 0
    return lattice.sx, lattice.sy, 1


@kernel
def cost_place(lattice, s):
    """Return the place of the cost of cell `s` in the array of costs."""
    return s // 3 if lattice.flat else s


@kernel
def lowest_cost(lattice, cost, c, ox, oy, oz):
    """Return the lowest cost of the free cells around a piece of a segment.

    These are the cell at place `c` and those below it by `ox`, `oy` and `oz`, where not zero. If
    none is free, it is the lowest cost of all.
    """
    best, lowest = INF, INF
    for i in range(2 if ox > 0 else 1):
        for j in range(2 if oy > 0 else 1):
            for k in range(2 if oz > 0 else 1):
                n = c - i * ox - j * oy - k * oz
                value = float(cost[at(n)])
                lowest = min(lowest, value)
                if lattice.free3[at(3 * n + 1 if lattice.flat else n)] & 2 != 0:
                    best = min(best, value)
    return best if best < INF else lowest


@kernel_short
def costs_from(lattice, cost, x, y, z, places, costs):
    """Write the costs of the segments from a place to others."""
    for i in range(len(places)):
        costs[i] = integral(lattice, cost, x, y, z, places[i, 0], places[i, 1], places[i, 2])


@kernel_short
def polyline_cost(lattice, cost, places):
    """Return the cost of a polyline through places."""
    total = 0.0
    for i in range(1, len(places)):
        p, q = places[i - 1], places[i]
        total += integral(lattice, cost, p[0], p[1], p[2], q[0], q[1], q[2])
    return total

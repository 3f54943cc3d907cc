"""Extract the path of Field D*: from point to point on the sides of cells, down to the goal.

A point on the border of cells goes on to that point of another side of one of these cells from
which the rest costs least. The cost of the rest is not the interpolated one: with one step of
look-ahead it is that of the best way on from there (Ferguson and Stentz 2006, section 4). It has to
fall from point to point; where it does not, the path goes on to the best corner instead.
"""

import math
from typing import NamedTuple

from noctule.algorithms.field.field_d_star import cost_of_cell, g_of
from noctule.algorithms.field.interpolation import point_on_side
from noctule.core.jit import INF, kernel
from noctule.graphs.grid.lattice import coordinates
from noctule.graphs.protocol import estimate

SQRT2 = math.sqrt(2.0)


class Values(NamedTuple):
    """The cost to go at nodes, as kernels see it."""

    query: object
    graph: object
    search: object
    limit: float  # nodes with keys beyond it are not known


@kernel
def value_at(values, x, y, z):
    """Return the cost to go from a corner; infinity if the search has not settled it."""
    graph, search, query = values.graph, values.search, values.query
    lattice = graph.lattice
    s = (x + 1) * lattice.sx + (y + 1) * lattice.sy + z + 1
    g = g_of(search, s)
    if g == INF or g != search.rhs[s]:
        return INF
    key = g + math.floor(query.weight * estimate(graph, query.heuristic, s, query.target.node))
    return g if key <= values.limit else INF


@kernel
def cells_along(v):
    """Return the first of the cells along one axis that contain a coordinate, and their number."""
    low = math.floor(v)
    return (low - 1, 2) if v == low else (low, 1)


@kernel
def ways_on(values, x, y, z):
    """Yield cost of the step, cost to go, and place of the best point of each side around."""
    lattice = values.graph.lattice
    i0, ni = cells_along(x)
    j0, nj = cells_along(y)
    k0, nk = (0, 1) if lattice.flat else cells_along(z)
    for i in range(max(i0, 0), min(i0 + ni, lattice.nx)):
        for j in range(max(j0, 0), min(j0 + nj, lattice.ny)):
            for k in range(max(k0, 0), min(k0 + nk, lattice.nz)):
                cell = (i + 1) * lattice.sx + (j + 1) * lattice.sy + k + 1
                c = cost_of_cell(values.graph, cell)
                if c == INF:
                    continue
                for side in range(4 if lattice.flat else 6):
                    axis, plane = side >> 1, side & 1
                    at = (i, j, k)[axis] + plane
                    if (x, y, z)[axis] == at:
                        continue
                    step, rest, px, py, pz = best_point(values, c, x, y, z, i, j, k, axis, at)
                    if step + rest < INF:
                        yield step, rest, px, py, pz


@kernel
def best_point(values, c, x, y, z, i, j, k, axis, at):
    """Return the best point of one side of cell (i, j, k), which lies at `at` along an axis."""
    if values.graph.lattice.flat:
        if axis == 0:
            g1, g2 = value_at(values, at, j, 0), value_at(values, at, j + 1, 0)
            t, rest = point_on_side(c, abs(at - x), y - j, 1.0, g1, g2)
            px, py = float(at), j + t
        else:
            g1, g2 = value_at(values, i, at, 0), value_at(values, i + 1, at, 0)
            t, rest = point_on_side(c, abs(at - y), x - i, 1.0, g1, g2)
            px, py = i + t, float(at)
        return c * math.sqrt((px - x) ** 2 + (py - y) ** 2), rest, px, py, z
    if axis == 0:
        g00, g10 = value_at(values, at, j, k), value_at(values, at, j + 1, k)
        g01, g11 = value_at(values, at, j, k + 1), value_at(values, at, j + 1, k + 1)
        step, rest, u, v = point_on_face(c, abs(at - x), y - j, z - k, g00, g10, g01, g11)
        return step, rest, float(at), j + u, k + v
    if axis == 1:
        g00, g10 = value_at(values, i, at, k), value_at(values, i + 1, at, k)
        g01, g11 = value_at(values, i, at, k + 1), value_at(values, i + 1, at, k + 1)
        step, rest, u, v = point_on_face(c, abs(at - y), x - i, z - k, g00, g10, g01, g11)
        return step, rest, i + u, float(at), k + v
    g00, g10 = value_at(values, i, j, at), value_at(values, i + 1, j, at)
    g01, g11 = value_at(values, i, j + 1, at), value_at(values, i + 1, j + 1, at)
    step, rest, u, v = point_on_face(c, abs(at - z), x - i, y - j, g00, g10, g01, g11)
    return step, rest, i + u, j + v, float(at)


@kernel
def point_on_face(c, d, u0, v0, g00, g10, g01, g11):
    """Return step, rest and place of the best point of a face at distance `d`, above (u0, v0)."""
    best, rest, u, v = INF, INF, 0.0, 0.0
    for side in range(5):
        if side == 0:
            t, r = point_on_side(c, math.sqrt(d * d + v0 * v0), u0, 1.0, g00, g10)
            p, q = t, 0.0
        elif side == 1:
            t, r = point_on_side(c, math.sqrt(d * d + (1.0 - v0) ** 2), u0, 1.0, g01, g11)
            p, q = t, 1.0
        elif side == 2:
            t, r = point_on_side(c, math.sqrt(d * d + u0 * u0), v0, 1.0, g00, g01)
            p, q = 0.0, t
        elif side == 3:
            t, r = point_on_side(c, math.sqrt(d * d + (1.0 - u0) ** 2), v0, 1.0, g10, g11)
            p, q = 1.0, t
        else:
            apart = math.sqrt(d * d + 0.5 * (u0 - v0) ** 2)
            t, r = point_on_side(c, apart, (u0 + v0) / SQRT2, SQRT2, g00, g11)
            p = q = min(t / SQRT2, 1.0)
        step = c * math.sqrt(d * d + (p - u0) ** 2 + (q - v0) ** 2)
        if step + r < best:
            best, rest, u, v = step + r, r, p, q
    for lower_half in range(2):
        if lower_half:
            alpha, beta = g10 - g00, g11 - g10
        else:
            alpha, beta = g11 - g01, g01 - g00
        square = c * c - alpha * alpha - beta * beta
        if square > 0.0:
            r = d / math.sqrt(square)
            p, q = u0 - alpha * r, v0 - beta * r
            inside = 0.0 < q < p < 1.0 if lower_half else 0.0 < p < q < 1.0
            if inside:
                step = c * math.sqrt(d * d + (p - u0) ** 2 + (q - v0) ** 2)
                r = g00 + alpha * p + beta * q
                if step + r < best:
                    best, rest, u, v = step + r, r, p, q
    return (best - rest if best < INF else INF), rest, u, v


@kernel
def rest_from(values, goal, x, y, z):
    """Return the cost to go from a point by the best way on: one step of look-ahead."""
    if x == goal[0] and y == goal[1] and z == goal[2]:
        return value_at(values, int(x), int(y), int(z))
    best = INF
    for step, rest, _, _, _ in ways_on(values, x, y, z):
        best = min(best, step + rest)
    return best


@kernel
def best_corner(values, x, y, z, left):
    """Return the cost to go, and the place, of the corner around from which least is left to pay.

    It has to be less than `left`. Of the corners of a side some cost less than any of its points,
    so there is one.
    """
    lattice = values.graph.lattice
    best, rest, bx, by, bz = INF, INF, x, y, z
    i0, ni = cells_along(x)
    j0, nj = cells_along(y)
    k0, nk = (0, 1) if lattice.flat else cells_along(z)
    for i in range(max(i0, 0), min(i0 + ni, lattice.nx)):
        for j in range(max(j0, 0), min(j0 + nj, lattice.ny)):
            for k in range(max(k0, 0), min(k0 + nk, lattice.nz)):
                cell = (i + 1) * lattice.sx + (j + 1) * lattice.sy + k + 1
                c = cost_of_cell(values.graph, cell)
                for corner in range(4 if lattice.flat else 8):
                    u, v, w = i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2)
                    g = value_at(values, u, v, w)
                    if c == INF or g >= left:
                        continue
                    step = c * math.sqrt((u - x) ** 2 + (v - y) ** 2 + (w - z) ** 2)
                    if step + g < best:
                        best, rest, bx, by, bz = step + g, g, float(u), float(v), float(w)
    return rest, bx, by, bz


@kernel
def trace_field(query, graph, search, looks_ahead, points):
    """Write the path from the target of the search to its root; return the number of points.

    It is 0 if there is no path, and larger than `points` if there is no room for it. Without
    look-ahead it goes from corner to corner.
    """
    lattice, start, root = graph.lattice, query.target.node, search.stats[0].root
    limit = search.rhs[start] + query.target.slack + query.target.costs[0]
    values = Values(query, graph, search, limit)
    end = coordinates(lattice, root)
    goal = float(end[0]), float(end[1]), 0.0 if lattice.flat else float(end[2])
    i, j, k = coordinates(lattice, start)
    x, y, z = float(i), float(j), 0.0 if lattice.flat else float(k)
    n, left = 0, INF
    while True:
        if n == len(points):
            return n + 1
        points[n, 0], points[n, 1], points[n, 2] = x, y, z
        n += 1
        if x == goal[0] and y == goal[1] and z == goal[2]:
            return n
        best, best_rest, bx, by, bz = INF, INF, x, y, z
        if looks_ahead:
            for step, _, px, py, pz in ways_on(values, x, y, z):
                ahead = rest_from(values, goal, px, py, pz)
                if step + ahead < best:
                    best, best_rest, bx, by, bz = step + ahead, ahead, px, py, pz
        if best_rest < left:
            x, y, z, left = bx, by, bz, best_rest
        else:
            left, x, y, z = best_corner(values, x, y, z, left)
            if left == INF:
                return 0

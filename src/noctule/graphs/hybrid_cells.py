"""The hybrid graph as kernels see it: some cells of a grid, with short and long edges.

Between used cells that touch there is a step wherever the box of cells around it is free now.
Long edges lead past cells that are never blocked, so they are free for ever; they go both ways.
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.graphs.cells import (
    Lattice,
    ball_between,
    coordinates,
    free_cube,
    legal_moves,
    point_between,
    straight_distance,
)
from noctule.graphs.heuristics import lattice_estimate
from noctule.graphs.protocol import (
    distance,
    estimate,
    line_of_sight,
    neighbours,
    segment_is_free,
)
from noctule.graphs.sight import TOUCH, ball_sees
from noctule.kernels import kernel, lowest_bit


class HybridCells(NamedTuple):
    """Used cells of a grid, and the long edges between them."""

    lattice: Lattice
    used: np.ndarray  # by number: 0 or what the cell is used for
    first: np.ndarray  # long edges of node s: from first[s] to first[s + 1]
    target: np.ndarray
    length: np.ndarray
    strays: np.ndarray  # how many cells are blocked where no body was expected


@neighbours.register
def _(graph: HybridCells, s):
    moves = legal_moves(graph.lattice, free_cube(graph.lattice, s))
    while moves != 0:
        k = lowest_bit(moves)
        moves &= moves - 1
        t = s + graph.lattice.offset[k]
        if graph.used[t]:
            yield t, graph.lattice.length[k]
    for e in range(graph.first[s], graph.first[s + 1]):
        if graph.strays[0] == 0 or line_of_sight(graph, s, graph.target[e]):
            yield graph.target[e], graph.length[e]


@distance.register
def _(graph: HybridCells, s, t):
    return straight_distance(graph.lattice, s, t)


@estimate.register
def _(graph: HybridCells, heuristic, s, t):
    x0, y0, z0 = coordinates(graph.lattice, s)
    x1, y1, z1 = coordinates(graph.lattice, t)
    return lattice_estimate(heuristic, x1 - x0, y1 - y0, z1 - z0)


@line_of_sight.register
def _(graph: HybridCells, s, t):
    if graph.lattice.reach > 0.0:
        return ball_between(graph.lattice, s, t)
    return point_between(graph.lattice, s, t)


@segment_is_free.register
def _(graph: HybridCells, x0, y0, z0, x1, y1, z1):
    reach = max(graph.lattice.reach - TOUCH, TOUCH)
    return ball_sees(graph.lattice, 2 * x0, 2 * y0, 2 * z0, 2 * x1, 2 * y1, 2 * z1, reach)


@kernel
def visible_used(graph, x, y, z, reach, nodes, distances):
    """Write the used nodes up to `reach` cells from a place (in cells) that it sees; how many."""
    lattice = graph.lattice
    n = 0
    i0, j0, k0 = int(x), int(y), int(z)
    for i in range(max(i0 - reach, 0), min(i0 + reach + 1, lattice.nx)):
        for j in range(max(j0 - reach, 0), min(j0 + reach + 1, lattice.ny)):
            for k in range(max(k0 - reach, 0), min(k0 + reach + 1, lattice.nz)):
                s = (i + 1) * lattice.sx + (j + 1) * lattice.sy + k + 1
                if not graph.used[s] or not lattice.free3[s] & 2:
                    continue
                u, v, w = i + 0.5, j + 0.5, k + 0.5
                if segment_is_free(graph, x, y, z, u, v, w):
                    nodes[n] = s
                    distances[n] = math.sqrt((u - x) ** 2 + (v - y) ** 2 + (w - z) ** 2)
                    n += 1
    return n


# ---------------------------------------------------------------------- baking


@kernel
def first_along(blocked, used, x, y, z, dx, dy, dz):
    """The first used cell from a cell on in one direction: its steps, or -1 and steps to a wall."""
    nx, ny, nz = used.shape
    steps = 0
    while True:
        steps += 1
        x, y, z = x + dx, y + dy, z + dz
        inside = 0 <= x < nx and 0 <= y < ny and 0 <= z < nz
        if not inside or blocked[x, y, z]:
            return -1, steps
        if used[x, y, z]:
            return steps, steps


@kernel
def first_across(blocked, used, x, y, z, dx, dy, dz, across):
    """The first used cell found by stepping along one axis and looking along another.

    The direction has two parts; `across` is the axis to look along. Returns the cell, x = -1 for
    none. A cell whose first step across meets a wall ends the search: the wall hides what is
    farther on.
    """
    ax, ay, az = (dx, 0, 0) if across == 0 else (0, dy, 0) if across == 1 else (0, 0, dz)
    px, py, pz = dx - ax, dy - ay, dz - az
    nx, ny, nz = used.shape
    while True:
        x, y, z = x + px, y + py, z + pz
        inside = 0 <= x < nx and 0 <= y < ny and 0 <= z < nz
        if not inside or blocked[x, y, z]:
            return -1, -1, -1
        found, steps = first_along(blocked, used, x, y, z, ax, ay, az)
        if found > 0:
            return x + found * ax, y + found * ay, z + found * az
        if steps <= 1:
            return -1, -1, -1


@kernel
def first_in_space(blocked, used, x, y, z, dx, dy, dz):
    """The same for a direction with three parts: step along x, then look along y and z."""
    while True:
        x += dx
        if not 0 <= x < used.shape[0] or blocked[x, y, z]:
            return -1, -1, -1
        fx, fy, fz = first_across(blocked, used, x, y, z, 0, dy, dz, 2)
        if fx >= 0:
            return fx, fy, fz


@kernel
def first_used(blocked, used, x, y, z, dx, dy, dz):
    """The first used cell from (x, y, z) in one of the 26 directions; x = -1 for none."""
    parts = abs(dx) + abs(dy) + abs(dz)
    if parts == 1:
        found, _ = first_along(blocked, used, x, y, z, dx, dy, dz)
        if found < 0:
            return -1, -1, -1
        return x + found * dx, y + found * dy, z + found * dz
    nx, ny, nz = used.shape
    for k in range(3):  # the cells beside must be free
        a = x + (dx if k == 0 else 0)
        b = y + (dy if k == 1 else 0)
        c = z + (dz if k == 2 else 0)
        inside = 0 <= a < nx and 0 <= b < ny and 0 <= c < nz
        if not inside or blocked[a, b, c]:
            return -1, -1, -1
    if parts == 2:
        return first_across(blocked, used, x, y, z, dx, dy, dz, 2 if dz != 0 else 1)
    return first_in_space(blocked, used, x, y, z, dx, dy, dz)


@kernel
def find_long_edges(graph, blocked, used, lookers, edges):
    """Write pairs of node numbers that see each other and do not touch; returns how many.

    `graph` has the cells that are ever blocked as blocked; `lookers` are the cells that look.
    """
    lattice = graph.lattice
    n = 0
    for i in range(len(lookers)):
        x, y, z = lookers[i, 0], lookers[i, 1], lookers[i, 2]
        s = (x + 1) * lattice.sx + (y + 1) * lattice.sy + z + 1
        for k in range(27):
            dx, dy, dz = k // 9 - 1, k // 3 % 3 - 1, k % 3 - 1
            if k == 13:
                continue
            fx, fy, fz = first_used(blocked, used, x, y, z, dx, dy, dz)
            if fx < 0 or max(abs(fx - x), abs(fy - y), abs(fz - z)) <= 1:
                continue
            t = (fx + 1) * lattice.sx + (fy + 1) * lattice.sy + fz + 1
            if line_of_sight(graph, s, t):
                edges[n, 0], edges[n, 1] = s, t
                n += 1
    return n

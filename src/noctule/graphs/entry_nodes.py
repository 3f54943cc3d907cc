"""Join a place that is no node to a graph: find the nodes near it that it sees."""

import math

import numpy as np
from numpy.typing import NDArray

from noctule.core.intrinsics import at
from noctule.core.jit import kernel, kernel_short
from noctule.graphs.protocol import segment_is_free

Entries = tuple[NDArray[np.int64], NDArray[np.float64]]
NO_ENTRIES: Entries = (np.empty(0, np.int64), np.empty(0))


def one_entry(s: int) -> Entries:
    """Return the entry of a place that is a node."""
    return np.array([s]), np.zeros(1)


@kernel
def add_if_seen(graph, x, y, z, s, u, v, w, nearest, n, nodes, distances):
    """Write node `s`, at (u, v, w), after `n` others if (x, y, z) sees it; return the new number.

    With `nearest` only one is kept: it replaces one that is farther away.
    """
    d = math.sqrt((u - x) ** 2 + (v - y) ** 2 + (w - z) ** 2)
    if nearest and n == 1 and d >= distances[0]:
        return n
    if not segment_is_free(graph, x, y, z, u, v, w):
        return n
    if nearest:
        n = 0
    nodes[n] = s
    distances[n] = d
    return n + 1


@kernel
def nearest_first(n, nodes, distances):
    """Sort nodes by distance; the order of equal ones is kept."""
    for i in range(1, n):
        s, d, k = nodes[i], distances[i], i
        while k > 0 and distances[k - 1] > d:
            nodes[k], distances[k] = nodes[k - 1], distances[k - 1]
            k -= 1
        nodes[k], distances[k] = s, d


@kernel_short
def visible_nodes(graph, x, y, z, nearest, nodes, distances):
    """Write the nodes around a place (in cells) that it sees, or the nearest; return how many.

    They are sorted by distance, then by number. There are none where the agent can't be.
    """
    if not segment_is_free(graph, x, y, z, x, y, z):
        return 0
    lattice = graph.lattice
    shift = 0.5 * lattice.centred
    n = 0
    i0, j0, k0 = math.floor(x - shift) - 1, math.floor(y - shift) - 1, math.floor(z - shift) - 1
    border = 1 - lattice.centred  # corners reach one farther than cells
    for i in range(max(i0, 0), min(i0 + 4, lattice.nx + border)):
        for j in range(max(j0, 0), min(j0 + 4, lattice.ny + border)):
            if lattice.flat:
                s = (i + 1) * lattice.sx + (j + 1) * lattice.sy + 1
                place = i + shift, j + shift, 0.5
                n = add_if_seen(graph, x, y, z, s, *place, nearest, n, nodes, distances)
                continue
            for k in range(max(k0, 0), min(k0 + 4, lattice.nz + border)):
                s = (i + 1) * lattice.sx + (j + 1) * lattice.sy + k + 1
                if lattice.centred and not lattice.free3[s] & 2:
                    continue
                place = i + shift, j + shift, k + shift
                n = add_if_seen(graph, x, y, z, s, *place, nearest, n, nodes, distances)
    nearest_first(n, nodes, distances)
    return n


@kernel
def nearest_used(graph, gap, x, y, z, nearest, nodes, distances):
    """Write nodes of a hybrid graph that a place (in cells) sees, or the nearest; return how many.

    Search in growing boxes around the place until one is seen. The first box is small where every
    cell is a node, and never smaller than the `gap` around the cell of the place. There are none
    where the agent can't be.
    """
    if not segment_is_free(graph, x, y, z, x, y, z):
        return 0
    lattice = graph.lattice
    i, j, k = min(int(x), lattice.nx - 1), min(int(y), lattice.ny - 1), min(int(z), lattice.nz - 1)
    used = graph.used[(i + 1) * lattice.sx + (j + 1) * lattice.sy + k + 1]
    farthest = max(lattice.nx, lattice.ny, lattice.nz)
    beyond, reach = -1, min(max(2 if used else 4, gap[i, j, k]), farthest)
    while True:
        n = visible_used(graph, x, y, z, beyond, reach, nearest, nodes, distances)
        if n > 0 or reach == farthest:
            return n
        beyond, reach = reach, min(reach + (reach + 1) // 2, farthest)


@kernel
def visible_used(graph, x, y, z, beyond, reach, nearest, nodes, distances):
    """Write the used nodes that a place (in cells) sees; return how many.

    Only nodes more than `beyond` and at most `reach` cells away are tested.
    """
    lattice = graph.lattice
    n = 0
    i0, j0, k0 = int(x), int(y), int(z)
    for i in range(max(i0 - reach, 0), min(i0 + reach + 1, lattice.nx)):
        for j in range(max(j0 - reach, 0), min(j0 + reach + 1, lattice.ny)):
            for k in range(max(k0 - reach, 0), min(k0 + reach + 1, lattice.nz)):
                s = (i + 1) * lattice.sx + (j + 1) * lattice.sy + k + 1
                if not graph.used[at(s)] or not lattice.free3[at(s)] & 2:
                    continue
                if max(abs(i - i0), abs(j - j0), abs(k - k0)) <= beyond:
                    continue
                place = i + 0.5, j + 0.5, k + 0.5
                if not is_hidden(lattice, x, y, z, *place):
                    n = add_if_seen(graph, x, y, z, s, *place, nearest, n, nodes, distances)
    return n


@kernel
def is_hidden(lattice, x, y, z, u, v, w):
    """Whether one of some points between two places lies in a blocked cell.

    This rejects most invisible nodes in a tenth of the time of an exact test.
    """
    n = int(max(abs(u - x), abs(v - y), abs(w - z))) + 1
    dx, dy, dz = (u - x) / n, (v - y) / n, (w - z) / n
    for i in range(1, n):
        a, b, c = int(x + i * dx), int(y + i * dy), int(z + i * dz)
        if not lattice.free3[at((a + 1) * lattice.sx + (b + 1) * lattice.sy + c + 1)] & 2:
            return True
    return False

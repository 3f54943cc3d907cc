"""How a place that is no node joins a graph: the nodes near it that it sees."""

import math

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.protocol import segment_is_free
from noctule.kernels import kernel

Entries = tuple[NDArray[np.int64], NDArray[np.float64]]
NO_ENTRIES: Entries = (np.empty(0, np.int64), np.empty(0))


def one_entry(s: int) -> Entries:
    """The entry of a place that is a node."""
    return np.array([s]), np.zeros(1)


@kernel
def add_if_seen(graph, x, y, z, s, u, v, w, nearest, n, nodes, distances):
    """Write node `s`, at (u, v, w), after `n` others if (x, y, z) sees it; returns how many then.

    If only the nearest is wanted, it takes the place of one that is farther away.
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
def visible_nodes(graph, x, y, z, nearest, nodes, distances):
    """Write the nodes around a place (in cells) that it sees, or the nearest; returns how many.

    None where the agent can't be.
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
    return n

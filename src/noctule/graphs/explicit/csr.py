"""Graphs with explicit nodes and straight edges, as kernels see them.

Theta* (Nash) runs on any Euclidean graph: beyond edges, it needs only line of sight between two
nodes. The world of the graph answers that: a grid of cells, bodies, or a user function.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from noctule.core.jit import kernel
from noctule.graphs.entry_nodes import add_if_seen
from noctule.graphs.explicit.callbacks import call_at
from noctule.graphs.grid.move_sets import open_edges
from noctule.graphs.heuristics import lattice_estimate
from noctule.graphs.protocol import (
    changed_nodes,
    distance,
    edges,
    edges_pruned,
    estimate,
    is_turning_node,
    line_of_sight,
    max_degree,
    may_block,
    next_edge,
    segment_is_free,
)


class CSRGraph(NamedTuple):
    """Nodes anywhere in space and edges between them, each edge in both directions."""

    at: np.ndarray  # positions of the nodes, in the graph's own unit
    first: np.ndarray  # edges of node s: from first[s] to first[s + 1]
    target: np.ndarray
    length: np.ndarray  # infinite while an edge is closed
    whole: np.ndarray  # the same in whole-number costs
    widest: np.ndarray  # largest number of edges of a node
    world: Any  # answers `segment_is_free`


class SightCallback(NamedTuple):
    """A world in which a user function decides; without one, nothing is seen."""

    address: int
    cell: float
    x: float
    y: float
    z: float


NO_SIGHT = SightCallback(0, 1.0, 0.0, 0.0, 0.0)


@segment_is_free.register
def _(graph: SightCallback, x0, y0, z0, x1, y1, z1):
    if graph.address == 0:
        return False
    size = graph.cell
    x0, y0, z0 = graph.x + x0 * size, graph.y + y0 * size, graph.z + z0 * size
    x1, y1, z1 = graph.x + x1 * size, graph.y + y1 * size, graph.z + z1 * size
    return call_at(graph.address, x0, y0, z0, x1, y1, z1) != 0


@edges.register
def _(graph: CSRGraph, s):
    return open_edges(graph, s, graph.first[s + 1] - graph.first[s])


@edges_pruned.register
def _(graph: CSRGraph, p, s):
    return edges(graph, s)


@next_edge.register
def _(graph: CSRGraph, s, edges):
    e = graph.first[s] + edges - 1
    return graph.target[e], graph.length[e], open_edges(graph, s, edges - 1)


@max_degree.register
def _(graph: CSRGraph):
    return graph.widest[0]


@distance.register
def _(graph: CSRGraph, s, t):
    at = graph.at
    dx, dy, dz = at[t, 0] - at[s, 0], at[t, 1] - at[s, 1], at[t, 2] - at[s, 2]
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@estimate.register
def _(graph: CSRGraph, heuristic, s, t):
    at = graph.at
    return lattice_estimate(
        heuristic, at[t, 0] - at[s, 0], at[t, 1] - at[s, 1], at[t, 2] - at[s, 2]
    )


@line_of_sight.register
def _(graph: CSRGraph, s, t):
    a, b = graph.at[s], graph.at[t]
    return segment_is_free(graph.world, a[0], a[1], a[2], b[0], b[1], b[2])


@segment_is_free.register
def _(graph: CSRGraph, x0, y0, z0, x1, y1, z1):
    return segment_is_free(graph.world, x0, y0, z0, x1, y1, z1)


@changed_nodes.register
def _(graph: CSRGraph, change):
    """A change is twice the number of a node, plus one if it gained an edge."""
    yield change >> 1, change & 1 != 0


@may_block.register
def _(graph: CSRGraph, change, s, t):
    return True  # a change names nodes, not a place


@is_turning_node.register
def _(graph: CSRGraph, s):
    return True


@kernel
def visible_places(graph, x, y, z, nearest, nodes, distances):
    """Write the nodes with edges that a place sees, or only the nearest; return how many."""
    n = 0
    for s in range(len(graph.at)):
        if edges(graph, s) == 0:
            continue
        at = graph.at[s, 0], graph.at[s, 1], graph.at[s, 2]
        n = add_if_seen(graph.world, x, y, z, s, *at, nearest, n, nodes, distances)
    return n


@kernel
def log_changes(old, new, ring, version):
    """Log the nodes whose edges differ between two states of a graph; return the new version."""
    for s in range(len(old.at)):
        a, b = old.first[s], new.first[s]
        lost = gained = False
        for e in range(a, old.first[s + 1]):
            lost = lost or not has_edge(new, s, old.target[e], old.whole[e])
        for e in range(b, new.first[s + 1]):
            gained = gained or not has_edge(old, s, new.target[e], new.whole[e])
        if lost or gained:
            ring[version % len(ring)] = 2 * s + (1 if gained else 0)
            version += 1
    return version


@kernel
def has_edge(graph, s, t, cost):
    """Whether an edge from `s` to `t` has this cost."""
    for e in range(graph.first[s], graph.first[s + 1]):
        if graph.target[e] == t and graph.whole[e] == cost:
            return True
    return False

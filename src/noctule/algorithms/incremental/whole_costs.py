"""Kernel graphs with whole-number costs: sums of them are exact after any number of repairs."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.costs.weighted import Weighted
from noctule.graphs.explicit.csr import NO_SIGHT, CSRGraph
from noctule.graphs.grid.lattice import Balls, Cells, Corners
from noctule.graphs.grid.wide_cells import WideCells
from noctule.graphs.heuristics import STEP_1, STEP_2, STEP_3
from noctule.graphs.hybrid.hybrid_graph import HybridCells
from noctule.graphs.protocol import (
    changed_nodes,
    distance,
    edges,
    edges_pruned,
    line_of_sight,
    next_edge,
)


class WholeCosts(NamedTuple):
    """A kernel graph of another package; lengths of edges are rounded up to 1 / `STEP_1` units."""

    graph: Any


@edges.register
def _(graph: WholeCosts, s):
    return edges(graph.graph, s)


@edges_pruned.register
def _(graph: WholeCosts, p, s):
    return edges_pruned(graph.graph, p, s)


@next_edge.register
def _(graph: WholeCosts, s, left):
    t, c, left = next_edge(graph.graph, s, left)
    return t, math.ceil(c * STEP_1), left


@distance.register
def _(graph: WholeCosts, s, t):
    return distance(graph.graph, s, t)


@line_of_sight.register
def _(graph: WholeCosts, s, t):
    return line_of_sight(graph.graph, s, t)


@changed_nodes.register
def _(graph: WholeCosts, change):
    for s, gained in changed_nodes(graph.graph, change):  # noqa: UP028 - Numba has no `yield from`
        yield s, gained


def in_units(lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return lengths in cells as whole-number costs."""
    return np.array([math.floor(length * STEP_1 + 0.5) for length in lengths.tolist()], float)


def with_integer_costs(graph: Any) -> Any:
    """Return the same graph with whole numbers for the lengths of its edges."""
    if isinstance(graph, CSRGraph):  # sight is not needed: compile for one kind of world
        return graph._replace(length=graph.whole, world=NO_SIGHT)
    if not isinstance(graph, Cells | WideCells | Corners | Balls | HybridCells | Weighted):
        return WholeCosts(graph)
    whole = np.array([0.0, STEP_1, STEP_2, STEP_3])
    axes = np.round(graph.lattice.length**2).astype(np.int64)
    graph = graph._replace(lattice=graph.lattice._replace(length=whole[axes]))
    if isinstance(graph, Weighted):
        return graph._replace(rule=graph.rule._replace(lattice=graph.lattice), whole=1)
    if isinstance(graph, HybridCells):
        graph = graph._replace(length=graph.whole)
    return graph

"""The edges of a node on a lattice: moves to what touches it, and on a hybrid graph long ones."""

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import INF, per_type
from noctule.graphs.grid.lattice import (
    Cells,
    Corners,
    free_cube,
    legal_moves,
    moves_from_corner,
)
from noctule.graphs.heuristics import STEP_1, STEP_2, STEP_3
from noctule.graphs.hybrid.hybrid_graph import HybridCells, steps


@per_type
def moves_from(graph, s):
    """The legal moves from node `s`, one bit each."""


@moves_from.register
def _(graph: Cells, s):
    return legal_moves(graph.lattice, free_cube(graph.lattice, s))


@moves_from.register
def _(graph: Corners, s):
    return moves_from_corner(graph.lattice, s)


@moves_from.register
def _(graph: HybridCells, s):
    return steps(graph, s)


@per_type
def long_edges(graph, s):
    """The first and the last of the long edges from node `s`, as a range."""


@long_edges.register
def _(graph: Cells | Corners, s):
    return 0, 0


@long_edges.register
def _(graph: HybridCells, s):
    return graph.first[s], graph.first[s + 1]


@per_type
def long_edge(graph, e):
    """Where a long edge leads, and how long it is; infinite if it is shut."""


@long_edge.register
def _(graph: Cells | Corners, e):
    return 0, INF


@long_edge.register
def _(graph: HybridCells, e):
    return graph.target[e], graph.length[e]


def move_costs() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What each of the 27 moves costs in whole numbers, and where it leads."""
    step = np.stack(np.unravel_index(np.arange(27), (3, 3, 3)), axis=1) - 1
    return np.array([0, STEP_1, STEP_2, STEP_3])[np.abs(step).sum(axis=1)], step

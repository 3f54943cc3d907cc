"""Cells for an agent wider than a cell: the same graph as `Balls` at centres, prepared by a `Room`.

Which cells have room for the ball is known, so a cell is a node as in `Cells`, and blocked if it
lacks room. A step to a neighbour is free if all cells of its box have room: along each axis, the
distance from a solid cell grows or falls all the way from one centre to the next, so in the box
that eight centres span the ball is nowhere nearer to it than at one of them. Hence all straight
steps between nodes are free. Only a diagonal past a cell without room needs a few more cells free,
for most radii none: `Squeezes`.
"""

from typing import NamedTuple

import numpy as np

from noctule.core.intrinsics import at, lowest_bit
from noctule.core.jit import kernel
from noctule.graphs.grid.changed_nodes import (
    always_turning_node,
    may_block_on_lattice,
    nodes_near,
)
from noctule.graphs.grid.lattice import (
    Lattice,
    distance_on_lattice,
    estimate_on_lattice,
    free_cube,
    half_cells,
    legal_moves,
    too_far_on_lattice,
)
from noctule.graphs.grid.move_sets import (
    long_edge,
    long_edges,
    max_moves,
    next_move,
    no_long_edge,
    no_long_edges,
    reached_from,
)
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
    too_far_to_see,
)
from noctule.graphs.sight.wide_ball import Suspects, wide_ball_sees


class Squeezes(NamedTuple):
    """The cells that diagonal k needs free besides those that its ends need, from first[k] on."""

    first: np.ndarray
    cells: np.ndarray  # number of the cell, less that of the node where the move starts


class WideCells(NamedTuple):
    """Nodes at the centres of cells, for an agent wider than a cell."""

    lattice: Lattice  # of the cells with room for the agent: the others count as blocked
    solid3: np.ndarray  # the world itself: `free3` of all cells
    squeezes: Squeezes
    suspects: Suspects


@kernel
def squeezing_moves(graph, s, cube, legal):
    """Return the legal moves from `s`, with room in these cells around it, but for `legal`.

    These are `legal_moves`, which keep to cells with room: left are diagonals past other cells.
    """
    moves = cube & ~legal & graph.lattice.moves if cube >> 13 & 1 else 0
    found = moves
    while moves != 0:
        k = lowest_bit(moves)
        moves &= moves - 1
        for i in range(graph.squeezes.first[k], graph.squeezes.first[k + 1]):
            if graph.solid3[at(s + graph.squeezes.cells[i])] & 2 == 0:
                found &= ~(1 << k)
                break
    return found


@edges.register
def _(graph: WideCells, s):
    cube = free_cube(graph.lattice, s)
    legal = legal_moves(graph.lattice, cube)
    return legal | squeezing_moves(graph, s, cube, legal)


@edges_pruned.register
def _(graph: WideCells, p, s):
    moves = edges(graph, s)
    return moves & ~reached_from(graph.lattice, p, s) if p >= 0 else moves


@line_of_sight.register
def _(graph: WideCells, s, t):
    x0, y0, z0 = half_cells(graph.lattice, s)
    x1, y1, z1 = half_cells(graph.lattice, t)
    return wide_ball_sees(graph, x0, y0, z0, x1, y1, z1, graph.lattice.reach)


@segment_is_free.register
def _(graph: WideCells, x0, y0, z0, x1, y1, z1):
    reach = graph.lattice.reach - graph.lattice.touch
    return wide_ball_sees(graph, 2 * x0, 2 * y0, 2 * z0, 2 * x1, 2 * y1, 2 * z1, reach)


@changed_nodes.register
def _(graph: WideCells, cell):
    gained = graph.solid3[cell] & 2 != 0
    for s in nodes_near(graph.lattice, cell):
        yield s, gained


next_edge.register(WideCells, next_move)
max_degree.register(WideCells, max_moves)
long_edges.register(WideCells, no_long_edges)
long_edge.register(WideCells, no_long_edge)
distance.register(WideCells, distance_on_lattice)
estimate.register(WideCells, estimate_on_lattice)
too_far_to_see.register(WideCells, too_far_on_lattice)
may_block.register(WideCells, may_block_on_lattice)
is_turning_node.register(WideCells, always_turning_node)

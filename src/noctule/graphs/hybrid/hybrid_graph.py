"""The hybrid graph as kernels see it: some cells of a grid, with short and long edges.

Between used cells that touch there is a move wherever the box of cells around it is free now. Long
edges cross cells that no body was expected in while baking; they go both ways, and are closed only
while such a cell is blocked nevertheless (a stray).
"""

from typing import NamedTuple

import numpy as np

from noctule.core.intrinsics import lowest_bit
from noctule.core.jit import kernel
from noctule.graphs.grid.changed_nodes import is_near_line
from noctule.graphs.grid.lattice import (
    Lattice,
    ball_flies,
    centres_in_sight,
    coordinates,
    distance_on_lattice,
    estimate_on_lattice,
    free_cube,
    legal_moves,
    too_far_on_lattice,
)
from noctule.graphs.grid.move_sets import (
    ALL_MOVES,
    long_edge,
    long_edges,
    open_edges,
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

STATIC, DYNAMIC, NEIGHBOUR, BRIDGE = 1, 2, 4, 8  # what a cell is used for


class HybridCells(NamedTuple):
    """Used cells of a grid, and the long edges between them."""

    lattice: Lattice
    used: np.ndarray  # by number: 0 or what the cell is used for
    moves: np.ndarray  # by number: the moves that lead to used cells
    first: np.ndarray  # long edges of node s: from first[s] to first[s + 1]
    target: np.ndarray
    length: np.ndarray  # infinite while an edge is closed
    whole: np.ndarray  # the same in whole-number costs
    widest: int  # largest number of long edges of a node


@kernel
def steps(graph, s):
    """Return the legal moves from `s` to used cells."""
    return legal_moves(graph.lattice, free_cube(graph.lattice, s)) & graph.moves[s]


# The edges of a node are its moves, 27 bits, and above these the number of remaining long edges,
# which are taken from the last one backwards.


@edges.register
def _(graph: HybridCells, s):
    return steps(graph, s) | open_edges(graph, s, graph.first[s + 1] - graph.first[s]) << 27


@edges_pruned.register
def _(graph: HybridCells, p, s):
    found = edges(graph, s)
    return (
        found & ~reached_from(graph.lattice, p, s) if p >= 0 and cells_touch(graph, p, s) else found
    )


@kernel
def cells_touch(graph, s, t):
    """Whether two cells touch."""
    x0, y0, z0 = coordinates(graph.lattice, s)
    x1, y1, z1 = coordinates(graph.lattice, t)
    return max(abs(x1 - x0), abs(y1 - y0), abs(z1 - z0)) <= 1


@next_edge.register
def _(graph: HybridCells, s, edges):
    if edges & ALL_MOVES != 0:
        k = lowest_bit(edges)
        return s + graph.lattice.offset[k], graph.lattice.length[k], edges & (edges - 1)
    left = (edges >> 27) - 1
    e = graph.first[s] + left
    return graph.target[e], graph.length[e], open_edges(graph, s, left) << 27


@max_degree.register
def _(graph: HybridCells):
    return 26 + graph.widest


distance.register(HybridCells, distance_on_lattice)
estimate.register(HybridCells, estimate_on_lattice)
line_of_sight.register(HybridCells, centres_in_sight)
too_far_to_see.register(HybridCells, too_far_on_lattice)
segment_is_free.register(HybridCells, ball_flies)


@long_edges.register
def _(graph: HybridCells, s):
    return graph.first[s], graph.first[s + 1]


@long_edge.register
def _(graph: HybridCells, e):
    return graph.target[e], graph.length[e]


@kernel
def find_closed(graph, closed):
    """Find the long edges that blocked cells close."""
    for s in range(len(graph.used)):
        for e in range(graph.first[s], graph.first[s + 1]):
            closed[e] = not line_of_sight(graph, s, graph.target[e])


@kernel
def moves_to_used(lattice, used, moves):
    """Write for each cell the set of moves from it that lead to used cells."""
    for s in range(len(used)):
        if used[s]:
            for k in range(27):
                if k != 13:
                    moves[s - lattice.offset[k]] |= 1 << k


@changed_nodes.register
def _(graph: HybridCells, cell):
    """As for cells. Long edges change only with strays, after which searches restart."""
    gained = graph.lattice.free3[cell] & 2 != 0
    if graph.used[cell]:
        yield cell, gained
    moves = graph.moves[cell]
    while moves != 0:
        k = lowest_bit(moves)
        moves &= moves - 1
        s = cell + graph.lattice.offset[k]
        if graph.lattice.free3[s] & 2 != 0:
            yield s, gained


@may_block.register
def _(graph: HybridCells, cell, s, t):
    return is_near_line(graph.lattice, cell, s, t)


@is_turning_node.register
def _(graph: HybridCells, s):
    return graph.used[s] & DYNAMIC == 0

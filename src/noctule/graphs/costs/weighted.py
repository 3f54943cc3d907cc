"""Cells that cost: a lattice with one of its rules of movement, and what a cell's length costs.

Moves and lines of sight are those of the rule. An edge, or a segment, costs the integral of the
cost of the cells along it; no cell costs less than 1, so a length never overestimates a cost.
"""

from typing import Any, NamedTuple

import numpy as np

from noctule.core.intrinsics import at, lowest_bit
from noctule.core.jit import kernel
from noctule.graphs.costs.segment_cost import cost_place, integral, jumps, lowest_cost
from noctule.graphs.grid.lattice import (
    Lattice,
    distance_on_lattice,
    estimate_on_lattice,
    half_cells,
    too_far_on_lattice,
)
from noctule.graphs.protocol import (
    changed_nodes,
    cost_between,
    distance,
    edges,
    edges_pruned,
    estimate,
    has_costs,
    is_turning_node,
    line_of_sight,
    max_degree,
    may_block,
    next_edge,
    segment_cost,
    segment_is_free,
    too_far_to_see,
)


class Weighted(NamedTuple):
    """A graph on cells that cost."""

    lattice: Lattice
    rule: Any  # Cells, Corners or Balls on this lattice
    cost: np.ndarray  # of every cell, one a cell also in the plane; with the border
    whole: int  # 1: the edges cost whole numbers, as incremental searches need them


distance.register(Weighted, distance_on_lattice)
estimate.register(Weighted, estimate_on_lattice)
too_far_to_see.register(Weighted, too_far_on_lattice)


@edges.register
def _(graph: Weighted, s):
    return edges(graph.rule, s)


@edges_pruned.register
def _(graph: Weighted, p, s):
    return edges(graph.rule, s)  # a detour may be cheaper than a step


@next_edge.register
def _(graph: Weighted, s, edges):
    k = lowest_bit(edges)
    lattice = graph.lattice
    t = s + lattice.offset[at(k)]
    if lattice.centred:
        a, b = cost_place(lattice, s), cost_place(lattice, t)
        mean = 0.5 * (float(graph.cost[at(a)]) + float(graph.cost[at(b)]))
    else:
        mean = cost_beside_move(graph, s, k)
    c = lattice.length[at(k)] * mean
    return t, float(int(c + 0.5)) if graph.whole else c, edges & (edges - 1)


@kernel
def cost_beside_move(graph, s, k):
    """Return the lowest cost of the free cells along move `k` from corner `s`."""
    lattice = graph.lattice
    dx, dy, dz = k // 9 - 1, k // 3 % 3 - 1, k % 3 - 1
    jx, jy, jz = jumps(lattice)
    c = cost_place(lattice, s)
    c -= (jx if dx < 0 else 0) + (jy if dy < 0 else 0) + (jz if dz < 0 else 0)
    ox, oy, oz = (jx if dx == 0 else 0), (jy if dy == 0 else 0), (jz if dz == 0 else 0)
    return lowest_cost(lattice, graph.cost, c, ox, oy, oz)


@max_degree.register
def _(graph: Weighted):
    return 26


@line_of_sight.register
def _(graph: Weighted, s, t):
    return line_of_sight(graph.rule, s, t)


@segment_is_free.register
def _(graph: Weighted, x0, y0, z0, x1, y1, z1):
    return segment_is_free(graph.rule, x0, y0, z0, x1, y1, z1)


@has_costs.register
def _(graph: Weighted):
    return True


@segment_cost.register
def _(graph: Weighted, s, t):
    x0, y0, z0 = half_cells(graph.lattice, s)
    x1, y1, z1 = half_cells(graph.lattice, t)
    ends = 0.5 * x0, 0.5 * y0, 0.5 * z0, 0.5 * x1, 0.5 * y1, 0.5 * z1
    return integral(graph.lattice, graph.cost, *ends)


@cost_between.register
def _(graph: Weighted, x0, y0, z0, x1, y1, z1):
    return integral(graph.lattice, graph.cost, x0, y0, z0, x1, y1, z1)


@changed_nodes.register
def _(graph: Weighted, cell):
    """An edge that is left may have become cheaper or dearer: every node may have gained one."""
    for s, _ in changed_nodes(graph.rule, cell):
        yield s, True


@may_block.register
def _(graph: Weighted, cell, s, t):
    return may_block(graph.rule, cell, s, t)


@is_turning_node.register
def _(graph: Weighted, s):
    return True

"""Field D* (Ferguson, Stentz, "Using Interpolation to Improve Path Planning: The Field D*
Algorithm", Journal of Field Robotics 2006), and its form in space (Carsten, Ferguson, Stentz, "3D
Field D*", IROS 2006).

Nodes are the corners of cells. rhs(s) is the least cost over any point of the sides opposite of the
cells around s: edges in the plane, faces in space, over which g is interpolated. The rest is D*
Lite; the path is extracted in `field_path`.

Differences from the papers:

* A face is cut into two triangles: their minimum is in closed form.
* `parent` is the side on which rhs(s) rests, so that a node that is raised concerns only those that
  rest on it. It rests on lower values only.
* A key has a part of the straight distance only: 1/√2 of it in the plane, 1/√3 in space. Then no
  node comes before those on which it rests, and after any changes the values are those of a new
  search. In full it would be admissible too, but let nodes be settled too early.
* Values are whole numbers in floats, as in `d_star_lite`.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from noctule.algorithms.d_star_lite import (
    expand_nodes,
    initialize_tree,
    lower,
    move_target,
    raise_,
    update_inconsistent,
    update_rhs,
    update_vertex,
)
from noctule.algorithms.field.interpolation import over_edge, over_face
from noctule.algorithms.incremental.memory import ROOT, Search, Target, new_search, visit
from noctule.algorithms.incremental.procedures import (
    compute_shortest_path,
    initialize,
    trace_path,
    update,
)
from noctule.algorithms.incremental.state import IncrementalAlgorithm
from noctule.core.intrinsics import at, lowest_bit
from noctule.core.jit import INF, kernel, per_type
from noctule.graphs.costs.segment_cost import cost_place
from noctule.graphs.costs.weighted import Weighted
from noctule.graphs.grid.lattice import Corners
from noctule.graphs.grid.move_sets import ALL_MOVES
from noctule.graphs.heuristics import STEP_1
from noctule.graphs.protocol import changed_nodes, edges, estimate
from noctule.queues.bucket_open import new_bucket_open
from noctule.queues.protocol import NO_NODE, calculate_key


class FieldQuery(NamedTuple):
    """Where the search ends, and its keys."""

    target: Target
    weight: float  # of the straight distance in keys, below 1
    heuristic: int


class FieldSearch(NamedTuple):
    """The memory of a search, as that of D* Lite; `parent` holds numbers of sides."""

    g: np.ndarray
    rhs: np.ndarray
    parent: np.ndarray
    generation: np.ndarray
    seen: np.ndarray
    open: Any
    deleted: np.ndarray
    closed: np.ndarray
    incons: np.ndarray
    child: np.ndarray
    next: np.ndarray
    previous: np.ndarray
    unseen_by: np.ndarray
    stats: np.ndarray


def new_field_search(n: int, new_queue: Any = new_bucket_open) -> FieldSearch:
    """Reserve memory for `n` nodes."""
    assert FieldSearch._fields == Search._fields
    return FieldSearch(*new_search(n, new_queue))


# A side of a cell around a node has a number. In the plane the eight edges: 2 q + a, where the bits
# of q say on which side of the node the cell lies along each axis, and the edge ends at the
# neighbour of the node along axis a. In space the 24 faces: 3 q + a, across axis a.


def _sides(dimension: int) -> tuple[int, ...]:
    """Return for each move the sides around a node that the move leads to a corner of."""
    found = [0] * 27
    for k in range(27):
        step = (k // 9 - 1, k // 3 % 3 - 1, k % 3 - 1)[:dimension]
        for q in range(1 << dimension):
            signs = [1 if q >> axis & 1 else -1 for axis in range(dimension)]
            if any(d not in (0, sign) for d, sign in zip(step, signs, strict=True)):
                continue
            for axis in range(dimension):
                if step[axis] != 0:
                    found[k] |= 1 << (dimension * q + axis)
    return tuple(found)


SIDES_IN_PLANE, SIDES_IN_SPACE = _sides(2), _sides(3)


# A value exceeds the g of each corner on which it rests: that of the nearest corner of a side by at
# least 1/√3 of a cell, as where it goes on to the farthest one, and the others by one.
LEAST = STEP_1 / math.sqrt(3.0) - 1.0  # less what rounding may take
STRAIGHT = 1 << 4 | 1 << 10 | 1 << 12 | 1 << 14 | 1 << 16 | 1 << 22


@kernel
def moves_straight(k):
    """Return whether move `k` goes along one axis."""
    return STRAIGHT >> k & 1 != 0


@kernel
def sides_with(lattice, k):
    """Return the sides around a node that have the node at move `k` as a corner."""
    return SIDES_IN_PLANE[k] if lattice.flat else SIDES_IN_SPACE[k]


@per_type
def cost_of_cell(graph, cell):
    """Return the cost of a cell in whole units; infinity if it is blocked."""


@cost_of_cell.register
def _(graph: Corners, cell):
    return float(STEP_1) if graph.lattice.free3[at(cell)] & 2 != 0 else INF


@cost_of_cell.register
def _(graph: Weighted, cell):
    if graph.lattice.free3[at(cell)] & 2 == 0:
        return INF
    return STEP_1 * float(graph.cost[at(cost_place(graph.lattice, cell))])


@kernel
def g_of(search, s):
    """Return g(s), which is infinite for a node that the search has not visited."""
    visited = search.generation[at(s)] == search.stats[0].generation
    return float(search.g[at(s)]) if visited else INF


@kernel
def value_over(graph, search, s, side):
    """Return the least cost from `s` over a side of a cell around it, rounded to whole units."""
    lattice = graph.lattice
    if lattice.flat:
        q, axis = side >> 1, side & 1
        jx, cx = (lattice.sx, 0) if q & 1 else (-lattice.sx, -lattice.sx)
        jy, cy = (lattice.sy, 0) if q & 2 else (-lattice.sy, -lattice.sy)
        c = cost_of_cell(graph, s + cx + cy)
        if c == INF:
            return INF
        if axis == 0:
            straight, across = jx, s + cx - lattice.sy - cy
        else:
            straight, across = jy, s - lattice.sx - cx + cy
        g1, g2 = g_of(search, s + straight), g_of(search, s + jx + jy)
        value = over_edge(c, cost_of_cell(graph, across), g1, g2)
    else:
        q, axis = side // 3, side % 3
        jx, cx = (lattice.sx, 0) if q & 1 else (-lattice.sx, -lattice.sx)
        jy, cy = (lattice.sy, 0) if q & 2 else (-lattice.sy, -lattice.sy)
        jz, cz = (1, 0) if q & 4 else (-1, -1)
        c = cost_of_cell(graph, s + cx + cy + cz)
        if c == INF:
            return INF
        if axis == 0:
            ja, jb, jc = jx, jy, jz
        elif axis == 1:
            ja, jb, jc = jy, jx, jz
        else:
            ja, jb, jc = jz, jx, jy
        g00, g10 = g_of(search, s + ja), g_of(search, s + ja + jb)
        g01, g11 = g_of(search, s + ja + jc), g_of(search, s + ja + jb + jc)
        value = over_face(c, g00, g10, g01, g11)
    return math.floor(value + 0.5) if value < INF else INF


@kernel
def best_side(graph, search, s, sides, best):
    """Return the side, of some around `s`, over which it costs least and less than `best`."""
    found = NO_NODE
    while sides != 0:
        side = lowest_bit(sides)
        sides &= sides - 1
        value = value_over(graph, search, s, side)
        if value < best:
            found, best = side, value
    return found, best


@calculate_key.register
def _(query: FieldQuery, graph, search, s):
    g, rhs, km = search.g[s], search.rhs[s], search.stats[0].km
    h = math.floor(query.weight * estimate(graph, query.heuristic, s, query.target.node))
    if g < rhs:
        return g + h + km - 0.5, g
    return rhs + h + km, -rhs


initialize.register(FieldQuery, initialize_tree)
update_vertex.register(FieldQuery, update_inconsistent)
compute_shortest_path.register(FieldQuery, expand_nodes)


@lower.register
def _(query: FieldQuery, graph, search, s):
    g, rhs, parent, lattice = search.g, search.rhs, search.parent, graph.lattice
    g[s] = rhs[s]
    moves = edges(graph, s) & ALL_MOVES
    while moves != 0:
        k = lowest_bit(moves)
        moves &= moves - 1
        t = s + lattice.offset[k]
        visit(search, t)
        if parent[t] == ROOT or rhs[t] <= g[s] + (LEAST if moves_straight(k) else STEP_1):
            continue  # a side with `s` cannot cost less
        side, value = best_side(graph, search, t, sides_with(lattice, 26 - k), rhs[t])
        if side != NO_NODE:
            parent[t], rhs[t] = side, value
            update_vertex(query, graph, search, t)


@raise_.register
def _(query: FieldQuery, graph, search, s):
    parent, lattice = search.parent, graph.lattice
    search.g[s] = INF
    moves = edges(graph, s) & ALL_MOVES
    while moves != 0:
        k = lowest_bit(moves)
        moves &= moves - 1
        t = s + lattice.offset[k]
        if search.generation[t] != search.stats[0].generation or parent[t] < 0:
            continue
        if sides_with(lattice, 26 - k) >> parent[t] & 1:
            update_rhs(query, graph, search, t)
    update_vertex(query, graph, search, s)


@update_rhs.register
def _(query: FieldQuery, graph, search, s):
    visited = search.generation[s] == search.stats[0].generation
    if visited and search.parent[s] == ROOT:
        return
    search.stats[0].parent_searches += 1
    every = (1 << 8) - 1 if graph.lattice.flat else (1 << 24) - 1
    side, rhs = best_side(graph, search, s, every, INF)
    if visited or rhs < INF:
        visit(search, s)
        search.parent[s] = side
        if rhs != search.rhs[s]:
            search.rhs[s] = rhs
            update_vertex(query, graph, search, s)


@update.register
def _(query: FieldQuery, graph, search, s_last, changes):
    move_target(query, graph, search, s_last)
    search.stats[0].change_pass += 1
    for change in changes:
        for s, _ in changed_nodes(graph, change):
            if search.seen[s] < search.stats[0].change_pass:
                search.seen[s] = search.stats[0].change_pass
                update_rhs(query, graph, search, s)


@trace_path.register
def _(search: FieldSearch, query, last, nodes):
    # A path does not lead over nodes: `field_path` extracts it.
    nodes[0] = query.target.node
    return 1


FIELD_D_STAR = IncrementalAlgorithm(FieldQuery, root="goal", new_search=new_field_search)

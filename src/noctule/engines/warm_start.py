"""Warm start: initialise g and rhs of an incremental search from a finished A* search.

A* on cells prunes most moves, and is faster than the incremental search for the same nodes. The
costs of the nodes that A*
closed become their g; rhs follows from the g of the neighbours. The path to the target is known
then, and hardly anything is left to be expanded.

Where f is less than the length of the path, A* on cells has proven the cost: such a node is
consistent, and no neighbour can offer it anything. So only the rim of what A* closed is relaxed.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.d_star_lite import update_vertex
from noctule.algorithms.endpoint import at_node
from noctule.algorithms.incremental.memory import ROOT, visit
from noctule.algorithms.incremental.procedures import initialize
from noctule.algorithms.incremental.state import NOTHING, SearchMemory
from noctule.algorithms.search_engine import bind_once
from noctule.core.intrinsics import at
from noctule.core.jit import INF, kernel
from noctule.core.memory import reserve
from noctule.core.stats import work_of
from noctule.core.status import GAVE_UP, STOPPED
from noctule.engines.packed_nodes import g_of, generation_of, is_closed, move_of
from noctule.graphs.grid.changed_nodes import set_cell
from noctule.graphs.grid.lattice import Cells, coordinates, free_cube
from noctule.graphs.grid.move_sets import ALL_MOVES
from noctule.graphs.grid.wide_cells import WideCells
from noctule.graphs.heuristics import STEP_1, lattice_estimate
from noctule.graphs.protocol import edges, next_edge
from noctule.queues.protocol import remove

SLICE = 1 << 17  # expansions of A* between two checks of Ctrl-C


@kernel
def take_over(query, graph, proven, search, nodes, roots, costs, proves):
    """Initialize a search, and copy the costs that A* found.

    Where A* `proves` costs, f is less than the length of the path; `proven`, a lattice without a
    free cell, marks these nodes. `search.deleted` lists the nodes that are changed.
    """
    initialize(query, graph, search, roots, costs)
    length = float(nodes.stats[0].best_cost) if proves else 0.0
    closed = copy_closed(query, graph.lattice, proven, search, nodes, roots, length)
    for i in range(len(roots)):
        search.rhs[roots[i]] = costs[i]
        search.parent[roots[i]] = ROOT
    count, listed = closed, search.deleted
    for i in range(closed):
        s = np.int64(listed[at(i)])
        around = free_cube(proven, s)
        if around != ALL_MOVES:
            count = offer(graph, search, s, edges(graph, s) & ~around, count)
    for i in range(count):
        s = np.int64(listed[at(i)])
        if search.g[at(s)] != search.rhs[at(s)]:
            update_vertex(query, graph, search, s)
    if closed > 0:  # they were listed in order
        proven.free3[listed[0] - 1 : listed[closed - 1] + 2] = 0


@kernel
def copy_closed(query, lattice, proven, search, nodes, roots, length):
    """Copy the costs of the nodes that A* closed, and list these; return how many there are.

    They lie in a box around the roots: none is farther from them than the path is long.
    """
    low_x, low_y, low_z = high_x, high_y, high_z = coordinates(lattice, roots[0])
    for i in range(1, len(roots)):
        x, y, z = coordinates(lattice, roots[i])
        low_x, low_y, low_z = min(low_x, x), min(low_y, y), min(low_z, z)
        high_x, high_y, high_z = max(high_x, x), max(high_y, y), max(high_z, z)
    x1, y1, z1 = coordinates(lattice, query.target.node)
    reach = nodes.stats[0].best_cost // STEP_1 + 1
    generation, count = nodes.stats[0].generation, 0
    for x in range(max(low_x - reach, 0), min(high_x + reach + 1, lattice.nx)):
        for y in range(max(low_y - reach, 0), min(high_y + reach + 1, lattice.ny)):
            row = (x + 1) * lattice.sx + (y + 1) * lattice.sy + 1
            for z in range(max(low_z - reach, 0), min(high_z + reach + 1, lattice.nz)):
                s = row + z
                packed = nodes.packed[at(s)]
                if is_closed(packed) and generation_of(packed) == generation:
                    visit(search, s)
                    remove(search.open, s)  # a root is open
                    search.deleted[at(count)] = s
                    count += 1
                    g = float(g_of(packed))
                    search.g[at(s)], search.rhs[at(s)] = g, INF
                    if g + lattice_estimate(query.heuristic, x1 - x, y1 - y, z1 - z) < length:
                        search.rhs[at(s)] = g
                        search.parent[at(s)] = s - lattice.offset[at(move_of(packed))]
                        set_cell(proven.free3, s, True, lattice.flat)
    return count


@kernel
def offer(graph, search, s, left, count):
    """Offer `s` to these neighbours as a parent, and list new ones; return how many are listed."""
    g, rhs, parent = search.g, search.rhs, search.parent
    while left != 0:
        t, c, left = next_edge(graph, s, left)
        if search.generation[at(t)] != search.stats[0].generation:
            visit(search, t)
            search.deleted[at(count)] = t
            count += 1
        if g[at(s)] + c < rhs[at(t)] and parent[at(t)] != ROOT:
            parent[at(t)], rhs[at(t)] = s, g[at(s)] + c
    return count


def new_room(n: int) -> NDArray[np.uint8]:
    """Reserve a byte for each cell: zero before and after a warm start."""
    return reserve(n, np.uint8)


class WarmStart:
    """Starts the searches of one planner, on its graph with whole-number costs, with A*."""

    def __init__(self, grid: Any, graph: Any, a_star: Any, types: tuple[Any, ...]) -> None:
        self._grid, self._graph, self._a_star = grid, graph, a_star
        self._take_over = bind_once(take_over, *types)

    def begin(self, memory: SearchMemory) -> int:
        """Let A* do a search that is pending and take over its result; return its work."""
        a_star, query = self._a_star, memory.query
        nodes = self._grid.acquire(a_star.new_memory)
        room = self._grid.acquire(new_room)
        try:
            target, limit = at_node(query.target.node), SLICE
            status, _ = a_star.search(nodes, memory.root, target, limit, False)
            while status == STOPPED:
                limit += SLICE
                status, _ = a_star.search(nodes, None, target, limit, False)
            if status != GAVE_UP:
                proves = isinstance(self._graph, Cells | WideCells) and query.weight == 1.0
                proven = self._graph.lattice._replace(free3=room)
                roots, costs, *_ = memory.pending
                what = query, self._graph, proven, memory.search, nodes, roots, costs, proves
                self._take_over(*what)
                memory.pending = NOTHING
            return work_of(nodes.stats)[0]
        finally:
            self._grid.release(a_star.new_memory, nodes)
            self._grid.release(new_room, room)

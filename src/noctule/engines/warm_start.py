"""How a search that remembers begins anew: with what A* has found out.

A* on cells leaves out most moves, and takes a third of the time that the incremental core takes for
the same nodes. What it closed is taken over: g is A*'s cost, and rhs follows from that, as for any
g. The way to the target is known then, and hardly anything is left to be expanded.

Where f is less than the length of the path, A* on cells has proven the cost: such a node is
consistent, and no neighbour can offer it anything. So only the rim of what A* closed is looked at.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.best_first import EXPANDED, STAMP, STOPPED
from noctule.algorithms.incremental_core import update_state
from noctule.algorithms.remembered import NO_NODE, NOWHERE, Aim, Search, visit
from noctule.core.intrinsics import at
from noctule.core.jit import INF, kernel
from noctule.engines.grid_engine import GridEngine
from noctule.engines.lattice_a_star import GAVE_UP
from noctule.engines.packed_nodes import CLOSED, LAST_SEARCH
from noctule.graphs.grid.changed_nodes import set_cell
from noctule.graphs.grid.lattice import Cells, coordinates, free_cube
from noctule.graphs.heuristics import STEP_1, lattice_estimate
from noctule.graphs.hybrid.hybrid_graph import ALL_MOVES
from noctule.graphs.protocol import edges, next_edge

SLICE = 1 << 17  # expansions of A* between two looks at Ctrl-C


@kernel
def take_over(graph, proven, search, aim, field, length):
    """Let a search that has just begun know what A* knows of the ways from its root.

    A* proves costs where f is less than `length`; `proven`, a lattice without a free cell, takes
    down where that is.
    """
    closed = take_closed(graph.lattice, proven, search, aim, field, length)
    search.rhs[aim.root] = 0.0
    search.parent[aim.root] = NO_NODE
    count = closed
    for i in range(closed):
        s = np.int64(search.list[at(i)])
        around = free_cube(proven, s)
        if around != ALL_MOVES:
            count = tell(graph, search, s, edges(graph, s) & ~around, count)
    for i in range(count):
        s = np.int64(search.list[at(i)])
        if search.g[at(s)] != search.rhs[at(s)]:
            update_state(graph, search, aim, s)
    if closed > 0:  # they were listed in order
        proven.free3[search.list[0] - 1 : search.list[closed - 1] + 2] = 0


@kernel
def take_closed(lattice, proven, search, aim, field, length):
    """Take over the costs of nodes that A* closed, and list these; how many there are.

    They lie in a box around the root: none is farther from it than the path is long.
    """
    x0, y0, z0 = coordinates(lattice, aim.root)
    x1, y1, z1 = coordinates(lattice, aim.target)
    reach = field.best[0] // STEP_1 + 1
    count = 0
    for x in range(max(x0 - reach, 0), min(x0 + reach + 1, lattice.nx)):
        for y in range(max(y0 - reach, 0), min(y0 + reach + 1, lattice.ny)):
            row = (x + 1) * lattice.sx + (y + 1) * lattice.sy + 1
            for z in range(max(z0 - reach, 0), min(z0 + reach + 1, lattice.nz)):
                s = row + z
                about = field.word[at(s)]
                if about & CLOSED and (about >> 6) & LAST_SEARCH == field.counts[STAMP]:
                    visit(search, s)
                    search.stack[at(s)] = NOWHERE  # the root was open until now
                    search.list[at(count)] = s
                    count += 1
                    g = float(about >> 26)
                    search.g[at(s)], search.rhs[at(s)] = g, INF
                    if g + lattice_estimate(aim.heuristic, x1 - x, y1 - y, z1 - z) < length:
                        search.rhs[at(s)] = g
                        search.parent[at(s)] = s - lattice.offset[at(about & 31)]
                        set_cell(proven.free3, s, True, lattice.flat)
    return count


@kernel
def tell(graph, search, s, left, count):
    """Offer `s` to these neighbours as a parent, and list the new ones; how many are listed now."""
    g, rhs, parent = search.g, search.rhs, search.parent
    while left != 0:
        t, c, left = next_edge(graph, s, left)
        if search.mark[at(t)] != search.counts[STAMP]:
            visit(search, t)
            search.list[at(count)] = t
            count += 1
        if g[at(s)] + c < rhs[at(t)]:
            parent[at(t)], rhs[at(t)] = s, g[at(s)] + c
    return count


class QuickStart:
    """Begins searches anew on the graph of a grid, in whole numbers, with an A* for it."""

    def __init__(self, grid: Any, graph: Any, a_star: GridEngine) -> None:
        self._grid, self._graph, self._a_star = grid, graph, a_star

    def begin(self, search: Search, aim: Aim, room: NDArray[np.uint8]) -> int:
        """Let a search that has just begun know what A* finds out; how many nodes that expands.

        `room` has a zero for each node, before and after.
        """
        a_star = self._a_star
        field = self._grid.acquire(a_star.new_memory)
        try:
            a_star.begin(field, np.array([aim.root]), np.zeros(1), aim.target)
            limit, status = 0, STOPPED
            while status == STOPPED:
                limit += SLICE
                status = a_star.run(field, aim.target, limit, False)
            if status != GAVE_UP:
                proves = isinstance(self._graph, Cells) and aim.weight == 1.0
                length = float(field.best[0]) if proves else 0.0
                proven = self._graph.lattice._replace(free3=room)
                take_over(self._graph, proven, search, aim, field, length)
            return int(field.counts[EXPANDED])
        finally:
            self._grid.release(a_star.new_memory, field)

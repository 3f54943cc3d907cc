"""Find the cells that a sparse graph needs in addition to connect all that the cells connect.

Between cells that are never blocked, steps across faces connect as much as all legal moves do. From
the used cells a flood spreads over the others, and each cell stores its predecessor. Where the
floods of two components meet that no edge connects, the cells on the path between them become
nodes, too. So do cells on the path to a node from where none can be seen.
"""

import numpy as np
from numpy.typing import NDArray

from noctule.core.intrinsics import lowest_bit
from noctule.core.jit import kernel
from noctule.graphs.entry_nodes import visible_used
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.lattice import coordinates, free_cube, legal_moves
from noctule.graphs.hybrid.hybrid_graph import HybridCells
from noctule.graphs.hybrid.long_edges import first_used
from noctule.graphs.protocol import line_of_sight

SIDES = (4, 10, 12, 14, 16, 22)  # the moves across the faces of a cell


@kernel
def root(part, s):
    """Return the representative of the component of `s`."""
    while part[s] != s:
        part[s] = part[part[s]]
        s = part[s]
    return s


@kernel
def unite(lattice, used, edges, part):
    """Merge the components of nodes that a move or a long edge connects."""
    for s in range(len(used)):
        if used[s] and lattice.free3[s] & 2:
            moves = legal_moves(lattice, free_cube(lattice, s))
            while moves != 0:
                k = lowest_bit(moves)
                moves &= moves - 1
                t = s + lattice.offset[k]
                if used[t]:
                    part[root(part, s)] = root(part, t)
    for e in range(len(edges)):
        part[root(part, edges[e, 0])] = root(part, edges[e, 1])


@kernel
def flood(lattice, used, part, via, queue):
    """Assign every free cell to the component that reaches it first; return how many."""
    end = 0
    for s in range(len(used)):
        if used[s] and lattice.free3[s] & 2:
            via[s] = s
            queue[end] = s
            end += 1
    start = 0
    while start < end:
        s = queue[start]
        start += 1
        for k in SIDES:
            t = s + lattice.offset[k]
            if lattice.free3[t] & 2 and via[t] < 0:
                via[t] = s
                part[t] = part[s]
                queue[end] = t
                end += 1
    return end


@kernel
def build(used, via, missing, s):
    """Mark the unused cells on the path from `s` back to its node."""
    while via[s] != s:
        missing[s] = True
        s = via[s]


@kernel
def sees_a_node(graph, walls, used, x, y, z, nodes, distances):
    """Whether a node can be seen from a cell: first in the 26 directions, then everywhere."""
    lattice = graph.lattice
    s = (x + 1) * lattice.sx + (y + 1) * lattice.sy + z + 1
    for k in range(27):
        if k != 13:
            dx, dy, dz = k // 9 - 1, k // 3 % 3 - 1, k % 3 - 1
            fx, fy, fz = first_used(walls, used, x, y, z, dx, dy, dz)
            if fx >= 0:
                t = (fx + 1) * lattice.sx + (fy + 1) * lattice.sy + fz + 1
                if line_of_sight(graph, s, t):
                    return True
    far = max(lattice.nx, lattice.ny, lattice.nz)
    return visible_used(graph, x + 0.5, y + 0.5, z + 0.5, -1, far, True, nodes, distances) > 0


@kernel
def find_bridges(graph, walls, is_used, part, via, queue, n, missing, nodes, distances):
    """Mark cells until all components that touch are one, and every cell sees a node."""
    lattice, used = graph.lattice, graph.used
    for i in range(n):
        s = queue[i]
        for k in SIDES:
            t = s + lattice.offset[k]
            if lattice.free3[t] & 2 and root(part, s) != root(part, t):
                build(used, via, missing, s)
                build(used, via, missing, t)
                part[root(part, s)] = root(part, t)
    for i in range(n):
        s = queue[i]
        if used[s] or missing[s]:
            continue
        x, y, z = coordinates(lattice, s)
        if not sees_a_node(graph, walls, is_used, x, y, z, nodes, distances):
            build(used, via, missing, s)


def bridges(
    ever: Grid, walls: NDArray[np.bool_], used: NDArray[np.bool_], edges: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return the cells that must become nodes, too; `ever` has every cell that is ever blocked."""
    n = ever.node_count
    lattice = ever.kernel_graph(0.5).lattice
    by_number = np.zeros(n, np.uint8)
    by_number[ever.number(np.argwhere(used))] = 1
    part, via = np.arange(n), np.full(n, -1)
    queue, missing = np.empty(n, np.int64), np.zeros(n, np.bool_)
    unite(lattice, by_number, edges, part)
    reached = flood(lattice, by_number, part, via, queue)
    none = np.zeros(n + 1, np.int64)
    lengths = np.empty(0)
    graph = HybridCells(lattice, by_number, none, none, none[:0], lengths, lengths, 0)
    count = max(int(by_number.sum()), 1)
    nodes, distances = np.empty(count, np.int64), np.empty(count)
    find_bridges(graph, walls, used, part, via, queue, reached, missing, nodes, distances)
    shape = tuple(k + 2 for k in ever.shape)
    return missing.reshape(shape)[1:-1, 1:-1, 1:-1]

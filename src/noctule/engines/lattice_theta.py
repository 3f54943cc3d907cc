"""Theta* and Lazy Theta* on a lattice, made for speed: what `best_first` does with less to look up.

The steps are those of `theta_star` and `lazy_theta_star`. What is different: coordinates are found
once an expansion and not once a neighbour; the queue is the one of buckets, a sixteenth of a cell
wide, so that nodes of nearly equal f come in no particular order; and Theta* remembers which node
did not see which parent (`any_angle_nodes`).
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.best_first import (
    EXHAUSTED,
    EXPANDED,
    FOUND,
    LAST_STAMP,
    REOPEN,
    SIGHT_CHECKS,
    STAMP,
    STOPPED,
    note_if_nearest,
    restart,
)
from noctule.core.intrinsics import at, lowest_bit
from noctule.core.jit import INF, bind, kernel, kernel_short
from noctule.engines.theta_nodes import (
    Nodes,
    new_nodes,
    path_size,
    remembered_or_seen,
    sees,
    trace_path,
)
from noctule.graphs.grid.lattice import Cells, Corners, coordinates, prefetch_around
from noctule.graphs.grid.lattice_edges import long_edge, long_edges, move_costs, moves_from
from noctule.graphs.heuristics import lattice_estimate
from noctule.graphs.hybrid.hybrid_graph import HybridCells
from noctule.graphs.protocol import is_turning_node, max_degree
from noctule.queues.buckets import (
    FULL,
    LAST,
    clear,
    grow,
    has_room,
    let_go,
    lowest_stack,
    next_in,
    push,
    take,
    take_last_stack,
)

STACKS_A_CELL = 16.0


class Engine(NamedTuple):
    """What the searches of one planner need."""

    weight: float
    heuristic: int
    lazy: bool
    fast: bool  # whether only some nodes look farther than to their neighbours
    step: np.ndarray  # of the 27 moves


@kernel_short
def begin(engine, graph, nodes, starts, costs, goal):
    """Forget the last search and put the nodes where a path may start into the queue."""
    restart(nodes, starts[0], 2)
    x1, y1, z1 = coordinates(graph.lattice, goal)
    clear(nodes.queue)
    # No f is less than the first; what comes before the first stack is put on it.
    x0, y0, z0 = coordinates(graph.lattice, starts[0])
    h = lattice_estimate(engine.heuristic, x1 - x0, y1 - y0, z1 - z0)
    nodes.scale[0] = max(h - costs[0], 0.0)
    nodes.scale[1] = STACKS_A_CELL
    for i in range(len(starts)):
        s = starts[i]
        x0, y0, z0 = coordinates(graph.lattice, s)
        nodes.g[s] = costs[i]
        nodes.mark_and_parent[s] = nodes.counts[STAMP] << 32 | s
        push(nodes.queue, stack_of(engine, nodes, s, x1 - x0, y1 - y0, z1 - z0), s)


@kernel
def stack_of(engine, nodes, s, dx, dy, dz):
    """Where `s` belongs in the queue, by f(s) = g(s) + w h(s); `dx` .. are left to the goal."""
    f = float(nodes.g[s]) + engine.weight * lattice_estimate(engine.heuristic, dx, dy, dz)
    return max(int((f - nodes.scale[0]) * nodes.scale[1]), 0)


@kernel
def search(engine, graph, nodes, goal, limit, partial):
    """Search until the goal leaves the queue, or `limit` nodes have been expanded."""
    lattice, queue, counts, link = graph.lattice, nodes.queue, nodes.counts, nodes.mark_and_parent
    opened, step = counts[STAMP], engine.step
    goal_x, goal_y, goal_z = coordinates(lattice, goal)
    while True:
        stack = lowest_stack(queue)
        if stack < 0:
            return EXHAUSTED
        if stack == LAST:
            widen(engine, graph, nodes, goal)
            continue
        if counts[EXPANDED] >= limit:
            return STOPPED
        if not has_room(queue, max_degree(graph) + 1):
            return FULL
        s = take(queue, stack)
        later = next_in(queue, stack)
        if later >= 0:
            prefetch_around(lattice, nodes.g, later)
        if link[at(s)] >> 32 != opened:
            continue  # closed since it was put in
        x, y, z = coordinates(lattice, s)
        p = link[at(s)] & 0xFFFFFFFF
        px, py, pz = coordinates(lattice, p)
        moves = moves_from(graph, s)
        if engine.lazy and p != s:
            counts[SIGHT_CHECKS] += 1
            if not sees(graph, nodes, s, x, y, z, px, py, pz):
                p = take_closed_neighbour(graph, nodes, s, moves)
                px, py, pz = coordinates(lattice, p)
                if nodes.g[s] == INF:
                    continue  # all that it could come from is open again, and will find it again
        if s == goal:
            now_in = stack_of(engine, nodes, s, 0, 0, 0)
            if now_in <= stack:
                return FOUND
            push(queue, now_in, s)  # farther than its place in the queue said: others go first
            continue
        link[at(s)] = (opened + 1) << 32 | p
        counts[EXPANDED] += 1
        if partial:
            dx, dy, dz = goal_x - x, goal_y - y, goal_z - z
            note_if_nearest(nodes, s, math.sqrt(dx * dx + dy * dy + dz * dz))
        if engine.fast and not is_turning_node(graph, s):
            p, px, py, pz = s, x, y, z  # it offers itself, as in A*
        while moves != 0:
            k = lowest_bit(moves)
            moves &= moves - 1
            t, c = s + lattice.offset[at(k)], lattice.length[at(k)]
            tx, ty, tz = x + step[at(k), 0], y + step[at(k), 1], z + step[at(k), 2]
            if improve(engine, graph, nodes, s, t, c, p, px, py, pz, tx, ty, tz):
                push(queue, stack_of(engine, nodes, t, goal_x - tx, goal_y - ty, goal_z - tz), t)
        first, last = long_edges(graph, s)
        for e in range(first, last):
            t, c = long_edge(graph, e)
            if c < INF:
                tx, ty, tz = coordinates(lattice, t)
                if improve(engine, graph, nodes, s, t, c, p, px, py, pz, tx, ty, tz):
                    left = goal_x - tx, goal_y - ty, goal_z - tz
                    push(queue, stack_of(engine, nodes, t, *left), t)


@kernel
def widen(engine, graph, nodes, goal):
    """Have half as many stacks a cell: all that is left in the queue lies beyond the last."""
    nodes.scale[1] *= 0.5
    goal_x, goal_y, goal_z = coordinates(graph.lattice, goal)
    e = take_last_stack(nodes.queue)
    while e >= 0:
        s, e = let_go(nodes.queue, e)
        if nodes.mark_and_parent[at(s)] >> 32 == nodes.counts[STAMP]:
            x, y, z = coordinates(graph.lattice, s)
            stack = stack_of(engine, nodes, s, goal_x - x, goal_y - y, goal_z - z)
            push(nodes.queue, stack, s)


@kernel
def take_closed_neighbour(graph, nodes, s, moves):
    """Let the path to `s` come from the closed neighbour that makes it shortest: path 1."""
    closed = nodes.counts[STAMP] + 1
    best, parent = INF, s
    while moves != 0:
        k = lowest_bit(moves)
        moves &= moves - 1
        t, c = s + graph.lattice.offset[k], graph.lattice.length[k]
        if nodes.mark_and_parent[t] >> 32 == closed and float(nodes.g[t]) + c < best:
            best, parent = float(nodes.g[t]) + c, t
    first, last = long_edges(graph, s)
    for e in range(first, last):
        t, c = long_edge(graph, e)
        closed_before = nodes.mark_and_parent[t] >> 32 == closed
        if c < INF and closed_before and float(nodes.g[t]) + c < best:
            best, parent = float(nodes.g[t]) + c, t
    nodes.g[s] = best
    nodes.mark_and_parent[s] = (closed - 1) << 32 | parent
    return parent


@kernel
def improve(engine, graph, nodes, s, t, c, p, px, py, pz, tx, ty, tz):
    """Update g and parent of `t`, at (tx, ty, tz), from its neighbour `s` with parent `p`."""
    g, link, opened = nodes.g, nodes.mark_and_parent, nodes.counts[STAMP]
    mark = link[at(t)] >> 32
    g_old = g[at(t)] if mark >= opened else np.float32(INF)
    path_1 = g[at(s)] + np.float32(c)
    if mark == opened + 1 and (engine.weight > 1.0 or path_1 >= g_old - np.float32(REOPEN)):
        return False
    dx, dy, dz = tx - px, ty - py, tz - pz
    g_new, parent = g[at(p)] + np.float32(math.sqrt(dx * dx + dy * dy + dz * dz)), p  # path 2
    looks = not engine.lazy and p != s
    if looks:
        nodes.counts[SIGHT_CHECKS] += 1
    # Path 1 is never shorter than path 2: where path 2 is no gain, sight makes no difference.
    if g_new >= g_old:
        return False
    if looks and not remembered_or_seen(graph, nodes, t, p, tx, ty, tz, px, py, pz):
        g_new, parent = path_1, s
        if g_new >= g_old:
            return False
    g[at(t)] = g_new
    link[at(t)] = opened << 32 | parent
    return True


class AnyAngle:
    """The shell: runs searches of Theta* or Lazy Theta* on cells, corners or a hybrid graph."""

    new_memory = staticmethod(new_nodes)

    def __init__(self, graph: Cells | Corners | HybridCells, algorithm: Any, lazy: bool) -> None:
        _, step = move_costs()
        self._graph = graph
        self._begin, self._search = bind(begin), bind(search)
        self._engine = Engine(
            algorithm.weight, algorithm.heuristic, lazy, not lazy and algorithm.fast, step
        )

    def begin(
        self, nodes: Nodes, starts: NDArray[np.int64], costs: NDArray[np.float64], goal: int
    ) -> None:
        """Prepare a search from several nodes, which it costs something to get to."""
        if nodes.counts[STAMP] >= LAST_STAMP:  # the numbers of searches are used up
            nodes.mark_and_parent[:] = 0
            nodes.unseen[:] = 0
            nodes.counts[STAMP] = 0
        self._begin(self._engine, self._graph, nodes, starts, costs, goal)

    def run(self, nodes: Nodes, goal: int, limit: int, partial: bool) -> int:
        """Search until the goal is found or `limit` nodes have been expanded in all."""
        what = self._engine, self._graph, nodes, goal, limit, partial
        while (status := self._search(*what)) == FULL:
            grow(nodes.queue)
        return int(status)

    def trail(self, nodes: Nodes, node: int) -> NDArray[np.int64]:
        """The numbers of the nodes on the path to `node`."""
        path = np.empty(path_size(nodes, node), np.int64)
        trace_path(nodes, node, path)
        return path

    def costs_of(self, nodes: Nodes, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
        """How far nodes are from the start; infinite if the search has not closed them."""
        closed = nodes.mark_and_parent[numbers] >> 32 == nodes.counts[STAMP] + 1
        return np.where(closed, nodes.g[numbers].astype(np.float64), INF)

    def cost_to_goal(self, nodes: Nodes, goal: int) -> float:
        """How far the goal is, once it has been found."""
        return float(nodes.g[goal])

"""A* on the hybrid graph, made for speed: `grid_engine` with long edges.

Steps between cells that touch are tried as there, and left out as there, where the cells around are
nodes, too. A node that was reached over a long edge remembers its parent; from there nothing is
left out.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.cells import coordinates, free_cube, legal_moves
from noctule.graphs.heuristics import whole_estimate
from noctule.graphs.hybrid_cells import HybridCells
from noctule.graphs.protocol import distance, most_ways
from noctule.graphs.ways import STAY
from noctule.kernels import INF, kernel
from noctule.reserve import reserve
from noctule.searches.best_first import EXHAUSTED, EXPANDED, FOUND, STAMP, STOPPED, note_if_nearest
from noctule.searches.buckets import Buckets, has_room, lowest_stack, new_buckets, push, take
from noctule.searches.grid_engine import (
    CLOSED,
    GAVE_UP,
    LAST_SEARCH,
    ONE_COST,
    ONE_SEARCH,
    STEP_1,
    TOO_FAR,
    WIDTH,
    Engine,
    begin,
    improve,
    move_costs,
    next_move,
)
from noctule.searches.pruning import NOWHERE, pruning_of, worth_trying

NO_PARENT = -1


class HybridField(NamedTuple):
    """Memory of a search: that of `Field`, and the parents of nodes reached over long edges."""

    word: np.ndarray
    queue: Buckets
    counts: np.ndarray
    nearest: np.ndarray
    best: np.ndarray
    parent: np.ndarray


def new_hybrid_field(n: int) -> HybridField:
    """Reserve memory for searches on a grid of `n` cells."""
    counts, nearest = np.zeros(5, np.int64), np.full(1, INF)
    queue, best = new_buckets(n + 1024), np.zeros(2, np.int64)
    return HybridField(reserve(n, np.int64), queue, counts, nearest, best, reserve(n, np.int32))


@kernel
def begin_anywhere(engine, graph, field, starts, costs, goal):
    """Forget the last search; the nodes where a path may start have no parent."""
    begin(engine, graph.lattice, field, starts, costs, goal)
    for s in starts:
        field.parent[s] = NO_PARENT


@kernel
def search(engine, graph, field, goal, limit, partial):
    """Expand nodes until the best path to the goal is proven, or `limit` nodes are expanded."""
    lattice, word, queue = graph.lattice, field.word, field.queue
    lowest_f = field.best[1]
    goal_x, goal_y, goal_z = coordinates(lattice, goal)
    while True:
        stack = lowest_stack(queue)
        if stack < 0 or lowest_f + (stack << WIDTH) >= field.best[0]:
            return FOUND if field.best[0] < TOO_FAR else EXHAUSTED
        if field.counts[EXPANDED] >= limit:
            return STOPPED
        if not has_room(queue, most_ways(graph)):
            return GAVE_UP
        s = take(queue, stack)
        if word[s] & CLOSED:
            continue
        word[s] |= CLOSED
        field.counts[EXPANDED] += 1
        if partial:
            note_if_nearest(field, s, distance(graph, s, goal))
        g = word[s] >> 26
        if not improve_far(engine, graph, field, goal, s, g):
            return GAVE_UP
        x, y, z = coordinates(lattice, s)
        to_goal = goal_x - x, goal_y - y, goal_z - z
        cube = free_cube(lattice, s)
        nodes = cube & (graph.moves[s] | STAY)
        moves = legal_moves(lattice, cube) & graph.moves[s]
        moves &= worth_trying(engine.pruning, nodes, word[s] & 31)
        while moves != 0:
            k = next_move(moves)
            moves ^= 1 << k
            if not improve(engine, field, goal, s + lattice.offset[k], g, k, 1, *to_goal):
                return GAVE_UP


@kernel
def improve_far(engine, graph, field, goal, s, g):
    """Let the long edges of `s` lead to their other ends; False if a word has no room."""
    word, this_search = field.word, field.counts[STAMP]
    for e in range(graph.first[s], graph.first[s + 1]):
        t = graph.target[e]
        if graph.whole[e] == INF:
            continue
        g_t = g + int(graph.whole[e])
        if (word[t] >> 6) & LAST_SEARCH == this_search and word[t] >> 26 <= g_t:
            continue
        x0, y0, z0 = coordinates(graph.lattice, t)
        x1, y1, z1 = coordinates(graph.lattice, goal)
        h = whole_estimate(engine.heuristic, x1 - x0, y1 - y0, z1 - z0)
        f = g_t + (h if engine.weight == 1.0 else int(engine.weight * h))
        if f >= field.best[0]:
            if field.best[0] == TOO_FAR:
                return False
            continue
        word[t] = g_t * ONE_COST + this_search * ONE_SEARCH + NOWHERE
        field.parent[t] = s
        if t == goal:
            field.best[0] = g_t
        else:
            push(field.queue, (f - field.best[1]) >> WIDTH, t)
    return True


@kernel
def parent_of(lattice, field, s):
    """Where the path to `s` comes from; NO_PARENT for a start."""
    k = field.word[s] & 31
    return np.int64(field.parent[s]) if k == NOWHERE else s - lattice.offset[k]


@kernel
def path_size(lattice, field, s):
    """How many nodes the path to `s` has."""
    n = 0
    while s != NO_PARENT:
        s = parent_of(lattice, field, s)
        n += 1
    return n


@kernel
def trace_path(lattice, field, s, nodes):
    """Write the path to `s` into `nodes`, which has the right size, from start to `s`."""
    for i in range(len(nodes) - 1, -1, -1):
        nodes[i] = s
        s = parent_of(lattice, field, s)


class HybridEngine:
    """The shell: runs searches of one weight and heuristic on a hybrid graph."""

    new_memory = staticmethod(new_hybrid_field)

    def __init__(self, graph: HybridCells, weight: float, heuristic: int) -> None:
        cost, step = move_costs()
        self._graph = graph
        pruning = pruning_of(graph.lattice.moves, sparse=True)
        self._engine = Engine(weight, heuristic, cost, step, pruning)

    def begin(
        self, field: HybridField, starts: NDArray[np.int64], costs: NDArray[np.float64], goal: int
    ) -> None:
        """Prepare a search from several nodes, which it costs something to get to."""
        if field.counts[STAMP] == LAST_SEARCH:  # the numbers of searches are used up
            field.word[:] = 0
            field.counts[STAMP] = 0
        begin_anywhere(self._engine, self._graph, field, starts, costs, goal)

    def run(self, field: HybridField, goal: int, limit: int, partial: bool) -> int:
        """Search until the goal is found or `limit` nodes have been expanded in all."""
        return int(search(self._engine, self._graph, field, goal, limit, partial))

    def trail(self, field: HybridField, node: int) -> NDArray[np.int64]:
        """The numbers of the nodes on the path to `node`."""
        lattice: Any = self._graph.lattice
        nodes = np.empty(path_size(lattice, field, node), np.int64)
        trace_path(lattice, field, node, nodes)
        return nodes

    def costs_of(self, field: HybridField, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """How far nodes are from the start; infinite if the search has not closed them."""
        words = field.word[nodes]
        closed = ((words >> 6) & LAST_SEARCH == field.counts[STAMP]) & (words & CLOSED > 0)
        return np.where(closed, (words >> 26) / STEP_1, INF)

    def cost_to_goal(self, field: HybridField, goal: int) -> float:
        """How far the goal is, once it has been found."""
        return float(field.best[0] / STEP_1)

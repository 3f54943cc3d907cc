"""A* on the hybrid graph, made for speed: `grid_engine` with long edges.

Steps between cells that touch are tried as there, and left out as there, where the cells around are
nodes, too. A node that was reached over a long edge remembers its parent; from there nothing is
left out.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.cells import coordinates, fetch_around, free_cube, legal_moves
from noctule.graphs.heuristics import STEP_1, whole_estimate
from noctule.graphs.hybrid_cells import HybridCells
from noctule.graphs.ways import STAY
from noctule.kernels import INF, at, fetch, kernel
from noctule.reserve import reserve
from noctule.searches.best_first import STAMP
from noctule.searches.buckets import Buckets, new_buckets, push
from noctule.searches.grid_engine import (
    CLOSED,
    LAST_SEARCH,
    ONE_COST,
    ONE_SEARCH,
    TOO_FAR,
    WIDTH,
    GridEngine,
    expand,
    fetch_node,
    improve,
    next_move,
    step_back,
)
from noctule.searches.pruning import FAR, Pruning, worth_trying


class HybridSteps(NamedTuple):
    """What the searches of one planner need: that of `Engine`."""

    weight: float
    heuristic: int
    cost: np.ndarray
    step: np.ndarray
    pruning: Pruning


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


@fetch_node.register
def _(engine: HybridSteps, graph, field, s):
    fetch_around(graph.lattice, field.word, s)
    fetch(graph.moves, s)
    fetch(graph.first, s)


@expand.register
def _(engine: HybridSteps, graph, field, s, about, goal, goal_x, goal_y, goal_z):
    lattice = graph.lattice
    g, d = about >> 26, about & 31
    if not improve_far(engine, graph, field, s, g, goal, goal_x, goal_y, goal_z):
        return False
    x, y, z = coordinates(lattice, s)
    to_goal = goal_x - x, goal_y - y, goal_z - z
    cube = free_cube(lattice, s)
    to_used = np.int64(graph.moves[at(s)])
    moves = legal_moves(lattice, cube) & to_used
    moves &= worth_trying(engine.pruning, cube & (to_used | STAY), d)
    while moves != 0:
        k = next_move(moves)
        moves ^= 1 << k
        if not improve(engine, field, goal, s + lattice.offset[at(k)], about, k, 1, *to_goal):
            return False
    return True


@kernel
def improve_far(engine, graph, field, s, g, goal, goal_x, goal_y, goal_z):
    """Let the long edges of `s` lead to their other ends; False if a word has no room."""
    word, this_search = field.word, field.counts[STAMP]
    for e in range(graph.first[at(s)], graph.first[at(s + 1)]):
        if graph.whole[at(e)] == INF:
            continue
        t, g_t = np.int64(graph.target[at(e)]), g + int(graph.whole[at(e)])
        about = word[at(t)]
        if (about >> 6) & LAST_SEARCH == this_search and about >> 26 <= g_t:
            continue
        x, y, z = coordinates(graph.lattice, t)
        h = whole_estimate(engine.heuristic, goal_x - x, goal_y - y, goal_z - z)
        f = g_t + (h if engine.weight == 1.0 else int(engine.weight * h))
        if f >= field.best[0]:
            if field.best[0] == TOO_FAR:
                return False
            continue
        word[at(t)] = g_t * ONE_COST + this_search * ONE_SEARCH + FAR
        field.parent[at(t)] = s
        if t == goal:
            field.best[0] = g_t
        else:
            push(field.queue, (f - field.best[1]) >> WIDTH, t)
    return True


@step_back.register
def _(engine: HybridSteps, lattice, field, s, d, g):
    s = np.int64(field.parent[at(s)]) if d == FAR else s - lattice.offset[at(d)]
    return s, field.word[at(s)] & 31, g


class HybridEngine(GridEngine):
    """The shell: runs searches of one weight and heuristic on a hybrid graph."""

    new_memory: Any = staticmethod(new_hybrid_field)

    def __init__(self, graph: HybridCells, weight: float, heuristic: int) -> None:
        super().__init__(graph, weight, heuristic, sparse=True)
        self._engine = HybridSteps(*self._engine)

    def costs_of(self, field: HybridField, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """How far nodes are from the start; infinite if the search has not closed them."""
        words = field.word[nodes]
        closed = ((words >> 6) & LAST_SEARCH == field.counts[STAMP]) & (words & CLOSED > 0)
        return np.where(closed, (words >> 26) / STEP_1, INF)

    def cost_to_goal(self, field: HybridField, goal: int) -> float:
        """How far the goal is, once it has been found."""
        return float(field.best[0] / STEP_1)

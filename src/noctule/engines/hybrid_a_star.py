"""A* on the hybrid graph, made for speed: `grid_search` with long edges, and several ends.

Steps between cells that touch are tried as there, and left out as there, where the cells around are
nodes, too. A node that was reached over a long edge remembers it; what is worth trying after it,
and which long edges are worth trying after a step, is known from baking (see `onward`). A
destination that is no node is reached from the best of the nodes that it sees.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.best_first import STAMP, restart
from noctule.core.intrinsics import at, prefetch
from noctule.core.jit import INF, bind, kernel, kernel_short
from noctule.core.memory import reserve
from noctule.engines import box_heuristic as aims
from noctule.engines.box_heuristic import aim_at, aim_at_box, keep_aim, kept_aim, left, times
from noctule.engines.grid_engine import GridEngine
from noctule.engines.lattice_a_star import expand, prefetch_node, step_back
from noctule.engines.packed_nodes import (
    CLOSED,
    ONE_COST,
    ONE_SEARCH,
    REOPENED,
    TOO_FAR,
    WHICH_SEARCH,
    WIDENED,
    bucket_of,
    f_of,
    whole_cost,
)
from noctule.engines.pruning import FAR, NOWHERE, Pruning, next_move, worth_trying
from noctule.graphs.grid.lattice import coordinates, free_cube, legal_moves
from noctule.graphs.grid.move_sets import STAY
from noctule.graphs.heuristics import ZERO
from noctule.graphs.hybrid.hybrid_graph import HybridCells
from noctule.queues.buckets import Buckets, clear, new_buckets, push

_COUNT, _END = 2, 3  # what `best` of a field holds besides


class HybridSteps(NamedTuple):
    """What the searches of one planner need: that of `Engine`, and where long edges come from."""

    weight: float
    heuristic: int
    cost: np.ndarray
    step: np.ndarray
    pruning: Pruning
    source: np.ndarray


class HybridField(NamedTuple):
    """Memory of a search: that of `Field`, the long edges taken, and where it may end."""

    word: np.ndarray
    queue: Buckets
    counts: np.ndarray
    nearest: np.ndarray
    best: np.ndarray  # as in `Field`; then how many ends there are, and the one of the best path
    edge: np.ndarray  # the long edge that led to a node, if its move is FAR
    ends: np.ndarray  # nodes, and what it costs to go on from there, by number of the node
    aim: np.ndarray


def new_hybrid_field(n: int) -> HybridField:
    """Reserve memory for searches on a grid of `n` cells."""
    counts, nearest = np.zeros(WIDENED + 1, np.int64), np.full(1, INF)
    queue, best = new_buckets(), np.zeros(4, np.int64)
    edge, ends = reserve(n, np.int32), reserve((n, 2), np.int64)
    word, aim = reserve(n, np.int64), np.zeros(aims.SIZE)
    return HybridField(word, queue, counts, nearest, best, edge, ends, aim)


@kernel_short
def begin(engine, lattice, field, starts, costs, ends, lengths, x, y, z):
    """Forget the last search and put the nodes where a path may start into the queue.

    It may end at the nodes `ends`, in the order of their numbers, from where it is `lengths` to the
    destination at (x, y, z), as nodes count.
    """
    restart(field, starts[0], 1)
    field.counts[REOPENED] = field.counts[WIDENED] = 0
    clear(field.queue)
    field.best[0], field.best[_COUNT] = TOO_FAR, len(ends)
    for i in range(len(ends)):
        field.ends[i, 0], field.ends[i, 1] = ends[i], whole_cost(lengths[i])
    zero_or_one = 0.0 if engine.heuristic == ZERO else 1.0
    box = times(aim_at_box(lattice, field.ends, len(ends)), zero_or_one)
    line = times(aim_at(x, y, z), zero_or_one)
    lowest, lowest_by_line = TOO_FAR, TOO_FAR
    for i in range(len(starts)):
        place, g = coordinates(lattice, starts[i]), whole_cost(costs[i])
        lowest = min(lowest, g + left(box, *place))
        lowest_by_line = min(lowest_by_line, g + left(line, *place))
    aim = times(box if lowest >= lowest_by_line else line, engine.weight)
    keep_aim(field.aim, aim)
    field.best[1] = max(lowest, lowest_by_line)
    for i in range(len(starts)):
        s, g = starts[i], whole_cost(costs[i])
        f = g + left(aim, *coordinates(lattice, s))
        field.word[s] = g * ONE_COST + field.counts[STAMP] * ONE_SEARCH + NOWHERE
        push(field.queue, bucket_of(field, f), s)


@prefetch_node.register
def _(engine: HybridSteps, graph, field, s):
    # Little: most of a graph of ten thousand nodes is in the cache, and asking takes time, too.
    prefetch(field.word, s)
    prefetch(graph.moves, s)
    prefetch(graph.first, s)


@expand.register
def _(engine: HybridSteps, graph, field, s, about, goal, goal_x, goal_y, goal_z):
    lattice, onward, aim = graph.lattice, graph.onward, kept_aim(field.aim)
    d = about & 31
    about -= d  # the rest of a word: the cost and the number of the search
    x, y, z = coordinates(lattice, s)
    end_here(field, s, about >> 26)
    cube = free_cube(lattice, s)
    to_used = np.int64(graph.moves[at(s)])
    moves = legal_moves(lattice, cube) & to_used
    if d != FAR:
        moves &= worth_trying(engine.pruning, cube & (to_used | STAY), d)
    elif not onward.astray[0]:
        moves &= onward.after[at(2 * int(field.edge[at(s)]) + 1)]
    if not try_far(graph, field, aim, s, about, d):
        return False
    step = engine.step
    while moves != 0:
        k = next_move(moves)
        moves ^= 1 << k
        t, about_t = s + lattice.offset[at(k)], about + engine.cost[at(k)] * ONE_COST
        if is_nearer(field, t, about_t):
            place = x + step[at(k), 0], y + step[at(k), 1], z + step[at(k), 2]
            if not put_in(field, aim, t, *place, about_t, k, 0):
                return False
    return True


@kernel
def end_here(field, s, g):
    """Let the path end at `s`, at cost `g`, if it is one of the ends and none is better."""
    low, high = 0, field.best[_COUNT]
    while low < high:
        middle = (low + high) >> 1
        if field.ends[at(middle), 0] < s:
            low = middle + 1
        else:
            high = middle
    if low < field.best[_COUNT] and field.ends[at(low), 0] == s:
        g += field.ends[at(low), 1]
        if g < field.best[0]:
            field.best[0], field.best[_END] = g, s


@kernel
def try_far(graph, field, aim, s, about, d):
    """Let the long edges of `s`, reached by `d`, lead to their other ends; False as in `put_in`."""
    onward = graph.onward
    if onward.astray[0]:
        for e in range(graph.first[at(s)], graph.first[at(s + 1)]):
            if graph.whole[at(e)] < INF and not follow(graph, field, aim, e, about):
                return False
    elif d == FAR:
        by = 2 * np.int64(field.edge[at(s)])
        for i in range(onward.after[at(by)], onward.after[at(by + 2)]):
            if not follow(graph, field, aim, np.int64(onward.following[at(i)]), about):
                return False
    else:
        for e in range(graph.first[at(s)], graph.first[at(s + 1)]):
            if onward.edges[at(2 * e)] >> d & 1 and not follow(graph, field, aim, e, about):
                return False
    return True


@kernel
def follow(graph, field, aim, e, about):
    """Let a long edge, from a node with this word, lead to its other end; False as in `put_in`."""
    edges = graph.onward.edges
    t, about = edges[at(2 * e)] >> 27, about + edges[at(2 * e + 1)] * ONE_COST
    if not is_nearer(field, t, about):
        return True
    return put_in(field, aim, t, *coordinates(graph.lattice, t), about, FAR, e)


@kernel
def is_nearer(field, t, about):
    """Whether `t` was not reached yet, or at a greater cost than this word has."""
    known = field.word[at(t)]
    if (known ^ about) & WHICH_SEARCH != 0:
        return True
    nearer = known >> 26 > about >> 26
    field.counts[REOPENED] += nearer and known & CLOSED != 0
    return nearer


@kernel
def put_in(field, aim, t, x, y, z, about, move, e):
    """Let a move, or long edge `e`, lead to `t`, at (x, y, z), whose word but for it is given.

    False if a node's word has no room for the cost.
    """
    f = (about >> 26) + left(aim, x, y, z)
    if f >= field.best[0]:
        return field.best[0] != TOO_FAR
    field.word[at(t)] = about + move
    if move == FAR:
        field.edge[at(t)] = e
    push(field.queue, bucket_of(field, f), t)
    return True


@f_of.register
def _(engine: HybridSteps, graph, field, s, goal):
    place = coordinates(graph.lattice, s)
    return (field.word[at(s)] >> 26) + left(kept_aim(field.aim), *place)


@step_back.register
def _(engine: HybridSteps, lattice, field, s, d, g):
    s = np.int64(engine.source[at(field.edge[at(s)])]) if d == FAR else s - lattice.offset[at(d)]
    return s, field.word[at(s)] & 31, g


class HybridEngine(GridEngine):
    """The shell: runs searches of one weight and heuristic on a hybrid graph."""

    new_memory: Any = staticmethod(new_hybrid_field)

    def __init__(self, graph: HybridCells, weight: float, heuristic: int) -> None:
        super().__init__(graph, weight, heuristic, sparse=True)
        source = np.repeat(np.arange(len(graph.used), dtype=np.int32), np.diff(graph.first))
        weight, heuristic, cost, step, pruning = self._engine
        self._engine = HybridSteps(weight, heuristic, cost, step, pruning, source)
        self._begin = bind(begin)

    def begin(
        self, field: Any, starts: NDArray[np.int64], costs: NDArray[np.float64], goal: int
    ) -> None:
        """Prepare a search from several nodes, which it costs something to get to."""
        x, y, z = coordinates(self._graph.lattice, goal)
        place = x + 0.5, y + 0.5, z + 0.5
        self.begin_for_any(field, starts, costs, np.array([goal]), np.zeros(1), place)

    def begin_for_any(
        self,
        field: Any,
        starts: NDArray[np.int64],
        costs: NDArray[np.float64],
        ends: NDArray[np.int64],
        lengths: NDArray[np.float64],
        place: tuple[float, ...],
    ) -> None:
        """Prepare one that may end at several nodes, which the destination (in cells) sees."""
        self.make_room(field)
        order = np.argsort(ends)
        x, y, z = (v - 0.5 for v in place)
        where = self._engine, self._graph.lattice, field
        self._begin(*where, starts, costs, ends[order], lengths[order], x, y, z)

    def best_end(self, field: Any) -> int:
        """Where the path leaves the graph, once it has been found."""
        return int(field.best[_END])

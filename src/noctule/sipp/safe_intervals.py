"""Safe-interval path planning: fly and wait among moving bodies.

Phillips, Likhachev, "SIPP: Safe Interval Path Planning for Dynamic Environments" (ICRA 2011). A
state is a cell and one of the time intervals in which it is free; g is the earliest arrival in it.
An agent that arrives earlier can wait, so one g per interval suffices. A move starts as soon as all
cells in its bounding box are free for its duration, with a margin before and after; a long edge, as
soon as each cell along it is free when it is passed. Differences from the paper: bodies move within
a time window only, beyond it there are only walls; the heuristic is the exact distance past the
walls (see `distance_fields`).
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.algorithms.best_first import KEY_UNITS
from noctule.algorithms.snapshot import SearchSnapshot, search_snapshot
from noctule.core.intrinsics import highest_bit, lowest_bit
from noctule.core.jit import INF, kernel, per_type
from noctule.core.stats import new_stats
from noctule.core.status import EXHAUSTED, FOUND, STOPPED
from noctule.graphs.grid.lattice import Cells
from noctule.graphs.grid.move_sets import ALL_MOVES
from noctule.graphs.hybrid.hybrid_graph import HybridCells
from noctule.graphs.protocol import edges, max_degree, next_edge
from noctule.graphs.sight.timed import TimeWindow, bits_between, first_departure
from noctule.queues.heap import Heap, new_heap, pop
from noctule.queues.protocol import insert
from noctule.sipp.edge_occupancy import LongEdges, half_centre, may_be_busy

FULL = 3  # status of a search that needs memory for more states
MOST_INTERVALS = 32  # of a cell
SAME = 1e-9  # in bins


class States(NamedTuple):
    """Memory of a search. The states of a cell, one per interval, are consecutive."""

    first: np.ndarray  # of each cell: its first state, if `mark` is the current generation
    mark: np.ndarray
    cell: np.ndarray
    until: np.ndarray  # when the interval ends
    g: np.ndarray  # earliest arrival, in bins
    parent: np.ndarray
    closed: np.ndarray
    open: Heap
    around: np.ndarray  # words of the 27 cells around a state
    stats: np.ndarray  # generation, expanded, and state_count: how many states there are


def new_states(cells: int, room: int) -> States:
    """Allocate memory for searches on a grid with so many cells, and for so many states."""
    return States(
        np.zeros(cells, np.int32),
        np.zeros(cells, np.int32),
        np.empty(room, np.int32),
        np.empty(room),
        np.empty(room),
        np.empty(room, np.int32),
        np.empty(room, np.bool_),
        new_heap(room),
        np.empty(27, np.int64),
        new_stats(state_count=int),
    )


class Problem(NamedTuple):
    """A query: graph of the walls, timetable, distances to the goal in cells, long edges."""

    graph: Cells | HybridCells
    hours: TimeWindow
    distance: np.ndarray
    edges: LongEdges


@kernel
def begin(states):
    """Start a new search."""
    stats = states.stats
    stats[0].generation += 1
    stats[0].state_count = stats[0].expanded = 0
    states.open.size[0] = 0


@kernel
def visit(states, hours, cell):
    """Return the first state of a cell; create its states if this is the first visit."""
    stats = states.stats
    if states.mark[cell] != stats[0].generation:
        states.mark[cell] = stats[0].generation
        states.first[cell] = stats[0].state_count
        word = hours.word[cell] & hours.mask
        bin = 0
        while word >> bin != 0:
            free = lowest_bit(word >> bin)
            if free > 0:
                add_state(states, cell, bin + free)
            bin += free
            bin += lowest_bit(~(word >> bin))
        add_state(states, cell, INF)
    return states.first[cell]


@kernel
def add_state(states, cell, until):
    """Add a state that was not reached yet."""
    stats = states.stats
    s = stats[0].state_count
    stats[0].state_count += 1
    states.cell[s] = cell
    states.until[s] = until
    states.g[s] = INF
    states.closed[s] = False
    states.open.place[s] = 0


@kernel
def reach(problem, states, parent, cell, t):
    """Relax the arrival in a cell at a time when it is free; return the end of the interval."""
    h = problem.distance[cell]
    if h == INF:
        return INF
    s = visit(states, problem.hours, cell)
    while states.until[s] < t - SAME:
        s += 1
    if not states.closed[s] and t < states.g[s]:
        states.g[s] = t
        states.parent[s] = parent if parent >= 0 else s
        f = t + problem.hours.bins_per_cell * h
        insert(states.open, s, math.floor(f * KEY_UNITS + 0.5), -t)
    return states.until[s]


@kernel
def earliest(word, t, lasts, margin, limit):
    """Return the first time from `t` to `limit` at which a move can start, or infinity."""
    while t <= limit and t < INF:
        busy = word & bits_between(t - margin, t + lasts + margin)
        if busy == 0:
            return t
        t = highest_bit(busy) + 1 + margin
    return INF


@kernel
def look_around(problem, states, s):
    """Write for each move the bins in which its bounding box is busy."""
    lattice, around = problem.graph.lattice, states.around
    some = 0
    for k in range(27):
        around[k] = problem.hours.word[s + lattice.offset[k]] & problem.hours.mask
        some |= around[k]
    if some == 0:
        return
    for k in range(1, 27, 3):
        around[k - 1] |= around[k]
        around[k + 1] |= around[k]
    for i in range(3, 27, 9):
        for k in range(i, i + 3):
            around[k - 3] |= around[k]
            around[k + 3] |= around[k]
    for k in range(9, 18):
        around[k - 9] |= around[k]
        around[k + 9] |= around[k]


@kernel
def expand(problem, states, s):
    """Relax all edges of a state, each as early as possible for each interval it leads to."""
    graph, hours = problem.graph, problem.hours
    cell, g, until = np.int64(states.cell[s]), states.g[s], states.until[s]
    look_around(problem, states, cell)
    left = edges(graph, cell)
    while left & ALL_MOVES != 0:
        word = states.around[lowest_bit(left)]
        to, length, left = next_edge(graph, cell, left)
        lasts = hours.bins_per_cell * length
        t = earliest(word, g, lasts, hours.margin, until)
        while t < INF:
            over = reach(problem, states, s, to, t + lasts)
            t = earliest(word, over, lasts, hours.margin, until) if over < until else INF
    expand_far(graph, problem, states, s, left)


@per_type
def expand_far(graph, problem, states, s, left):
    """Relax the long edges of a state: `left` are its edges without the moves."""


@expand_far.register
def _(graph: Cells, problem, states, s, left):
    pass  # there are none


@expand_far.register
def _(graph: HybridCells, problem, states, s, left):
    hours = problem.hours
    cell, g, until = np.int64(states.cell[s]), states.g[s], states.until[s]
    here = half_centre(graph.lattice, cell)
    while left != 0:
        edge = graph.first[cell] + (left >> 27) - 1
        to, length, left = next_edge(graph, cell, left)
        lasts = hours.bins_per_cell * length
        there = half_centre(graph.lattice, to)
        if not may_be_busy(graph.lattice, problem.edges, edge, here, there):
            reach(problem, states, s, to, g + lasts)
            continue
        t = first_departure(graph.lattice, hours, here, there, g, until)
        while t < INF:
            over = reach(problem, states, s, to, t + lasts)
            t = INF
            if over < until:
                t = first_departure(graph.lattice, hours, here, there, over, until)


@kernel
def search(problem, states, goal, last_word, last_leg, limit):
    """Expand states until one of the goal's cell can start the last leg in its interval.

    The last leg leads from that cell to the goal; it is busy in the bins of `last_word`. Returns a
    status and the state of the goal.
    """
    stats = states.stats
    while states.open.size[0] > 0:
        if stats[0].expanded >= limit:
            return STOPPED, -1
        if stats[0].state_count + (1 + max_degree(problem.graph)) * MOST_INTERVALS > len(states.g):
            return FULL, -1
        s = pop(states.open)
        if states.cell[s] == goal:
            margin = problem.hours.margin
            if earliest(last_word, states.g[s], last_leg, margin, states.until[s]) < INF:
                return FOUND, s
        states.closed[s] = True
        stats[0].expanded += 1
        expand(problem, states, s)
    return EXHAUSTED, -1


@kernel
def trail_size(states, s):
    """Return the number of states on the path to `s`."""
    n = 1
    while states.parent[s] != s:
        s = states.parent[s]
        n += 1
    return n


@search_snapshot.register
def _(memory: States) -> SearchSnapshot:
    cell = memory.cell[: int(memory.stats[0].state_count)].astype(np.int64)
    closed = np.flatnonzero(memory.closed[: len(cell)])
    first, when = np.unique(cell[closed], return_index=True)  # a cell may have several intervals
    waiting = memory.open.node[: memory.open.size[0]]
    return SearchSnapshot(first, memory.g[closed][when], np.unique(cell[waiting]))

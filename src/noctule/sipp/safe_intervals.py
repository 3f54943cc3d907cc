"""Safe-interval path planning: where to fly, and where to wait, among bodies that move.

Phillips, Likhachev, "SIPP: Safe Interval Path Planning for Dynamic Environments" (ICRA 2011). A
state is a cell and one of the intervals of time in which it is free; g is the earliest arrival in
it. Who arrives earlier in the same interval can wait, so nothing else needs to be kept. A step
leaves as soon as all the cells in its bounding box are free for the time of the passage, with a
margin before and after; on a long edge, as soon as each cell along it is free when it is passed.
Differences from the paper: motion counts within a window only, beyond it there are but walls; and
the heuristic is the exact distance past the walls (see `fields`).
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.algorithms.best_first import EXHAUSTED, FOUND, KEY_UNITS, STOPPED
from noctule.core.intrinsics import highest_bit, lowest_bit
from noctule.core.jit import INF, kernel, per_type
from noctule.graphs.grid.lattice import Cells
from noctule.graphs.hybrid.hybrid_graph import ALL_MOVES, HybridCells
from noctule.graphs.protocol import edges, max_degree, next_edge
from noctule.graphs.sight.timed import TimeWindow, bits_between, first_departure
from noctule.queues.heap import Open, insert, new_open, pop
from noctule.sipp.edge_occupancy import LongEdges, half_centre, may_be_busy

FULL = 3  # the status of a search that needs more room for states
MOST_INTERVALS = 32  # of a cell
SAME = 1e-9  # in bins


class States(NamedTuple):
    """Memory of a search. Those of a cell, one an interval, lie beside each other."""

    first: np.ndarray  # of each cell: its first state, if `mark` is the number of this search
    mark: np.ndarray
    cell: np.ndarray
    until: np.ndarray  # when the interval ends
    g: np.ndarray  # earliest arrival, in bins
    parent: np.ndarray
    closed: np.ndarray
    open: Open
    around: np.ndarray  # words of the 27 cells around a state
    counts: np.ndarray  # see below


SEARCH, SIZE, EXPANDED = range(3)  # what `counts` holds


def new_states(cells: int, room: int) -> States:
    """Reserve memory for searches on a grid with so many cells, with room for so many states."""
    return States(
        np.zeros(cells, np.int32),
        np.zeros(cells, np.int32),
        np.empty(room, np.int32),
        np.empty(room),
        np.empty(room),
        np.empty(room, np.int32),
        np.empty(room, np.bool_),
        new_open(room),
        np.empty(27, np.int64),
        np.zeros(3, np.int64),
    )


class Problem(NamedTuple):
    """What a search works on: walls, timetable, distance of every cell from the goal (in cells)."""

    graph: Cells | HybridCells
    hours: TimeWindow
    distance: np.ndarray
    edges: LongEdges


@kernel
def begin(states):
    """Forget the last search."""
    states.counts[SEARCH] += 1
    states.counts[SIZE] = states.counts[EXPANDED] = 0
    states.open.size[0] = 0


@kernel
def touch(states, hours, cell):
    """Make the states of a cell if this search has not done so; returns the first."""
    if states.mark[cell] != states.counts[SEARCH]:
        states.mark[cell] = states.counts[SEARCH]
        states.first[cell] = states.counts[SIZE]
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
    """Make a state that nothing is known about."""
    s = states.counts[SIZE]
    states.counts[SIZE] += 1
    states.cell[s] = cell
    states.until[s] = until
    states.g[s] = INF
    states.closed[s] = False
    states.open.place[s] = 0


@kernel
def reach(problem, states, parent, cell, t):
    """Arrive in a cell, which is known to be free then; returns when it is no longer."""
    h = problem.distance[cell]
    if h == INF:
        return INF
    s = touch(states, problem.hours, cell)
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
    """The first moment from `t` to `limit` at which a passage can begin that needs no set bit."""
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
    """Try all ways from a state, each as early as it can be for each interval that it leads to."""
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
    """`expand` for the long edges of a state: what is left of its ways."""


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
    """Expand states until one of the goal's cell can begin the last leg in time.

    The last leg leads from that cell to where the agent is to be; it is busy in the bins of
    `last_word`. Returns a status and the state of the goal.
    """
    while states.open.size[0] > 0:
        if states.counts[EXPANDED] >= limit:
            return STOPPED, -1
        if states.counts[SIZE] + (1 + max_degree(problem.graph)) * MOST_INTERVALS > len(states.g):
            return FULL, -1
        s = pop(states.open)
        if states.cell[s] == goal:
            margin = problem.hours.margin
            if earliest(last_word, states.g[s], last_leg, margin, states.until[s]) < INF:
                return FOUND, s
        states.closed[s] = True
        states.counts[EXPANDED] += 1
        expand(problem, states, s)
    return EXHAUSTED, -1


@kernel
def trail_size(states, s):
    """How many states the way to `s` has."""
    n = 1
    while states.parent[s] != s:
        s = states.parent[s]
        n += 1
    return n

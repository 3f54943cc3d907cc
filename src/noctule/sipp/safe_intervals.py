"""Safe-interval path planning (SIPP).

Phillips, Likhachev, "SIPP: Safe Interval Path Planning for Dynamic Environments" (ICRA 2011). A
state is a cell and one of the time intervals in which it is free; g is the earliest arrival in it.
An agent that arrives earlier can wait, so one g per interval suffices. A move starts as soon as all
cells in its bounding box are free for its duration, with a margin before and after. A long edge
starts as soon as each cell along it is free when the agent passes it.

Differences from the paper: bodies move only within a time window, after it only walls remain; the
heuristic is the exact distance past the walls (see `distance_fields`).
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
MAX_INTERVALS = 32  # per cell
SAME = 1e-9  # in bins


class States(NamedTuple):
    """Memory of a search. The states of a cell, one per interval, are consecutive."""

    first: np.ndarray  # per cell: its first state, valid if `mark` is the current generation
    mark: np.ndarray  # per cell: generation of the last visit
    cell: np.ndarray  # per state
    until: np.ndarray  # per state: end of the interval, in bins
    g: np.ndarray  # per state: earliest arrival, in bins
    parent: np.ndarray  # per state; the parent of a root is itself
    closed: np.ndarray  # per state
    open: Heap
    around: np.ndarray  # per move, 27: bins in which its bounding box is busy
    stats: np.ndarray  # generation, expanded, state_count


def new_states(cells: int, capacity: int) -> States:
    """Allocate memory for searches on a grid of `cells` cells, and for `capacity` states."""
    return States(
        np.zeros(cells, np.int32),
        np.zeros(cells, np.int32),
        np.empty(capacity, np.int32),
        np.empty(capacity),
        np.empty(capacity),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.bool_),
        new_heap(capacity),
        np.empty(27, np.int64),
        new_stats(state_count=int),
    )


class Problem(NamedTuple):
    """The world of a search, and the heuristic."""

    graph: Cells | HybridCells  # of the static bodies
    window: TimeWindow
    distance: np.ndarray  # per node: shortest distance to the goal past static bodies, in cells
    edges: LongEdges


@kernel
def start_search(states):
    """Start a new search."""
    stats = states.stats
    stats[0].generation += 1
    stats[0].state_count = stats[0].expanded = 0
    states.open.size[0] = 0


@kernel
def visit(states, window, cell):
    """Return the first state of a cell; create its states if this is the first visit."""
    stats = states.stats
    if states.mark[cell] != stats[0].generation:
        states.mark[cell] = stats[0].generation
        states.first[cell] = stats[0].state_count
        word = window.word[cell] & window.mask
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
    """Add an unreached state whose interval ends at `until`."""
    stats = states.stats
    s = stats[0].state_count
    stats[0].state_count += 1
    states.cell[s] = cell
    states.until[s] = until
    states.g[s] = INF
    states.closed[s] = False
    states.open.place[s] = 0


@kernel
def relax(problem, states, parent, cell, t):
    """Relax the arrival in a free cell at time `t`; return the end of its interval."""
    h = problem.distance[cell]
    if h == INF:
        return INF
    s = visit(states, problem.window, cell)
    while states.until[s] < t - SAME:
        s += 1
    if not states.closed[s] and t < states.g[s]:
        states.g[s] = t
        states.parent[s] = parent if parent >= 0 else s
        f = t + problem.window.bins_per_cell * h
        insert(states.open, s, math.floor(f * KEY_UNITS + 0.5), -t)
    return states.until[s]


@kernel
def earliest_departure(word, t, duration, margin, limit):
    """Return the first time in [t, limit] at which a move can start; infinity if there is none.

    The cells of the move are busy in the bins of `word`.
    """
    while t <= limit and t < INF:
        busy = word & bits_between(t - margin, t + duration + margin)
        if busy == 0:
            return t
        t = highest_bit(busy) + 1 + margin
    return INF


@kernel
def gather_busy_bits(problem, states, s):
    """Write to `states.around` the bins in which the bounding box of each move is busy."""
    lattice, around = problem.graph.lattice, states.around
    any_busy = 0
    for k in range(27):
        around[k] = problem.window.word[s + lattice.offset[k]] & problem.window.mask
        any_busy |= around[k]
    if any_busy == 0:
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
    """Relax all edges of a state, each with its earliest arrival in each reachable interval."""
    graph, window = problem.graph, problem.window
    cell, g, until = np.int64(states.cell[s]), states.g[s], states.until[s]
    gather_busy_bits(problem, states, cell)
    left = edges(graph, cell)
    while left & ALL_MOVES != 0:
        word = states.around[lowest_bit(left)]
        to, length, left = next_edge(graph, cell, left)
        duration = window.bins_per_cell * length
        t = earliest_departure(word, g, duration, window.margin, until)
        while t < INF:
            end = relax(problem, states, s, to, t + duration)
            t = INF
            if end < until:
                t = earliest_departure(word, end, duration, window.margin, until)
    expand_far(graph, problem, states, s, left)


@per_type
def expand_far(graph, problem, states, s, left):
    """Relax the long edges of a state; `left` holds its edges without the moves."""


@expand_far.register
def _(graph: Cells, problem, states, s, left):
    pass  # a lattice has no long edges


@expand_far.register
def _(graph: HybridCells, problem, states, s, left):
    window = problem.window
    cell, g, until = np.int64(states.cell[s]), states.g[s], states.until[s]
    here = half_centre(graph.lattice, cell)
    while left != 0:
        edge = graph.first[cell] + (left >> 27) - 1
        to, length, left = next_edge(graph, cell, left)
        duration = window.bins_per_cell * length
        there = half_centre(graph.lattice, to)
        if not may_be_busy(graph.lattice, problem.edges, edge, here, there):
            relax(problem, states, s, to, g + duration)
            continue
        t = first_departure(graph.lattice, window, here, there, g, until)
        while t < INF:
            end = relax(problem, states, s, to, t + duration)
            t = INF
            if end < until:
                t = first_departure(graph.lattice, window, here, there, end, until)


@kernel
def search(problem, states, goal, last_word, last_leg, limit):
    """Expand states until the last leg can start from a state of cell `goal`.

    The last leg leads from that cell to the goal point. It takes `last_leg` bins and is busy in the
    bins of `last_word`. Returns a status and the state, or -1.
    """
    stats = states.stats
    while states.open.size[0] > 0:
        if stats[0].expanded >= limit:
            return STOPPED, -1
        if stats[0].state_count + (1 + max_degree(problem.graph)) * MAX_INTERVALS > len(states.g):
            return FULL, -1
        s = pop(states.open)
        if states.cell[s] == goal:
            margin = problem.window.margin
            if earliest_departure(last_word, states.g[s], last_leg, margin, states.until[s]) < INF:
                return FOUND, s
        states.closed[s] = True
        stats[0].expanded += 1
        expand(problem, states, s)
    return EXHAUSTED, -1


@kernel
def path_size(states, s):
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
    nodes, first = np.unique(cell[closed], return_index=True)  # a cell may have several intervals
    open_states = memory.open.node[: memory.open.size[0]]
    return SearchSnapshot(nodes, memory.g[closed][first], np.unique(cell[open_states]))

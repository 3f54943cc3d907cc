"""Jump point search on cells (Harabor, Grastien 2011; in space: Nobes et al., SoCS 2022).

A* of `grid_engine` with one difference: a straight move runs on to the next *jump point*, the first
cell where another move than straight on is worth trying, and only that enters the queue. Bitmaps of
the rows tell where it is, many cells at a look (`jump_rows`). Diagonal moves go one step at a time:
the papers run along diagonals as well, but those runs scan space that the queue, being ordered,
would never have come to.

The cells that a run passes are not recorded. Where a path is traced back, it follows the move that
led to a node until it meets a node from which the run could have come.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.cells import Cells, coordinates, free_cube, legal_moves
from noctule.graphs.protocol import distance
from noctule.graphs.rows import RowAges, X, Y, Z
from noctule.kernels import kernel, lowest_bit
from noctule.searches.best_first import (
    EXHAUSTED,
    EXPANDED,
    FOUND,
    STAMP,
    STOPPED,
    note_if_nearest,
)
from noctule.searches.buckets import has_room, lowest_stack, take
from noctule.searches.grid_engine import (
    CLOSED,
    GAVE_UP,
    LAST_SEARCH,
    STRAIGHT,
    TOO_FAR,
    WIDTH,
    GridEngine,
    improve,
    new_field,
    next_move,
)
from noctule.searches.jump_rows import Rows, forget_changed_rows, new_rows, run_length
from noctule.searches.pruning import NOWHERE, worth_trying


@kernel
def search(engine, graph, field, rows, goal, limit, partial):
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
        if not has_room(queue, 26):
            return GAVE_UP
        s = take(queue, stack)
        if word[s] & CLOSED:
            continue
        word[s] |= CLOSED
        field.counts[EXPANDED] += 1
        if partial:
            note_if_nearest(field, s, distance(graph, s, goal))
        g = word[s] >> 26
        x, y, z = coordinates(lattice, s)
        to_goal = goal_x - x, goal_y - y, goal_z - z
        cube = free_cube(lattice, s)
        moves = legal_moves(lattice, cube) & worth_trying(engine.pruning, cube, word[s] & 31)
        straight = moves & STRAIGHT
        moves ^= straight
        while straight != 0:
            k = lowest_bit(straight)
            straight &= straight - 1
            n = jump(rows, lattice, k, x, y, z, *to_goal)
            t = s + n * lattice.offset[k]
            if n > 0 and not improve(engine, field, goal, t, g, k, n, *to_goal):
                return GAVE_UP
        while moves != 0:
            k = next_move(moves)
            moves ^= 1 << k
            if not improve(engine, field, goal, s + lattice.offset[k], g, k, 1, *to_goal):
                return GAVE_UP


@kernel
def jump(rows, lattice, k, x, y, z, goal_dx, goal_dy, goal_dz):
    """How many straight moves `k` lead to a jump point or to the goal; no positive number if none.

    The last three arguments are what is left to the goal.
    """
    axis = X if k == 4 or k == 22 else Y if k == 10 or k == 16 else Z
    up = k > NOWHERE
    n = run_length(rows, lattice, axis, up, x, y, z)
    along = goal_dx if axis == X else goal_dy if axis == Y else goal_dz
    if abs(goal_dx) + abs(goal_dy) + abs(goal_dz) == abs(along):  # the goal is in this row
        to_goal = along if up else -along
        if 0 < to_goal < abs(n):
            return to_goal
    return n


@kernel
def step_back(engine, lattice, field, s, d, g):
    """The cell before `s`, which move `d` reached at cost `g`; and the same two of that cell.

    On a run, the cell before is a node of the path if it was reached at no greater cost.
    """
    s -= lattice.offset[d]
    g -= engine.cost[d]
    word = field.word[s]
    if (word >> 6) & LAST_SEARCH == field.counts[STAMP] and word >> 26 <= g:
        return s, word & 31, word >> 26
    return s, d, g


@kernel
def path_size(engine, lattice, field, s):
    """How many cells the path to `s` has."""
    n, d, g = 1, field.word[s] & 31, field.word[s] >> 26
    while d != NOWHERE:
        s, d, g = step_back(engine, lattice, field, s, d, g)
        n += 1
    return n


@kernel
def trace_path(engine, lattice, field, s, nodes):
    """Write the path to `s` into `nodes`, which has the right size, from start to `s`."""
    d, g = field.word[s] & 31, field.word[s] >> 26
    for i in range(len(nodes) - 1, 0, -1):
        nodes[i] = s
        s, d, g = step_back(engine, lattice, field, s, d, g)
    nodes[0] = s


class JumpMemory:
    """Memory of a search, and the rows of its world, which the first search lays out."""

    def __init__(self, n: int) -> None:
        self.field = new_field(n)
        self.counts = self.field.counts
        self.rows: Rows | None = None


class JumpPoints(GridEngine):
    """The shell: runs searches of one weight and heuristic on a graph of cells."""

    new_memory: Any = JumpMemory

    def __init__(self, graph: Cells, weight: float, heuristic: int, ages: RowAges) -> None:
        super().__init__(graph, weight, heuristic)
        self._ages = ages

    def begin(
        self, memory: Any, starts: NDArray[np.int64], costs: NDArray[np.float64], goal: int
    ) -> None:
        """Prepare a search from several nodes, which it costs something to get to."""
        if memory.rows is None:
            memory.rows = new_rows(self._graph.lattice, self._ages)
        if memory.rows.age[0] != self._ages.world[0]:
            forget_changed_rows(memory.rows)
        super().begin(memory.field, starts, costs, goal)

    def run(self, memory: Any, goal: int, limit: int, partial: bool) -> int:
        """Search until the goal is found or `limit` nodes have been expanded in all."""
        return int(
            search(self._engine, self._graph, memory.field, memory.rows, goal, limit, partial)
        )

    def trail(self, memory: Any, node: int) -> NDArray[np.int64]:
        """The numbers of the cells on the path to `node`."""
        where = self._engine, self._graph.lattice, memory.field, node
        cells = np.empty(path_size(*where), np.int64)
        trace_path(*where, cells)
        return cells

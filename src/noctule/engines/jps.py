"""Jump point search on cells (Harabor, Grastien 2011; in space: Nobes et al., SoCS 2022).

A* of `grid_search` with one difference: a straight move runs on to the next *jump point*, the first
cell where another move than straight on is worth trying, and only that enters the queue. Bitmaps of
the rows tell where it is, many cells at a look (`jump_rows`). Diagonal moves go one step at a time:
the papers run along diagonals as well, but those runs scan space that the queue, being ordered,
would never have come to.

The cells that a run passes are not recorded. Where a path is traced back, it follows the move that
led to a node until it meets a node from which the run could have come.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.best_first import STAMP
from noctule.core.intrinsics import at, lowest_bit, prefetch
from noctule.core.jit import kernel
from noctule.engines.grid_engine import GridEngine
from noctule.engines.jps_bitmaps import (
    Rows,
    forget_changed_rows,
    new_rows,
    run_length,
)
from noctule.engines.lattice_a_star import (
    expand,
    improve,
    prefetch_node,
    step_back,
    weighted_f,
)
from noctule.engines.packed_nodes import LAST_SEARCH, f_of, new_field
from noctule.engines.pruning import STRAIGHT, Pruning, next_move, worth_trying
from noctule.graphs.grid.lattice import Cells, coordinates, free_cube, legal_moves, prefetch_cube
from noctule.graphs.grid.row_index import RowAges


class JumpEngine(NamedTuple):
    """What the searches of one planner need: that of `Engine`, and the rows of the world."""

    weight: float
    heuristic: int
    cost: np.ndarray
    step: np.ndarray
    pruning: Pruning
    rows: Rows


@prefetch_node.register
def _(engine: JumpEngine, graph, field, s):
    prefetch(field.word, s)


@expand.register
def _(engine: JumpEngine, graph, field, s, about, goal, goal_x, goal_y, goal_z):
    lattice = graph.lattice
    x, y, z = coordinates(lattice, s)
    to_goal = goal_x - x, goal_y - y, goal_z - z
    cube = free_cube(lattice, s)
    d = about & 31
    moves = legal_moves(lattice, cube) & worth_trying(engine.pruning, cube, d)
    straight = moves & STRAIGHT
    moves ^= straight
    while straight != 0:
        k = lowest_bit(straight)
        straight &= straight - 1
        n = jump(engine, lattice, d, k, x, y, z, *to_goal)
        t = s + n * lattice.offset[at(k)]
        if n > 0 and not improve(engine, field, goal, t, about, k, n, *to_goal):
            return False
    while moves != 0:
        k = next_move(moves)
        moves ^= 1 << k
        t = s + lattice.offset[at(k)]
        prefetch_cube(lattice, t)  # what is put in last will be expanded next, ..
        prefetch(field.word, t + lattice.offset[at(k)])  # .. and most likely go the same way
        if not improve(engine, field, goal, t, about, k, 1, *to_goal):
            return False
    return True


@kernel
def jump(engine, lattice, d, k, x, y, z, goal_dx, goal_dy, goal_dz):
    """How many straight moves `k` lead to a jump point or to the goal; no positive number if none.

    Move `d` led to the cell (x, y, z) where they begin. The last three arguments are what is left
    from there to the goal.
    """
    n = run_length(engine.rows, lattice, d, k, x, y, z)
    if (goal_dx == 0) + (goal_dy == 0) + (goal_dz == 0) == 2:  # the goal is in a row with this cell
        step = engine.step
        ahead = goal_dx * step[at(k), 0] + goal_dy * step[at(k), 1] + goal_dz * step[at(k), 2]
        if 0 < ahead < abs(n):
            return ahead
    return n


@f_of.register
def _(engine: JumpEngine, graph, field, s, goal):
    return weighted_f(engine, graph.lattice, field.word[at(s)] >> 26, s, goal)


@step_back.register
def _(engine: JumpEngine, lattice, field, s, d, g):
    """On a run, the cell before is a node of the path if it was reached at no greater cost."""
    s -= lattice.offset[at(d)]
    g -= engine.cost[at(d)]
    word = field.word[at(s)]
    if (word >> 6) & LAST_SEARCH == field.counts[STAMP] and word >> 26 <= g:
        return s, word & 31, word >> 26
    return s, d, g


class JumpMemory:
    """Memory of a search, and the rows of its world, which the first search lays out."""

    def __init__(self, n: int) -> None:
        self.field = new_field(n)
        self.counts = self.field.counts
        self.rows: Rows | None = None
        self.engine: tuple[Any, Any] = (None, None)  # whose search it was, with these rows


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
        self._lay_out(memory)
        super().begin(memory.field, starts, costs, goal)

    def parts(self, memory: Any, searches: int) -> tuple[Any, Any, Any]:
        """What compiled code needs for so many searches of its own: engine, graph and field."""
        self._lay_out(memory)
        _, graph, field = super().parts(memory.field, searches)
        return self._jumps(memory), graph, field

    def _lay_out(self, memory: Any) -> None:
        """Have rows that are right for the world as it is."""
        if memory.rows is None:
            memory.rows = new_rows(self._graph.lattice, self._ages)
        if memory.rows.age[0] != self._ages.world[0]:
            forget_changed_rows(memory.rows)

    def run(self, memory: Any, goal: int, limit: int, partial: bool) -> int:
        """Search until the goal is found or `limit` nodes have been expanded in all."""
        return self._run(self._jumps(memory), self._graph, memory.field, goal, limit, partial)

    def trail(self, memory: Any, node: int) -> NDArray[np.int64]:
        """The numbers of the cells on the path to `node`."""
        return self._trail(self._jumps(memory), memory.field, node)

    def _jumps(self, memory: Any) -> Any:
        """What a search needs, with the rows that this memory has."""
        if memory.engine[0] is not self:
            memory.engine = self, JumpEngine._make((*self._engine, memory.rows))
        return memory.engine[1]

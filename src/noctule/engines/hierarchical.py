"""A quick path through a big world: the way from block to block first, then the cells along it.

After Botea, Müller, Schaeffer, "Near Optimal Hierarchical Path-Finding" (2004). A* on the parts of
blocks (`graphs.blocks`) finds a way, or proves that there is none; A* on cells then finds the
shortest path that keeps to the cells of these parts. Among rooms and dead ends, where a weight
leads a search astray, that takes a fraction of the time; in the open, where it does not, a short
search with a weight is tried before. How much too long the path may be is not known beforehand: its
bound is what can be proven of it afterwards.
"""

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.a_star import AStar
from noctule.algorithms.best_first import EXHAUSTED, EXPANDED, FOUND, STOPPED, BestFirst, new_tree
from noctule.core.memory import reserve
from noctule.engines.grid_engine import GridEngine
from noctule.engines.lattice_a_star import GAVE_UP
from noctule.engines.packed_nodes import new_field
from noctule.graphs.explicit.graph import Graph
from noctule.graphs.grid.block_components import (
    SIDE,
    Blocks,
    carve,
    find_edges,
    find_parts,
    part_with,
)
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.lattice import Cells, Lattice
from noctule.graphs.heuristics import STRAIGHT

NO_PARTS = np.empty(0, np.int64)

WEIGHT, ENOUGH = 2.0, 1 << 14  # of the search that is tried before, and its expansions


class ShortTry(GridEngine):
    """A search with a weight that gives up soon."""

    def __init__(self, graph: Cells, heuristic: int) -> None:
        super().__init__(graph, WEIGHT, heuristic)

    def run(self, field: Any, goal: int, limit: int, partial: bool) -> int:
        """Search until the goal is found, `limit` nodes have been expanded, or it takes long."""
        status = super().run(field, goal, min(limit, ENOUGH), partial)
        return GAVE_UP if status == STOPPED and limit > ENOUGH else status


class CoarseLevel:
    """The parts of a world as it was when this was made, and ways between them."""

    def __init__(self, lattice: Lattice) -> None:
        self._lattice = lattice
        counts = [-(-n // SIDE) for n in (lattice.nx, lattice.ny, lattice.nz)]
        first = np.zeros(np.prod(counts) + 1, np.int64)
        free, part = np.empty(SIDE, np.uint64), np.empty(SIDE, np.uint64)
        n = len(first)
        while True:
            cells, centre = np.empty((n, SIDE), np.uint64), np.empty((n, 3))
            self.blocks = Blocks(counts[1], counts[2], first, cells, centre)
            n = find_parts(lattice, self.blocks, free, part)
            if n <= len(cells):
                break
        edges = np.empty((3 * n, 2), np.int64)
        if (m := find_edges(self.blocks, edges)) > len(edges):
            edges = np.empty((m, 2), np.int64)
            find_edges(self.blocks, edges)
        self.graph = Graph(centre[:n], edges[:m]) if n else None
        if self.graph is not None:
            self._search = BestFirst(self.graph.graph(), AStar(1.0, STRAIGHT))

    def part_of(self, s: int) -> int:
        """The part that a cell belongs to."""
        return int(part_with(self._lattice, self.blocks, s))

    def way(self, start: int, goal: int) -> tuple[NDArray[np.int64], int]:
        """The parts on the way from one to another, none if there is no way; nodes expanded."""
        assert self.graph is not None, "there are parts"
        tree = self.graph.acquire(new_tree)
        try:
            self._search.begin(tree, np.array([start]), np.zeros(1), goal)
            status = self._search.run(tree, goal, 1 << 62, False)
            parts = self._search.trail(tree, goal) if status == FOUND else NO_PARTS
            return parts, int(tree.counts[EXPANDED])
        finally:
            self.graph.release(new_tree, tree)

    def carve(self, parts: NDArray[np.int64], free: bool, room: NDArray[np.uint8]) -> None:
        """Make the cells of some parts free, or blocked again, in a world of their own."""
        carve(self._lattice, self.blocks, parts, free, room)


class Corridor:
    """Memory of a search, and the world of those cells that it keeps to."""

    def __init__(self, n: int) -> None:
        self.field = new_field(n)
        self.counts = self.field.counts
        self.room = reserve(n, np.uint8)
        self.level: CoarseLevel | None = None
        self.parts = NO_PARTS


class Coarse(GridEngine):
    """The shell: searches along the coarse level of a grid, made anew when cells have changed."""

    new_memory: Any = Corridor

    def __init__(self, grid: Grid, graph: Cells, heuristic: int) -> None:
        super().__init__(graph, 1.0, heuristic)
        self._grid = grid
        self._lock = threading.Lock()
        self._known: tuple[int, CoarseLevel] | None = None

    @property
    def level(self) -> CoarseLevel:
        """The coarse level of the world as it is."""
        with self._lock:
            version = self._grid.version
            if self._known is None or self._known[0] != version:
                self._known = version, CoarseLevel(self._graph.lattice)
            return self._known[1]

    def begin(
        self, memory: Any, starts: NDArray[np.int64], costs: NDArray[np.float64], goal: int
    ) -> None:
        """Find the way on the coarse level, and prepare a search that keeps to it."""
        if memory.level is not None:
            memory.level.carve(memory.parts, False, memory.room)
        memory.level = level = self.level
        parts, expanded = level.way(level.part_of(starts[0]), level.part_of(goal))
        if len(parts):
            parts = np.union1d(parts, [level.part_of(s) for s in starts])
        memory.parts = parts
        level.carve(parts, True, memory.room)
        super().begin(memory.field, starts, costs, goal)
        memory.counts[EXPANDED] = expanded

    def run(self, memory: Any, goal: int, limit: int, partial: bool) -> int:
        """Search until the goal is found or `limit` nodes have been expanded in all."""
        if not len(memory.parts):
            return EXHAUSTED
        lattice = self._graph.lattice._replace(free3=memory.room)
        corridor = self._graph._replace(lattice=lattice)
        return self._run(self._engine, corridor, memory.field, goal, limit, partial)

    def trail(self, memory: Any, node: int) -> NDArray[np.int64]:
        """The numbers of the cells on the path to `node`."""
        return self._trail(self._engine, memory.field, node)

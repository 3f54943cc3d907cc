"""Hierarchical A*: search a coarse graph of blocks first, then the cells along its path.

After Botea, Müller, Schaeffer, "Near Optimal Hierarchical Path-Finding" (2004). Indoors 17 to 32
times as fast as `LatticeAStar` and 3 to 6 times as fast as `JumpPoints`; the path is not optimal.

A* on the connected parts of blocks (`block_components`) finds a coarse path or proves that there is
none; A* on cells then finds the shortest path inside these parts. In open space weighted A* is
faster still, so a short search with it is tried first. The suboptimality of the path is not known
beforehand: its bound is proven afterwards.
"""

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.a_star import AStar
from noctule.algorithms.best_first import BestFirst, new_tree
from noctule.algorithms.endpoint import Endpoint, at_node
from noctule.algorithms.search_engine import NO_NODES, Result
from noctule.core.memory import reserve
from noctule.core.status import EXHAUSTED, GAVE_UP, STOPPED
from noctule.engines.lattice_a_star import LatticeAStar
from noctule.engines.packed_nodes import new_packed_nodes
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

WEIGHT, MAX_EXPANDED = 2.0, 1 << 14  # of the weighted search that is tried first


class WeightedTry(LatticeAStar):
    """Run weighted A* that gives up after a few expansions."""

    name = "weighted try"

    def __init__(self, graph: Cells, heuristic: int) -> None:
        super().__init__(graph, WEIGHT, heuristic)

    def search(
        self, memory: Any, start: Endpoint | None, goal: Endpoint, limit: int, partial: bool
    ) -> Result:
        """Search, or continue; give up after `MAX_EXPANDED` expansions."""
        status, nodes = super().search(memory, start, goal, min(limit, MAX_EXPANDED), partial)
        return GAVE_UP if status == STOPPED and limit > MAX_EXPANDED else status, nodes


class CoarseLevel:
    """The coarse graph of a world at one time: parts of blocks, and edges between them."""

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
            self._search = BestFirst(self.graph.kernel_graph(), AStar(1.0, STRAIGHT))

    def part_of(self, s: int) -> int:
        """Return the part that contains a cell."""
        return int(part_with(self._lattice, self.blocks, s))

    def path(self, start: int, goal: int) -> tuple[NDArray[np.int64], int]:
        """Return the parts on a path, none if there is no path, and the expansions."""
        assert self.graph is not None, "there are parts"
        tree = self.graph.acquire(new_tree)
        try:
            ends = at_node(start), at_node(goal)
            _, parts = self._search.search(tree, *ends, 1 << 62, False)
            return parts, int(tree.stats[0].expanded)
        finally:
            self.graph.release(new_tree, tree)

    def carve(self, parts: NDArray[np.int64], free: bool, room: NDArray[np.uint8]) -> None:
        """Mark the cells of some parts as free, or as blocked again, in the array `room`."""
        carve(self._lattice, self.blocks, parts, free, room)


class Corridor:
    """Memory of a search, and the cells that it may use."""

    def __init__(self, n: int) -> None:
        self.nodes = new_packed_nodes(n)
        self.stats = self.nodes.stats
        self.room = reserve(n, np.uint8)
        self.level: CoarseLevel | None = None
        self.parts = NO_NODES


class Hierarchical(LatticeAStar):
    """Run searches along the coarse level of a grid, which is rebuilt when cells have changed."""

    name = "hierarchical A*"
    new_memory: Any = Corridor

    def __init__(self, grid: Grid, graph: Cells, heuristic: int) -> None:
        super().__init__(graph, 1.0, heuristic)
        self._grid = grid
        self._lock = threading.Lock()
        self._known: tuple[int, CoarseLevel] | None = None

    @property
    def level(self) -> CoarseLevel:
        """The coarse level of the present world."""
        with self._lock:
            version = self._grid.version
            if self._known is None or self._known[0] != version:
                self._known = version, CoarseLevel(self._graph.lattice)
            return self._known[1]

    def parts(self, memory: Any) -> tuple[Any, Any, Any]:
        """Return options, the graph of the cells in the corridor, and nodes."""
        lattice = self._graph.lattice._replace(free3=memory.room)
        return self._options, self._graph._replace(lattice=lattice), memory.nodes

    def search(
        self, memory: Any, start: Endpoint | None, goal: Endpoint, limit: int, partial: bool
    ) -> Result:
        """Find a path on the coarse level, then one on the cells along it; or continue."""
        if start is not None:
            expanded = self._carve(memory, start.nodes, int(goal.nodes[0]))
            status, nodes = super().search(memory, start, goal, 0, partial)
            memory.stats[0].expanded = expanded
            if status != STOPPED:
                return status, nodes
        if not len(memory.parts):
            return EXHAUSTED, NO_NODES
        return super().search(memory, None, goal, limit, partial)

    def _carve(self, memory: Any, starts: NDArray[np.int64], goal: int) -> int:
        """Restrict a search to the parts on the coarse path; return the expansions for that."""
        if memory.level is not None:
            memory.level.carve(memory.parts, False, memory.room)
        memory.level = level = self.level
        parts, expanded = level.path(level.part_of(starts[0]), level.part_of(goal))
        if len(parts):
            parts = np.union1d(parts, [level.part_of(s) for s in starts])
        memory.parts = parts
        level.carve(parts, True, memory.room)
        return expanded

"""Hierarchical A*: search a coarse graph of blocks first, then the cells along its path.

After Botea, Müller, Schaeffer, "Near Optimal Hierarchical Path-Finding" (2004). Indoors 17 to 32
times as fast as `LatticeAStar` and 3 to 6 times as fast as `JumpPoints`; the path is not optimal.

A* on the connected parts of blocks (`block_components`) finds a coarse path or proves that there is
none; A* on cells then finds the shortest path inside these parts. In open space weighted A* is
faster still, so a short search with it is tried first. The suboptimality of the path is not known
beforehand: its bound is proven afterwards.

The parts are found in slices, between which `SearchRun` looks at the clock; when cells change, only
those of their blocks are found again.
"""

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.a_star import AStar
from noctule.algorithms.best_first import BestFirst, Tree, new_tree
from noctule.algorithms.endpoint import Endpoint, at_node
from noctule.algorithms.search_engine import NO_NODES, Result
from noctule.core.memory import reserve
from noctule.core.status import EXHAUSTED, FOUND, GAVE_UP, PREPARING, STOPPED
from noctule.engines.lattice_a_star import LatticeAStar
from noctule.engines.packed_nodes import new_packed_nodes
from noctule.graphs.grid.block_components import (
    MOST,
    SIDE,
    blocks_of,
    carve,
    find_parts,
    new_blocks,
    part_with,
)
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.lattice import Cells, Lattice
from noctule.graphs.heuristics import STRAIGHT

WEIGHT, MAX_EXPANDED = 2.0, 1 << 14  # of the weighted search that is tried first
PIECE = 32  # blocks whose parts are found in one slice
STEPS = 256  # expansions on the coarse level in one slice


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
    """The coarse graph of a grid: the connected parts of its blocks, as of the last `update`."""

    def __init__(self, grid: Grid, lattice: Lattice) -> None:
        self._grid, self._lattice = grid, lattice
        nx, ny, nz = (-(-n // SIDE) for n in (lattice.nx, lattice.ny, lattice.nz))
        n = nx * ny * nz
        self.blocks = new_blocks(nx, ny, nz, 2 * n + 2 * PIECE * MOST)
        self._search = BestFirst(self.blocks, AStar(1.0, STRAIGHT))
        self._used = 0
        self.version = grid.version  # that the parts are of, but for those pending
        self._pending = np.arange(n)  # blocks of which the parts are unknown

    def update(self) -> bool:
        """Find the parts of some blocks that changed; return whether these were all."""
        self._note_changes()
        piece, self._pending = self._pending[:PIECE], self._pending[PIECE:]
        if not len(piece):
            return True
        if self._used + 2 * PIECE * MOST > len(self.blocks.block):
            self._grow()
        free, part = np.empty(SIDE, np.uint64), np.empty(SIDE, np.uint64)
        self._used = find_parts(self._lattice, self.blocks, piece, self._used, free, part)
        return not len(self._pending)

    def _note_changes(self) -> None:
        if self.version == self._grid.version:
            return
        changed = self._grid.changes_since(self.version)
        self.version = self._grid.version
        if changed is None:  # too many
            self._pending = np.arange(len(self.blocks.first))
            return
        found = np.empty(len(changed), np.int64)
        blocks_of(self._lattice, self.blocks, changed.astype(np.int64), found)
        self._pending = np.union1d(self._pending, found[found >= 0])

    def _grow(self) -> None:
        """Make room for twice as many parts."""
        n, old = len(self.blocks.block), self.blocks
        new = new_blocks(old.nx, old.ny, old.nz, 2 * n)
        for ours, theirs in zip(new[6:], old[6:], strict=True):
            ours[:n] = theirs
        self.blocks = old._replace(block=new.block, cells=new.cells, centre=new.centre)
        self._search = BestFirst(self.blocks, AStar(1.0, STRAIGHT))

    def part_of(self, s: int) -> int:
        """Return the part that contains a cell."""
        return int(part_with(self._lattice, self.blocks, s))

    def search(self, tree: Tree, start: int | None, goal: int, limit: int) -> Result:
        """Search for a path over the parts, or continue."""
        begin = None if start is None else at_node(start)
        return self._search.search(tree, begin, at_node(goal), limit, False)

    def carve(self, parts: tuple[Any, Any], free: bool, room: Any) -> None:
        """Mark the cells of parts, given by block and cells, as free or blocked in `room`."""
        carve(self._lattice, self.blocks, *parts, free, room)


class Corridor:
    """Memory of a search, and the cells that it may use."""

    def __init__(self, n: int) -> None:
        self.nodes = new_packed_nodes(n)
        self.stats = self.nodes.stats
        self.room = reserve(n, np.uint8)
        self.free: tuple[Any, Any] = np.empty(0, np.int64), np.empty((0, SIDE), np.uint64)
        self.tree = new_tree(1)  # of the search on the coarse level
        self.start: Endpoint | None = None  # of a search that waits for its coarse path
        self.version: int | None = None  # of the level in which that is being searched for


class Hierarchical(LatticeAStar):
    """Run searches along the coarse level of a grid, which follows the changes of cells."""

    name = "hierarchical A*"
    new_memory: Any = Corridor

    def __init__(self, grid: Grid, graph: Cells, heuristic: int) -> None:
        super().__init__(graph, 1.0, heuristic)
        self._grid = grid
        self._lock = threading.Lock()
        self._level: CoarseLevel | None = None

    def parts(self, memory: Any) -> tuple[Any, Any, Any]:
        """Return options, the graph of the cells in the corridor, and nodes."""
        lattice = self._graph.lattice._replace(free3=memory.room)
        return self._options, self._graph._replace(lattice=lattice), memory.nodes

    def search(
        self, memory: Any, start: Endpoint | None, goal: Endpoint, limit: int, partial: bool
    ) -> Result:
        """Find a path on the coarse level, then one on the cells along it; or continue."""
        if start is not None:
            memory.start, memory.version = start, None
            memory.stats[0].expanded = 0
        if memory.start is None:
            return super().search(memory, None, goal, limit, partial)
        parts = self._coarse_path(memory, int(goal.nodes[0]))
        if parts is None:
            return PREPARING, NO_NODES
        start, memory.start = memory.start, None
        expanded = int(memory.tree.stats[0].expanded)
        if not len(parts):
            memory.stats[0].expanded = expanded
            return EXHAUSTED, NO_NODES
        status, nodes = super().search(memory, start, goal, 0, partial)
        memory.stats[0].expanded = expanded
        if status != STOPPED:
            return status, nodes
        return super().search(memory, None, goal, limit, partial)

    def partial_path(self, memory: Any) -> NDArray[np.int64]:
        """Return the path to the closed node nearest to the goal, if the search has begun."""
        return NO_NODES if memory.start is not None else super().partial_path(memory)

    def _coarse_path(self, memory: Any, goal: int) -> NDArray[np.int64] | None:
        """Go on with the coarse path; return its parts, or None if that is not all.

        With a path, restrict the search to its cells; without, return no parts.
        """
        with self._lock:  # of threads that share the level
            self._level = level = self._level or CoarseLevel(self._grid, self._graph.lattice)
            if not level.update():
                return None
            starts = memory.start.nodes
            if memory.version == level.version:
                limit = int(memory.tree.stats[0].expanded) + STEPS
                status, parts = level.search(memory.tree, None, level.part_of(goal), limit)
            else:
                level.carve(memory.free, False, memory.room)
                memory.free, memory.version = tuple(x[:0] for x in memory.free), level.version
                if len(memory.tree.g) < len(level.blocks.block):
                    memory.tree = new_tree(len(level.blocks.block))
                ends = level.part_of(starts[0]), level.part_of(goal)
                status, parts = level.search(memory.tree, *ends, STEPS)
            if status == STOPPED:
                return None
            if status == FOUND:
                parts = np.union1d(parts, [level.part_of(s) for s in starts])
                memory.free = level.blocks.block[parts], level.blocks.cells[parts]
                level.carve(memory.free, True, memory.room)
            return parts if status == FOUND else NO_NODES

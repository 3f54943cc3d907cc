"""`Replanner`: plans of an incremental search, and what answers while its repair takes too long."""

import threading
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.endpoint import at_node
from noctule.algorithms.incremental.state import Phase, SearchMemory
from noctule.core.jit import INF
from noctule.core.stats import work_of
from noctule.core.status import FOUND
from noctule.graphs.grid.grid import Grid
from noctule.path import Path
from noctule.planning.replanning.remaining_path import RemainingPath
from noctule.planning.result import Query
from noctule.planning.run import Ends, SearchRun
from noctule.planning.smoothing import is_open, leave_out_corners

# While the repair of an any-angle search takes too long, the rest of the last path answers, if it
# is free: so many times in a row, and only where a new search takes so many expansions. If it is
# blocked, a detour around the obstacle may do that takes few expansions and is hardly longer.
MOST_TIMES, LARGE = 20, 1000
FEW, LONGER = 500, 0.01


class Replanner:
    """Plans again and again on a graph in its current layout, one plan at a time.

    Attributes
    ----------
    memory : SearchMemory or None
        What the search keeps, once there was a plan.
    reused : int
        How many times in a row the rest of the last path was returned.
    """

    def __init__(self, run: SearchRun, engines: list[Any]) -> None:
        self._run, self._engines = run, engines
        self._grid = run.grid
        self._large = LARGE if run.options.algorithm.any_angle else INF
        self._lock = threading.Lock()
        self.memory: SearchMemory | None = None
        self.reused = 0
        self._last: Path | None = None
        self._spare = 0.0  # how much longer the last path may become by detours

    def plan(self, query: Query, engine: Any = None) -> Path:
        """Plan with the search that is kept from the last plan."""
        engine = engine or self._engines[0]
        with self._lock:
            if self.memory is None:
                self.memory = engine.new_memory(self._grid.node_count)
            ends = self._run.connect(query)
            if isinstance(ends, Path):
                self._last = ends if ends.found else None
                return ends
            memory = self.memory
            memory.urgent = engine.limits is not None and self._is_blocked(memory, query)
            path = self._run.search(engine, memory, query, ends)
            if path is None:  # the repair takes too long; the next plan goes on with it
                path = self._reuse_last_path(memory, query) or self._stand_in(memory, query, ends)
            else:
                self.reused = 0
            if self.reused == 0:
                self._spare = LONGER * path.length
            self._last = path if path.found else None
        return path

    def warm_up(self, query: Query) -> None:
        """Compile, or load, what repairs need."""
        engine = self._engines[0]
        memory = engine.new_memory(self._grid.node_count)
        ends = self._run.connect(query)
        if isinstance(ends, Path):
            return
        path = self._run.search(engine, memory, query, ends)
        if path is not None and memory.phase == Phase.READY:
            engine.warm_up(memory)
            if engine.limits is not None:
                self._is_open(path)
                if len(self._engines) > 1:
                    self._run.find(query, self._engines[1:], ends, leave_out_corners)

    def _is_blocked(self, memory: SearchMemory, query: Query) -> bool:
        """Return whether the last path is blocked, where a new search takes long."""
        if self._last is None or memory.size < self._large:
            return False
        here = query.ends[0]
        free_here = self._grid.segment_is_free(self._run.graph, here, here)
        return not (free_here and self._is_open(self._last))

    def _is_open(self, path: Path) -> bool:
        assert isinstance(self._grid, Grid)  # only searches on cells have limits
        return bool(is_open(self._run.graph, self._grid.number(path.nodes)))

    def _reuse_last_path(self, memory: SearchMemory, query: Query) -> Path | None:
        """Return the rest of the last path while the repair is unfinished, at most 20 times."""
        if self._last is None or memory.size < self._large or self.reused >= MOST_TIMES:
            return None
        rest = RemainingPath(self._run.builder, self._last, query)
        if not rest.is_free:
            length = rest.length
            rest.detour(self._find_detour)
            self._spare -= rest.length - length
        if not rest.is_free or self._spare < 0.0:
            return None
        self.reused += 1
        return rest.as_path(work_of(memory.stats))

    def _find_detour(self, s: int, t: int) -> tuple[NDArray[np.int64] | None, int]:
        """Return the nodes of a short path by A*, if few expansions find one; and how many."""
        engine = self._engines[1]
        memory = self._grid.acquire(engine.new_memory)
        try:
            status, nodes = engine.search(memory, at_node(s), at_node(t), FEW, False)
            return nodes if status == FOUND else None, work_of(memory.stats)[0]
        finally:
            self._grid.release(engine.new_memory, memory)

    def _stand_in(self, memory: SearchMemory, query: Query, ends: Ends) -> Path:
        """Find a path by A*, which is faster than the incremental search, and skip its corners."""
        self.reused = 0
        path = self._run.find(query, self._engines[1:], ends, leave_out_corners)
        memory.size = max(path.expanded, 1)
        expanded = path.expanded + work_of(memory.stats)[0]
        return replace(path, expanded=expanded, bound=path.bound * memory.weight, restarted=True)

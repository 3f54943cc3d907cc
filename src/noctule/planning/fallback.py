"""Plans of a search that remembers, and what answers while it takes longer than a plan may."""

import threading
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.best_first import FOUND
from noctule.algorithms.incremental import Kept, Remembering
from noctule.algorithms.remembered import NO_NODE
from noctule.engines.table import Engine, spent
from noctule.path import Path
from noctule.planning.remaining_path import Rest
from noctule.planning.result import Query
from noctule.planning.search_run import Pathfinder
from noctule.planning.smoothing import is_open

# While a search at any angle takes more time than a plan has, the last path may do, if it is free:
# so many times in a row, and only where a new one takes so many expansions. If it is not, a way
# round what has come in between may do, if it takes few, and makes the path hardly longer in all.
MOST_TIMES, LARGE = 20, 1000
FEW, LONGER = 500, 0.01


class Replanner:
    """Plans again and again on a graph as it is laid out now, one plan at a time.

    Attributes
    ----------
    kept : Kept or None
        What the search knows, once there was a plan.
    same : int
        How many times in a row it answered with what is left of the same path.
    """

    def __init__(self, finder: Pathfinder, engines: list[Engine]) -> None:
        self._finder, self._engines = finder, engines
        self._grid, self._options = finder.grid, finder.options
        self._one_at_a_time = threading.Lock()
        self.kept: Kept | None = None
        self.same = 0
        self._last: Path | None = None  # what it answered
        self._spare = 0.0  # how much longer that may become by ways round something

    def plan(self, engine: Remembering, query: Query) -> Path:
        """Plan with what is kept from the last plan."""
        with self._one_at_a_time:
            if self.kept is None:
                self.kept = engine.new_memory(self._grid.node_count)
            kept = self.kept
            kept.urgent = not engine.patient and self._is_shut(kept, query)
            path = self._finder.find(engine, kept, query)
            if path is None:  # the search takes too long; the next plan goes on with it
                path = self._fly_on(kept, query) or self._plan_meanwhile(kept, query)
            else:
                self.same = 0
            if self.same == 0:
                self._spare = LONGER * path.length
            self._last = path if path.found else None
        return path

    def warm_up(self, engine: Remembering, query: Query) -> None:
        """Compile, or load, what repairs need."""
        kept = self._grid.acquire(engine.new_memory)
        kept.forget()
        path = self._finder.find(engine, kept, query)
        if path is not None and kept.root != NO_NODE:
            engine.warm_up(kept)
            if not engine.patient:
                self._is_open(path)
        kept.forget()
        self._grid.release(engine.new_memory, kept)

    def _is_shut(self, kept: Kept, query: Query) -> bool:
        """Whether something is in the way of the last path, where a new search takes long."""
        if self._last is None or not self._may_do(kept):
            return False
        here = query.ends[0]
        return not (
            self._is_open(self._last) and self._grid.segment_is_free(self._finder.graph, here, here)
        )

    def _is_open(self, path: Path) -> bool:
        return bool(is_open(self._finder.graph, self._grid.number(path.nodes)))

    def _may_do(self, kept: Kept) -> bool:
        """Whether the last path may do while a search takes long."""
        return self._options.algorithm.any_angle and kept.size >= LARGE

    def _fly_on(self, kept: Kept, query: Query) -> Path | None:
        """The last path again, where it is free and a new search takes long; not for ever."""
        if self._last is None or not self._may_do(kept) or self.same >= MOST_TIMES:
            return None
        rest = Rest(self._finder.answers, self._last, query)
        if not rest.is_free:
            length = rest.length
            rest.go_round(self._detour)
            self._spare -= rest.length - length
        if not rest.is_free or self._spare < 0.0:
            return None
        self.same += 1
        return rest.as_path(spent(kept))

    def _detour(self, s: int, t: int) -> tuple[NDArray[np.int64] | None, int]:
        """A way between two nodes by A*, unless that takes long; and what it took."""
        engine = self._engines[1]
        assert not isinstance(engine, Remembering)
        memory = self._grid.acquire(engine.new_memory)
        try:
            engine.begin(memory, np.array([s]), np.zeros(1), t)
            found = engine.run(memory, t, FEW, False) == FOUND
            return (engine.trail(memory, t) if found else None), spent(memory)[0]
        finally:
            self._grid.release(engine.new_memory, memory)

    def _plan_meanwhile(self, kept: Kept, query: Query) -> Path:
        """Find a path by A*, which is quicker than the search that remembers."""
        self.same = 0
        path = self._finder.find_afresh(query, self._engines[1:])
        kept.size = max(path.expanded, 1)
        expanded = path.expanded + spent(kept)[0]
        return replace(path, expanded=expanded, bound=path.bound * kept.weight, restarted=True)

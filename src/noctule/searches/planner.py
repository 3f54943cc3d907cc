"""`Planner`: the shell around the searches."""

import os
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.gate import Point, at_least, positive
from noctule.graphs.cell_grid import CellGrid
from noctule.graphs.euclidean import Graph
from noctule.graphs.grid import Grid
from noctule.kernels import INF
from noctule.path import Path
from noctule.searches.answers import Query
from noctule.searches.anytime import FIRST_WEIGHT, STEP, Anytime
from noctule.searches.best_first import FOUND, STAMP
from noctule.searches.catalogue import algorithms
from noctule.searches.engines import Engine, choose_engines, spent
from noctule.searches.flying_on import Rest
from noctule.searches.meeting import Goal
from noctule.searches.options import Options, check_options
from noctule.searches.pathfinder import Pathfinder
from noctule.searches.remembered import NO_NODE
from noctule.searches.remembering import Kept, Remembering
from noctule.searches.searched import Searched, searched
from noctule.searches.timed_planner import TimedPlanner
from noctule.smoothing import is_open

# While a search at any angle takes more time than a plan has, the last path may do, if it is free:
# so many times in a row, and only where a new one takes so many expansions. If it is not, a way
# round what has come in between may do, if it takes few, and makes the path hardly longer in all.
MOST_TIMES, LARGE = 20, 1000
FEW, LONGER = 500, 0.01


class Planner:
    """Plans paths on one grid with one algorithm, keeping its memory from plan to plan.

    The parameters are those of `plan`. Many planners may share a grid from many threads.

    Examples
    --------
    >>> import numpy as np
    >>> import noctule as nt
    >>> planner = nt.Planner(nt.Grid(np.zeros((9, 9, 9), dtype=bool)), "a*")
    >>> path = planner.plan((0.5, 0.5, 0.5), (8.5, 4.5, 0.5))
    >>> path.found, round(path.length, 6)
    (True, 9.656854)
    """

    def __init__(self, grid: Grid | Graph, algorithm: str = "a*", **options: Any) -> None:
        if not isinstance(grid, Grid | Graph):
            raise ValueError(f"grid is a {type(grid).__name__}; expected a noctule.Grid or Graph")
        self.grid: Any = grid
        self.options = check_options(grid, algorithm, **options)
        self._one_at_a_time = threading.Lock()
        self.timed = _timed_planner(grid, self.options)
        self._look_again()

    def _look_again(self) -> None:
        """Take the graph as it is laid out now."""
        self._finder = Pathfinder(self.grid, self.options)
        self._engines = choose_engines(self.grid, self._finder.graph, self.options)
        self._kept: Kept | None = None  # what a search that remembers knows
        self._last: Path | None = None  # what it answered
        self._same = 0  # how many times in a row
        self._spare = 0.0  # how much longer it may become by ways round something

    def plan(
        self,
        start: Point,
        goal: Goal,
        *,
        best_start: bool = False,
        towards: Point | None = None,
        at: float | None = None,
        budget: float | None = None,
    ) -> Path:
        """Find a path between two points in world units.

        An algorithm that remembers repairs what it knows from the last plan.

        Parameters
        ----------
        start, goal : sequence of float
            Where from and where to.
        best_start : bool
            Let a start that is no node begin at whichever node it sees makes the path shortest,
            not at the nearest: an agent that plans again and again as it flies must not turn back.
        towards : sequence of float, optional
            With `best_start`: the corner of its path that the agent flies to. If the start sees it,
            the path may begin there, however far it is. That of a search that remembers does: it
            knows its way from one node only, and an agent must not fly to another in every frame.
        at : float, optional
            For a search in time: when to start; now, as the scene has it, unless given. The goal
            of such a search may be a function of time.
        budget : float, optional
            Seconds for this plan, instead of those that the planner was made with.
        """
        if self.timed is not None:
            return self.timed.plan(start, goal, at)
        if callable(goal) or at is not None:
            raise ValueError(f"{self.options.algorithm.name} knows nothing of time")
        seconds = self.options.budget if budget is None else budget
        query = self._query(start, goal, seconds, best_start or self.grid.sparse, towards)
        if self.options.algorithm.plane_only:
            return self._finder.find_in_plane(query)
        engine = self._engines[0]
        if isinstance(engine, Remembering):
            return self._replan(engine, query)
        return self._plan_afresh(query, self._engines)

    def prepare(self, start: Point, goal: Point) -> None:
        """Compile, or load, what any plan may need: all engines find this path once."""
        query = self._query(start, goal, None)
        for engine in self._engines:
            self._plan_afresh(query, [engine, *self._engines[-1:]])
            if isinstance(engine, Remembering):
                self._prepare_repairs(engine, query)

    def _prepare_repairs(self, engine: Remembering, query: Query) -> None:
        kept = self.grid.borrow(engine.new_memory)
        kept.forget()
        path = self._finder.find(engine, kept, query)
        if path is not None and kept.root != NO_NODE:
            engine.prepare(kept)
            if not engine.patient:
                self._is_open(path)
        kept.forget()
        self.grid.give_back(engine.new_memory, kept)

    def improve(
        self,
        start: Point,
        goal: Point,
        weight: float = FIRST_WEIGHT,
        step: float = STEP,
        budget: float | None = None,
    ) -> Iterator[Path]:
        """Find better and better paths, each with its proven bound, down to the shortest.

        Parameters
        ----------
        weight, step : float
            The first search inflates the heuristic by `weight`, each further one by `step` less.
            If cells change between two paths, it goes back to `weight`.
        budget : float, optional
            End after so many seconds.

        Yields
        ------
        Path
            The first one is soon there. If there is none, one that says why.

        Examples
        --------
        >>> import numpy as np
        >>> import noctule as nt
        >>> blocked = np.zeros((12, 12), dtype=bool)
        >>> blocked[6, 1:11] = blocked[3:6, 10] = True
        >>> planner = nt.Planner(nt.Grid(blocked), "ara*")
        >>> for path in planner.improve((0.5, 8.5), (11.5, 8.5), weight=3, step=1):
        ...     print(f"{path.length:.3f}, at most {path.bound:.3f} times too long")
        14.071, at most 1.133 times too long
        14.071, at most 1.133 times too long
        14.071, at most 1.000 times too long
        """
        engine = self._engines[0]
        if not isinstance(engine, Anytime):
            able = " and ".join(row.name for row in algorithms() if row.anytime)
            name = self.options.algorithm.name
            raise ValueError(f"algorithm is {name!r}; the ones that improve paths are {able}")
        paced = engine.paced(at_least(1, "weight", weight), positive("step", step))
        if budget is not None:
            budget = at_least(0, "budget", budget)
        return self._improve(paced, self._query(start, goal, budget))

    def _improve(self, engine: Anytime, query: Query) -> Iterator[Path]:
        bound = INF
        while bound > self.options.bound:
            path = self._replan(engine, query._replace(began=time.perf_counter()))
            late = query.deadline is not None and time.perf_counter() >= query.deadline
            if late and path.bound >= bound:
                return
            yield path
            if not path.found:
                return
            bound = path.bound

    def searched(self) -> Searched:
        """What the last plan looked at, to be shown; nothing if that is forgotten by now.

        It takes a look at every node of the graph: some tenths of a millisecond in a scene.
        """
        if self.timed is not None:
            return self.timed.searched()
        last = self._finder.last
        if last is None or last[0].counts[STAMP] != last[1]:
            return Searched()
        return searched(last[0])

    def plan_many(
        self, pairs: Iterable[tuple[Point, Point]], threads: int | None = None
    ) -> list[Path]:
        """Find paths for many (start, goal) pairs, on several threads at once."""
        asked = list(pairs)
        most = os.cpu_count() or 1 if threads is None else int(at_least(1, "threads", threads))
        paths: list[Any] = [None] * len(asked)
        left = iter(range(len(asked)))  # a future for each pair would cost half of a short query

        def plan_next() -> None:
            for i in left:
                paths[i] = self._plan_one_of_many(*asked[i])

        with ThreadPoolExecutor(most) as pool:
            workers = [pool.submit(plan_next) for _ in range(min(most, len(asked)))]
            try:
                wait(workers, return_when=FIRST_EXCEPTION)
            finally:
                deque(left, maxlen=0)  # on an error or Ctrl-C no thread begins another
            for worker in workers:
                worker.result()
        return paths

    def _plan_one_of_many(self, start: Point, goal: Point) -> Path:
        """Plan without what is remembered: queries on several threads have no order."""
        if self.options.algorithm.remembers:
            return self._plan_afresh(self._query(start, goal, self.options.budget), self._engines)
        return self.plan(start, goal)

    def _query(
        self,
        start: Point,
        goal: Point,
        budget: float | None,
        best_start: bool = False,
        towards: Point | None = None,
    ) -> Query:
        began = time.perf_counter()
        if self._finder.layout != self.grid.layout:
            self._look_again()
        self._finder.last = None
        ends = self.grid.in_cells("start", start), self.grid.in_cells("goal", goal)
        deadline = None if budget is None else began + budget
        return Query((start, goal), ends, began, deadline, best_start, towards)

    def _replan(self, engine: Remembering, query: Query) -> Path:
        """Plan with what is kept from the last plan."""
        with self._one_at_a_time:
            if self._kept is None:
                self._kept = engine.new_memory(self.grid.node_count)
            kept = self._kept
            kept.urgent = not engine.patient and self._is_shut(kept, query)
            path = self._finder.find(engine, kept, query)
            if path is None:  # the search takes too long; the next plan goes on with it
                path = self._fly_on(kept, query) or self._plan_meanwhile(kept, query)
            else:
                self._same = 0
            if self._same == 0:
                self._spare = LONGER * path.length
            self._last = path if path.found else None
        return path

    def _is_shut(self, kept: Kept, query: Query) -> bool:
        """Whether something is in the way of the last path, where a new search takes long."""
        if self._last is None or not self._may_do(kept):
            return False
        here = query.ends[0]
        return not (
            self._is_open(self._last) and self.grid.segment_is_free(self._finder.graph, here, here)
        )

    def _is_open(self, path: Path) -> bool:
        return bool(is_open(self._finder.graph, self.grid.number(path.nodes)))

    def _may_do(self, kept: Kept) -> bool:
        """Whether the last path may do while a search takes long."""
        return self.options.algorithm.any_angle and kept.size >= LARGE

    def _fly_on(self, kept: Kept, query: Query) -> Path | None:
        """The last path again, where it is free and a new search takes long; not for ever."""
        if self._last is None or not self._may_do(kept) or self._same >= MOST_TIMES:
            return None
        rest = Rest(self._finder.answers, self._last, query)
        if not rest.is_free:
            length = rest.length
            rest.go_round(self._detour)
            self._spare -= rest.length - length
        if not rest.is_free or self._spare < 0.0:
            return None
        self._same += 1
        return rest.as_path(spent(kept))

    def _detour(self, s: int, t: int) -> tuple[NDArray[np.int64] | None, int]:
        """A way between two nodes by A*, unless that takes long; and what it took."""
        engine = self._engines[1]
        assert not isinstance(engine, Remembering)
        memory = self.grid.borrow(engine.new_memory)
        try:
            engine.begin(memory, np.array([s]), np.zeros(1), t)
            found = engine.run(memory, t, FEW, False) == FOUND
            return (engine.trail(memory, t) if found else None), spent(memory)[0]
        finally:
            self.grid.give_back(engine.new_memory, memory)

    def _plan_meanwhile(self, kept: Kept, query: Query) -> Path:
        """Find a path by A*, which is quicker than the search that remembers."""
        self._same = 0
        path = self._plan_afresh(query, self._engines[1:])
        kept.size = max(path.expanded, 1)
        expanded = path.expanded + spent(kept)[0]
        return replace(path, expanded=expanded, bound=path.bound * kept.weight, restarted=True)

    def _plan_afresh(self, query: Query, engines: list[Engine]) -> Path:
        """Plan with memory that the grid lends, by the first engine that is up to it."""
        for engine in engines:
            memory = self.grid.borrow(engine.new_memory)
            if isinstance(memory, Kept):
                memory.forget()
            try:
                path = self._finder.find(engine, memory, query)
            finally:
                self.grid.give_back(engine.new_memory, memory)
            if path is not None:
                break
        assert path is not None, "the last engine never gives up"
        return path


def _timed_planner(grid: Grid | Graph, options: Options) -> TimedPlanner | None:
    if not options.algorithm.timed:
        return None
    assert isinstance(grid, CellGrid), "checked with the options"
    return TimedPlanner(grid, options)

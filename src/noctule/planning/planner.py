"""`Planner`: plans paths on one graph with one algorithm."""

import os
import time
from collections.abc import Iterable, Iterator
from functools import partial
from operator import call
from typing import TYPE_CHECKING, Any

from noctule.algorithms.incremental.anytime import FIRST_WEIGHT, STEP, Anytime
from noctule.algorithms.incremental.search import Incremental
from noctule.algorithms.snapshot import SearchSnapshot
from noctule.core.jit import INF
from noctule.core.preparation import prepare_plans
from noctule.core.validation import Point, at_least, positive
from noctule.engines.table import Task, select
from noctule.graphs.explicit.graph import Graph
from noctule.graphs.grid.grid import Grid
from noctule.path import Path
from noctule.planning.batch import plan_batch
from noctule.planning.fallback import Replanner
from noctule.planning.nearest_goal import NearestGoal
from noctule.planning.options import check_options
from noctule.planning.result import Query
from noctule.planning.run import SearchRun
from noctule.planning.taut import TautSearch
from noctule.registry import names_with

if TYPE_CHECKING:  # what plans in time is imported when it is used
    from noctule.sipp.interception import Goal
    from noctule.sipp.planner import TimedPlanner


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
        self._given = algorithm, options
        chosen = self.options = check_options(grid, algorithm, **options)
        timed: Any = grid, chosen.radius, chosen.timing, chosen.max_expanded, chosen.algorithm.name
        self._nearest: NearestGoal | None = None
        if chosen.nearest:
            scout = partial(Planner, grid, "a*", radius=chosen.radius)
            self._nearest = NearestGoal(grid, chosen, scout)
        self.timed: TimedPlanner | None = None
        if chosen.timing is None:
            self._set_up()
        else:
            from noctule.sipp import planner as sipp

            self.timed = sipp.TimedPlanner(*timed)

    def __reduce__(self) -> Any:  # the search of a copy starts anew
        return call, (partial(Planner, self.grid, self._given[0], **self._given[1]),)

    def _set_up(self) -> None:
        """Take the graph in its current layout and select the engines."""
        self._run = SearchRun(self.grid, self.options)
        prepare_plans([self.options.algorithm.name], self.grid, self._run.graph)
        self._replanner: Replanner | None = None
        self._taut: TautSearch | None = None
        self.engines: list[Any] = []
        if self.options.algorithm.plane_only:
            return
        task = Task.of(self.grid, self._run.graph, self.options)
        reference = self.options.engine == "reference"
        if self.options.algorithm.tightened:
            self._taut = TautSearch(self._run, task, reference)
            self.engines = self._taut.engines
        else:
            self.engines = select(task, reference)
            if isinstance(self.engines[0], Incremental):
                self._replanner = Replanner(self._run, self.engines)

    def plan(
        self,
        start: Point,
        goal: "Goal",
        *,
        best_start: bool = False,
        towards: Point | None = None,
        at: float | None = None,
        budget: float | None = None,
    ) -> Path:
        """Find a path between two points in world units.

        An incremental algorithm repairs the search of the last plan.

        Parameters
        ----------
        best_start : bool
            Begin at whichever visible node makes the path shortest, not at the nearest: an agent
            that replans as it flies must not turn back.
        towards : sequence of float, optional
            With `best_start`: the corner of its path that the agent flies to. If the start sees it,
            the path may begin there, however far it is; that of an incremental search does.
        at : float, optional
            When to start, for a search in time; its goal may be a function of time.
        budget : float, optional
            Seconds for this plan, instead of those that the planner was made with.
        """
        if self.timed is not None:
            return self.timed.plan(start, goal, at)
        if callable(goal) or at is not None:
            need = f"'at' and a moving goal need {names_with('timed')}"
            raise ValueError(f"{self.options.algorithm.name} does not plan in time: {need}")
        seconds = self.options.budget if budget is None else at_least(0, "budget", budget)
        if self._nearest is not None:
            find = partial(self._plan, best_start, towards)
            return self._nearest.plan(start, goal, find, seconds, best_start)
        return self._plan(best_start, towards, start, goal, seconds)

    def _plan(
        self,
        best_start: bool,
        towards: Point | None,
        start: Point,
        goal: Point,
        budget: float | None,
    ) -> Path:
        query = self._query(start, goal, budget, best_start, towards)
        if self.options.algorithm.plane_only:
            return self._run.find_in_plane(query)
        if self._taut is not None:
            return self._taut.find(query)
        if self._replanner is not None:
            return self._replanner.plan(query)
        return self._run.find(query, self.engines)

    def warm_up(self, start: Point, goal: Point) -> None:
        """Compile, or load, what plans need, with a search for this path."""
        if self.timed is not None:
            self.timed.warm_up(start)
            return
        query = self._query(start, goal, None)
        if self._taut is not None:
            self._taut.warm_up(query)
            return
        if self._replanner is not None:
            self._replanner.warm_up(query)
        used = self.engines[:1] if self._replanner is None else self.engines[1:2]
        if used:
            self._run.warm_up(query, list(dict.fromkeys([*used, self.engines[-1]])))

    def improve(
        self,
        start: Point,
        goal: Point,
        weight: float = FIRST_WEIGHT,
        step: float = STEP,
        budget: float | None = None,
    ) -> Iterator[Path]:
        """Yield better and better paths, each with its proven bound, down to the shortest.

        If there is none, yield one that says why.

        Parameters
        ----------
        weight, step : float
            The first search inflates the heuristic by `weight`, each further one by `step` less
            than that or than the bound that is proven. If cells change between two paths, it
            goes back to `weight`.
        budget : float, optional
            End after so many seconds.

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
        14.071, at most 1.000 times too long
        """
        engine = self.engines[0] if self.timed is None and self.engines else None
        if not isinstance(engine, Anytime):
            name, able = self.options.algorithm.name, names_with("anytime")
            raise ValueError(f"algorithm is {name!r}; the ones that improve paths are {able}")
        engine = engine.with_schedule(at_least(1, "weight", weight), positive("step", step))
        budget = None if budget is None else at_least(0, "budget", budget)
        return self._improve(engine, self._query(start, goal, budget))

    def _improve(self, engine: Anytime, query: Query) -> Iterator[Path]:
        bound = INF
        while bound > self.options.bound:
            assert self._replanner is not None
            path = self._replanner.plan(query._replace(began=time.perf_counter()), engine)
            late = query.deadline is not None and time.perf_counter() >= query.deadline
            if late and path.bound >= bound:
                return
            yield path
            if not path.found:
                return
            bound = path.bound

    def search_snapshot(self) -> SearchSnapshot:
        """Return what the last plan searched; empty if its memory has been used again since."""
        if self.timed is not None:
            return self.timed.search_snapshot()
        last = self._run.last
        if last is None or last[0].stats[0].generation != last[1]:
            return SearchSnapshot()
        from noctule.planning.snapshot import search_snapshot  # with a reader for each memory

        return search_snapshot(last[0])

    def plan_many(
        self, pairs: Iterable[tuple[Point, Point]], threads: int | None = None
    ) -> list[Path]:
        """Find paths for many (start, goal) pairs, on several threads at once."""
        if self.timed is not None:
            return [self.plan(start, goal) for start, goal in pairs]
        asked = list(pairs)
        most = os.cpu_count() or 1 if threads is None else int(at_least(1, "threads", threads))
        if self._run.layout_version != self.grid.layout_version:
            self._set_up()
        self._run.last = None
        if self._nearest is not None:
            how = self._plan_one_of_many, self.options.budget, False
            return [self._nearest.plan(start, goal, *how) for start, goal in asked]
        plan_one = partial(self._plan_one_of_many, budget=self.options.budget)
        return plan_batch(self._run, self.engines, asked, most, plan_one)

    def _plan_one_of_many(self, start: Point, goal: Point, budget: float | None) -> Path:
        """Plan from scratch: queries on several threads have no order."""
        if self._replanner is None:
            return self._plan(False, None, start, goal, budget)
        return self._run.find(self._query(start, goal, budget), self.engines)

    def _query(
        self,
        start: Point,
        goal: Point,
        budget: float | None,
        best_start: bool = False,
        towards: Point | None = None,
    ) -> Query:
        began = time.perf_counter()
        if self._run.layout_version != self.grid.layout_version:
            self._set_up()
        self._run.last = None  # forget what the last plan searched
        ends = self.grid.in_cells("start", start), self.grid.in_cells("goal", goal)
        deadline = None if budget is None else began + budget
        return Query((start, goal), ends, began, deadline, best_start, towards)

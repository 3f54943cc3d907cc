"""`Planner`: plans paths on one graph with one algorithm."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from functools import partial
from operator import call
from typing import TYPE_CHECKING, Any, cast

from noctule.algorithms.incremental.anytime import FIRST_WEIGHT, STEP, Anytime
from noctule.algorithms.incremental.search import Incremental
from noctule.algorithms.snapshot import SearchSnapshot, search_snapshot
from noctule.core.jit import INF
from noctule.core.preparation import prepare_plans
from noctule.core.validation import PointLike, at_least, positive
from noctule.engines.table import Task, select
from noctule.graphs.base import SearchGraph
from noctule.path import Path
from noctule.planning.batch import plan_batch
from noctule.planning.nearest_goal import NearestGoal
from noctule.planning.options import choose_options
from noctule.planning.replanning.fallback import Replanner
from noctule.planning.result import Query
from noctule.planning.run import SearchRun
from noctule.planning.search_options import (
    Cost,
    EngineKind,
    Heuristic,
    SearchOptions,
    named_options,
)
from noctule.planning.taut import TautSearch
from noctule.registry import names_with

if TYPE_CHECKING:  # what plans in time is imported when it is used
    from noctule.graphs.grid.scene_grid import CellGrid
    from noctule.sipp.interception import Goal
    from noctule.sipp.planner import TimedPlanner
    from noctule.timing import Timing
    from noctule.worlds.occupancy.timetable import Timetable


class Planner:
    """Plans paths on one graph with one algorithm, and keeps its search from plan to plan.

    Make one planner for an agent that plans again and again. Many planners, on many threads, may
    share one graph; a planner does one plan at a time.

    Parameters
    ----------
    graph : SearchGraph
        The world: a `Grid`, `CellGrid`, `Hybrid`, `Graph` or `Waypoints`.
    algorithm : str, optional
        One of `algorithms()`. Unless given: "taut", or "a*" where that cannot serve, as in `plan`.
    radius, weight, heuristic, allow_inadmissible, cost, hierarchical, try_straight_line
        As in `plan`.
    prefer_clearance, max_expanded, time_limit, nearest, goal_tolerance, engine, timing
        As in `plan`.

    Attributes
    ----------
    graph : SearchGraph
        The world.
    options : NamedTuple
        The options, checked, with the defaults filled in.

    Examples
    --------
    >>> import numpy as np
    >>> import noctule as nt
    >>> planner = nt.Planner(nt.Grid(np.zeros((9, 9, 9), dtype=bool)), "a*")
    >>> path = planner.plan((0.5, 0.5, 0.5), (8.5, 4.5, 0.5))
    >>> path.found, round(path.length, 6)
    (True, 9.656854)
    """

    @named_options
    def __init__(
        self,
        graph: SearchGraph,
        algorithm: str | None = None,
        *,
        radius: float = 0.0,
        weight: float = 1.0,
        heuristic: Heuristic | None = None,
        allow_inadmissible: bool = False,
        cost: Cost = "length",
        hierarchical: bool = False,
        try_straight_line: bool = False,
        prefer_clearance: float | None = None,
        max_expanded: int | None = None,
        time_limit: float | None = None,
        nearest: bool = False,
        goal_tolerance: float | None = None,
        engine: EngineKind = "fast",
        timing: Timing | None = None,
    ) -> None:
        if not isinstance(graph, SearchGraph):
            raise ValueError(
                f"graph is a {type(graph).__name__}; "
                f"expected a noctule.Grid, Graph or another noctule.SearchGraph"
            )
        search: SearchOptions = {
            "radius": radius,
            "weight": weight,
            "heuristic": heuristic,
            "allow_inadmissible": allow_inadmissible,
            "cost": cost,
            "hierarchical": hierarchical,
            "try_straight_line": try_straight_line,
            "prefer_clearance": prefer_clearance,
            "max_expanded": max_expanded,
            "time_limit": time_limit,
            "nearest": nearest,
            "goal_tolerance": goal_tolerance,
            "engine": engine,
            "timing": timing,
        }
        self.graph = graph
        self._given = algorithm, search
        chosen = self.options = choose_options(graph, algorithm, search)
        self._nearest: NearestGoal | None = None
        if chosen.nearest:
            scout = partial(Planner, graph, "a*", radius=chosen.radius)
            self._nearest = NearestGoal(graph, chosen, scout)
        self._timed: TimedPlanner | None = None
        if chosen.timing is None:
            self._set_up()
        else:
            from noctule.sipp.planner import TimedPlanner

            timed = chosen.radius, chosen.timing, chosen.max_expanded, chosen.algorithm.name
            self._timed = TimedPlanner(cast("CellGrid", graph), *timed)

    def __reduce__(self) -> Any:  # the search of a copy starts again
        algorithm, search = self._given
        return call, (partial(Planner, self.graph, algorithm, **search),)

    def _follow_layout(self) -> None:
        """Take the graph in a new layout: it may have got costs, which some algorithms refuse."""
        self.options = choose_options(self.graph, *self._given)
        self._set_up()

    @property
    def timetable(self) -> Timetable | None:
        """When which cells are busy, for an algorithm that plans in time; None for others."""
        return None if self._timed is None else self._timed.timetable

    def _set_up(self) -> None:
        """Take the graph in its current layout and select the engines."""
        self._run = SearchRun(self.graph, self.options)
        prepare_plans([self.options.algorithm.name], self.graph, self._run.graph)
        self._replanner: Replanner | None = None
        self._taut: TautSearch | None = None
        self._engines: list[Any] = []
        if self.options.algorithm.search is None:
            return
        task = Task.of(self.graph, self._run.graph, self.options)
        reference = self.options.engine == "reference"
        if self.options.algorithm.tightened:
            self._taut = TautSearch(self._run, task, reference)
            self._engines = self._taut.engines
        else:
            self._engines = select(task, reference)
            if isinstance(self._engines[0], Incremental):
                self._replanner = Replanner(self._run, self._engines)

    @named_options
    def plan(
        self,
        start: PointLike,
        goal: Goal,
        *,
        best_start: bool = False,
        towards: PointLike | None = None,
        at: float | None = None,
        time_limit: float | None = None,
    ) -> Path:
        """Find a path between two points in world units.

        An incremental algorithm repairs the search of the last plan.

        Parameters
        ----------
        start, goal : sequence of float
            Points in world units. For a search in time, the goal may be a function of time.
        best_start : bool
            Begin at the visible node that makes the path shortest, not at the nearest one. Use it
            for an agent that replans as it flies, so that it does not turn back.
        towards : sequence of float, optional
            With `best_start`: the corner of its path that the agent flies to. If it is visible from
            the start, the path may begin there, however far it is; that of an incremental search
            does.
        at : float, optional
            Time in seconds at which the agent starts, for a search in time; now unless given.
        time_limit : float, optional
            Seconds for this plan, instead of those that the planner was made with.

        Returns
        -------
        Path
            With `found=False` and a `reason` if the goal cannot be reached.

        Examples
        --------
        >>> import numpy as np
        >>> import noctule as nt
        >>> grid = nt.Grid(np.zeros((6, 6), dtype=bool))
        >>> planner = nt.Planner(grid, "d*-lite")
        >>> first = planner.plan((0.5, 0.5), (5.5, 0.5))
        >>> grid.block((3, 0))
        >>> second = planner.plan((0.5, 0.5), (5.5, 0.5))
        >>> round(first.length, 3), round(second.length, 3), second.restarted
        (5.0, 5.828, False)
        """
        if self._timed is not None:
            return self._timed.plan(start, goal, at)
        if callable(goal) or at is not None:
            need = f"'at' and a moving goal need {names_with('timed')}"
            raise ValueError(f"{self.options.algorithm.name} does not plan in time: {need}")
        seconds = (
            self.options.time_limit if time_limit is None else at_least(0, "time_limit", time_limit)
        )
        if self._nearest is not None:
            find = partial(self._plan, best_start, towards)
            return self._nearest.plan(start, goal, find, seconds, best_start)
        return self._plan(best_start, towards, start, goal, seconds)

    def _plan(
        self,
        best_start: bool,
        towards: PointLike | None,
        start: PointLike,
        goal: PointLike,
        time_limit: float | None,
    ) -> Path:
        query = self._query(start, goal, time_limit, best_start, towards)
        if self.options.algorithm.search is None:
            return self._run.find_in_plane(query)
        if self._taut is not None:
            return self._taut.find(query)
        if self._replanner is not None:
            return self._replanner.plan(query)
        return self._run.find(query, self._engines)

    def warm_up(self, start: PointLike, goal: PointLike) -> None:
        """Compile, or load, what plans need, with a search for this path.

        Parameters
        ----------
        start, goal : sequence of float
            Points in world units, between which a path is searched.
        """
        if self._timed is not None:
            self._timed.warm_up(start)
            return
        query = self._query(start, goal, None)
        if self._taut is not None:
            self._taut.warm_up(query)
            return
        if self._replanner is not None:
            self._replanner.warm_up(query)
        used = self._engines if self._replanner is None else self._engines[1:2]
        if used:
            self._run.warm_up(query, list(dict.fromkeys([*used, self._engines[-1]])))

    @named_options
    def improve(
        self,
        start: PointLike,
        goal: PointLike,
        weight: float = FIRST_WEIGHT,
        step: float = STEP,
        time_limit: float | None = None,
    ) -> Iterator[Path]:
        """Yield better and better paths, each with its proven bound, down to the shortest.

        If there is none, yield one that says why. For algorithms with the property `anytime`.

        Parameters
        ----------
        start, goal : sequence of float
            Points in world units.
        weight, step : float
            The first search inflates the heuristic by `weight`, each further one by `step` less
            than that or than the bound that is proven. If cells change between two paths, it
            goes back to `weight`.
        time_limit : float, optional
            End after so many seconds.

        Yields
        ------
        Path
            A path that is no longer than the one before.

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
        engine = self._engines[0] if self._timed is None and self._engines else None
        if not isinstance(engine, Anytime):
            name, able = self.options.algorithm.name, names_with("anytime")
            raise ValueError(f"algorithm is {name!r}; the ones that improve paths are {able}")
        engine = engine.with_schedule(at_least(1, "weight", weight), positive("step", step))
        time_limit = None if time_limit is None else at_least(0, "time_limit", time_limit)
        return self._improve(engine, self._query(start, goal, time_limit))

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
        """Return what the last plan searched; empty if its memory has been used again since.

        Returns
        -------
        SearchSnapshot
            Which nodes were expanded, their costs, and which are in the open list.
        """
        if self._timed is not None:
            return self._timed.search_snapshot()
        last = self._run.last
        if last is None or last[0].stats[0].generation != last[1]:
            return SearchSnapshot()
        from noctule.planning import snapshot  # noqa: F401 - it registers a reader for each memory

        return search_snapshot(last[0])

    def plan_many(
        self, pairs: Iterable[tuple[PointLike, PointLike]], threads: int | None = None
    ) -> list[Path]:
        """Find paths for many (start, goal) pairs, on several threads at once.

        Parameters
        ----------
        pairs : iterable of (start, goal)
            Pairs of points in world units.
        threads : int, optional
            Number of threads; as many as the machine has cores unless given.

        Returns
        -------
        list of Path
            One path for each pair, in the same order.

        Examples
        --------
        >>> import noctule as nt
        >>> planner = nt.Planner(nt.Grid([[False, False], [False, False]]))
        >>> [path.length for path in planner.plan_many([((0.5, 0.5), (0.5, 1.5))] * 2, threads=1)]
        [1.0, 1.0]
        """
        if self._timed is not None:
            return [self.plan(start, goal) for start, goal in pairs]
        asked = list(pairs)
        most = os.cpu_count() or 1 if threads is None else int(at_least(1, "threads", threads))
        if self._run.layout_version != self.graph.layout_version:
            self._follow_layout()
        self._run.last = None
        if self._nearest is not None:
            how = self._plan_one_of_many, self.options.time_limit, False
            return [self._nearest.plan(start, goal, *how) for start, goal in asked]
        plan_one = partial(self._plan_one_of_many, time_limit=self.options.time_limit)
        return plan_batch(self._run, self._engines, asked, most, plan_one)

    def _plan_one_of_many(
        self, start: PointLike, goal: PointLike, time_limit: float | None
    ) -> Path:
        """Plan from scratch: queries on several threads have no order."""
        if self._replanner is None:
            return self._plan(False, None, start, goal, time_limit)
        return self._run.find(self._query(start, goal, time_limit), self._engines)

    def _query(
        self,
        start: PointLike,
        goal: PointLike,
        time_limit: float | None,
        best_start: bool = False,
        towards: PointLike | None = None,
    ) -> Query:
        began = time.perf_counter()
        if self._run.layout_version != self.graph.layout_version:
            self._follow_layout()
        self._run.last = None  # forget what the last plan searched
        ends = self.graph.in_cells("start", start), self.graph.in_cells("goal", goal)
        deadline = None if time_limit is None else began + time_limit
        return Query((start, goal), ends, began, deadline, best_start, towards)

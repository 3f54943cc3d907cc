"""`Planner`: the shell around the searches."""

import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from noctule.algorithms.anytime import FIRST_WEIGHT, STEP, Anytime
from noctule.algorithms.best_first import STAMP
from noctule.algorithms.incremental import Remembering
from noctule.core.jit import INF
from noctule.core.validation import Point, at_least, positive
from noctule.engines.table import QUICK, choose_engines
from noctule.graphs.explicit.graph import Graph
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.path import Path
from noctule.planning.batch import MOST, Line, can_go_together, find_each, node_pairs
from noctule.planning.fallback import Replanner
from noctule.planning.options import Options, check_options
from noctule.planning.result import Query
from noctule.planning.search_run import Pathfinder
from noctule.planning.snapshot import SearchSnapshot, search_snapshot
from noctule.registry import algorithms
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
        self.options = check_options(grid, algorithm, **options)
        self.timed = _timed_planner(grid, self.options)
        self._look_again()

    def _look_again(self) -> None:
        """Take the graph as it is laid out now."""
        self._finder = Pathfinder(self.grid, self.options)
        self._engines = choose_engines(self.grid, self._finder.graph, self.options)
        self._replanner = Replanner(self._finder, self._engines)

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
        query = self._query(start, goal, seconds, best_start or self.grid.joins_many_nodes, towards)
        if self.options.algorithm.plane_only:
            return self._finder.find_in_plane(query)
        engine = self._engines[0]
        if isinstance(engine, Remembering):
            return self._replanner.plan(engine, query)
        return self._finder.find_afresh(query, self._engines)

    def warm_up(self, start: Point, goal: Point) -> None:
        """Compile, or load, what any plan may need: all engines find this path once."""
        query = self._query(start, goal, None)
        for engine in self._engines:
            asked = [query]
            if type(engine) in QUICK:  # a search that takes longer is another piece of code
                asked.append(query._replace(deadline=INF))
            for one in asked:
                self._finder.find_afresh(one, [engine, *self._engines[-1:]])
            if isinstance(engine, Remembering):
                self._replanner.warm_up(engine, query)

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
            path = self._replanner.plan(engine, query._replace(began=time.perf_counter()))
            late = query.deadline is not None and time.perf_counter() >= query.deadline
            if late and path.bound >= bound:
                return
            yield path
            if not path.found:
                return
            bound = path.bound

    def search_snapshot(self) -> SearchSnapshot:
        """What the last plan looked at, to be shown; nothing if that is forgotten by now.

        It takes a look at every node of the graph: some tenths of a millisecond in a scene.
        """
        if self.timed is not None:
            return self.timed.search_snapshot()
        last = self._finder.last
        if last is None or last[0].counts[STAMP] != last[1]:
            return SearchSnapshot()
        return search_snapshot(last[0])

    def plan_many(
        self, pairs: Iterable[tuple[Point, Point]], threads: int | None = None
    ) -> list[Path]:
        """Find paths for many (start, goal) pairs, on several threads at once."""
        asked = list(pairs)
        self._keep_up()
        most = os.cpu_count() or 1 if threads is None else int(at_least(1, "threads", threads))
        paths: list[Any] = [None] * len(asked)
        together = can_go_together(self.options, self._engines)
        nodes = node_pairs(self._finder, asked) if together else None
        line = Line(_farthest_first(asked), most, MOST if together else 1)

        def plan_next() -> None:
            seconds_each = INF
            try:
                while group := line.take(seconds_each):
                    if nodes is not None:
                        ask = [partial(self._query, *asked[i], None) for i in group]
                        found = find_each(self._finder, self._engines, ask, nodes[group])
                    else:
                        found = [self._plan_one_of_many(*asked[i]) for i in group]
                    for i, path in zip(group, found, strict=True):
                        paths[i] = path
                    seconds_each = sum(path.seconds for path in found) / len(found)
            finally:
                line.close()  # on an error or Ctrl-C no thread begins another

        with ThreadPoolExecutor(most) as pool:  # this thread plans, too
            workers = [pool.submit(plan_next) for _ in range(min(most, len(asked)) - 1)]
            plan_next()
            for worker in workers:
                worker.result()
        return paths

    def _plan_one_of_many(self, start: Point, goal: Point) -> Path:
        """Plan without what is remembered: queries on several threads have no order."""
        if not self.options.algorithm.remembers:
            return self.plan(start, goal)
        query = self._query(start, goal, self.options.budget)
        return self._finder.find_afresh(query, self._engines)

    def _keep_up(self) -> None:
        """Take the graph as it is laid out, and forget what the last plan looked at."""
        if self._finder.layout_version != self.grid.layout_version:
            self._look_again()
        self._finder.last = None

    def _query(
        self,
        start: Point,
        goal: Point,
        budget: float | None,
        best_start: bool = False,
        towards: Point | None = None,
    ) -> Query:
        began = time.perf_counter()
        self._keep_up()
        ends = self.grid.in_cells("start", start), self.grid.in_cells("goal", goal)
        deadline = None if budget is None else began + budget
        return Query((start, goal), ends, began, deadline, best_start, towards)


def _farthest_first(pairs: list[tuple[Point, Point]]) -> list[int]:
    """The order in which threads take pairs: a long search at the end would let the others wait."""
    try:
        ends = np.asarray(pairs, np.float64)
        apart = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=-1)
        return np.argsort(-apart, kind="stable").tolist()
    except (TypeError, ValueError, IndexError):  # none, or what no plan will take
        return list(range(len(pairs)))


def _timed_planner(grid: Grid | Graph, options: Options) -> TimedPlanner | None:
    if not options.algorithm.timed:
        return None
    assert isinstance(grid, CellGrid), "checked with the options"
    return TimedPlanner(grid, options)

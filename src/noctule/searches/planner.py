"""`Planner`: the shell around the searches."""

import math
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from noctule.gate import Point, at_least, positive, show
from noctule.graphs.cell_grid import CellGrid
from noctule.graphs.euclidean import Graph
from noctule.graphs.grid import Entries, Grid
from noctule.kernels import INF
from noctule.path import Path
from noctule.searches import best_first as core
from noctule.searches.answers import Answers, Place
from noctule.searches.anytime import FIRST_WEIGHT, STEP, Anytime
from noctule.searches.catalogue import algorithms
from noctule.searches.engines import Counts, Engine, choose_engines, spent
from noctule.searches.grid_engine import GAVE_UP
from noctule.searches.meeting import Goal
from noctule.searches.options import Options, check_options
from noctule.searches.remembering import Kept, Remembering
from noctule.searches.timed_planner import TimedPlanner
from noctule.searches.visibility import shortest_in_plane

ONE_LOOK: Counts = (0, 1, 1)

# A search is cut into slices, between which Python looks at the clock and at Ctrl-C.
SLICE = 1 << 17
SLICE_ON_BUDGET = 1 << 9


class Query(NamedTuple):
    """What a plan was asked for: both ends as given and in cells, and the time it has."""

    points: tuple[Point, Point]
    ends: tuple[Place, Place]
    began: float
    deadline: float | None
    best_start: bool = False
    towards: Point | None = None


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
        grid = self.grid
        self._layout = grid.layout
        self._graph = grid.graph(self.options.radius, self.options.equal_steps)
        self._engines = choose_engines(grid, self._graph, self.options)
        self._answers = Answers(grid, self._graph, self.options)
        self._kept: Kept | None = None  # what a search that remembers knows

    def plan(
        self,
        start: Point,
        goal: Goal,
        *,
        best_start: bool = False,
        towards: Point | None = None,
        at: float | None = None,
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
            A search that remembers knows its way from one node only, and leaves this aside.
        towards : sequence of float, optional
            With `best_start`: the corner of its path that the agent flies to. If the start sees it,
            the path may begin there, however far it is.
        at : float, optional
            For a search in time: when to start; now, as the scene has it, unless given. The goal
            of such a search may be a function of time.
        """
        if self.timed is not None:
            return self.timed.plan(start, goal, at)
        if callable(goal) or at is not None:
            raise ValueError(f"{self.options.algorithm.name} knows nothing of time")
        query = self._query(start, goal, self.options.budget)
        query = query._replace(best_start=best_start or self.grid.sparse, towards=towards)
        if self.options.algorithm.plane_only:
            return self._plan_in_plane(query)
        engine = self._engines[0]
        if isinstance(engine, Remembering):
            return self._replan(engine, query)
        return self._plan_afresh(query, self._engines)

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

    def plan_many(
        self, pairs: Iterable[tuple[Point, Point]], threads: int | None = None
    ) -> list[Path]:
        """Find paths for many (start, goal) pairs, on several threads at once."""
        if threads is not None:
            threads = int(at_least(1, "threads", threads))
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(lambda pair: self._plan_one_of_many(*pair), pairs))

    def _plan_one_of_many(self, start: Point, goal: Point) -> Path:
        """Plan without what is remembered: queries on several threads have no order."""
        if self.options.algorithm.remembers:
            return self._plan_afresh(self._query(start, goal, self.options.budget), self._engines)
        return self.plan(start, goal)

    def _query(self, start: Point, goal: Point, budget: float | None) -> Query:
        began = time.perf_counter()
        if self._layout != self.grid.layout:
            self._look_again()
        ends = self.grid.in_cells("start", start), self.grid.in_cells("goal", goal)
        return Query((start, goal), ends, began, None if budget is None else began + budget)

    def _replan(self, engine: Remembering, query: Query) -> Path:
        """Plan with what is kept from the last plan."""
        with self._one_at_a_time:
            if self._kept is None:
                self._kept = engine.new_memory(self.grid.node_count)
            kept = self._kept
            path = self._plan(engine, kept, query)
            if path is None:  # the repair takes too long; the next plan goes on with it
                path = self._plan_afresh(query, self._engines[1:])
                expanded = path.expanded + spent(kept)[0]
                bound = path.bound * kept.weight
                path = replace(path, expanded=expanded, bound=bound, restarted=True)
        return path

    def _plan_afresh(self, query: Query, engines: list[Engine]) -> Path:
        """Plan with memory that the grid lends, by the first engine that is up to it."""
        for engine in engines:
            memory = self.grid.borrow(engine.new_memory)
            if isinstance(memory, Kept):
                memory.forget()
            try:
                path = self._plan(engine, memory, query)
            finally:
                self.grid.give_back(engine.new_memory, memory)
            if path is not None:
                break
        assert path is not None, "the last engine never gives up"
        return path

    def _plan(self, engine: Engine, memory: Any, query: Query) -> Path | None:
        """Plan with one engine; None if that is not up to it."""
        grid, graph, answers = self.grid, self._graph, self._answers
        points, ends, began, *_ = query
        leaps = grid.off_edges or (grid.sparse and self.options.algorithm.any_angle)
        if leaps and grid.segment_is_free(graph, *ends):  # it may lead where no node is
            line = np.array(points if ends[0] != ends[1] else points[:1], np.float64)
            return answers.path(began, line, np.empty((0, 3), np.int64), ONE_LOOK, bound=1.0)
        near: list[Entries] = []
        blocked: list[bool] = []
        for name, point, place in zip(("start", "goal"), points, ends, strict=True):
            entries = grid.entries(graph, place)
            blocked.append(not len(entries[0]))
            if blocked[-1]:
                entries = grid.entries_past_bodies(graph, place)
            if not len(entries[0]):
                return answers.no_path(began, f"{name} {show(point)} {answers.why_not(place)}")
            near.append(entries)
        (starts, costs), t = near[0], int(near[1][0][0])
        if not query.best_start:
            starts, costs = starts[:1], costs[:1]
        elif query.towards is not None and not blocked[0]:
            starts, costs = self._with_corner(ends[0], query.towards, (starts, costs))
        if (self.options.direct or t in starts) and grid.segment_is_free(graph, *ends):
            line = np.array(points if ends[0] != ends[1] else points[:1], np.float64)
            nodes = grid.indices(np.array([starts[0], t] if starts[0] != t else [t]))
            return answers.path(began, line, nodes, ONE_LOOK, bound=1.0)
        path = self._plan_between(engine, memory, query, (starts, costs), near[1])
        if path is None or not any(blocked):
            return path
        return replace(path, blocked_ends=(blocked[0], blocked[1]))

    def _with_corner(self, place: Place, corner: Point, entries: Entries) -> Entries:
        """Entries with one more, if it is a node that can be used and seen."""
        there = self.grid.in_cells("towards", corner)
        s = self.grid.node_at(there)
        if s is None or s in entries[0] or not self.grid.is_usable(self._graph, s):
            return entries
        if not self.grid.segment_is_free(self._graph, place, there):
            return entries
        far = math.dist(place, there)
        return np.append(entries[0], s), np.append(entries[1], far)

    def _plan_between(
        self, engine: Engine, memory: Any, query: Query, start: Entries, goal: Entries
    ) -> Path | None:
        """Search from the nodes that the start sees to the nearest one that the goal sees."""
        grid, answers, t = self.grid, self._answers, int(goal[0][0])
        points, ends, began, *_ = query
        starts, costs = start
        if isinstance(engine, Remembering):
            engine.begin(memory, int(starts[0]), t)
        else:
            if self.options.equal_steps and costs[0] > 0:
                costs = np.ones(len(starts))
            engine.begin(memory, starts, costs, t)
        status = self._search(engine, memory, t, query)
        if status == GAVE_UP:
            return None
        if isinstance(engine, Remembering):
            return self._remembered(engine, memory, query, status)
        if status == core.EXHAUSTED:
            reached = memory.counts[core.EXPANDED]
            why = (
                f"there is no way: from the start {reached} nodes can be reached, but not the goal"
            )
            return answers.no_path(began, why, spent(memory))
        found = status == core.FOUND
        if found and grid.sparse:
            t = self._best_end(engine, memory, goal)
        trail = engine.trail(memory, t if found else int(memory.counts[core.NEAREST]))
        corners = answers.polyline(memory, trail, points, ends, found)
        return answers.path(began, corners, grid.indices(trail), spent(memory), found)

    def _best_end(self, engine: Any, memory: Any, goal: Entries) -> int:
        """Of the nodes that the goal sees, the one to come from: nodes may be far apart.

        The search was for the nearest; what it has found out about the others comes for free.
        """
        nodes, lengths = goal
        totals = engine.costs_of(memory, nodes) + lengths
        totals[0] = engine.cost_to_goal(memory, int(nodes[0])) + lengths[0]
        return int(nodes[totals.argmin()])

    def _remembered(self, engine: Remembering, kept: Kept, query: Query, status: int) -> Path:
        """The answer of a search that remembers: it has a whole path, or none."""
        grid, answers = self.grid, self._answers
        points, ends, began, *_ = query
        counts, restarted = spent(kept), kept.restarted
        if status == core.EXHAUSTED:
            why = "there is no way from the start to the goal"
            return answers.no_path(began, why, counts, restarted)
        if kept.bound == INF:
            why = f"{answers.why_stopped()}, before there was a path; the next plan goes on"
            return answers.no_path(began, why, counts, restarted)
        trail = engine.trail(kept, kept.target)
        corners = answers.polyline(kept, trail, points, ends, True)
        bound = kept.bound * self.options.bound
        return answers.path(began, corners, grid.indices(trail), counts, True, bound, restarted)

    def _plan_in_plane(self, query: Query) -> Path:
        """Plan with the search that needs no graph but the corners of the cells."""
        answers, (points, ends, began, *_) = self._answers, query
        for name, point, place in zip(("start", "goal"), points, ends, strict=True):
            if not self.grid.segment_is_free(self._graph, place, place):
                return answers.no_path(began, f"{name} {show(point)} {answers.why_not(place)}")
        shortest = shortest_in_plane(self.grid, ends[0], ends[1], self.options.max_expanded)
        if shortest is None:
            return answers.no_path(began, "there is no way from the start to the goal")
        corners = self.grid.origin + shortest.corners * self.grid.cell
        corners[0] = points[0]
        if shortest.complete:
            corners[-1] = points[1]
        on_lattice = (shortest.corners == np.round(shortest.corners)).all(axis=1)
        nodes = shortest.corners[on_lattice].astype(np.int64)
        checks = shortest.sight_checks
        counts = shortest.expanded, checks, checks
        return answers.path(began, corners, nodes, counts, shortest.complete)

    def _search(self, engine: Engine, memory: Any, goal: int, query: Query) -> int:
        """Run the search slice by slice until it ends or may not go on."""
        most, deadline = self.options.max_expanded, query.deadline
        partial = most is not None or deadline is not None
        limit = 0
        while True:
            limit += SLICE if deadline is None else SLICE_ON_BUDGET
            if most is not None:
                limit = min(limit, most)
            status = engine.run(memory, goal, limit, partial)
            if status != core.STOPPED or limit == most:
                return status
            if deadline is not None and time.perf_counter() >= deadline:
                return status


def _timed_planner(grid: Grid | Graph, options: Options) -> TimedPlanner | None:
    if not options.algorithm.timed:
        return None
    assert isinstance(grid, CellGrid), "checked with the options"
    return TimedPlanner(grid, options)

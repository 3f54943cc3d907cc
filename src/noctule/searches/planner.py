"""`Planner` and `plan`: the shell around the searches."""

import math
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.gate import Point, at_least, show
from noctule.graphs.cell_grid import CellGrid
from noctule.graphs.grid import Entries, Grid
from noctule.kernels import INF
from noctule.path import Path, polyline_length
from noctule.searches import best_first as core
from noctule.searches.engines import Counts, Engine, choose_engines, spent
from noctule.searches.grid_engine import GAVE_UP
from noctule.searches.meeting import Goal
from noctule.searches.options import Options, check_options
from noctule.searches.timed_planner import TimedPlanner
from noctule.searches.visibility import shortest_in_plane

Place = tuple[float, ...]
ONE_LOOK: Counts = (0, 1, 1)

# A search is cut into slices, between which Python looks at the clock and at Ctrl-C.
SLICE = 1 << 17
SLICE_ON_BUDGET = 1 << 9


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

    def __init__(self, grid: Grid, algorithm: str = "a*", **options: Any) -> None:
        if not isinstance(grid, Grid):
            raise ValueError(f"grid is a {type(grid).__name__}; expected a noctule.Grid")
        self.grid = grid
        self.options = check_options(grid, algorithm, **options)
        self.timed = _timed_planner(grid, self.options)
        self._look_again()

    def _look_again(self) -> None:
        """Take the graph as it is laid out now."""
        self._layout = self.grid.layout
        self._graph = self.grid.graph(self.options.radius, self.options.equal_steps)
        self._engines = choose_engines(self._graph, self.options)

    def plan(self, start: Point, goal: Goal, at: float | None = None) -> Path:
        """Find a path between two points in world units.

        A search in time starts at moment `at` (the time of the scene unless given), and its goal
        may be a function of time.
        """
        if self.timed is not None:
            return self.timed.plan(start, goal, at)
        if callable(goal) or at is not None:
            raise ValueError(f"{self.options.algorithm.name} knows nothing of time")
        began = time.perf_counter()
        if self._layout != self.grid.layout:
            self._look_again()
        ends = self.grid.in_cells("start", start), self.grid.in_cells("goal", goal)
        if self.options.algorithm.plane_only:
            return self._plan_in_plane((start, goal), ends, began)
        for engine in self._engines:
            memory = self.grid.borrow(engine.new_memory)
            try:
                path = self._plan(engine, memory, (start, goal), ends, began)
            finally:
                self.grid.give_back(engine.new_memory, memory)
            if path is not None:
                break
        assert path is not None, "the general engine never gives up"
        return path

    def plan_many(
        self, pairs: Iterable[tuple[Point, Point]], threads: int | None = None
    ) -> list[Path]:
        """Find paths for many (start, goal) pairs, on several threads at once."""
        if threads is not None:
            threads = int(at_least(1, "threads", threads))
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(lambda pair: self.plan(*pair), pairs))

    def _plan(
        self,
        engine: Engine,
        memory: Any,
        points: tuple[Point, Point],
        ends: tuple[Place, Place],
        began: float,
    ) -> Path | None:
        """Plan with one engine; None if that is not up to it."""
        grid, graph = self.grid, self._graph
        near: list[Entries] = []
        blocked: list[bool] = []
        for name, point, place in zip(("start", "goal"), points, ends, strict=True):
            entries = grid.entries(graph, place)
            blocked.append(not len(entries[0]))
            if blocked[-1]:
                entries = grid.entries_past_bodies(graph, place)
            if not len(entries[0]):
                return self._no_path(began, f"{name} {show(point)} {self._why_not(place)}")
            near.append(entries)
        (starts, costs), t = near[0], int(near[1][0][0])
        if (self.options.direct or t in starts) and grid.segment_is_free(graph, *ends):
            line = np.array(points if ends[0] != ends[1] else points[:1], np.float64)
            nodes = grid.indices(np.array([starts[0], t] if starts[0] != t else [t]))
            return self._path(began, line, nodes, ONE_LOOK, bound=1.0)

        if self.options.equal_steps and costs[0] > 0:
            costs = np.ones(len(starts))
        engine.begin(memory, starts, costs, t)
        status = self._search(engine, memory, t, began)
        if status == GAVE_UP:
            return None
        if status == core.EXHAUSTED:
            reached = memory.counts[core.EXPANDED]
            why = (
                f"there is no way: from the start {reached} nodes can be reached, but not the goal"
            )
            return self._no_path(began, why, spent(memory))
        found = status == core.FOUND
        trail = engine.trail(memory, t if found else int(memory.counts[core.NEAREST]))
        nodes = grid.indices(trail)
        apart = grid.node_at(ends[0]) != trail[0], grid.node_at(ends[1]) != t
        corners = grid.positions(nodes)
        if apart[0]:
            corners = self._lead(memory, points[0], corners)
        if found and apart[1]:
            corners = self._lead(memory, points[1], corners[::-1])[::-1]
        path = self._path(began, corners, nodes, spent(memory), found)
        return path if not any(blocked) else replace(path, blocked_ends=(blocked[0], blocked[1]))

    def _plan_in_plane(
        self, points: tuple[Point, Point], ends: tuple[Place, Place], began: float
    ) -> Path:
        """Plan with the search that needs no graph but the corners of the cells."""
        for name, point, place in zip(("start", "goal"), points, ends, strict=True):
            if not self.grid.segment_is_free(self._graph, place, place):
                return self._no_path(began, f"{name} {show(point)} {self._why_not(place)}")
        shortest = shortest_in_plane(self.grid, ends[0], ends[1], self.options.max_expanded)
        if shortest is None:
            return self._no_path(began, "there is no way from the start to the goal")
        corners = self.grid.origin + shortest.corners * self.grid.cell
        corners[0] = points[0]
        if shortest.complete:
            corners[-1] = points[1]
        on_lattice = (shortest.corners == np.round(shortest.corners)).all(axis=1)
        nodes = shortest.corners[on_lattice].astype(np.int64)
        checks = shortest.sight_checks
        counts = shortest.expanded, checks, checks
        return self._path(began, corners, nodes, counts, shortest.complete)

    def _search(self, engine: Engine, memory: Any, goal: int, began: float) -> int:
        """Run the search slice by slice until it ends or may not go on."""
        most, budget = self.options.max_expanded, self.options.budget
        partial = most is not None or budget is not None
        limit = 0
        while True:
            limit += SLICE if budget is None else SLICE_ON_BUDGET
            if most is not None:
                limit = min(limit, most)
            status = engine.run(memory, goal, limit, partial)
            if status != core.STOPPED or limit == most:
                return status
            if budget is not None and time.perf_counter() - began >= budget:
                return status

    def _lead(self, memory: Any, point: Point, corners: NDArray[np.float64]) -> NDArray[np.float64]:
        """Put a point that is no node before the path; at any angle, cut corners it sees past."""
        first = 0
        if self.options.algorithm.any_angle:
            place = self.grid.in_cells("point", point)
            while first + 1 < len(corners):
                memory.counts[[core.SIGHT_CHECKS, core.SIGHT_WALKS]] += 1
                beyond = self.grid.in_cells("corner", corners[first + 1])
                if not self.grid.segment_is_free(self._graph, place, beyond):
                    break
                first += 1
        return np.concatenate([np.asarray(point, np.float64)[None, :], corners[first:]])

    def _why_not(self, place: Place) -> str:
        if self.grid.segment_is_free(self._graph, place, place):
            return "is free, but sees no node of the graph near it"
        return self.grid.why_blocked(place)

    def _path(
        self,
        began: float,
        corners: NDArray[np.float64],
        nodes: NDArray[np.int64],
        counts: Counts,
        found: bool = True,
        bound: float | None = None,
    ) -> Path:
        length = polyline_length(corners)
        bound = self.options.bound if bound is None else bound
        if bound == INF:  # nothing is proven beforehand; but no path beats a line
            straight = math.dist(corners[0], corners[-1])
            bound = length / straight if straight > 0 else 1.0
        return Path(
            found,
            corners,
            nodes,
            length,
            *counts,
            time.perf_counter() - began,
            bound if found else INF,
            "" if found else self._why_stopped(),
            self.options.algorithm.name,
            self.options.radius,
        )

    def _no_path(self, began: float, reason: str, counts: Counts = (0, 0, 0)) -> Path:
        d = self.grid.dimension
        seconds = time.perf_counter() - began
        points, nodes = np.empty((0, d)), np.empty((0, d), np.int64)
        name, radius = self.options.algorithm.name, self.options.radius
        return Path(False, points, nodes, INF, *counts, seconds, INF, reason, name, radius)

    def _why_stopped(self) -> str:
        most, budget = self.options.max_expanded, self.options.budget
        limits = [f"{most} expansions"] if most is not None else []
        limits += [f"{budget:g} seconds"] if budget is not None else []
        return f"stopped at the limit of {' or '.join(limits)}, at the node nearest the goal"


def _timed_planner(grid: Grid, options: Options) -> TimedPlanner | None:
    if not options.algorithm.timed:
        return None
    assert isinstance(grid, CellGrid), "checked with the options"
    return TimedPlanner(grid, options)


def plan(grid: Grid, start: Point, goal: Point, algorithm: str = "a*", **options: Any) -> Path:
    """Find a short free path between two points.

    Parameters
    ----------
    grid : Grid
        The world.
    start, goal : sequence of float
        Points in world units, not cells: `grid.centre(cell)` is the centre of a cell.
    algorithm : str
        One of `algorithms()`, with or without stars: "a*", "theta*", "lazy-theta*" ...
    radius : float
        Radius of the agent, a ball; 0 is a point.
    weight : float
        Inflation of the heuristic, at least 1: faster, and at most so many times too long.
    heuristic : "straight", "voxel" (or "octile"), "manhattan", "zero"
        Unless given, the tightest that never overestimates. One that may overestimate is refused
        unless `admissible=False`.
    step : "length" or "equal"
        Whether a step or segment costs its length, or always one cell: faster, but longer paths.
    direct : bool
        Return the straight line at once if the goal can be seen from the start.
    max_expanded, budget : int, float
        Stop after so many expansions or seconds, with a path to the node nearest the goal.
    window, margin, speed, smooth : float, float, float, bool
        Of `safe-intervals`: seconds ahead in which bodies move (3), that cells are free before and
        after they are used (0.1); speed of the agent (that of the scene); whether to cut corners.

    Returns
    -------
    Path
        With `found=False` and a `reason` if the goal can't be reached.

    Examples
    --------
    >>> import numpy as np
    >>> import noctule as nt
    >>> blocked = np.zeros((8, 8, 8), dtype=bool)
    >>> blocked[4, :7, :] = True
    >>> grid = nt.Grid(blocked)
    >>> path = nt.plan(grid, grid.centre((0, 0, 0)), grid.centre((7, 0, 7)), "theta*", radius=0.4)
    >>> path.found, round(path.length, 3), nt.verify(path, grid, radius=0.4)
    (True, 18.295, True)
    """
    return Planner(grid, algorithm, **options).plan(start, goal)


def plan_many(
    grid: Grid,
    pairs: Iterable[tuple[Point, Point]],
    algorithm: str = "a*",
    threads: int | None = None,
    **options: Any,
) -> list[Path]:
    """Find paths for many (start, goal) pairs, on several threads at once; options as in `plan`.

    >>> import numpy as np
    >>> import noctule as nt
    >>> grid = nt.Grid(np.zeros((8, 8), dtype=bool))
    >>> pairs = [((0.5, 0.5), (7.5, y + 0.5)) for y in range(8)]
    >>> [round(path.length, 2) for path in nt.plan_many(grid, pairs, threads=2)]
    [7.0, 7.41, 7.83, 8.24, 8.66, 9.07, 9.49, 9.9]
    """
    return Planner(grid, algorithm, **options).plan_many(pairs, threads)

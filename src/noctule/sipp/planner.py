"""`TimedPlanner`: plan timed paths with `safe_intervals`."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.snapshot import SearchSnapshot, search_snapshot
from noctule.core.jit import INF, bind
from noctule.core.status import FOUND, STOPPED
from noctule.core.validation import PointLike, at_least, finite_point, show
from noctule.graphs.entry_nodes import Entries
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.sight.timed import TimeWindow, sees_in_time
from noctule.path import Path, length_of
from noctule.sipp import safe_intervals as core
from noctule.sipp.distance_fields import DistanceFields
from noctule.sipp.edge_occupancy import StrayCells
from noctule.sipp.escape import free_entries
from noctule.sipp.interception import TRIES, Goal, intercept_past_walls, intercept_straight
from noctule.sipp.trajectory import (
    START_BLOCKED,
    Place,
    TimedQuery,
    Trajectory,
    find_trajectory,
    new_trajectory,
)
from noctule.timing import Timing
from noctule.worlds.occupancy.timetable import BIN, Timetable
from noctule.worlds.scene import Scene

Vector = tuple[float, float, float]
Cells = tuple[float, ...]  # a position in cells


class TimedPlanner:
    """Plans timed paths on the cells of a scene or on a hybrid graph; one plan at a time.

    If there is no path on a hybrid graph, all cells are searched: the agent may have to wait in a
    cell that is no node of the graph.
    """

    def __init__(
        self,
        grid: CellGrid,
        radius: float,
        timing: Timing,
        max_expanded: int | None = None,
        algorithm: str = "safe-intervals",
        timetable: Timetable | None = None,
    ) -> None:
        self.grid, self.radius, self.timing, self.algorithm = grid, radius, timing, algorithm
        self.speed = float(timing.speed or grid.scene.agent.speed)
        self.timetable = timetable or Timetable(grid.scene)
        self._all_cells: TimedPlanner | None = None
        if grid.joins_many_nodes:
            cells, table = CellGrid(grid.scene, safety=False), self.timetable
            self._all_cells = TimedPlanner(cells, radius, timing, max_expanded, algorithm, table)
        self._limit = max_expanded or 1 << 62
        self._layout = -1
        self._memory: tuple[core.States, Trajectory]
        self._reserve(1 << 14)
        self._find_trajectory, self._sees_in_time = bind(find_trajectory), bind(sees_in_time)
        self._lock = threading.Lock()

    def plan(self, start: PointLike, goal: Goal, at: float | None = None) -> Path:
        """Find a path to a fixed or moving goal; the agent is at `start` at time `at` (seconds)."""
        with self._lock:
            path = self._plan_here(start, goal, at)
            if path.found or path.expanded >= self._limit or self._all_cells is None:
                return path
            second = self._all_cells.plan(start, goal, at)
            expanded, seconds = path.expanded + second.expanded, path.seconds + second.seconds
            return replace(second, expanded=expanded, seconds=seconds)

    def _plan_here(self, start: PointLike, goal: Goal, at: float | None) -> Path:
        started = time.perf_counter()
        now = self.grid.scene.time
        t0 = now if at is None else at_least(now, "at", at)
        place = self.grid.in_cells("start", start)
        x, y, z = map(float, start)
        self.timetable.update(now, t0 + self.timing.window, (x, y, z), self.speed)
        if self._layout != self.timetable.layout_version:
            self._update_walls()
        return self._plan((x, y, z), place, goal, t0, started)

    def warm_up(self, start: PointLike) -> None:
        """Compile all kernels that a plan may need."""
        path = self.plan(start, start)
        place = self.grid.in_cells("start", start)
        (nodes, distances), _ = self._entries(place)
        if not path.found or not len(nodes):
            return
        t0 = self.grid.scene.time
        window, now = self._time_window(t0)
        node, half = int(nodes[0]), _in_half_cells(place)
        query = TimedQuery(
            half, half, now, nodes, distances, False, False, node, float(distances[0])
        )
        here = tuple(path.points[0].tolist())
        self._search(window, self._fields.to(node), query, (here, here), t0, time.perf_counter())
        self._with_free_entries(here, query, t0)
        if self._all_cells is not None:
            self._all_cells.warm_up(start)

    def deviates_from_forecast(self) -> bool:
        """Whether bodies deviate from the forecast of the last plan."""
        return bool(self.timetable.deviates_from_forecast(self.grid.scene.time))

    def search_snapshot(self) -> SearchSnapshot:
        """Return the nodes that the last search expanded; empty before the first."""
        return search_snapshot(self._memory[0])

    def _update_walls(self) -> None:
        """Build the graph of the static bodies, with empty distance fields."""
        scene, self._layout = self.grid.scene, self.timetable.layout_version
        still = Scene(scene.space, scene._agent, scene._destination, self.timetable.walls, "walls")
        self.walls = self.grid.with_bodies(still)
        self._graph = self.walls.kernel_graph(self.radius)
        self._fields = DistanceFields(self._graph)
        self._strays = StrayCells(self._graph)

    def _time_window(self, t0: float) -> tuple[TimeWindow, float]:
        """Return the time window of a search from time `t0` (seconds), and its start (bins)."""
        now = t0 / BIN - self.timetable.start
        end = min(math.ceil(now + self.timing.window / BIN - 1e-9), self.timetable.bins)
        self._end = end
        mask = (1 << end) - (1 << min(math.floor(now + 1e-9), end))
        bins_per_cell = self.grid.cell / self.speed / BIN
        return TimeWindow(self.timetable.words, mask, self.timing.margin / BIN, bins_per_cell), now

    def _plan(self, start: Vector, place: Cells, goal: Goal, t0: float, started: float) -> Path:
        window, now = self._time_window(t0)
        moves = callable(goal)
        position: Callable[[float], Any] = goal if callable(goal) else lambda t: goal
        end = intercept_straight(start, position, t0, self.speed) if moves else goal
        if end is not None and self.timing.smooth:
            target = self._goal_in_space(end, moves)
            path = self._straight_path(window, now, (start, place), target, started)
            if path is not None:
                return path
        starts, start_is_blocked = self._entries(place)
        if not len(starts[0]):
            return self._no_path(started, f"start {show(start)} {self.walls.why_blocked(place)}")

        def goal_at(t: float) -> tuple[Any, Entries]:
            target = self._goal_in_space(position(t), moves)
            return target, self._entries(target[1])[0]

        limits = self.grid.cell / self.speed, TRIES if moves else 1
        found = intercept_past_walls(goal_at, starts, self._fields, t0, *limits)
        (point, there), ends, distance = found
        if not len(ends[0]):
            return self._no_path(started, f"goal {show(point)} {self.walls.why_blocked(there)}")
        if distance is None:
            return self._no_path(started, "no path past the bodies that never move")
        last = int(ends[0][0]), float(ends[1][0])
        p, q = _in_half_cells(place), _in_half_cells(there)
        query = TimedQuery(p, q, now, *starts, start_is_blocked, False, *last)
        return self._search(window, distance, query, (start, point), t0, started)

    def _straight_path(
        self,
        window: TimeWindow,
        now: float,
        start: tuple[Vector, Cells],
        goal: tuple[Vector, Cells],
        started: float,
    ) -> Path | None:
        """Return the straight path from start to goal if it is free, else None."""
        (p, in_cells), (q, _) = start, goal
        a, b = _in_half_cells(in_cells), _in_half_cells(goal[1])
        if not self._sees_in_time(self._graph.lattice, window, *a, *b, now):
            return None
        n = 1 if a == b else 2
        points = np.array((p, q)[:n])
        times = np.array((now, now + window.bins_per_cell * math.dist(a, b) / 2)[:n])
        cells = np.minimum(np.array((a, b)[:n]) // 2, np.array(self.grid.shape) - 1)
        return self._path(points, times, cells.astype(np.int64), (0, 1), started)

    def _search(
        self,
        window: TimeWindow,
        distance: NDArray[np.float64],
        query: TimedQuery,
        ends: tuple[Vector, Vector],
        t0: float,
        started: float,
    ) -> Path:
        """Search and return the path, or a path without points and the reason."""
        problem = core.Problem(self._graph, window, distance, self._strays.update(self.timetable))
        while True:
            states, trajectory = self._memory
            status, nodes, points, sight_checks = self._find_trajectory(
                problem, states, trajectory, query, bool(self.timing.smooth), self._limit
            )
            if status == START_BLOCKED:
                query = self._with_free_entries(ends[0], query, t0)
            elif status == core.FULL:
                self._reserve(2 * len(states.g))
            else:
                break
        expanded = int(states.stats[0].expanded)
        if status != FOUND:
            return self._no_path(started, self._why_none(status, expanded), expanded)
        line = self.walls.origin + trajectory.point[:points] * (0.5 * self.grid.cell)
        line[0], line[-1] = ends
        times, cells = trajectory.time[:points], trajectory.node[:nodes].copy()
        counts = expanded, sight_checks
        return self._path(line, times, cells, counts, started, query.start_is_blocked)

    def _reserve(self, capacity: int) -> None:
        """Allocate memory for `capacity` states."""
        self._memory = core.new_states(self.grid.node_count, capacity), new_trajectory(capacity)

    def _with_free_entries(self, start: Vector, query: TimedQuery, t0: float) -> TimedQuery:
        """Return the query with the entries that are free of the bodies: the cells are busy."""
        speed, radius = self.speed, self.radius
        starts = query.nodes, query.distances
        scene, here = self.grid.scene, np.array(start)
        nodes, distances = free_entries(scene, here, self.walls, starts, t0, speed, radius)
        query = query._replace(nodes=nodes, distances=distances)
        return query._replace(start_is_blocked=True, entries_are_checked=True)

    def _path(
        self,
        points: NDArray[np.float64],
        bins: NDArray[np.float64],
        cells: NDArray[np.int64],
        counts: tuple[int, int],
        started: float,
        leaves: bool = False,
    ) -> Path:
        """Return a path through points at these times (bins)."""
        expanded, sight_checks = counts
        return Path(
            True,
            points,
            cells,
            length_of(points),
            expanded,
            sight_checks,
            sight_checks,
            time.perf_counter() - started,
            1.0 if expanded == 0 else INF,
            "",
            self.algorithm,
            self.radius,
            (leaves, False),
            times=(bins + self.timetable.start) * BIN,
            foreseen=(self.timetable.start + self._end) * BIN,
        )

    def _no_path(self, started: float, reason: str, expanded: int = 0) -> Path:
        seconds = time.perf_counter() - started
        none = np.empty((0, 3)), np.empty((0, 3), np.int64)
        name, radius = self.algorithm, self.radius
        return Path(False, *none, INF, expanded, 0, 0, seconds, INF, reason, name, radius)

    def _why_none(self, status: int, expanded: int) -> str:
        if status == STOPPED:
            return f"stopped at the limit of {expanded} expansions"
        window = f"{self.timing.window:g} s"
        return f"no collision-free path within {window} ({expanded} states expanded)"

    def _entries(self, place: Cells) -> tuple[Entries, bool]:
        """Return the entries of a position, and whether it lies in blocked cells."""
        entries = self.walls.entries(self._graph, place)
        if len(entries[0]):
            return entries, False
        return self.walls.entries_past_bodies(self._graph, place), True

    def _goal_in_space(self, point: Any, moves: bool) -> tuple[Vector, Cells]:
        """Return a goal in world units and in cells; a moving goal is clamped to the space."""
        if moves:
            there = finite_point("goal", point, 3).tolist()
            point = self.grid.scene.space.inside(there, self.radius)
        place = self.grid.in_cells("goal", point)
        x, y, z = map(float, point)
        return (x, y, z), place


def _in_half_cells(place: Cells) -> Place:
    """Convert a position from cells to half cells."""
    x, y, z = place
    return (2 * x, 2 * y, 2 * z)

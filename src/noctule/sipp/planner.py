"""`TimedPlanner`: plan paths in time with `safe_intervals`."""

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
from noctule.sipp.distance_fields import Fields
from noctule.sipp.edge_occupancy import StrayCells
from noctule.sipp.escape import ways_out
from noctule.sipp.interception import TRIES, Goal, meet_on_line, meet_past_walls
from noctule.sipp.trajectory import NO_WAY_OUT, Place, Trip, Way, find_way, new_way
from noctule.timing import Timing
from noctule.worlds.occupancy.timetable import BIN, Timetable
from noctule.worlds.scene import Scene

Vector = tuple[float, float, float]
Cells = tuple[float, ...]  # a place in cells


class TimedPlanner:
    """Plans paths in time on the cells of a scene, or on a hybrid graph; one plan at a time.

    If there is no path on a hybrid graph, all cells are searched: the agent may have to wait in one
    that the graph leaves out.
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
            cells = CellGrid(grid.scene, safety=False)
            self._all_cells = TimedPlanner(
                cells, radius, timing, max_expanded, algorithm, self.timetable
            )
        self._limit = max_expanded or 1 << 62
        self._layout = -1
        self._memory: tuple[core.States, Way]
        self._reserve(1 << 14)
        self._find_way, self._sees_in_time = bind(find_way), bind(sees_in_time)
        self._lock = threading.Lock()

    def plan(self, start: PointLike, goal: Goal, at: float | None = None) -> Path:
        """Find a path from a point, where the agent is at time `at`, to a goal that may move."""
        with self._lock:
            path = self._plan_here(start, goal, at)
            if path.found or path.expanded >= self._limit or self._all_cells is None:
                return path
            second = self._all_cells.plan(start, goal, at)
            expanded, seconds = path.expanded + second.expanded, path.seconds + second.seconds
            return replace(second, expanded=expanded, seconds=seconds)

    def _plan_here(self, start: PointLike, goal: Goal, at: float | None) -> Path:
        began = time.perf_counter()
        now = self.grid.scene.time
        t0 = now if at is None else at_least(now, "at", at)
        place = self.grid.in_cells("start", start)
        x, y, z = map(float, start)
        self.timetable.look(now, t0 + self.timing.window, (x, y, z), self.speed)
        if self._layout != self.timetable.layout:
            self._take_walls()
        return self._plan((x, y, z), place, goal, t0, began)

    def warm_up(self, start: PointLike) -> None:
        """Compile all kernels that a plan may need."""
        path = self.plan(start, start)
        place = self.grid.in_cells("start", start)
        (nodes, distances), _ = self._entries(place)
        if not path.found or not len(nodes):
            return
        t0 = self.grid.scene.time
        hours, now = self._hours(t0)
        node, half = int(nodes[0]), _doubled(place)
        trip = Trip(half, half, now, nodes, distances, False, False, node, float(distances[0]))
        here = tuple(path.points[0].tolist())
        self._search(hours, self._fields.to(node), trip, (here, here), t0, time.perf_counter())
        self._past_bodies(here, trip, t0)
        if self._all_cells is not None:
            self._all_cells.warm_up(start)

    def deviates_from_forecast(self) -> bool:
        """Whether bodies deviate from the forecast of the last plan."""
        return bool(self.timetable.deviates_from_forecast(self.grid.scene.time))

    def search_snapshot(self) -> SearchSnapshot:
        """Return the nodes that the last search expanded; empty before the first."""
        return search_snapshot(self._memory[0])

    def _take_walls(self) -> None:
        """Make a graph of the bodies that never move, with new distance fields."""
        scene, self._layout = self.grid.scene, self.timetable.layout
        still = Scene(scene.space, scene.agent, scene.destination, self.timetable.walls, "walls")
        self.walls = self.grid.with_bodies(still)
        self._graph = self.walls.kernel_graph(self.radius)
        self._fields = Fields(self._graph)
        self._strays = StrayCells(self._graph)

    def _hours(self, t0: float) -> tuple[TimeWindow, float]:
        """Return the window of the timetable for a search, and its start in bins."""
        now = t0 / BIN - self.timetable.start
        end = min(math.ceil(now + self.timing.window / BIN - 1e-9), self.timetable.bins)
        self._end = end
        mask = (1 << end) - (1 << min(math.floor(now + 1e-9), end))
        pace = self.grid.cell / self.speed / BIN
        return TimeWindow(self.timetable.words, mask, self.timing.margin / BIN, pace), now

    def _plan(self, start: Vector, place: Cells, goal: Goal, t0: float, began: float) -> Path:
        hours, now = self._hours(t0)
        moves = callable(goal)
        where: Callable[[float], Any] = goal if callable(goal) else lambda t: goal
        line = meet_on_line(start, where, t0, self.speed) if moves else goal
        if line is not None and self.timing.smooth:
            path = self._straight(hours, now, (start, place), self._inside(line, moves), began)
            if path is not None:
                return path
        starts, leaving = self._entries(place)
        if not len(starts[0]):
            return self._no_path(began, f"start {show(start)} {self.walls.why_blocked(place)}")

        def aim(t: float) -> tuple[Any, Entries]:
            target = self._inside(where(t), moves)
            return target, self._entries(target[1])[0]

        pace = self.grid.cell / self.speed
        tries = TRIES if moves else 1
        (target, there), ends, distance = meet_past_walls(
            aim, starts, self._fields, t0, pace, tries
        )
        if not len(ends[0]):
            return self._no_path(began, f"goal {show(target)} {self.walls.why_blocked(there)}")
        if distance is None:
            return self._no_path(began, "no path past the bodies that never move")
        last = int(ends[0][0]), float(ends[1][0])
        trip = Trip(_doubled(place), _doubled(there), now, *starts, leaving, False, *last)
        return self._search(hours, distance, trip, (start, target), t0, began)

    def _straight(
        self,
        hours: TimeWindow,
        now: float,
        start: tuple[Vector, Cells],
        goal: tuple[Vector, Cells],
        began: float,
    ) -> Path | None:
        """Return the straight path, if it is free."""
        (p, in_cells), (q, _) = start, goal
        a, b = _doubled(in_cells), _doubled(goal[1])
        if not self._sees_in_time(self._graph.lattice, hours, *a, *b, now):
            return None
        n = 1 if a == b else 2
        points = np.array((p, q)[:n])
        times = np.array((now, now + hours.bins_per_cell * math.dist(a, b) / 2)[:n])
        cells = np.minimum(np.array((a, b)[:n]) // 2, np.array(self.grid.shape) - 1)
        return self._path(points, times, cells.astype(np.int64), (0, 1), began)

    def _search(
        self,
        hours: TimeWindow,
        distance: NDArray[np.float64],
        trip: Trip,
        ends: tuple[Vector, Vector],
        t0: float,
        began: float,
    ) -> Path:
        """Return the path that a search finds."""
        problem = core.Problem(self._graph, hours, distance, self._strays.update(self.timetable))
        while True:
            states, way = self._memory
            status, nodes, points, looks = self._find_way(
                problem, states, way, trip, bool(self.timing.smooth), self._limit
            )
            if status == NO_WAY_OUT:
                trip = self._past_bodies(ends[0], trip, t0)
            elif status == core.FULL:
                self._reserve(2 * len(states.g))
            else:
                break
        expanded = int(states.stats[0].expanded)
        if status != FOUND:
            return self._no_path(began, self._why_none(status, expanded), expanded)
        line = self.walls.origin + way.point[:points] * (0.5 * self.grid.cell)
        line[0], line[-1] = ends
        times, cells = way.time[:points], way.node[:nodes].copy()
        return self._path(line, times, cells, (expanded, looks), began, trip.leaving)

    def _reserve(self, room: int) -> None:
        """Allocate memory for so many states."""
        self._memory = core.new_states(self.grid.node_count, room), new_way(room)

    def _past_bodies(self, start: Vector, trip: Trip, t0: float) -> Trip:
        """Return the trip with entries past the bodies themselves, as cells around are busy."""
        speed, radius = self.speed, self.radius
        starts = trip.nodes, trip.distances
        scene, here = self.grid.scene, np.array(start)
        nodes, distances = ways_out(scene, here, self.walls, starts, t0, speed, radius)
        return trip._replace(nodes=nodes, distances=distances, leaving=True, judged=True)

    def _path(
        self,
        points: NDArray[np.float64],
        bins: NDArray[np.float64],
        cells: NDArray[np.int64],
        counts: tuple[int, int],
        began: float,
        leaves: bool = False,
    ) -> Path:
        """Return a path through points at these times, in bins."""
        expanded, looks = counts
        return Path(
            True,
            points,
            cells,
            length_of(points),
            expanded,
            looks,
            looks,
            time.perf_counter() - began,
            1.0 if expanded == 0 else INF,
            "",
            self.algorithm,
            self.radius,
            (leaves, False),
            times=(bins + self.timetable.start) * BIN,
            foreseen=(self.timetable.start + self._end) * BIN,
        )

    def _no_path(self, began: float, reason: str, expanded: int = 0) -> Path:
        seconds = time.perf_counter() - began
        none = np.empty((0, 3)), np.empty((0, 3), np.int64)
        name, radius = self.algorithm, self.radius
        return Path(False, *none, INF, expanded, 0, 0, seconds, INF, reason, name, radius)

    def _why_none(self, status: int, expanded: int) -> str:
        if status == STOPPED:
            return f"stopped at the limit of {expanded} expansions"
        return (
            f"no collision-free path within {self.timing.window:g} s ({expanded} states expanded)"
        )

    def _entries(self, place: Cells) -> tuple[Entries, bool]:
        """Return the nodes near a place, and whether they are reached past bodies, not cells."""
        entries = self.walls.entries(self._graph, place)
        if len(entries[0]):
            return entries, False
        return self.walls.entries_past_bodies(self._graph, place), True

    def _inside(self, point: Any, moves: bool) -> tuple[Vector, Cells]:
        """Return a goal in world units and in cells; a moving one is clamped to the space."""
        if moves:
            there = finite_point("goal", point, 3).tolist()
            point = self.grid.scene.space.inside(there, self.radius)
        place = self.grid.in_cells("goal", point)
        x, y, z = map(float, point)
        return (x, y, z), place


def _doubled(place: Cells) -> Place:
    """Convert a place from cells to half cells."""
    x, y, z = place
    return (2 * x, 2 * y, 2 * z)

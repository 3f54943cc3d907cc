"""`TimedPlanner`: the shell around `safe_intervals`: where from, where to, and the path in time."""

import math
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.gate import Point, at_least, finite_point, show
from noctule.graphs.cell_grid import CellGrid
from noctule.graphs.grid import Entries
from noctule.graphs.timed_sight import WALL, Hours, ever_busy_along, free_until, sees_in_time
from noctule.kernels import INF, kernel
from noctule.path import Path, polyline_length
from noctule.searches import safe_intervals as core
from noctule.searches.fields import Fields
from noctule.searches.leaving import ways_out
from noctule.searches.meeting import Goal, meet_on_line, meet_past_walls
from noctule.searches.options import Options
from noctule.searches.searched import Searched, searched
from noctule.searches.timed_paths import (
    Corners,
    LastLeg,
    Place,
    cut_corners,
    points_and_times,
    trace_corners,
)
from noctule.worlds.scenes import Scene
from noctule.worlds.timetable import BIN, Timetable


@kernel
def enter(problem, states, p, now, nodes, distances):
    """Reach the nodes near the start as early as the straight way to each allows."""
    hours = problem.hours
    here = ever_busy_along(problem.lattice, hours, p, p)
    until = free_until(here, now) if here != WALL else INF
    for i in range(len(nodes)):
        node = nodes[i]
        if distances[i] == 0.0:
            if until > now:
                core.reach(problem, states, -1, node, now)
            continue
        x, y, z = core.half_centre(problem.lattice, node)
        word = ever_busy_along(problem.lattice, hours, p, (x, y, z))
        if word == WALL:  # the way out of blocked cells was judged by the bodies
            word = hours.word[node] & hours.mask
        lasts = hours.pace * distances[i]
        t = core.earliest(word, now, lasts, hours.margin, until)
        if t < INF:
            core.reach(problem, states, -1, node, t + lasts)


@kernel
def enter_at(problem, states, now, nodes, distances):
    """Reach nodes by ways that are known to be free if the agent leaves at once."""
    for i in range(len(nodes)):
        t = now + problem.hours.pace * distances[i]
        if free_until(problem.hours.word[nodes[i]] & problem.hours.mask, t) > t:
            core.reach(problem, states, -1, nodes[i], t)


class Trip(NamedTuple):
    """Where from and where to."""

    start: NDArray[np.float64]
    goal: NDArray[np.float64]
    starts: Entries  # nodes near them
    ends: Entries
    leaving: bool  # whether the start lies in cells that are blocked by walls
    at: float  # the moment of the start


class TimedPlanner:
    """Plans paths in time on the cells of a scene; one plan at a time."""

    def __init__(self, grid: CellGrid, options: Options) -> None:
        self.grid, self.options = grid, options
        self.timetable = Timetable(grid.scene)
        assert options.timing is not None
        self.timing = options.timing
        self._layout = -1
        self._room = 1 << 14
        self._states: core.States | None = None
        self._lock = threading.Lock()

    def plan(self, start: Point, goal: Goal, at: float | None = None) -> Path:
        """Find a path from a point, where the agent is at a moment, to one that may move."""
        with self._lock:
            began = time.perf_counter()
            now = self.grid.scene.time
            t0 = now if at is None else at_least(now, "at", at)
            here = finite_point("start", start, 3)
            self.grid.in_cells("start", here)
            self.timetable.look(
                now, t0 + self.timing.window, tuple(here.tolist()), self.timing.speed
            )
            if self._layout != self.timetable.layout:
                self._take_walls()
            return self._plan(here, goal, t0, began)

    def prepare(self, start: Point) -> None:
        """Compile what a plan may need: most plans need only some of it."""
        path = self.plan(start, start)
        starts, _ = self._entries(start)
        if not path.found or not len(starts[0]):
            return
        hours, now = self._hours(self.grid.scene.time)
        distance = self._fields.to(int(starts[0][0]))
        problem = core.Problem(self._graph.lattice, hours, distance)
        here = np.asarray(start, np.float64)
        trip = Trip(here, here, starts, starts, False, self.grid.scene.time)
        self._search(problem, now, trip, time.perf_counter())
        enter_at(problem, self._memory(), now, *self._ways_out(trip))

    def surprises(self) -> bool:
        """Whether the world is not as the last plan expected it to be by now."""
        return bool(self.timetable.surprises(self.grid.scene.time))

    def _take_walls(self) -> None:
        """Make a grid of what never moves; distances past it are to be found anew."""
        scene, self._layout = self.grid.scene, self.timetable.layout
        still = Scene(scene.space, scene.agent, scene.destination, self.timetable.walls, "walls")
        self.walls = CellGrid(still, self.grid.neighbours, safety=False)
        self._graph = self.walls.graph(self.options.radius)
        self._fields = Fields(self._graph)

    def _hours(self, t0: float) -> tuple[Hours, float]:
        """The timetable as a search sees it, and the moment of its start in bins."""
        now = t0 / BIN - self.timetable.start
        end = min(math.ceil(now + self.timing.window / BIN - 1e-9), self.timetable.bins)
        self._end = end
        mask = (1 << end) - (1 << min(math.floor(now + 1e-9), end))
        pace = self.grid.cell / self.timing.speed / BIN
        return Hours(self.timetable.words, mask, self.timing.margin / BIN, pace), now

    def _plan(self, start: NDArray[np.float64], goal: Goal, t0: float, began: float) -> Path:
        hours, now = self._hours(t0)
        moving: Callable[[float], Any] = goal if callable(goal) else lambda t: goal
        line = meet_on_line(start, moving, t0, self.timing.speed)
        if line is not None and self.timing.smooth:
            path = self._straight(hours, now, start, self._inside(line, callable(goal)), began)
            if path is not None:
                return path
        starts, leaving = self._entries(start)
        if not len(starts[0]):
            return self._no_path(began, f"start {show(start)} {self._why_not(start)}")

        def aim(t: float) -> tuple[Any, Entries]:
            target = self._inside(moving(t), callable(goal))
            return target, self._entries(target)[0]

        target, ends, distance = meet_past_walls(
            aim, starts, self._fields, t0, self.grid.cell / self.timing.speed
        )
        if not len(ends[0]):
            return self._no_path(began, f"goal {show(target)} {self._why_not(target)}")
        if distance is None:
            return self._no_path(began, "there is no way past what never moves")
        problem = core.Problem(self._graph.lattice, hours, distance)
        return self._search(problem, now, Trip(start, target, starts, ends, leaving, t0), began)

    def _straight(
        self, hours: Hours, now: float, p: Any, q: NDArray[np.float64], began: float
    ) -> Path | None:
        """The path that is a line, if nothing is in its way."""
        a, b = self._half(p), self._half(q)
        if not sees_in_time(self._graph.lattice, hours, a, b, now):
            return None
        n = 1 if a == b else 2
        arrive = now + np.array([0.0, hours.pace * math.dist(a, b) / 2])[:n]
        cells = self.walls.number(np.array([self.walls.cell_of(p), self.walls.cell_of(q)])[:n])
        corners = Corners(np.array([a, b])[:n], arrive, arrive, cells)
        return self._path(corners, (p, q), (0, 1), began)

    def _search(self, problem: core.Problem, now: float, trip: Trip, began: float) -> Path:
        """The path that a search finds."""
        p, q = self._half(trip.start), self._half(trip.goal)
        nodes, distances = trip.ends
        goal, lasts = int(nodes[0]), float(distances[0]) * problem.hours.pace
        word = 0
        if lasts > 0:
            word = ever_busy_along(problem.lattice, problem.hours, self._half_centre(goal), q)
            word = max(word, 0)  # a way into blocked cells was judged by the bodies
        limit = self.options.max_expanded or 1 << 62
        leaving = trip.leaving
        while True:
            states = self._memory()
            core.begin(states)
            enter(problem, states, p, now, *trip.starts)
            if states.open.size[0] == 0:
                leaving = True
                enter_at(problem, states, now, *self._ways_out(trip))
            status, s = core.search(problem, states, goal, word, lasts, limit)
            if status != core.FULL:
                break
            self._room *= 2
        expanded, looks = int(states.counts[core.EXPANDED]), 0
        if status != core.FOUND:
            return self._no_path(began, self._why_none(status, expanded), expanded)
        leg = LastLeg(lasts, word)
        corners = trace_corners(problem, states, s, self.walls, (p, q), now, leg)
        if self.timing.smooth:
            corners, looks = cut_corners(problem, corners, 1 if leaving else 0)
        return self._path(corners, (trip.start, trip.goal), (expanded, looks), began, leaving)

    def searched(self) -> Searched:
        """What the last search looked at; nothing before the first."""
        return Searched() if self._states is None else searched(self._states)

    def _memory(self) -> core.States:
        if self._states is None or len(self._states.g) < self._room:
            self._states = core.new_states(self.walls.node_count, self._room)
        return self._states

    def _ways_out(self, trip: Trip) -> Entries:
        """Where the agent gets to past the bodies themselves, though cells around it are busy."""
        speed, radius = self.timing.speed, self.options.radius
        return ways_out(
            self.grid.scene, trip.start, self.walls, trip.starts, trip.at, speed, radius
        )

    def _path(
        self,
        corners: Corners,
        ends: tuple[Any, Any],
        counts: tuple[int, int],
        began: float,
        leaves: bool = False,
    ) -> Path:
        """A path through corners; where it waits, a point comes twice."""
        expanded, looks = counts
        line, bins = points_and_times(corners, ends, self.walls)
        seconds = (bins + self.timetable.start) * BIN
        return Path(
            True,
            line,
            self.walls.indices(corners.cells),
            polyline_length(line),
            expanded,
            looks,
            looks,
            time.perf_counter() - began,
            1.0 if expanded == 0 else INF,
            "",
            self.options.algorithm.name,
            self.options.radius,
            (leaves, False),
            times=seconds,
            foreseen=(self.timetable.start + self._end) * BIN,
        )

    def _no_path(self, began: float, reason: str, expanded: int = 0) -> Path:
        seconds = time.perf_counter() - began
        none = np.empty((0, 3)), np.empty((0, 3), np.int64)
        name, radius = self.options.algorithm.name, self.options.radius
        return Path(False, *none, INF, expanded, 0, 0, seconds, INF, reason, name, radius)

    def _why_none(self, status: int, expanded: int) -> str:
        if status == core.STOPPED:
            return f"stopped at the limit of {expanded} expansions"
        return (
            f"there is no way: wherever the agent can get to within {self.timing.window:g} s "
            f"({expanded} places and times), it will be hit"
        )

    def _entries(self, point: Any) -> tuple[Entries, bool]:
        """Nodes near a point, and whether they are reached past bodies instead of cells."""
        place = self.walls.in_cells("point", point)
        entries = self.walls.entries(self._graph, place)
        if len(entries[0]):
            return entries, False
        return self.walls.entries_past_bodies(self._graph, place), True

    def _inside(self, point: Any, moves: bool) -> NDArray[np.float64]:
        """Where the agent fits into the world nearest to a destination that moves."""
        if not moves:
            return np.asarray(point, np.float64)
        r = self.options.radius * (1 + 1e-9)
        low, high = (
            self.grid.origin + r,
            self.grid.origin + self.grid.cell * np.array(self.grid.shape) - r,
        )
        return np.minimum(np.maximum(finite_point("goal", point, 3), low), high)

    def _why_not(self, point: Any) -> str:
        return self.walls.why_blocked(self.walls.in_cells("point", point))

    def _half(self, point: Any) -> Place:
        x, y, z = (2 * v for v in self.walls.in_cells("point", point))
        return (x, y, z)

    def _half_centre(self, node: int) -> Place:
        x, y, z = (2 * self.walls.indices(np.array([node]))[0] + 1.0).tolist()
        return (x, y, z)

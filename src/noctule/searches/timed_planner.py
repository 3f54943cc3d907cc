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
from noctule.searches.timed_smoothing import pull
from noctule.worlds.scenes import Scene
from noctule.worlds.timetable import BIN, Timetable

Place = tuple[float, float, float]


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


class Corners(NamedTuple):
    """A plan before it is a path: places in half cells, when they are reached and left."""

    places: NDArray[np.float64]
    arrive: NDArray[np.float64]
    leave: NDArray[np.float64]
    cells: NDArray[np.int64]


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
        starts, leaves = self._entries(start)
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
        return self._search(problem, now, (start, target), (starts, ends), (leaves, t0), began)

    def _straight(
        self, hours: Hours, now: float, p: Any, q: NDArray[np.float64], began: float
    ) -> Path | None:
        a, b = self._half(p), self._half(q)
        if not sees_in_time(self._graph.lattice, hours, a, b, now):
            return None
        lasts = hours.pace * math.dist(a, b) / 2
        arrive = np.array([now, now + lasts])[: 2 if lasts > 0 else 1]
        cells = self._cells_of([p, q])
        return self._path(Corners(np.array([a, b]), arrive, arrive, cells), (p, q), (0, 1), began)

    def _search(
        self,
        problem: core.Problem,
        now: float,
        points: tuple[Any, Any],
        near: tuple[Entries, Entries],
        start: tuple[bool, float],
        began: float,
    ) -> Path:
        p, q = self._half(points[0]), self._half(points[1])
        goal, last = int(near[1][0][0]), float(near[1][1][0]) * problem.hours.pace
        word = 0
        if last > 0:
            word = ever_busy_along(problem.lattice, problem.hours, self._half_centre(goal), q)
            word = max(word, 0)  # a way into blocked cells was judged by the bodies
        limit = self.options.max_expanded or 1 << 62
        leaving = start[0]
        while True:
            states = self._memory()
            core.begin(states)
            enter(problem, states, p, now, *near[0])
            if states.open.size[0] == 0:
                leaving = True
                enter_at(problem, states, now, *self._ways_out(points[0], near[0], start[1]))
            status, s = core.search(problem, states, goal, word, last, limit)
            if status != core.FULL:
                break
            self._room *= 2
        expanded = int(states.counts[core.EXPANDED])
        if status != core.FOUND:
            return self._no_path(began, self._why_none(status, expanded), expanded)
        corners = self._corners(problem, states, s, (p, q), now, (word, last))
        kept, looks = np.arange(len(corners.places)), 0
        if self.timing.smooth:
            room = np.empty(len(kept), np.int64)
            n, looks = pull(problem.lattice, problem.hours, *corners[:3], 1 if leaving else 0, room)
            kept = room[:n]
        return self._path(corners, points, (expanded, looks), began, kept, leaving)

    def _memory(self) -> core.States:
        if self._states is None or len(self._states.g) < self._room:
            self._states = core.new_states(self.walls.node_count, self._room)
        return self._states

    def _ways_out(self, p: Any, starts: Entries, t0: float) -> Entries:
        """Where the agent gets to past the bodies themselves, though cells around it are busy."""
        return ways_out(
            self.grid.scene, p, self.walls, starts, t0, self.timing.speed, self.options.radius
        )

    def _corners(
        self,
        problem: core.Problem,
        states: core.States,
        s: int,
        ends: tuple[Place, Place],
        now: float,
        last: tuple[int, float],
    ) -> Corners:
        """The way to a state, from the start to the goal."""
        n = core.trail_size(states, s)
        cells, arrivals = np.empty(n, np.int64), np.empty(n)
        core.trace(states, s, cells, arrivals)
        places = 2 * self.walls.indices(cells) + 1.0
        arrive = np.concatenate([[now], arrivals, [0.0]])
        places = np.concatenate([[ends[0]], places, [ends[1]]])
        lasts = problem.hours.pace * np.linalg.norm(np.diff(places, axis=0), axis=1) / 2
        margin = problem.hours.margin
        word, leg = last
        arrive[-1] = core.earliest(word, arrive[-2], leg, margin, INF) + lasts[-1]
        leave = np.append(arrive[1:] - lasts, arrive[-1])
        keep = np.ones(len(places), bool)
        if lasts[0] == 0:
            keep[1] = n == 1 and lasts[-1] == 0
            leave[0] = leave[1]
        if lasts[-1] == 0 and keep[-2]:
            keep[-2] = False
        keep[0] = keep[-1] = True
        return Corners(places[keep], arrive[keep], leave[keep], cells)

    def _path(
        self,
        corners: Corners,
        ends: tuple[Any, Any],
        counts: tuple[int, int],
        began: float,
        kept: NDArray[np.int64] | None = None,
        leaves: bool = False,
    ) -> Path:
        """A path through the corners that are kept; where it waits, a point comes twice."""
        expanded, looks = counts
        points, times = [], []
        chosen = list(range(len(corners.arrive))) if kept is None else kept.tolist()
        for k in chosen:
            point = self.grid.origin + corners.places[k] * (self.grid.cell / 2)
            point = ends[0] if k == 0 else ends[1] if k == len(corners.places) - 1 else point
            moments = [corners.arrive[k]]
            if corners.leave[k] > corners.arrive[k] + 1e-9:
                moments.append(corners.leave[k])
            points += [point] * len(moments)
            times += moments
        line = np.array(points, np.float64)
        seconds = (np.array(times) + self.timetable.start) * BIN
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
            seconds,
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

    def _cells_of(self, points: list[Any]) -> NDArray[np.int64]:
        cells = np.array([self.walls.cell_of(point) for point in points])
        return self.walls.number(cells)

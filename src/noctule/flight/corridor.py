"""`Corridor`: the polyline that an agent flies. `Route`: a path that is checked as it is flown."""

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.path import Path, polyline_length
from noctule.planning.costs import worth_it

Point = tuple[float, float, float]

# A new path replaces the one being flown if it costs less than this share of it.
WORTH_IT = 1.0 - 0.02


class Corridor:
    """A polyline that is flown from its first point on.

    Attributes
    ----------
    position : (x, y, z)
        The current position.
    corners : list of (x, y, z)
        The corners ahead, the next one first.

    >>> corridor = Corridor([(0, 0, 0), (2, 0, 0), (2, 3, 0)])
    >>> corridor.ahead(2.5)
    ([(2.0, 0.0, 0.0), (2.0, 0.5, 0.0)], 1)
    >>> way, durations = corridor.fly(2.5)
    >>> corridor.position, corridor.ahead(9.0)
    ((2.0, 0.5, 0.0), ([(2.0, 3.0, 0.0)], 1))
    """

    def __init__(self, points: Iterable[Iterable[float]]) -> None:
        self.position: Point
        self.position, *self.corners = [(float(x), float(y), float(z)) for x, y, z in points]

    def ahead(self, distance: float) -> tuple[list[Point], int]:
        """Return the points passed within a distance, its end last, and the number of corners.

        There are no points at the end of the corridor.
        """
        here: Point = self.position
        passed: list[Point] = []
        for n, corner in enumerate(self.corners):
            leg = math.dist(here, corner)
            if leg > distance:
                part = distance / leg
                x, y, z = (p + part * (q - p) for p, q in zip(here, corner, strict=True))
                return [*passed, (x, y, z)] if distance > 0 else passed, n
            distance -= leg
            passed += [corner] if leg > 0 else []
            here = corner
        return passed, len(self.corners)

    def fly(self, distance: float) -> tuple[list[Point], list[float] | None]:
        """Fly a distance, or to the end.

        Returns the points flown through, the old position first, and the durations of the legs in
        distance at full speed; None if these are the lengths of the legs.
        """
        passed, n = self.ahead(distance)
        flown = [self.position, *passed]
        del self.corners[:n]
        self.position = flown[-1]
        return flown, None


class TimedCorridor(Corridor):
    """A corridor with a time for each corner; the agent waits where a corner comes twice.

    Time is measured as distance at full speed, so a wait is a distance as well.

    >>> corridor = TimedCorridor([(0, 0, 0), (2, 0, 0), (2, 0, 0), (2, 3, 0)], [5, 6, 8, 9], 3.0)
    >>> way, durations = corridor.fly(6.0)
    >>> corridor.position
    (2.0, 0.0, 0.0)
    >>> corridor.fly(4.5)
    ([(2.0, 0.0, 0.0), (2.0, 0.0, 0.0), (2.0, 1.5, 0.0)], [3.0, 1.5])
    """

    def __init__(
        self, points: Iterable[Iterable[float]], times: Iterable[float], speed: float
    ) -> None:
        super().__init__(points)
        start, *later = times
        self._marks = [speed * (t - start) for t in later]  # of the corners ahead
        self._flown = 0.0

    def ahead(self, distance: float) -> tuple[list[Point], int]:
        """Return the points passed in the time of a distance at full speed, and the corners."""
        end = self._flown + distance
        here, since = self.position, self._flown
        passed: list[Point] = []
        for n, (corner, mark) in enumerate(zip(self.corners, self._marks, strict=True)):
            if mark > end:
                part = (end - since) / (mark - since)
                x, y, z = (p + part * (q - p) for p, q in zip(here, corner, strict=True))
                return [*passed, (x, y, z)] if end > since else passed, n
            passed.append(corner)
            here, since = corner, mark
        return [*passed, here] if end > since else passed, len(self.corners)

    def fly(self, distance: float) -> tuple[list[Point], list[float] | None]:
        """Fly for the time of a distance at full speed."""
        end = self._flown + distance
        ends = [mark for mark in self._marks if mark <= end]
        if not ends or ends[-1] < end:
            ends.append(end)
        durations = [b - a for a, b in itertools.pairwise([self._flown, *ends])]
        flown, _ = super().fly(distance)
        self._flown += distance
        del self._marks[: len(self._marks) - len(self.corners)]
        return flown, durations


@dataclass(frozen=True)
class Route:
    """The corners of a path that are left to fly; the agent is before the first of them."""

    corners: tuple[Point, ...]
    source: Path
    complete: bool  # whether it leads to the goal
    length: float = math.inf
    cell_cost: float | None = None  # of `Path`
    blocked_ends: tuple[bool, bool] = (False, False)

    @classmethod
    def along(cls, path: Path) -> "Route":
        """Return the route along a path."""
        points = [(float(x), float(y), float(z)) for x, y, z in path.points]
        return cls(tuple(points), path, path.reached_goal)

    @property
    def cost(self) -> float:
        """What it costs from the agent on: its length, unless cells have costs."""
        return self.length if self.cell_cost is None else self.cell_cost

    def as_path(self, points: NDArray[np.float64], reason: str) -> Path:
        """Return the route as a path that can be verified."""
        return replace(
            self.source,
            points=points,
            length=polyline_length(points),
            cell_cost=self.cell_cost,
            reason=reason,
            blocked_ends=self.blocked_ends,
            bound=math.inf,
        )


class RouteChecker:
    """Checks whether routes are free in the current world."""

    def __init__(self, world: Grid, radius: float) -> None:
        self._world, self._radius = world, radius
        self._layout = -1

    def checked(self, route: Route | None, agent: Point, goal: Point | None) -> Route | None:
        """Return the rest of a route from the agent, to a goal that may have moved, if it is free.

        Corners are left out while the agent is there or sees the next one, unless they save cost.
        """
        if route is None:
            return None
        if self._layout != self._world.layout_version:
            self._layout = self._world.layout_version
            self._graph = self._world.kernel_graph(self._radius)
        corners = route.corners
        if goal is not None and route.complete:
            if not self._world.contains(goal):
                return None
            corners = (*corners[:-1], goal)
        points = [agent, *corners]
        if not all(self._world.contains(point) for point in points):
            return None  # a window of cells has moved away
        places = self._world.all_in_cells("corner", points)

        def blocked(*which: int) -> list[int]:
            return self._world.blocked_legs(self._graph, places[list(which)])

        passed = 0  # corners that are left out
        while len(points) > passed + 2 and (
            points[passed + 1] == agent
            or (not blocked(0, passed + 2) and self._is_worth_it(agent, points[passed + 1 :]))
        ):
            passed += 1
        points = [agent, *points[passed + 1 :]]
        left = [0, *range(passed + 1, len(places))]
        last = len(left) - 2
        blocked_ends = (False, False)
        for i in blocked(*left):
            # Cells cover more than bodies do; ends in blocked cells are checked with the bodies.
            ends = i == 0 and bool(blocked(0, 0)), i == last and bool(blocked(-1, -1))
            if not any(ends) or not self._is_free_of_bodies(points[i], points[i + 1]):
                return None
            blocked_ends = blocked_ends[0] or ends[0], blocked_ends[1] or ends[1]
        if len(points) == 1 and blocked(0, 0):
            return None
        length = sum(math.dist(p, q) for p, q in itertools.pairwise(points))
        return replace(
            route,
            corners=tuple(points[1:]),
            length=length,
            cell_cost=self._world.cost_along(np.array(points)),
            blocked_ends=blocked_ends,
        )

    def _is_worth_it(self, agent: Point, corners: list[Point]) -> bool:
        """Whether the first of these corners saves no cost."""
        over = np.array([agent, *corners[:2]])
        return worth_it(self._world, over, over[::2])

    def _is_free_of_bodies(self, p: Point, q: Point) -> bool:
        return isinstance(self._world, CellGrid) and self._world.body_on(p, q, self._radius) is None

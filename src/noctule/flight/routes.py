"""Routes: what is left to fly of a path, and whether it is still free."""

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from noctule.flight.corridor import Point
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.path import Path, polyline_length

MARGIN = 0.02  # a new path must be shorter by this part to take the place of the one being flown


@dataclass(frozen=True)
class Route:
    """The corners that are left to fly; the agent is before the first of them."""

    corners: tuple[Point, ...]
    source: Path
    complete: bool  # whether it leads to the goal
    length: float = math.inf
    blocked_ends: tuple[bool, bool] = (False, False)

    @classmethod
    def along(cls, path: Path) -> "Route":
        """The route of a path, from the agent on."""
        points = [(float(x), float(y), float(z)) for x, y, z in path.points]
        return cls(tuple(points), path, path.found)

    @property
    def next_corner(self) -> Point | None:
        """Where the agent flies to."""
        return self.corners[0] if self.corners else None

    def as_path(self, points: NDArray[np.float64], reason: str) -> Path:
        """The route as a path that can be verified."""
        return replace(
            self.source,
            found=self.complete,
            points=points,
            length=polyline_length(points),
            reason=reason,
            blocked_ends=self.blocked_ends,
            bound=math.inf,
        )


def is_worth_it(length: float, kept: Route) -> bool:
    """Whether a new way is so much shorter that it takes the place of the one being flown."""
    return length < (1.0 - MARGIN) * kept.length


class RouteChecker:
    """Proves routes free, in the world as it is at the moment."""

    def __init__(self, world: Grid, radius: float) -> None:
        self._world, self._radius = world, radius
        self._layout = -1

    def checked(self, route: Route | None, agent: Point, goal: Point | None) -> Route | None:
        """The rest of a route from the agent, to a goal that may have moved; None if not free.

        Corners are left out as long as the agent is there, or sees the next one: it has passed
        them, or need not fly there.
        """
        if route is None:
            return None
        if self._layout != self._world.layout_version:
            self._layout = self._world.layout_version
            self._graph = self._world.graph(self._radius)
        corners = list(route.corners)
        if goal is not None and route.complete:
            corners = [*corners[:-1], goal]
        points = [agent, *corners]
        places = self._world.all_in_cells("corner", points)
        passed = 0  # corners that are left out
        while len(points) > passed + 2 and (
            points[passed + 1] == agent or self._is_free(places[0], places[passed + 2])
        ):
            passed += 1
        points = [agent, *points[passed + 1 :]]
        places = np.concatenate((places[:1], places[passed + 1 :]))
        last = len(points) - 2
        blocked = [False, False]
        for i in self._world.blocked_legs(self._graph, places):
            # Cells cover more than bodies do; ends in blocked cells are judged by the bodies.
            ends = (
                i == 0 and self._is_blocked(places[0]),
                i == last and self._is_blocked(places[-1]),
            )
            if not any(ends) or not self._is_free_of_bodies(points[i], points[i + 1]):
                return None
            blocked = [blocked[0] or ends[0], blocked[1] or ends[1]]
        if len(points) == 1 and self._is_blocked(places[0]):
            return None
        length = sum(math.dist(p, q) for p, q in itertools.pairwise(points))
        return replace(
            route, corners=tuple(points[1:]), length=length, blocked_ends=(blocked[0], blocked[1])
        )

    def _is_free(self, p: NDArray[np.float64], q: NDArray[np.float64]) -> bool:
        return self._world.segment_is_free(self._graph, tuple(p.tolist()), tuple(q.tolist()))

    def _is_blocked(self, p: NDArray[np.float64]) -> bool:
        return not self._is_free(p, p)

    def _is_free_of_bodies(self, p: Point, q: Point) -> bool:
        return isinstance(self._world, CellGrid) and self._world.body_on(p, q, self._radius) is None

"""`RemainingPath`: the rest of the last path, for a plan whose search takes too long.

An agent that plans in every frame has flown on a little, and its goal has moved a little. The rest
of its path is nearly as short as a new one, if it is still free. Where an obstacle has come in
between, a short detour may do.
"""

import itertools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import INF
from noctule.core.stats import Work
from noctule.core.validation import PointLike
from noctule.graphs.base import Place
from noctule.path import Path
from noctule.planning.result import PathBuilder, Query
from noctule.planning.smoothing import leave_out_corners

Corner = tuple[Place, PointLike]  # in cells, and in the world

# From two nodes to those of a path between them, if there is one, and the number of expansions.
Detour = Callable[[int, int], tuple[NDArray[np.int64] | None, int]]


class RemainingPath:
    """What is left of a path, from a start on it to a goal near its end.

    Corners that the start has passed, or sees past, are left out, and so are those from which the
    goal came.
    """

    def __init__(self, builder: PathBuilder, last: Path, query: Query) -> None:
        self._builder, self._query = builder, query
        self._grid, self._graph = builder.grid, builder.graph
        self._checks = self._expanded = 0
        corners: list[Corner] = [(query.ends[0], query.points[0])]
        corners += [self._corner(point) for point in last.points[1:]]
        corners.append((query.ends[1], query.points[1]))
        while len(corners) > 2 and self._is_free(corners[0], corners[2]):
            del corners[1]
        while len(corners) > 2 and self._is_free(corners[-3], corners[-1]):
            del corners[-2]
        self._corners = corners
        self._blocked = self._blocked_legs()

    @property
    def is_free(self) -> bool:
        """Whether no leg is blocked."""
        return not self._blocked

    @property
    def length(self) -> float:
        """Its length."""
        return sum(math.dist(p, q) for (_, p), (_, q) in itertools.pairwise(self._corners))

    def detour(self, find: Detour) -> None:
        """Replace the blocked legs by a detour, if there is one, and leave out corners of it."""
        corners = self._corners
        numbers = [self._grid.node_at(place) for place, _ in corners]
        a, b = self._blocked[0], self._blocked[-1] + 1
        while a > 0 and not self._is_usable(numbers[a]):
            a -= 1
        while b < len(corners) - 1 and not self._is_usable(numbers[b]):
            b += 1
        s, t = numbers[a], numbers[b]
        if s is None or t is None or not self._is_usable(s) or not self._is_usable(t):
            return
        found, expanded = find(s, t)
        self._expanded += expanded
        if found is None:
            return
        first = a - 1 if a > 0 and numbers[a - 1] is not None else a
        last = b + 1 if b < len(corners) - 1 and numbers[b + 1] is not None else b
        nodes = np.array([*numbers[first:a], *found, *numbers[b + 1 : last + 1]], np.int64)
        nodes = nodes[: leave_out_corners(self._graph, nodes)]
        points = self._grid.positions(nodes)
        self._corners = [*corners[:first], *map(self._corner, points), *corners[last + 1 :]]
        self._blocked = self._blocked_legs()

    def as_path(self, work: Work) -> Path:
        """Return it as an answer; `work` is what was spent before."""
        grid = self._grid
        numbers = [s for place, _ in self._corners if (s := grid.node_at(place)) is not None]
        nodes = grid.indices(np.array(numbers, np.int64))
        points = np.array([point for _, point in self._corners], np.float64)
        expanded, checks, walks = work
        work = expanded + self._expanded, checks + self._checks, walks + self._checks
        began, engine = self._query.began, "last path"
        return self._builder.path(
            began, points, nodes, work, True, INF, restarted=True, engine=engine
        )

    def _blocked_legs(self) -> list[int]:
        places = np.array([place for place, _ in self._corners])
        self._checks += len(places) - 1
        return self._grid.blocked_legs(self._graph, places)

    def _corner(self, point: PointLike) -> Corner:
        return self._grid.in_cells("corner", point), point

    def _is_free(self, p: Corner, q: Corner) -> bool:
        self._checks += 1
        return bool(self._grid.segment_is_free(self._graph, p[0], q[0]))

    def _is_usable(self, s: int | None) -> bool:
        return s is not None and self._grid.is_usable(self._graph, s)

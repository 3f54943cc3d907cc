"""The last path once more: for a plan whose search takes longer than a plan may.

An agent that plans in every frame has flown on by a little, and its goal has moved by a little.
What is left of its path is nearly as short as a new one, if it is still free: each segment is
looked at. Where something has come in its way, a short way round that may do, too.
"""

import itertools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import INF
from noctule.core.validation import Point
from noctule.engines.table import Counts
from noctule.path import Path
from noctule.planning.result import Answers, Place, Query
from noctule.planning.smoothing import leave_out_corners

Corner = tuple[Place, Point]  # in cells, and in the world

# From two nodes to those of a way between them, if there is one, and how many were expanded.
Detour = Callable[[int, int], tuple[NDArray[np.int64] | None, int]]


class Rest:
    """What is left of a path, from a start on it to a goal near its end.

    Corners are left out that the start has passed, or sees past, and so are those by which the
    goal came: the places where it was before.
    """

    def __init__(self, answers: Answers, last: Path, query: Query) -> None:
        self._answers, self._query = answers, query
        self._grid, self._graph = answers.grid, answers.graph
        self._looks = self._expanded = 0
        way: list[Corner] = [(query.ends[0], query.points[0])]
        way += [self._corner(point) for point in last.points[1:]]
        way.append((query.ends[1], query.points[1]))
        while len(way) > 2 and self._is_free(way[0], way[2]):
            del way[1]
        while len(way) > 2 and self._is_free(way[-3], way[-1]):
            del way[-2]
        self._way = way
        self._shut = self._find_shut()

    @property
    def is_free(self) -> bool:
        """Whether nothing is in its way now."""
        return not self._shut

    @property
    def length(self) -> float:
        """How long it is."""
        return sum(math.dist(p, q) for (_, p), (_, q) in itertools.pairwise(self._way))

    def go_round(self, detour: Detour) -> None:
        """Replace what is shut by a detour, if there is one, and cut the corners of that."""
        way = self._way
        numbers = [self._grid.node_at(place) for place, _ in way]
        a, b = self._shut[0], self._shut[-1] + 1
        while a > 0 and not self._is_usable(numbers[a]):
            a -= 1
        while b < len(way) - 1 and not self._is_usable(numbers[b]):
            b += 1
        s, t = numbers[a], numbers[b]
        if s is None or t is None or not self._is_usable(s) or not self._is_usable(t):
            return
        trail, expanded = detour(s, t)
        self._expanded += expanded
        if trail is None:
            return
        first = a - 1 if a > 0 and numbers[a - 1] is not None else a
        last = b + 1 if b < len(way) - 1 and numbers[b + 1] is not None else b
        nodes = np.array([*numbers[first:a], *trail, *numbers[b + 1 : last + 1]], np.int64)
        nodes = nodes[: leave_out_corners(self._graph, nodes)]
        _, points = self._grid.places(nodes)
        self._way = [*way[:first], *map(self._corner, points), *way[last + 1 :]]
        self._shut = self._find_shut()

    def as_path(self, counts: Counts) -> Path:
        """The path, for an answer; `counts` is what was spent before."""
        grid = self._grid
        numbers = [s for place, _ in self._way if (s := grid.node_at(place)) is not None]
        nodes = grid.indices(np.array(numbers, np.int64))
        corners = np.array([point for _, point in self._way], np.float64)
        expanded, checks, walks = counts
        counts = expanded + self._expanded, checks + self._looks, walks + self._looks
        began = self._query.began
        return self._answers.path(began, corners, nodes, counts, True, INF, restarted=True)

    def _find_shut(self) -> list[int]:
        pairs = enumerate(itertools.pairwise(self._way))
        return [i for i, (p, q) in pairs if not self._is_free(p, q)]

    def _corner(self, point: Point) -> Corner:
        return self._grid.in_cells("corner", point), point

    def _is_free(self, p: Corner, q: Corner) -> bool:
        self._looks += 1
        return bool(self._grid.segment_is_free(self._graph, p[0], q[0]))

    def _is_usable(self, s: int | None) -> bool:
        return s is not None and self._grid.is_usable(self._graph, s)

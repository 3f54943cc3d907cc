"""From the nodes that a search found to the `Path` that a planner returns."""

import math
import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms import best_first as core
from noctule.core.jit import INF, bind, kernel_short
from noctule.core.validation import Point
from noctule.engines.table import Counts
from noctule.graphs.explicit.graph import Graph
from noctule.graphs.grid.grid import Grid
from noctule.path import Path
from noctule.planning.options import Options

Place = tuple[float, ...]


@kernel_short
def add_up_legs(points):
    """Length of a polyline; for one of some points, NumPy takes four times as long."""
    length = 0.0
    for i in range(1, len(points)):
        square = 0.0
        for axis in range(points.shape[1]):
            square += (points[i, axis] - points[i - 1, axis]) ** 2
        length += math.sqrt(square)
    return length


length_of = bind(add_up_legs)


class Query(NamedTuple):
    """What a plan was asked for: both ends as given and in cells, and the time it has."""

    points: tuple[Point, Point]
    ends: tuple[Place, Place]
    began: float
    deadline: float | None
    best_start: bool = False
    towards: Point | None = None


class Answers:
    """Makes the paths of one planner."""

    def __init__(self, grid: Grid | Graph, graph: Any, options: Options) -> None:
        self.grid = grid
        self.options = options
        self.graph = graph

    def polyline(
        self,
        memory: Any,
        trail: NDArray[np.int64],
        corners: NDArray[np.float64],
        query: Query,
        found: bool,
    ) -> NDArray[np.float64]:
        """The corners of the path: of its trail, and start and goal where these are others."""
        if self.grid.node_at(query.ends[0]) != trail[0]:
            corners = self._lead(memory, query, 0, corners)
        if found and self.grid.node_at(query.ends[1]) != trail[-1]:
            corners = self._lead(memory, query, 1, corners[::-1])[::-1]
        return np.ascontiguousarray(corners)  # one kind of array: nothing is compiled in flight

    def _lead(
        self, memory: Any, query: Query, end: int, corners: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Put an end that is no node before the path; at any angle, cut corners it sees past."""
        first = 0
        if self.options.algorithm.any_angle:
            place = query.ends[end]
            while first + 1 < len(corners):
                memory.counts[core.SIGHT_CHECKS] += 1
                memory.counts[core.SIGHT_WALKS] += 1
                beyond = self.grid.in_cells("corner", corners[first + 1])
                if not self.grid.segment_is_free(self.graph, place, beyond):
                    break
                first += 1
        return np.concatenate([np.asarray([query.points[end]], np.float64), corners[first:]])

    def why_not(self, place: Place) -> str:
        """Why no search can begin or end at a place."""
        if self.grid.segment_is_free(self.graph, place, place):
            return "is free, but sees no node of the graph near it"
        return self.grid.why_blocked(place)

    def path(
        self,
        began: float,
        corners: NDArray[np.float64],
        nodes: NDArray[np.int64],
        counts: Counts,
        found: bool = True,
        bound: float | None = None,
        restarted: bool = False,
        length: float | None = None,
    ) -> Path:
        """A path, or the beginning of one; its length, if that is known."""
        if length is None:
            length = length_of(corners)
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
            "" if found else f"{self.why_stopped()}, at the node nearest the goal",
            self.options.algorithm.name,
            self.options.radius,
            restarted=restarted,
        )

    def no_path(
        self,
        began: float,
        reason: str,
        counts: Counts = (0, 0, 0),
        restarted: bool = False,
    ) -> Path:
        """An answer that says why there is no path."""
        d = self.grid.dimension
        seconds = time.perf_counter() - began
        points, nodes = np.empty((0, d)), np.empty((0, d), np.int64)
        name, radius = self.options.algorithm.name, self.options.radius
        answer = Path(False, points, nodes, INF, *counts, seconds, INF, reason, name, radius)
        return replace(answer, restarted=True) if restarted else answer

    def no_way(self, began: float, counts: Counts) -> Path:
        """The answer where all that can be reached was searched."""
        reached = f"{counts[0]} nodes were expanded from the start on"
        why = f"there is no way: {reached}, and no more can be reached"
        return self.no_path(began, why, counts)

    def why_stopped(self) -> str:
        """Which limit ended a search."""
        most, budget = self.options.max_expanded, self.options.budget
        limits = [f"{most} expansions"] if most is not None else []
        limits += [f"{budget:g} seconds"] if budget is not None else []
        if not limits:
            return "stopped when its time was up"
        return f"stopped at the limit of {' or '.join(limits)}"

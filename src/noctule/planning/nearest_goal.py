"""Plans to a goal that cannot be reached: to the reachable free point nearest to it."""

import itertools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import INF
from noctule.core.validation import PointLike, finite_point, show
from noctule.graphs.base import SearchGraph
from noctule.graphs.explicit.graph import Graph
from noctule.graphs.explicit.waypoints import Waypoints
from noctule.graphs.grid.grid import Grid
from noctule.path import Path, polyline_length

HALVINGS = 12  # of the last segment, to find how far it is free

Find = Callable[
    [PointLike, PointLike, float | None], Path
]  # from start to goal within so many seconds


class NearestGoal:
    """Plans of one planner; a goal that is blocked, outside or walled in gets a point near it.

    Parameters
    ----------
    grid : SearchGraph
    options : Options
        Of the planner.
    scout : callable
        Makes a planner of A* for the same agent, whose search says which nodes can be reached.
    """

    def __init__(self, grid: SearchGraph, options: Any, scout: Callable[[], Any]) -> None:
        self._grid, self._options, self._make_scout = grid, options, scout
        self._scout: Any = None

    def plan(
        self, start: PointLike, goal: PointLike, find: Find, time_limit: float | None, replans: bool
    ) -> Path:
        """Return the path to the goal, or to the point nearest to it.

        The first segment leads out of what the start is in, and a path to a node goes on straight
        towards the goal as far as that is free. An agent that replans as it flies does neither: it
        may not fly through anything, and what it comes near to may move.
        """
        deadline = INF if time_limit is None else time.perf_counter() + time_limit
        graph = self._grid.kernel_graph(self._options.radius)
        goal = finite_point("goal", goal, self._grid.dimension)
        first = start if replans else self._way_out(graph, start)
        path: Path | None = None
        for target in self._targets(graph, first, goal, deadline):
            before = path
            left = None if time_limit is None else max(deadline - time.perf_counter(), 0.0)
            path = find(first, target, left)
            if before is not None:
                path = replace(path, expanded=path.expanded + before.expanded)
            if path.found or self._ended_early(path, deadline):
                break
        assert path is not None
        if path.found:
            path = self._finish(graph, path, goal, not replans)
        if first is not start and len(path.points):
            path = self._leave(path, start)
        return path

    def _targets(
        self, graph: Any, start: PointLike, goal: PointLike, deadline: float
    ) -> Iterator[PointLike]:
        """Yield the goal, a free node near it, and the nearest node that can be reached."""
        target = self._inside(goal)
        place = self._grid.in_cells("goal", target)
        if not self._enterable(graph, place):
            s = next(self._nearest_nodes(graph, goal), None)
            target = target if s is None else self._position(s)
        yield target
        s = self._nearest_reachable(graph, start, target, goal, deadline)
        if s is not None:
            yield self._position(s)

    def _inside(self, point: PointLike) -> PointLike:
        """Return the point of the world nearest to a point."""
        world: Any = self._grid
        if isinstance(world, Graph) and not isinstance(world, Waypoints):
            world = world.world
        if not isinstance(world, Grid | Waypoints):
            return point
        size = np.array(world.shape) * world.cell
        return np.clip(point, world.origin, world.origin + size)

    def _enterable(self, graph: Any, place: Any) -> bool:
        nodes, _ = self._grid.entries(graph, place)
        return len(nodes) > 0 or len(self._grid.entries_past_bodies(graph, place)[0]) > 0

    def _position(self, s: int) -> NDArray[np.float64]:
        position: NDArray[np.float64] = self._grid.positions(np.array([s]))[0]
        return position

    def _nearest_nodes(self, graph: Any, point: PointLike) -> Iterator[int]:
        """Yield the nodes where the agent may be, the nearest to a point first."""
        grid = self._grid
        if not isinstance(grid, Grid):
            positions = grid.positions(np.arange(grid.node_count))
            order = np.linalg.norm(positions - point, axis=1).argsort(kind="stable").tolist()
            yield from (s for s in order if grid.is_usable(graph, s))
            return
        place = (np.asarray(point) - grid.origin) / grid.cell
        inside = np.clip(place, 0.0, grid.shape)
        outside = math.dist(place, inside)
        near = -1.0
        for reach in (2.0**k for k in itertools.count(1)):
            # The nodes that are within `reach` of the point inside, and more.
            low = np.maximum(np.floor(inside - reach), 0).astype(int)
            high = np.minimum(np.ceil(inside + reach), grid.shape).astype(int)
            sides = [np.arange(a, b + 1) for a, b in zip(low, high, strict=True)]
            places = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, len(sides))
            places = places + (0.5 if grid.nodes == "centres" else 0.0)
            distances, numbers = np.linalg.norm(places - place, axis=1), grid.nodes_at(places)
            limit = math.hypot(reach, outside)  # nodes beyond `reach` are farther than this
            chosen = (numbers >= 0) & (distances > near) & (distances <= limit)
            order = np.flatnonzero(chosen)[distances[chosen].argsort(kind="stable")]
            yield from (s for s in numbers[order].tolist() if grid.is_usable(graph, s))
            near = limit
            if reach > 2 * max(grid.shape):
                return

    def _nearest_reachable(
        self, graph: Any, start: PointLike, target: PointLike, goal: PointLike, deadline: float
    ) -> int | None:
        """Search all that can be reached from the start; return the node nearest to the goal.

        `target` cannot be reached, so the search ends when nothing is left to expand.
        """
        self._scout = self._scout or self._make_scout()
        left = None if deadline == INF else max(deadline - time.perf_counter(), 0.0)
        self._scout.plan(start, target, time_limit=left)
        reached = self._scout.search_snapshot().expanded
        if not len(reached):
            reached, _ = self._grid.entries(graph, self._grid.in_cells("start", start))
        if not len(reached):
            return None
        distances = np.linalg.norm(self._grid.positions(reached) - goal, axis=1)
        return int(reached[distances.argmin()])

    def _ended_early(self, path: Path, deadline: float) -> bool:
        most = self._options.max_expanded
        return time.perf_counter() >= deadline or (most is not None and path.expanded >= most)

    def _finish(self, graph: Any, path: Path, goal: PointLike, approach: bool) -> Path:
        """Say how far from the goal a path ends; go nearer first where that is free."""
        last = path.points[-1]
        missing = math.dist(last, goal)
        if missing <= self._grid.resolution * self._grid.cell:
            return path
        if approach and self._grid.has_sight:
            free, blocked = 0.0, 1.0
            here = self._grid.in_cells("point", last)
            inside = self._inside(goal)
            for _ in range(HALVINGS):
                middle = (free + blocked) / 2
                there = self._grid.in_cells("point", last + middle * (inside - last))
                if self._grid.segment_is_free(graph, here, there):
                    free = middle
                else:
                    blocked = middle
            if free > 0.0:
                points = np.vstack([path.points, last + free * (inside - last)])
                path = replace(path, points=points, bound=INF, **self._measures(points))
                missing = math.dist(points[-1], goal)
        why = f"goal {show(goal)} cannot be reached; the path ends {missing:.4g} from it"
        limit = self._options.goal_tolerance
        if limit is not None and missing > limit:
            why = f"goal {show(goal)} cannot be reached, and no point within {limit:g} of it"
            nothing, no_nodes = path.points[:0], path.nodes[:0]
            path = replace(path, points=nothing, nodes=no_nodes, length=INF, cell_cost=None)
            return replace(path, found=False, bound=INF, reason=why)
        return replace(path, goal_distance=missing, reason=why)

    def _measures(self, points: NDArray[np.float64]) -> dict[str, Any]:
        """Return the length of a polyline and what it costs, as fields of a path."""
        return {"length": polyline_length(points), "cell_cost": self._grid.cost_along(points)}

    def _way_out(self, graph: Any, start: PointLike) -> PointLike:
        """Return the start, or the nearest free node if it is inside something."""
        place = self._grid.in_cells("start", start)
        if self._enterable(graph, place) or self._grid.segment_is_free(graph, place, place):
            return start
        s = next(self._nearest_nodes(graph, start), None)
        return start if s is None else self._position(s)

    def _leave(self, path: Path, start: PointLike) -> Path:
        """Begin a path with the segment that leads out of what the start is in."""
        points = np.vstack([np.asarray(start, np.float64), path.points])
        why = f"start {show(start)} is not free: the first segment leads out"
        return replace(
            path,
            points=points,
            **self._measures(points),
            bound=INF,
            blocked_ends=(True, path.blocked_ends[1]),
            reason="; ".join(filter(None, [why, path.reason])),
        )

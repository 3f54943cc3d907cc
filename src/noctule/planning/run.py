"""`SearchRun`: find a path between two points with the engines of a planner."""

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.endpoint import Endpoint
from noctule.algorithms.incremental.state import SearchMemory
from noctule.core.stats import Work, work_of
from noctule.core.status import EXHAUSTED, FOUND, GAVE_UP, STOPPED
from noctule.core.validation import show
from noctule.path import Path
from noctule.planning.options import Options
from noctule.planning.result import PathBuilder, Place, Query

Ends = tuple[Endpoint, Endpoint]

ONE_CHECK: Work = (0, 1, 1)

# A search is cut into slices, between which the clock and Ctrl-C are checked.
SLICE = 1 << 17
SLICE_ON_BUDGET = 1 << 9

NEARBY = 2.0  # in cells; an agent so near to its goal tries a straight line


class SearchRun:
    """Finds paths on a graph in its current layout."""

    def __init__(self, grid: Any, options: Options) -> None:
        self.grid, self.options = grid, options
        self.layout_version = grid.layout_version
        self.graph = grid.graph(options.radius, options.equal_steps)
        self.last: tuple[Any, int] | None = (
            None  # the last memory, and the generation of its search
        )
        self.builder = PathBuilder(grid, self.graph, options)
        # A straight line from start to goal may be shorter than any path over nodes.
        sparse = grid.joins_many_nodes and options.algorithm.any_angle
        self._tries_line = grid.tries_straight_line or sparse

    def find(
        self,
        query: Query,
        engines: list[Any],
        ends: Ends | None = None,
        shorten: Callable[..., int] | None = None,
    ) -> Path:
        """Find a path from scratch, with the first engine that does not give up.

        `shorten` is a kernel that leaves out nodes of its path.
        """
        if ends is None:
            joined = self.connect(query)
            if isinstance(joined, Path):
                return joined
            ends = joined
        wasted = 0  # expansions of engines that gave up
        for engine in engines:
            memory = self.grid.acquire(engine.new_memory)
            if isinstance(memory, SearchMemory):
                memory.forget()
            try:
                path = self.search(engine, memory, query, ends, shorten)
                if path is not None:
                    break
                wasted += work_of(memory.stats)[0]
            finally:
                self.grid.release(engine.new_memory, memory)
        assert path is not None, "the last engine never gives up"
        return path if wasted == 0 else replace(path, expanded=path.expanded + wasted)

    def connect(self, query: Query) -> Path | Ends:
        """Return both endpoints; a path where no search is needed, or none can succeed."""
        grid, graph, builder, options = self.grid, self.graph, self.builder, self.options
        if self._tries_line and grid.segment_is_free(graph, *query.ends):
            return builder.straight_line(query, np.empty((0, 3), np.int64), ONE_CHECK)
        start, goal = self._endpoints(query)
        for name, end, point, place in zip(
            ("start", "goal"), (start, goal), query.points, query.ends, strict=True
        ):
            if not len(end.nodes):
                reason = f"{name} {show(point)} {builder.explain_blocked(place)}"
                return builder.no_path(query.began, reason)
        starts, t = start.nodes.tolist(), int(goal.nodes[0])
        near = t in starts or (query.best_start and math.dist(*query.ends) < NEARBY)
        if (options.direct or near) and grid.segment_is_free(graph, *query.ends):
            numbers = np.array([starts[0], t] if starts[0] != t else [t])
            return builder.straight_line(query, grid.indices(numbers), ONE_CHECK)
        return start, goal

    def _endpoints(self, query: Query) -> Ends:
        """Return start and goal as endpoints; one without nodes cannot be reached.

        Where nodes may lie far apart, an endpoint has all nodes that it sees, else the nearest.
        With `best_start` the start has them anyway. An agent that replans as it flies names the
        corner that it flies to: the path may begin there, however far it is. A search that is kept
        from plan to plan then has one node at each end, the corner or the nearest, so that it keeps
        its root from frame to frame and the agent does not turn to another node in each.
        """
        many, (start, goal) = self.grid.joins_many_nodes, query.ends
        corner = None if query.towards is None or not query.best_start else self._corner(query)
        if query.replans and self.options.algorithm.keeps_search:
            return corner or self._endpoint(start, False), self._endpoint(goal, False)
        here = self._endpoint(start, many or query.best_start)
        if corner is not None and not here.blocked:
            nodes, costs = np.append(here.nodes, corner.nodes), np.append(here.costs, corner.costs)
            here = Endpoint(nodes, costs, start)
        return here, self._endpoint(goal, many)

    def _endpoint(self, place: Place, many: bool) -> Endpoint:
        """Return the nodes that a place sees, or the nearest; past bodies from blocked cells."""
        nodes, costs = self.grid.entries(self.graph, place, not many)
        if len(nodes):
            return Endpoint(nodes, costs, place)
        nodes, costs = self.grid.entries_past_bodies(self.graph, place)
        return Endpoint(nodes, costs, place, True)

    def _corner(self, query: Query) -> Endpoint | None:
        """Return the corner that the agent flies to, if it is a usable node that the start sees."""
        s, there = self.grid.node_towards(self.grid.in_cells("towards", query.towards))
        if s is None or not self.grid.is_usable(self.graph, s):
            return None
        if not self.grid.segment_is_free(self.graph, query.ends[0], there):
            return None
        return Endpoint(np.array([s]), np.array([math.dist(query.ends[0], there)]))

    def search(
        self,
        engine: Any,
        memory: Any,
        query: Query,
        ends: Ends,
        shorten: Callable[..., int] | None = None,
    ) -> Path | None:
        """Search with one engine; None if it gives up."""
        most, deadline = self.options.max_expanded, query.deadline
        partial = most is not None or deadline is not None
        size = SLICE if deadline is None else SLICE_ON_BUDGET
        limit = size if most is None else min(size, most)
        start, goal = ends
        if self.options.equal_steps:  # a first or last segment costs one step, too
            start, goal = (
                end._replace(costs=np.ones(len(end.nodes))) if end.costs[0] > 0 else end
                for end in ends
            )
        status, nodes = engine.search(memory, start, goal, limit, partial)
        while status == STOPPED and limit != most:
            if deadline is not None and time.perf_counter() >= deadline:
                break
            limit = limit + size if most is None else min(limit + size, most)
            status, nodes = engine.resume(memory, goal, limit, partial)
        self.last = memory, memory.stats.item()[0]
        if status == GAVE_UP:
            return None
        if status == STOPPED and not len(nodes) and not isinstance(memory, SearchMemory):
            nodes = engine.partial_path(memory)
        if shorten is not None:
            nodes = nodes[: shorten(self.graph, nodes)]
        return self.path(engine, memory, query, ends, status, nodes)

    def path(
        self,
        engine: Any,
        memory: Any,
        query: Query,
        ends: Ends,
        status: int,
        nodes: NDArray[np.int64],
    ) -> Path:
        """Return what a search has found as a path."""
        builder, work = self.builder, work_of(memory.stats)
        kept = memory if isinstance(memory, SearchMemory) else None
        how: dict[str, Any] = {
            "engine": engine.name,
            "restarted": kept is not None and kept.restarted,
            "blocked_ends": (ends[0].blocked, ends[1].blocked),
        }
        if status == EXHAUSTED:
            return builder.no_path(query.began, builder.no_way(work), work, **how)
        if not len(nodes):
            reason = f"{builder.why_stopped()}, before there was a path; the next plan continues"
            return builder.no_path(query.began, reason, work, **how)
        found = status == FOUND or kept is not None
        bound = None if kept is None else kept.bound * self.options.bound
        return builder.along_nodes(query, nodes, memory.stats, found, bound, **how)

    def find_in_plane(self, query: Query) -> Path:
        """Find the true shortest path in the plane, over the corners of blocked cells."""
        from noctule.algorithms.visibility import shortest_in_plane

        builder = self.builder
        for name, point, place in zip(("start", "goal"), query.points, query.ends, strict=True):
            if not self.grid.segment_is_free(self.graph, place, place):
                reason = f"{name} {show(point)} {builder.explain_blocked(place)}"
                return builder.no_path(query.began, reason)
        shortest = shortest_in_plane(self.grid, *query.ends, self.options.max_expanded)
        if shortest is None:
            return builder.no_path(query.began, "there is no way from the start to the goal")
        corners = self.grid.origin + shortest.corners * self.grid.cell
        corners[0] = query.points[0]
        if shortest.complete:
            corners[-1] = query.points[1]
        on_lattice = (shortest.corners == np.round(shortest.corners)).all(axis=1)
        nodes = shortest.corners[on_lattice].astype(np.int64)
        work = shortest.expanded, shortest.sight_checks, shortest.sight_checks
        return builder.path(query.began, corners, nodes, work, shortest.complete)

"""`SearchRun`: find a path between two points with the engines of a planner."""

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from noctule.algorithms.endpoint import Endpoint
from noctule.algorithms.field.engine import FieldEngine
from noctule.algorithms.incremental.state import SearchMemory
from noctule.core.stats import work_of
from noctule.core.status import EXHAUSTED, FOUND, GAVE_UP, IMPROVABLE, PREPARING, STOPPED
from noctule.graphs.base import Place, SearchGraph
from noctule.graphs.grid.grid import Grid
from noctule.path import Path
from noctule.planning.options import Options
from noctule.planning.result import PathBuilder, Query
from noctule.plugins.outside_search import OutsideAlgorithm, OutsideSearch
from noctule.plugins.search_result import NO_LIMIT

Ends = tuple[Endpoint, Endpoint]

# A search is cut into slices, between which the clock and Ctrl-C are checked. With a time limit
# the first slice is small, and the next ones get larger while they take less than a quarter
# millisecond.
SLICE = 1 << 17
FIRST_SLICE = 1 << 5
SLICE_SECONDS = 2.5e-4

NEARBY = 2.0  # in cells; an agent so near to its goal tries a straight line


class SearchRun:
    """Finds paths on a graph in its current layout."""

    def __init__(self, grid: SearchGraph, options: Options) -> None:
        self.grid, self.options = grid, options
        self.layout_version = grid.layout_version
        make = grid.steps_graph if options.equal_steps else grid.kernel_graph
        self.graph = make(options.radius)
        self.last: tuple[Any, int] | None = (
            None  # the last memory, and the generation of its search
        )
        self.builder = PathBuilder(grid, self.graph, options)
        # A straight line from start to goal may be shorter than any path over nodes.
        sparse = grid.joins_many_nodes and options.algorithm.any_angle
        self._tries_line = grid.tries_straight_line or sparse
        self._from_outside = isinstance(options.algorithm.search, OutsideAlgorithm)

    def find(
        self,
        query: Query,
        engines: list[Any],
        ends: Ends | None = None,
        shorten: Callable[..., int] | None = None,
        most: int | None = None,
    ) -> Path:
        """Find a path from scratch, with the first engine that does not give up.

        `shorten` is a kernel that leaves out nodes of its path. Stop after `most` expansions, or
        as many as the options allow.
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
                path = self.search(engine, memory, query, ends, shorten, most)
                if path is not None:
                    break
                wasted += work_of(memory.stats)[0]
            finally:
                self.grid.release(engine.new_memory, memory)
        assert path is not None, "the last engine never gives up"
        return path if wasted == 0 else replace(path, expanded=path.expanded + wasted)

    def connect(self, query: Query) -> Path | Ends:
        """Return start and goal as endpoints; a path where no search is needed, or can succeed.

        Where nodes may lie far apart, an endpoint has all nodes that it sees, else the nearest.
        With `best_start` the start has them anyway. An agent that replans as it flies names the
        corner that it flies to: the path may begin there, however far it is. A search that is kept
        from plan to plan then has one node at each end, the corner or the nearest, so that it keeps
        its root from frame to frame and the agent does not turn to another node in each. For an
        algorithm of another package, which starts at the first node, the corner comes first.
        """
        grid, graph, (here, there) = self.grid, self.graph, query.ends
        if self._tries_line and grid.segment_is_free(graph, here, there):
            return self.builder.straight_line(query, np.empty((0, 3), np.int64))
        many = grid.joins_many_nodes
        best_start = many or query.replans
        corner = self._corner(query) if best_start else None
        if query.replans and self.options.algorithm.keeps_search:
            start, goal = corner or self.endpoint(here, False), self.endpoint(there, False)
        else:
            start, goal = self.endpoint(here, best_start), self.endpoint(there, many)
            if corner is not None and not start.blocked:
                both = (corner, start) if self._from_outside else (start, corner)
                nodes = np.concatenate([end.nodes for end in both])
                start = Endpoint(nodes, np.concatenate([end.costs for end in both]), here)
        if not len(start.nodes) or not len(goal.nodes):
            return self.builder.no_entry(query, 1 if len(start.nodes) else 0)
        starts, t = start.nodes.tolist(), int(goal.nodes[0])
        if grid.has_costs:  # a straight line may cost more than a detour
            starts, best_start = starts[:1], False
        near = t in starts or (best_start and math.dist(here, there) < NEARBY)
        tightened = self.options.algorithm.tightened and not grid.has_costs
        tries_line = near or self.options.try_straight_line or tightened
        if tries_line and grid.segment_is_free(graph, here, there):
            s = starts[0]
            numbers = np.array([s, t] if s != t else [t])
            return self.builder.straight_line(query, grid.indices(numbers))
        return start, goal

    def endpoint(self, place: Place, many: bool) -> Endpoint:
        """Return the nodes that a place sees, or the nearest; past bodies from blocked cells."""
        nodes, costs = self.grid.entries(self.graph, place, not many)
        if len(nodes):
            return Endpoint(nodes, costs, place)
        nodes, costs = self.grid.entries_past_bodies(self.graph, place)
        return Endpoint(nodes, costs, place, True)

    def _corner(self, query: Query) -> Endpoint | None:
        """Return the corner that the agent flies to, if it is a usable node that the start sees."""
        if query.towards is None:
            return None
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
        most: int | None = None,
    ) -> Path | None:
        """Search with one engine; None if it gives up."""
        most, deadline = self.options.max_expanded if most is None else most, query.deadline
        partial = most is not None or deadline is not None
        size, now = SLICE, 0.0
        if deadline is not None:
            size, now = FIRST_SLICE, time.perf_counter()
        limit = size if most is None else min(size, most)
        start, goal = ends
        if self.options.equal_steps:  # a first or last segment costs one step, too
            start, goal = (
                end._replace(costs=np.ones(len(end.nodes))) if end.costs[0] > 0 else end
                for end in ends
            )
        if isinstance(engine, OutsideSearch):  # it can't be resumed, and gets all limits at once
            until = math.inf if deadline is None else deadline
            limit = most or NO_LIMIT
            status, nodes = engine.search(memory, *ends, limit, partial, until)
        else:
            status, nodes = engine.search(memory, start, goal, limit, partial)
        while status in (IMPROVABLE, PREPARING) or (
            status == STOPPED and limit not in (most, NO_LIMIT)
        ):
            if deadline is not None:
                before, now = now, time.perf_counter()
                if now >= deadline:
                    break
                if status != PREPARING:
                    size = size << 2 if now - before < SLICE_SECONDS else max(size >> 1, 1)
            if status == STOPPED:
                limit = limit + size if most is None else min(limit + size, most)
            status, nodes = engine.search(memory, None, goal, limit, partial)
        generation, expanded, checks, walks, *_ = memory.stats.item()
        self.last = memory, generation
        if status == GAVE_UP:
            return None
        found, bound, restarted = status == FOUND, self.options.bound, False
        if isinstance(memory, SearchMemory):
            found, bound, restarted = True, memory.bound * bound, memory.restarted
        elif status == STOPPED:
            nodes = engine.partial_path(memory)
        if self._from_outside and self.grid.joins_many_nodes and max(e.costs[0] for e in ends) > 0:
            bound = math.inf  # another node than the nearest may be better
        if shorten is not None:
            nodes = nodes[: shorten(self.graph, nodes)]
        builder, work = self.builder, (expanded, checks, walks)
        how = {"engine": engine.name, "restarted": restarted}
        how["blocked_ends"] = start.blocked, goal.blocked
        if isinstance(engine, FieldEngine) and len(nodes):
            places = engine.polyline(memory)
            return builder.along_places(query, places, work, bound, **how)
        if len(nodes):
            return builder.along_nodes(query, nodes, work, found, bound, **how)
        reason = builder.no_way(work)
        if status != EXHAUSTED:
            reason = f"{builder.why_stopped()}, before there was a path"
            continues = isinstance(memory, SearchMemory) or status == PREPARING
            reason += "; the next plan continues" if continues else ""
        return builder.no_path(query, reason, work, **how)

    def warm_up(self, query: Query, engines: list[Any]) -> None:
        """Compile, or load, what plans need: in one go, in slices, and ended early."""
        for deadline in (None, math.inf):
            self.find(query._replace(deadline=deadline), engines)
        ends = self.connect(query)
        if isinstance(ends, Path):
            return
        for engine in engines:
            memory = self.grid.acquire(engine.new_memory)
            status, _ = engine.search(memory, *ends, 1, True)
            while status == PREPARING:
                status, _ = engine.search(memory, None, ends[1], 1, True)
            engine.partial_path(memory)
            self.grid.release(engine.new_memory, memory)

    def find_in_plane(self, query: Query) -> Path:
        """Find the true shortest path in the plane, over the corners of blocked cells."""
        from noctule.algorithms.visibility import shortest_in_plane

        builder = self.builder
        assert isinstance(self.grid, Grid)  # `check_options` has refused others
        for end, place in enumerate(query.ends):
            if not self.grid.segment_is_free(self.graph, place, place):
                return builder.no_entry(query, end)
        shortest = shortest_in_plane(self.grid, *query.ends, self.options.max_expanded)
        if shortest is None:
            return builder.no_path(query, "there is no way from the start to the goal")
        corners = self.grid.origin + shortest.corners * self.grid.cell
        corners[0] = query.points[0]
        if shortest.complete:
            corners[-1] = query.points[1]
        on_lattice = (shortest.corners == np.round(shortest.corners)).all(axis=1)
        nodes = shortest.corners[on_lattice].astype(np.int64)
        work = shortest.expanded, shortest.sight_checks, shortest.sight_checks
        return builder.path(query.began, corners, nodes, work, shortest.complete)

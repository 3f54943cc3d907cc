"""`Pathfinder`: a path between two points, with one engine: how it joins and leaves the graph."""

import math
import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms import best_first as core
from noctule.algorithms.incremental import Kept, Remembering
from noctule.algorithms.visibility import shortest_in_plane
from noctule.core.jit import INF
from noctule.core.validation import Point, show
from noctule.engines.hybrid_a_star import HybridEngine
from noctule.engines.lattice_a_star import GAVE_UP
from noctule.engines.table import QUICK, Counts, Engine, spent
from noctule.graphs.grid.grid import NO_ENTRIES, Entries
from noctule.path import Path
from noctule.planning.joining import join_better
from noctule.planning.options import Options
from noctule.planning.result import Answers, Place, Query
from noctule.planning.smoothing import leave_out_corners

ONE_LOOK: Counts = (0, 1, 1)

# A search is cut into slices, between which Python looks at the clock and at Ctrl-C.
SLICE = 1 << 17
SLICE_ON_BUDGET = 1 << 9

NEARBY = 2.0  # in cells; an agent so near to its goal looks whether it can fly there straight


class Joint(NamedTuple):
    """How an end of a path joins the graph: the nodes that it sees, and how far they are."""

    nodes: NDArray[np.int64]
    costs: NDArray[np.float64]
    blocked: bool  # whether it lies in blocked cells, and sees them past the bodies only


class Pathfinder:
    """Finds paths on a graph as it is laid out now."""

    def __init__(self, grid: Any, options: Options) -> None:
        self.grid, self.options = grid, options
        self.layout_version = grid.layout_version
        self.graph = grid.graph(options.radius, options.equal_steps)
        self.last: tuple[Any, int] | None = None  # the last memory, and the number of the search
        self.answers = Answers(grid, self.graph, options)
        self._joined: tuple[Query, Joint, Joint] | None = None  # the ends of the last query
        # A straight line from start to goal may lead where no node is.
        self._remembers = options.algorithm.remembers
        self._joins_better = self._remembers and options.algorithm.any_angle
        self._one_node = self._remembers and not self._joins_better
        self._leaps = grid.tries_straight_line or (
            grid.joins_many_nodes and options.algorithm.any_angle
        )

    def find_afresh(self, query: Query, engines: list[Engine], in_vain: int = 0) -> Path:
        """Find a path with memory that the grid lends, by the first engine that is up to it.

        So many nodes were expanded in vain before.
        """
        for engine in engines:
            memory = self.grid.acquire(engine.new_memory)
            if isinstance(memory, Kept):
                memory.forget()
            try:
                path = self.find(engine, memory, query)
                in_vain += spent(memory)[0] if path is None else 0
            finally:
                self.grid.release(engine.new_memory, memory)
            if path is not None:
                break
        assert path is not None, "the last engine never gives up"
        return path if in_vain == 0 else replace(path, expanded=path.expanded + in_vain)

    def find(self, engine: Engine, memory: Any, query: Query) -> Path | None:
        """Find a path with one engine; None if that is not up to it."""
        ends = self.join(query)
        if isinstance(ends, Path):
            return ends
        if type(engine) in QUICK and not self._remembers and not self._limited(query):
            return self._find_quickly(engine, memory, query, *ends)
        self._begin(engine, memory, query, *ends)
        return self.go_on(engine, memory, query, *ends)

    def _limited(self, query: Query) -> bool:
        return self.options.max_expanded is not None or query.deadline is not None

    def _find_quickly(
        self, engine: Any, memory: Any, query: Query, start: Joint, goal: Joint
    ) -> Path | None:
        """The same in one call, if the search is short."""
        starts, costs, t = start.nodes, self.costs_of(start), int(goal.nodes[0])
        status, trail = engine.find(memory, starts, costs, t, SLICE)
        if status == GAVE_UP:
            return None
        if status != core.FOUND:
            return self.go_on(engine, memory, query, start, goal)
        self.last = memory, int(memory.counts[core.STAMP])
        return self.path_along(trail, memory, query, start, goal)

    def join(self, query: Query) -> Path | tuple[Joint, Joint]:
        """How both ends join the graph; a path where that takes no search, or there is none."""
        grid, graph, answers = self.grid, self.graph, self.answers
        points, ends, began, *_ = query
        if self._leaps and grid.segment_is_free(graph, *ends):
            line = np.array(points if ends[0] != ends[1] else points[:1], np.float64)
            return answers.path(began, line, np.empty((0, 3), np.int64), ONE_LOOK, bound=1.0)
        joined = self._joined  # once, as several threads may be here
        if joined is None or joined[0] is not query:  # else another engine had a try
            goal = self._joint(ends[1], not grid.joins_many_nodes or self._one_node)
            self._joined = joined = query, self._start(query), goal
        _, start, goal = joined
        for i, joint in enumerate((start, goal)):
            if not len(joint.nodes):
                what = f"{('start', 'goal')[i]} {show(points[i])}"
                return answers.no_path(began, f"{what} {answers.why_not(ends[i])}")
        starts, t = start.nodes.tolist(), int(goal.nodes[0])
        near = t in starts or (query.best_start and math.dist(*ends) < NEARBY)
        if (self.options.direct or near) and grid.segment_is_free(graph, *ends):
            line = np.array(points if ends[0] != ends[1] else points[:1], np.float64)
            nodes = grid.indices(np.array([starts[0], t] if starts[0] != t else [t]))
            return answers.path(began, line, nodes, ONE_LOOK, bound=1.0)
        return start, goal

    def _start(self, query: Query) -> Joint:
        """Where the path may begin; a search that remembers begins at the first of the nodes."""
        corner = NO_ENTRIES
        if query.best_start and query.towards is not None:
            corner = self._corner(query.ends[0], query.towards)
        if self._remembers and len(corner[0]):
            return Joint(corner[0], corner[1], False)
        start = self._joint(query.ends[0], self._one_node or not query.best_start)
        if start.blocked or not len(corner[0]):
            return start
        nodes, costs = np.append(start.nodes, corner[0]), np.append(start.costs, corner[1])
        return Joint(nodes, costs, False)

    def _joint(self, place: Place, nearest: bool) -> Joint:
        """The nodes that a place sees, or one to leave blocked cells for; none if there is none."""
        entries = self.grid.entries(self.graph, place, nearest)
        if len(entries[0]):
            return Joint(entries[0], entries[1], False)
        entries = self.grid.entries_past_bodies(self.graph, place)
        return Joint(entries[0], entries[1], True)

    def _corner(self, place: Place, corner: Point) -> Entries:
        """A corner as an entry, if it is a node that can be used and seen."""
        s, there = self.grid.node_towards(self.grid.in_cells("towards", corner))
        if s is None or not self.grid.is_usable(self.graph, s):
            return NO_ENTRIES
        if not self.grid.segment_is_free(self.graph, place, there):
            return NO_ENTRIES
        return np.array([s]), np.array([math.dist(place, there)])

    def _begin(self, engine: Engine, memory: Any, query: Query, start: Joint, goal: Joint) -> None:
        """Prepare a search from the nodes that the start sees to the nearest that the goal sees."""
        starts, t = start.nodes, int(goal.nodes[0])
        if isinstance(engine, Remembering):
            engine.begin(memory, int(starts[0]), t)
        elif isinstance(engine, HybridEngine):
            ends = goal.nodes, goal.costs, query.ends[1]
            engine.begin_for_any(memory, starts, self.costs_of(start), *ends)
        else:
            engine.begin(memory, starts, self.costs_of(start), t)

    def costs_of(self, start: Joint) -> NDArray[np.float64]:
        """What it costs to get to the nodes that a start sees."""
        equal = self.options.equal_steps and start.costs[0] > 0
        return np.ones(len(start.nodes)) if equal else start.costs

    def go_on(
        self, engine: Engine, memory: Any, query: Query, start: Joint, goal: Joint
    ) -> Path | None:
        """Search to the end, and tell what was found; None if the engine is not up to it."""
        t = int(goal.nodes[0])
        status = self._search(engine, memory, t, query)
        self.last = memory, int(memory.counts[core.STAMP])
        if status == GAVE_UP:
            return None
        if isinstance(engine, Remembering):
            path = self._remembered(engine, memory, query, status, (start, goal))
            return _with_blocked_ends(path, start, goal)
        if status == core.EXHAUSTED:
            return self.no_way(memory, query, start, goal)
        found = status == core.FOUND
        if found and isinstance(engine, HybridEngine):
            t = engine.best_end(memory)
        elif found and self.grid.joins_many_nodes and not self._one_node:
            t = self._best_end(engine, memory, goal)
        trail = engine.trail(memory, t if found else int(memory.counts[core.NEAREST]))
        if self._joins_better:  # A* stands in
            trail = trail[: leave_out_corners(self.graph, trail)]
        return self.path_along(trail, memory, query, start, goal, found)

    def no_way(self, memory: Any, query: Query, start: Joint, goal: Joint) -> Path:
        """The answer where all that can be reached was searched."""
        path = self.answers.no_way(query.began, spent(memory))
        return _with_blocked_ends(path, start, goal)

    def path_along(
        self,
        trail: NDArray[np.int64],
        memory: Any,
        query: Query,
        start: Joint,
        goal: Joint,
        found: bool = True,
    ) -> Path:
        """The path through these nodes, as the memory of a search has them."""
        nodes, points = self.grid.places(trail)
        corners = self.answers.polyline(memory, trail, points, query, found)
        path = self.answers.path(query.began, corners, nodes, spent(memory), found)
        return _with_blocked_ends(path, start, goal)

    def _best_end(self, engine: Any, memory: Any, goal: Joint) -> int:
        """Of the nodes that the goal sees, the one to come from: nodes may be far apart.

        The search was for the nearest; what it has found out about the others comes for free.
        """
        nodes, lengths, _ = goal
        totals = engine.costs_of(memory, nodes) + lengths
        totals[0] = engine.cost_to_goal(memory, int(nodes[0])) + lengths[0]
        return int(nodes[totals.argmin()])

    def _remembered(
        self,
        engine: Remembering,
        kept: Kept,
        query: Query,
        status: int,
        joints: tuple[Joint, Joint],
    ) -> Path:
        """The answer of a search that remembers: it has a whole path, or none."""
        answers, began = self.answers, query.began
        counts, restarted = spent(kept), kept.restarted
        if status == core.EXHAUSTED:
            why = "there is no way from the start to the goal"
            return answers.no_path(began, why, counts, restarted)
        if kept.bound == INF:
            why = f"{answers.why_stopped()}, before there was a path; the next plan goes on"
            return answers.no_path(began, why, counts, restarted)
        trail = engine.trail(kept, kept.target)
        if self._joins_better:
            for nodes, costs, _ in joints:
                trail = join_better(self.graph, nodes, costs, trail, kept.counts)[::-1]
        nodes, points = self.grid.places(trail)
        corners = answers.polyline(kept, trail, points, query, True)
        bound = kept.bound * self.options.bound
        return answers.path(began, corners, nodes, spent(kept), True, bound, restarted)

    def find_in_plane(self, query: Query) -> Path:
        """Find one with the search that needs no graph but the corners of the cells."""
        answers, (points, ends, began, *_) = self.answers, query
        for name, point, place in zip(("start", "goal"), points, ends, strict=True):
            if not self.grid.segment_is_free(self.graph, place, place):
                return answers.no_path(began, f"{name} {show(point)} {answers.why_not(place)}")
        shortest = shortest_in_plane(self.grid, ends[0], ends[1], self.options.max_expanded)
        if shortest is None:
            return answers.no_path(began, "there is no way from the start to the goal")
        corners = self.grid.origin + shortest.corners * self.grid.cell
        corners[0] = points[0]
        if shortest.complete:
            corners[-1] = points[1]
        on_lattice = (shortest.corners == np.round(shortest.corners)).all(axis=1)
        nodes = shortest.corners[on_lattice].astype(np.int64)
        checks = shortest.sight_checks
        counts = shortest.expanded, checks, checks
        return answers.path(began, corners, nodes, counts, shortest.complete)

    def _search(self, engine: Engine, memory: Any, goal: int, query: Query) -> int:
        """Run the search slice by slice until it ends or may not go on."""
        most, deadline = self.options.max_expanded, query.deadline
        partial = self._limited(query)
        limit = 0
        while True:
            limit += SLICE if deadline is None else SLICE_ON_BUDGET
            if most is not None:
                limit = min(limit, most)
            status = engine.run(memory, goal, limit, partial)
            if status != core.STOPPED or limit == most:
                return status
            if deadline is not None and time.perf_counter() >= deadline:
                return status


def _with_blocked_ends(path: Path, start: Joint, goal: Joint) -> Path:
    """Note where a path leaves, or comes to, blocked cells."""
    if not (start.blocked or goal.blocked):
        return path
    return replace(path, blocked_ends=(start.blocked, goal.blocked))

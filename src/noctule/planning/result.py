"""`PathBuilder`: from the nodes that a search found to the `Path` that a planner returns."""

import math
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import INF
from noctule.core.stats import Work
from noctule.core.validation import PointLike, show
from noctule.graphs.base import Place, SearchGraph
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.indexing import cell_hint
from noctule.path import Path, length_of
from noctule.planning.costs import worth_it
from noctule.planning.options import Options

ONE_CHECK: Work = (0, 1, 1)
END_NAMES = "start", "goal"


class Query(NamedTuple):
    """What a plan is asked for: both ends as given and in cells, and the time for an answer."""

    points: tuple[PointLike, PointLike]
    ends: tuple[Place, Place]
    began: float
    deadline: float | None
    replans: bool = False  # whether an agent plans again and again as it flies
    towards: PointLike | None = None  # the corner that it flies to


@dataclass(frozen=True)
class PathBuilder:
    """Builds the paths of one planner."""

    grid: SearchGraph
    graph: Any
    options: Options

    def along_nodes(
        self,
        query: Query,
        nodes: NDArray[np.int64],
        work: Work,
        found: bool,
        bound: float,
        **how: Any,
    ) -> Path:
        """Return the path over these nodes, from the start and, if it was found, to the goal.

        `how` are fields of `Path` that say how it was found.
        """
        grid, (start, goal) = self.grid, query.ends
        indices, corners = grid.indices_and_positions(nodes)
        if grid.node_at(start) != nodes[0]:
            corners, work = self._join(query, 0, corners, work)
        if found and grid.node_at(goal) != nodes[-1]:
            corners, work = self._join(query, 1, corners[::-1], work)
            corners = np.ascontiguousarray(corners[::-1])  # one type: nothing is compiled in flight
        return self.path(query.began, corners, indices, work, found, bound, **how)

    def along_places(
        self, query: Query, places: NDArray[np.float64], work: Work, bound: float, **how: Any
    ) -> Path:
        """Return the path over places, of which the first and the last are nodes, to both ends."""
        grid: Any = self.grid  # a lattice
        nodes = grid.nodes_at(places)
        corners = grid.origin + places * grid.cell
        if grid.node_at(query.ends[0]) != nodes[0]:
            corners, work = self._join(query, 0, corners, work)
        if grid.node_at(query.ends[1]) != nodes[-1]:
            corners, work = self._join(query, 1, corners[::-1], work)
            corners = np.ascontiguousarray(corners[::-1])
        indices = grid.indices(nodes[nodes >= 0])
        return self.path(query.began, corners, indices, work, True, bound, **how)

    def _join(
        self, query: Query, end: int, corners: NDArray[np.float64], work: Work
    ) -> tuple[NDArray[np.float64], Work]:
        """Put an end that is no node before the path; at any angle, skip corners it sees past."""
        first, (expanded, checks, walks) = 0, work
        if self.options.algorithm.any_angle:
            place = query.ends[end]
            while first + 1 < len(corners):
                checks, walks = checks + 1, walks + 1
                beyond = self.grid.in_cells("corner", corners[first + 1])
                if not self.grid.segment_is_free(self.graph, place, beyond):
                    break
                skipped = np.vstack([query.points[end], corners[first : first + 2]])
                if not worth_it(self.grid, skipped, skipped[::2]):
                    break
                first += 1
        joined = np.concatenate([np.asarray([query.points[end]], np.float64), corners[first:]])
        return joined, (expanded, checks, walks)

    def straight_line(self, query: Query, nodes: NDArray[np.int64]) -> Path:
        """Return the straight line from start to goal."""
        points = query.points if query.ends[0] != query.ends[1] else query.points[:1]
        bound = INF if self.grid.has_costs else 1.0
        return self.path(query.began, np.array(points, np.float64), nodes, ONE_CHECK, bound=bound)

    def path(
        self,
        began: float,
        corners: NDArray[np.float64],
        nodes: NDArray[np.int64],
        work: Work,
        found: bool = True,
        bound: float | None = None,
        length: float | None = None,
        **how: Any,
    ) -> Path:
        """Return a path, or the beginning of one; `length` if it is known already."""
        if length is None:
            length = length_of(corners)
        cell_cost = self.grid.cost_along(corners)
        bound = self.options.bound if bound is None else bound
        if bound == INF:  # nothing is proven beforehand; but no path is shorter than the line
            straight = math.dist(corners[0], corners[-1])
            paid = length if cell_cost is None else cell_cost
            bound = max(paid / straight, 1.0) if straight > 0 else 1.0  # sums are rounded
        return Path(
            found,
            corners,
            nodes,
            length,
            *work,
            time.perf_counter() - began,
            bound if found else INF,
            "" if found else f"{self.why_stopped()}, at the node nearest the goal",
            self.options.algorithm.name,
            self.options.radius,
            world=self.grid if isinstance(self.grid, Grid) else None,
            cell_cost=cell_cost,
            **how,
        )

    def no_path(self, query: Query, reason: str, work: Work = (0, 0, 0), **how: Any) -> Path:
        """Return an answer that says why there is no path."""
        return self.without_path(query.began, reason, work, ends=query.points, **how)

    def without_path(self, began: float, reason: str, work: Work, **how: Any) -> Path:
        """Return an answer without points."""
        d = self.grid.dimension
        return Path(
            False,
            np.empty((0, d)),
            np.empty((0, d), np.int64),
            INF,
            *work,
            time.perf_counter() - began,
            INF,
            reason,
            self.options.algorithm.name,
            self.options.radius,
            world=self.grid if isinstance(self.grid, Grid) else None,
            **how,
        )

    def no_way(self, work: Work) -> str:
        """Say that all reachable nodes were expanded; an incremental search need not do that."""
        if self.options.algorithm.keeps_search:
            return "there is no way from the start to the goal"
        reached = f"{work[0]} nodes were expanded from the start on"
        return f"there is no way: {reached}, and no more can be reached"

    def no_entry(self, query: Query, end: int) -> Path:
        """Return an answer that says why no search can begin at the start, or end at the goal."""
        place, why = query.ends[end], "is free, but sees no node of the graph near it"
        if not self.grid.segment_is_free(self.graph, place, place):
            why = self.grid.why_blocked(place)
            if isinstance(self.grid, Grid):
                why += cell_hint(self.grid, query.points[end])
        return self.no_path(query, f"{END_NAMES[end]} {show(query.points[end])} {why}")

    def why_stopped(self) -> str:
        """Say which limit ended a search."""
        most, seconds = self.options.max_expanded, self.options.time_limit
        limits = [f"{most} expansions"] if most is not None else []
        limits += [f"{seconds:g} seconds"] if seconds is not None else []
        if not limits:
            return "stopped when its time was up"
        return f"stopped at the limit of {' or '.join(limits)}"

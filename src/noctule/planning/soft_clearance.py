"""`SoftClearance`: of paths nearly as short, one that keeps away from solids where there is room.

A path of the planner is replaced only by one that is at most a tenth longer and runs less close to
solids. To find it, cells cost the more the nearer their centres are to a solid, and A* searches
for the cheapest path: first with high costs, then with lower ones, until its path is short enough.

That path is cut into pieces no longer than a cell. Each piece is as free as the largest ball that
may fly along it, of four: one with the preferred clearance, the agent, and two in between. Runs of
equal pieces are then pulled taut for their ball. So no piece comes nearer to a solid than before.
"""

import itertools
import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.core.validation import DEAREST
from noctule.engines.table import Task, select_along_edges
from noctule.graphs.costs.weighted import Weighted
from noctule.path import Path, polyline_length
from noctule.planning.result import Query
from noctule.planning.run import SearchRun
from noctule.planning.smoothing import TOLERANCE, pull_taut

LONGER = 1.1  # length over that of the path without a preferred clearance
EXTRA_COSTS = 16.0, 4.0, 1.0, 0.25  # of a cell that only the agent fits in, tried in turn
LEVELS = 3  # balls larger than the agent
MOST = 4.0  # expansions of a search over the squared distance from start to goal in cells
FEW = 10_000  # expansions that it may take in any case


class SoftClearance:
    """Moves paths on a grid away from its solids.

    Parameters
    ----------
    run : SearchRun
        Of the planner.
    task : Task
        For which engines are selected.
    clearance : float
        The distance from solids that is preferred, in world units.
    """

    def __init__(self, run: SearchRun, task: Task, clearance: float) -> None:
        self._run, self._task = run, task
        self._grid: Any = task.grid
        self._wanted, radius = clearance, run.options.radius
        step = max(clearance - radius, 0.0) / LEVELS
        self._radii = [radius + step * level for level in range(LEVELS + 1)]
        self._shares: NDArray[np.float32] | None = None
        self._version = -1  # of the grid, for which the shares are

    def improve(self, path: Path, query: Query, most: int | None) -> Path:
        """Return a path that keeps away from solids, or the same one.

        `most` is how many nodes may be expanded.
        """
        grid = self._grid
        if not path.length > 0.0 or not path.found or any(path.blocked_ends):
            return path
        if self._wanted <= self._radii[0]:
            return path
        if grid.clearance_along(path.points) >= self._wanted:
            return path
        ends = self._run.endpoint(query.ends[0], False), self._run.endpoint(query.ends[1], False)
        if any(end.blocked or not len(end.nodes) for end in ends):
            return path
        graphs = [grid.kernel_graph(radius) for radius in self._radii]
        near = self._near(graphs, path.points)
        limit = max(FEW, int(MOST * math.dist(*query.ends) ** 2))
        expanded = 0
        for extra in EXTRA_COSTS:
            allowed = limit if most is None else min(limit, most - expanded)
            late = query.deadline is not None and time.perf_counter() >= query.deadline
            if allowed <= 0 or late:
                break
            found = self._run.find(query, self._engines(extra), ends, most=allowed)
            expanded += found.expanded
            if not found.found:
                continue
            # Not its points: at the ends it has left out nodes already, whatever that costs.
            way = [path.points[:1], grid.positions(found.nodes), path.points[-1:]]
            points, checks = self._pull(graphs, np.concatenate(way))
            length = polyline_length(points)
            if length <= LONGER * path.length and self._near(graphs, points) < near:
                path = replace(
                    path,
                    points=points,
                    nodes=found.nodes,
                    length=length,
                    bound=path.bound * length / path.length,
                    sight_checks=path.sight_checks + checks,
                    sight_walks=path.sight_walks + checks,
                    engine=f"{found.engine}, taut",
                )
                break
        return replace(path, expanded=path.expanded + expanded)

    def _engines(self, extra: float) -> list[Any]:
        """Return the engines of A* where cells near solids cost up to `extra` more."""
        if self._shares is None or self._version != self._grid.version:
            self._version, self._shares = self._grid.version, self._shares_of_cells()
        cost = 1.0 + np.float32(extra) * self._shares
        border = np.full(tuple(n + 2 for n in cost.shape), DEAREST, np.float32)
        border[(slice(1, -1),) * cost.ndim] = cost
        graph = Weighted(self._run.graph.lattice, self._run.graph, border.reshape(-1), 0)
        return select_along_edges(self._task._replace(graph=graph, weight=1.0))

    def _shares_of_cells(self) -> NDArray[np.float32]:
        """Return from 0 to 1 how near each cell is: 0 if the clearance is kept all through it."""
        corner = 0.5 * math.sqrt(self._grid.dimension) * self._grid.cell
        low, high = self._radii[0], self._wanted + corner
        shares = (high - self._grid.clearances()) / (high - low)
        near: NDArray[np.float32] = np.clip(shares, 0.0, 1.0).astype(np.float32)
        return near

    def _cut(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the same polyline with more corners: none of its legs is longer than a cell."""
        cut = [points[:1]]
        for p, q in itertools.pairwise(points):
            n = math.ceil(math.dist(p, q) / self._grid.cell)
            if n == 0:  # an end that is a node
                continue
            cut.append(p + (q - p) * (np.arange(1, n + 1) / n)[:, None])
            cut[-1][-1] = q
        return np.concatenate(cut)

    def _levels(self, graphs: list[Any], points: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the number of the largest ball that may fly along each leg of a polyline."""
        places = self._grid.all_in_cells("corner", list(points))
        levels = np.zeros(len(points) - 1, np.int64)
        for level, graph in enumerate(graphs[1:], 1):
            free = np.ones(len(levels), np.bool_)
            free[self._grid.blocked_legs(graph, places)] = False
            levels[free] = level
        return levels

    def _near(self, graphs: list[Any], points: NDArray[np.float64]) -> float:
        """Return the length that is too near to solids, more of it the nearer."""
        cut = self._cut(points)
        lengths = np.linalg.norm(np.diff(cut, axis=0), axis=1)
        return float((lengths * (LEVELS - self._levels(graphs, cut))).sum())

    def _pull(
        self, graphs: list[Any], points: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], int]:
        """Return a path pulled taut, run by run for its ball, and the lines of sight it took."""
        cut = self._cut(points)
        levels = self._levels(graphs, cut)
        ends = [0, *(np.flatnonzero(np.diff(levels)) + 1).tolist(), len(levels)]
        pulled, checks = [cut[:1]], 0
        for first, last in itertools.pairwise(ends):
            graph = graphs[levels[first]]
            corners, n = pull_taut(self._grid, graph, cut[first : last + 1].copy(), TOLERANCE)
            pulled.append(corners[1:])
            checks += n
        return np.concatenate(pulled), checks

"""`TautSearch`: fast searches say on which sides to pass the obstacles; the path is pulled taut.

Bends of a taut path are not bound to nodes, so it is shorter than that of Theta* on the same sides
of the obstacles. To choose the sides, a few searches run, the cheapest first:

* Lazy Theta* with a weight of 1.1. In open space and among scattered obstacles it is soon done.
* If it is not, as in mazes: jump point search, or whatever is the fastest search along edges. There
  is little to choose between then.
* If it is, Lazy Theta* with a weight of 1.03, if that promises a shorter path. It does not if the
  path is hardly longer than the straight line, or so much longer that the weight did not matter; or
  if pulling took off so much that lengths between nodes say little about the sides.

What a search may expand is measured by the square of the distance from start to goal in cells. The
shortest of the taut paths is returned; what proves its bound is the straight line.

Where cells have costs, there is one search, A* along edges, which finds the cheapest sides.
"""

import math
import time
from dataclasses import replace
from typing import Any, NamedTuple

from noctule.algorithms.lazy_theta_star import LazyThetaStar
from noctule.engines.table import Task, select, select_along_edges
from noctule.graphs.compiled import CompiledGraph
from noctule.path import Path
from noctule.planning.result import Query
from noctule.planning.run import Ends, SearchRun
from noctule.planning.smoothing import TOLERANCE, taut
from noctule.planning.soft_clearance import SoftClearance

WEIGHTS = 1.1, 1.03
FIRST, ALL = 1.0, 4.0  # expansions over the squared distance: of the first search, and of all
FEW = 1000  # expansions that a search may take in any case
STRAIGHT = 1.001  # length over the distance: a path is short enough
PULLED = 0.98  # length of the taut path over that between nodes: other sides promise no more


class Found(NamedTuple):
    """What one of the searches returned, and its length before it was pulled taut."""

    path: Path
    between_nodes: float


class TautSearch:
    """Finds taut paths on a graph in its current layout.

    Attributes
    ----------
    engines : list
        Of all its searches.
    """

    def __init__(self, run: SearchRun, task: Task, reference: bool) -> None:
        self._run = run
        self._along_edges = select_along_edges(task, reference)
        self._any_angle: list[list[Any]] = []
        plain = not (task.equal_costs or task.hierarchical or run.grid.has_costs)
        if run.grid.has_sight and plain:
            lazy = task._replace(name="lazy-theta*", search=LazyThetaStar)
            weights = WEIGHTS if task.weight == 1.0 else (max(task.weight, WEIGHTS[0]),)
            self._any_angle = [select(lazy._replace(weight=w), reference) for w in weights]
        wanted = run.options.prefer_clearance
        self._soft = None if wanted is None else SoftClearance(run, task, wanted)
        self.engines = [engine for some in self._any_angle[:1] for engine in some]
        self.engines += self._along_edges

    def find(self, query: Query) -> Path:
        """Find a path from scratch, and pull it taut."""
        path = self._find_shortest(query)
        if self._soft is None:
            return path
        limit = self._run.options.max_expanded
        path = self._soft.improve(path, query, None if limit is None else limit - path.expanded)
        return replace(path, seconds=time.perf_counter() - query.began)

    def _find_shortest(self, query: Query) -> Path:
        ends = self._run.connect(query)
        if isinstance(ends, Path):
            return ends
        square = math.dist(*query.ends) ** 2
        tried: list[Found] = []
        for engines in self._any_angle:
            if tried and not (self._promises_more(tried) and self._may_go_on(query, tried)):
                break
            most = max(FEW, int((ALL if tried else FIRST) * square) - _expanded(tried))
            tried.append(self._search(engines, query, ends, tried, most))
        if not tried or (tried[0].path.partial and self._may_go_on(query, tried)):
            tried.append(self._search(self._along_edges, query, ends, tried, None))
        paths = [path for path, _ in tried]
        found = [path for path in paths if path.found]
        best = min(found, key=lambda path: path.cost) if found else self._pull(paths[-1], query)
        return replace(
            best,
            expanded=_expanded(tried),
            sight_checks=sum(path.sight_checks for path in paths),
            sight_walks=sum(path.sight_walks for path in paths),
            seconds=time.perf_counter() - query.began,
        )

    def warm_up(self, query: Query) -> None:
        """Compile, or load, what plans need."""
        for deadline in (None, math.inf):
            self.find(query._replace(deadline=deadline))
        self._run.warm_up(query, self.engines)

    def _search(
        self, engines: list[Any], query: Query, ends: Ends, tried: list[Found], most: int | None
    ) -> Found:
        """Search for at most so many expansions, and those left; pull a path that is found."""
        limit = self._run.options.max_expanded
        if limit is not None:
            left = limit - _expanded(tried)
            most = left if most is None else min(most, left)
        path = self._run.find(query, engines, ends, most=most)
        return Found(self._pull(path, query) if path.found else path, path.length)

    def _pull(self, path: Path, query: Query) -> Path:
        run = self._run
        if not isinstance(run.grid, CompiledGraph):  # without lines of sight between any points
            return path
        how = TOLERANCE, time.perf_counter(), query.deadline
        path = taut(path, run.grid, run.graph, *how)
        return replace(path, engine=f"{path.engine}, taut")

    def _promises_more(self, tried: list[Found]) -> bool:
        """Whether a search with the lower weight may find a shorter path."""
        path, between_nodes = tried[-1]
        if not path.found or not STRAIGHT < path.bound < WEIGHTS[0]:
            return False
        return path.length > PULLED * between_nodes

    def _may_go_on(self, query: Query, tried: list[Found]) -> bool:
        """Whether there are time and expansions left."""
        limit = self._run.options.max_expanded
        if limit is not None and _expanded(tried) >= limit:
            return False
        return query.deadline is None or time.perf_counter() < query.deadline


def _expanded(tried: list[Found]) -> int:
    return sum(path.expanded for path, _ in tried)

"""`DistanceField`: distances from everywhere to the nearest of some goals, kept up to date."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noctule.algorithms.d_star_lite import (
    DStarLiteQuery,
    best_parent,
    update_edges,
    update_vertex,
)
from noctule.algorithms.incremental.memory import ROOT, Target, new_search, visit
from noctule.algorithms.incremental.procedures import compute_shortest_path, initialize
from noctule.algorithms.incremental.state import NO_CHANGES
from noctule.algorithms.incremental.whole_costs import with_integer_costs
from noctule.core.jit import INF, bind, kernel
from noctule.core.status import STOPPED
from noctule.core.validation import PointLike, at_least
from noctule.graphs.grid.grid import Grid
from noctule.graphs.heuristics import STEP_1, WHOLE, ZERO
from noctule.queues.protocol import NO_NODE

NO_LIMIT = 1 << 62
NOWHERE = 0  # the number of a cell of the border, which no search reaches
SMALL = 100  # expansions of a field that is not worth repairing if much has changed
FEW_PER_CHANGE = 4  # expansions that a changed cell costs about as much as, in a repair

Numbers = NDArray[np.int64]


@kernel
def update_field(
    query: Any,
    graph: Any,
    search: Any,
    goals: Any,
    costs: Any,
    dropped: Any,
    changes: Any,
    fresh: Any,
    limit: Any,
) -> Any:
    """Account for other goals and changed edges, and expand nodes; return the status."""
    if fresh:
        initialize(query, graph, search, goals, costs)
    else:
        for s in dropped:
            search.parent[s], search.rhs[s] = best_parent(graph, search, s)
            update_vertex(query, graph, search, s)
        for s in goals:
            visit(search, s)
            if search.parent[s] != ROOT:
                search.parent[s], search.rhs[s] = ROOT, 0.0
                update_vertex(query, graph, search, s)
        update_edges(query, graph, search, changes)
    return compute_shortest_path(query, graph, search, limit)


@kernel
def read_field(search: Any, distance: Any) -> None:
    """Write the distance of every node, in cells; infinite where no goal can be reached."""
    for s in range(len(distance)):
        is_known = search.generation[s] == search.stats[0].generation
        distance[s] = search.rhs[s] / STEP_1 if is_known else INF


class DistanceField:
    """Distances and directions to the nearest of one or several goals, from everywhere.

    D* Lite without a start: when cells, bodies or goals change, `update` repairs the field. Agents
    that share a goal share one search.

    Parameters
    ----------
    graph : Grid
        A `Grid`, `CellGrid` or `Hybrid`. Distances are lengths of paths along its edges.
    goals : sequence of float, or rows of them
        One point or several, in world units. The search grows from the nearest node that each sees;
        goals where the agent cannot be are left out.
    radius : float
        Radius of the agent in world units.
    lazy : bool
        Whether to leave the first search to `update`.

    Attributes
    ----------
    expanded : int
        How many nodes the last update expanded.

    Examples
    --------
    >>> import numpy as np
    >>> import noctule as nt
    >>> grid = nt.Grid(np.zeros((8, 8, 8), dtype=bool))
    >>> field = nt.DistanceField(grid, [(0.5, 0.5, 0.5), (7.5, 7.5, 7.5)])
    >>> field.distance((2.5, 0.5, 0.5)), field.direction((2.5, 0.5, 0.5))
    (2.0, (-1.0, 0.0, 0.0))
    >>> grid.block((1, 0, 0))
    >>> field.update()
    True
    >>> round(field.distance((2.5, 0.5, 0.5)), 3)
    4.0
    """

    def __init__(
        self, graph: Grid, goals: ArrayLike, radius: float = 0.0, *, lazy: bool = False
    ) -> None:
        if not isinstance(graph, Grid):
            raise ValueError(f"graph is a {type(graph).__name__}; expected a noctule.Grid")
        self.graph, self.radius = graph, at_least(0, "radius", radius)
        self.expanded = 0
        self._update = bind(update_field)
        self._read = bind(read_field)
        self._layout, self._version = -1, 0
        self.goals = goals
        self._begin()
        if not lazy:
            self.update()

    @property
    def goals(self) -> NDArray[np.float64]:
        """The goals, a row each; `update` takes in other ones."""
        return self._goals

    @goals.setter
    def goals(self, goals: ArrayLike) -> None:
        rows = np.atleast_2d(np.array(goals, np.float64))
        if rows.ndim != 2 or rows.shape[1] != self.graph.dimension or not np.isfinite(rows).all():
            raise ValueError(
                f"goals have shape {np.shape(goals)}; expected rows of {self.graph.dimension} "
                "finite numbers"
            )
        for row in rows:
            self.graph.in_cells("goal", row)
        rows.flags.writeable = False
        self._goals = rows

    def update(self, until: ArrayLike | None = None, limit: int | None = None) -> bool:
        """Bring the field up to date.

        Parameters
        ----------
        until : rows of points, optional
            Stop when the distances from these points are known; everywhere unless given.
        limit : int, optional
            Stop after so many expansions; the next update goes on.

        Returns
        -------
        bool
            Whether it is up to date.
        """
        self._begin()
        nodes = [NOWHERE]
        if until is not None:
            entries = [self._entries(point) for point in np.atleast_2d(np.asarray(until, float))]
            nodes = [s for found, _ in entries for s in found.tolist()]
        left = NO_LIMIT if limit is None else max(int(limit), 0)
        is_done = len(self._roots) > 0
        for node in nodes if is_done else ():
            is_done = self._expand(node, left) and is_done
            left -= self._count()
        return is_done or not len(self._roots)

    def distance(self, point: PointLike) -> float:
        """Return the length of the path to the nearest goal; infinite if there is no path.

        Parameters
        ----------
        point : sequence of float
            A point in world units.

        Returns
        -------
        float
            The length of `path`, in world units: along edges of the graph, and at its ends straight
            to the nodes that point and goal see.
        """
        s, cost = self._best_entry(point)
        nodes = None if cost == INF else self._way(s)
        if nodes is None:
            return INF
        goal = self._goals[self._goal_of[nodes[-1]]]
        last = math.dist(self.graph.positions(np.array(nodes[-1:]))[0], goal)
        return float(cost * self.graph.cell + last)

    def distances(self) -> NDArray[np.float64]:
        """Return the distance of every node from the nearest goal.

        Returns
        -------
        float array
            In the shape of the grid, in world units; infinite where there is no path.
        """
        field = np.full(self.graph.node_count, INF)
        if self._size and len(self._roots):
            self._read(self._search, field)
        nodes = self.graph.number(np.argwhere(np.ones(self.graph.shape, bool)))
        return field[nodes].reshape(self.graph.shape) * self.graph.cell

    def direction(self, point: PointLike) -> tuple[float, ...] | None:
        """Return the direction of the shortest path from a point.

        Parameters
        ----------
        point : sequence of float
            A point in world units.

        Returns
        -------
        tuple of float or None
            A unit vector; zero at the goal, None if there is no path.
        """
        corners = self.path(point)
        if corners is None:
            return None
        ways = corners[1:] - corners[0]
        lengths = np.linalg.norm(ways, axis=1)
        far = np.flatnonzero(lengths > 1e-9)
        if not len(far):
            return (0.0,) * self.graph.dimension
        return tuple((ways[far[0]] / lengths[far[0]]).tolist())

    def path(self, point: PointLike) -> NDArray[np.float64] | None:
        """Return the shortest path from a point to the nearest goal, node by node.

        Parameters
        ----------
        point : sequence of float
            A point in world units.

        Returns
        -------
        float array (n, dimension) or None
            Corners in world units, the point first and the goal last; None if there is no path.
        """
        s, cost = self._best_entry(point)
        nodes = None if cost == INF else self._way(s)
        if nodes is None:
            return None
        goal = self._goals[self._goal_of[nodes[-1]]]
        places = self.graph.positions(np.array(nodes))
        return np.concatenate(([np.asarray(point, np.float64)], places, [goal]))

    def _way(self, s: int) -> list[int] | None:
        """Return the nodes from `s` to the root of its tree; None if they are not known yet."""
        nodes, search = [s], self._search
        while (t := int(search.parent[s])) >= 0:
            if not search.g[t] < search.rhs[s]:
                return None  # an update that has stopped has not got here yet
            nodes.append(t)
            s = t
        return nodes

    # ------------------------------------------------------------------ the search

    def _begin(self) -> None:
        """Find out what has changed: cells, goals, or the graph itself."""
        graph = self.graph
        if self._layout != graph.layout_version:
            self._layout = graph.layout_version
            self._kernel_graph = graph.kernel_graph(self.radius)
            self._whole = with_integer_costs(self._kernel_graph)
            self._search = new_search(graph.node_count)
            self._size, self._roots = 0, np.empty(0, np.int64)
            self._dropped = self._roots
        changes = graph.changes_since(self._version) if self._size else None
        self._version, self.expanded = graph.version, 0
        roots: dict[int, int] = {}
        for k, goal in enumerate(self._goals):
            found, _ = self._entries(goal)
            if len(found):
                roots.setdefault(int(found[0]), k)
        old, self._goal_of = self._roots, roots
        self._roots = np.array(sorted(roots), np.int64)
        self._dropped = np.setdiff1d(old, self._roots)
        self._fresh = (
            changes is None
            or len(self._dropped) == len(old)
            or len(changes) * FEW_PER_CHANGE > max(self._size, SMALL)
        )
        self._was_fresh = self._fresh
        self._pending = NO_CHANGES if changes is None else np.asarray(changes, np.int32)

    def _expand(self, node: int, limit: int) -> bool:
        """Expand nodes until the distance of a node is known; return whether it is."""
        target = Target(node, np.array([node]), np.zeros(1), 0.0)
        query = DStarLiteQuery(target, 1.0, ZERO + WHOLE)
        stats = self._search.stats
        stats["expanded"] = stats["parent_searches"] = 0
        status = self._update(
            query,
            self._whole,
            self._search,
            self._roots,
            np.zeros(len(self._roots)),
            self._dropped,
            self._pending,
            self._fresh,
            limit,
        )
        if self._fresh:
            self._size = 0
        self._size = max(self._size, self._count())
        self.expanded += int(stats["expanded"][0])
        self._fresh, self._dropped, self._pending = False, self._dropped[:0], NO_CHANGES
        return bool(status != STOPPED)

    def _count(self) -> int:
        stats = self._search.stats
        return int(stats["expanded"][0] + stats["parent_searches"][0])

    def _entries(self, point: PointLike) -> tuple[Numbers, NDArray[np.float64]]:
        """Return the nodes that a point sees, the nearest first, and their distances."""
        place = self.graph.in_cells("point", point)
        return self.graph.entries(self._kernel_graph, place)

    def _best_entry(self, point: PointLike) -> tuple[int, float]:
        """Return the node by which a point is nearest to a goal, and how near, in cells."""
        search, (nodes, ways) = self._search, self._entries(point)
        best, least = NO_NODE, INF
        generation = search.stats["generation"][0]
        for s, way in zip(nodes.tolist(), ways.tolist(), strict=True):
            if self._size and len(self._roots) and search.generation[s] == generation:
                cost = search.rhs[s] / STEP_1 + way
                if cost < least:
                    best, least = s, cost
        return best, least

"""`CompiledGraph`: base of the graphs of this package, whose geometry is computed by kernels."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import bind
from noctule.core.validation import PointLike
from noctule.graphs.base import Numbers, Place, Points, SearchGraph
from noctule.graphs.change_log import ChangeLog
from noctule.graphs.entry_nodes import Entries
from noctule.graphs.sight.calls import find_blocked_legs, sight_between_nodes, sight_between_points


class CompiledGraph(SearchGraph):
    """A graph that logs its changes, and answers lines of sight between places by kernels.

    Attributes
    ----------
    cell : float
        The graph's own unit of length, in world units.
    origin : array
        The point of the world that is the place (0, 0, 0).
    resolution : float
        How near two places count as the same, in own units.
    radius : float
        Radius of the agent for `entry_nodes` and `is_free`.
    """

    joins_many_nodes = False
    dimension: int = 3
    cell: float = 1.0
    origin: Points = np.zeros(3)
    resolution: float = 0.0
    radius: float = 0.0
    plane_z = 0.5  # third coordinate of places in the plane
    _OWN = SearchGraph._OWN | {
        "_sight_between_nodes",
        "_sight_between_points",
        "_find_blocked_legs",
    }

    def __init__(self) -> None:
        self._changes = ChangeLog()

    def _prepare(self) -> None:
        super()._prepare()
        self._sight_between_nodes = bind(sight_between_nodes)
        self._sight_between_points = bind(sight_between_points)
        self._find_blocked_legs = bind(find_blocked_legs)

    # ------------------------------------------------------------------ changes

    @property
    def version(self) -> int:
        """Number of changes so far."""
        return self._changes.version

    def changes_since(self, version: int) -> NDArray[np.int32] | None:
        """Return the changes after `version`, for `changed_nodes`; None if there are too many."""
        with self._lock:
            return self._changes.since(version)

    # ------------------------------------------------------------------ nodes and places

    @abstractmethod
    def indices_and_positions(self, nodes: Numbers) -> tuple[Numbers, Points]:
        """Return the indices of nodes, as `Path.nodes` has them, and their world positions."""

    def indices(self, nodes: Numbers) -> Numbers:
        """Return the indices of nodes, as `Path.nodes` has them."""
        return self.indices_and_positions(nodes)[0]

    @abstractmethod
    def is_usable(self, graph: Any, s: int) -> bool:
        """Whether a path may pass node `s`."""

    @abstractmethod
    def in_cells(self, name: str, point: PointLike) -> Place:
        """Convert a point to the graph's own unit; raise ValueError if it is outside."""

    @abstractmethod
    def node_at(self, place: Place) -> int | None:
        """Return the number of the node at a place, or None."""

    @abstractmethod
    def node_towards(self, place: Place) -> tuple[int | None, Place]:
        """Return the node now meant by a place planned earlier, and its place."""

    @abstractmethod
    def entries(self, graph: Any, place: Place, nearest: bool = False) -> Entries:
        """Return nodes that see a place and their distances, nearest first; only one if `nearest`.

        A node that lies at the place is its own entry. There are none where the agent can't be.
        """

    def entry_nodes(self, point: PointLike) -> Numbers:
        """Return the numbers of the nodes that a point sees, nearest first.

        Parameters
        ----------
        point : sequence of float
            A point in world units.

        Returns
        -------
        int array (n,)
            Node numbers; none where the agent cannot be.

        Examples
        --------
        >>> import noctule as nt
        >>> grid = nt.Grid([[False, True], [False, False]])
        >>> grid.positions(grid.entry_nodes((0.5, 0.7))).tolist()
        [[0.5, 0.5], [1.5, 0.5]]
        """
        return self.entries(self.kernel_graph(self.radius), self.in_cells("point", point))[0]

    @abstractmethod
    def why_blocked(self, place: Place) -> str:
        """Explain why a place has no entries."""

    # ------------------------------------------------------------------ lines of sight

    @property
    def has_sight(self) -> bool:
        """Whether lines of sight between places can be checked."""
        return True

    def segment_is_free(self, graph: Any, a: Place, b: Place) -> bool:
        """Whether the segment between two places is free."""
        return bool(self._sight_between_points(graph, *self._in_space(a), *self._in_space(b)))

    def blocked_legs(self, graph: Any, places: Points) -> list[int]:
        """Return the numbers of the legs of a polyline through places that are not free."""
        nodes = self._nodes_for_sight(places)
        if places.shape[1] == 2:
            places = np.column_stack((places, np.full(len(places), self.plane_z)))
        blocked = np.empty(len(nodes), np.int64)
        legs: list[int] = blocked[: self._find_blocked_legs(graph, nodes, places, blocked)].tolist()
        return legs

    def is_free(self, p: PointLike, q: PointLike) -> bool:
        """Whether an agent of the `radius` of this graph can go straight from `p` to `q`."""
        return self.line_of_sight(p, q, self.radius)

    def line_of_sight(self, p: PointLike, q: PointLike, radius: float = 0.0) -> bool:
        """Whether a ball can fly straight from `p` to `q`; exact, and the same from `q` to `p`.

        Parameters
        ----------
        p, q : sequence of float
            Both ends, in world units.
        radius : float
            Radius of the ball in world units; 0 is a point.

        Returns
        -------
        bool
            Whether the segment is free.

        Examples
        --------
        >>> import noctule as nt
        >>> grid = nt.Grid([[False, True], [False, False]])
        >>> grid.line_of_sight((0.5, 0.5), (1.5, 0.5)), grid.line_of_sight((0.5, 0.5), (1.5, 1.5))
        (True, False)
        """
        graph = self.kernel_graph(radius)
        return self.segment_is_free(graph, self.in_cells("p", p), self.in_cells("q", q))

    def _nodes_for_sight(self, places: Points) -> Numbers:
        """Return the nodes at places between which sight has a rule of its own; -1 for others."""
        return np.full(len(places), -1)

    def _in_space(self, place: Place) -> tuple[float, float, float]:
        x, y, z = (*place, self.plane_z)[:3]
        return x, y, z

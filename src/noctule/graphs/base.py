"""`SearchGraph`: what a planner asks of a graph."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import bind
from noctule.core.validation import Point
from noctule.graphs.change_log import ChangeLog
from noctule.graphs.entry_nodes import NO_ENTRIES, Entries
from noctule.graphs.sight.calls import find_blocked_legs, sight_between_nodes, sight_between_points

Place = tuple[float, ...]  # coordinates in the graph's own unit, as many as it has dimensions
Memory = TypeVar("Memory")


class SearchGraph(ABC):
    """Base class of all graphs that a planner can search.

    A planner asks a graph for

    * the arrays that kernels search, for an agent of some radius: `graph`; they stay valid while
      `layout_version` is the same, and their content follows the world;
    * nodes: `node_count`, `places` (indices and world positions of nodes), `node_at`, `is_usable`;
    * start and goal: `in_cells` converts a point of the world to the graph's own unit (a *place*),
      `entries` lists the nodes that can be reached from a place in a straight line,
      `entries_past_bodies` does so where only the cells around a place are blocked, and
      `why_blocked` explains why there are none;
    * lines of sight between places: `segment_is_free`, and `blocked_legs` for a whole polyline;
    * changes: `version` counts them, `changes_since` lists those after a version, and
      `node_motion` is the distance that nodes may have moved in all;
    * memory for searches: `acquire` and `release`, for any number of threads.
    """

    joins_many_nodes = False  # whether start and goal are joined to many nodes, some far away
    tries_straight_line = False  # whether every search first tests the line from start to goal
    layout_version = 0  # incremented when kernel graphs made earlier are invalid
    node_motion = 0.0  # upper bound of the distance that nodes have moved in all, in own units

    dimension: int
    cell: float  # the graph's own unit of length, in world units
    resolution: float  # in own units; how near two places count as the same
    origin: NDArray[np.float64]
    nodes: str  # where nodes are: "centres", "corners" or "points"
    neighbours: int  # size of the neighbourhood on a lattice; 0 on other graphs
    plane_z = 0.5  # third coordinate of places in the plane
    snaps = True  # whether places are rounded to multiples of 0.5 nearer than `resolution`
    _OWN = frozenset(
        ("_lock", "_spare", "_sight_between_nodes", "_sight_between_points", "_find_blocked_legs")
    )

    def __init__(self) -> None:
        self._changes = ChangeLog()
        self._prepare()

    def _prepare(self) -> None:
        """Set up what a copy, or a graph that was pickled, has of its own: see `_OWN`."""
        self._lock = threading.Lock()
        self._spare: dict[Any, list[Any]] = {}
        self._sight_between_nodes = bind(sight_between_nodes)
        self._sight_between_points = bind(sight_between_points)
        self._find_blocked_legs = bind(find_blocked_legs)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in self._OWN}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._prepare()

    # ------------------------------------------------------------------ memory pool

    def acquire(self, make: Callable[[int], Memory]) -> Memory:
        """Return memory for one search: released by a finished search, or new from `make`."""
        with self._lock:
            spare = self._spare.get(make)
            return spare.pop() if spare else make(self.node_count)

    def release(self, make: Callable[[int], Memory], memory: Memory) -> None:
        """Keep memory that `make` made for the next search."""
        with self._lock:
            self._spare.setdefault(make, []).append(memory)

    # ------------------------------------------------------------------ changes

    @property
    def version(self) -> int:
        """Number of changes so far."""
        return self._changes.version

    def changes_since(self, version: int) -> NDArray[np.int32] | None:
        """Return the changes after `version`, for `changed_nodes`; None if there are too many."""
        with self._lock:
            return self._changes.since(version)

    # ------------------------------------------------------------------ nodes and edges

    @property
    def flat(self) -> bool:
        """Whether the world lies in the plane."""
        return self.dimension == 2

    @property
    @abstractmethod
    def node_count(self) -> int:
        """One more than the highest node number."""

    @property
    @abstractmethod
    def longest_step(self) -> float:
        """Length of the longest edge, in the graph's own unit."""

    @abstractmethod
    def graph(self, radius: float = 0.0, equal_steps: bool = False) -> Any:
        """Return the graph that kernels search, for an agent of this radius."""

    @abstractmethod
    def places(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the indices of nodes, as `Path.nodes` has them, and their world positions."""

    def indices(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the indices of nodes, as `Path.nodes` has them."""
        return self.places(numbers)[0]

    @abstractmethod
    def is_usable(self, graph: Any, s: int) -> bool:
        """Whether a path may pass node `s`."""

    # ------------------------------------------------------------------ places

    @abstractmethod
    def in_cells(self, name: str, point: Point) -> Place:
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

    def entries_past_bodies(self, graph: Any, place: Place) -> Entries:
        """Return an entry for a place in blocked cells, judged by the bodies themselves."""
        return NO_ENTRIES

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

    def blocked_legs(self, graph: Any, places: NDArray[np.float64]) -> list[int]:
        """Return the numbers of the legs of a polyline through places that are not free."""
        nodes = self._nodes_for_sight(places)
        if places.shape[1] == 2:
            places = np.column_stack((places, np.full(len(places), self.plane_z)))
        blocked = np.empty(len(nodes), np.int64)
        return blocked[: self._find_blocked_legs(graph, nodes, places, blocked)].tolist()

    def line_of_sight(self, p: Point, q: Point, radius: float = 0.0) -> bool:
        """Whether a ball can fly straight from `p` to `q`; exact, and the same from `q` to `p`.

        >>> import noctule as nt
        >>> grid = nt.Grid([[False, True], [False, False]])
        >>> grid.line_of_sight((0.5, 0.5), (1.5, 0.5)), grid.line_of_sight((0.5, 0.5), (1.5, 1.5))
        (True, False)
        """
        graph = self.graph(radius)
        return self.segment_is_free(graph, self.in_cells("p", p), self.in_cells("q", q))

    def _nodes_for_sight(self, places: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the nodes at places between which sight has a rule of its own; -1 for others."""
        return np.full(len(places), -1)

    def _in_space(self, place: Place) -> tuple[float, float, float]:
        x, y, z = (*place, self.plane_z)[:3]
        return x, y, z

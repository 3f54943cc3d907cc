"""`SearchGraph`: the protocol of all graphs that a planner can search."""

from __future__ import annotations

import itertools
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noctule.core.validation import PointLike, finite_point
from noctule.graphs.entry_nodes import NO_ENTRIES, Entries
from noctule.graphs.protocol import has_line_of_sight
from noctule.graphs.sight.calls import distance_between_nodes

Place = tuple[float, ...]  # coordinates in the graph's own unit, as many as it has dimensions
Memory = TypeVar("Memory")

Numbers = NDArray[np.int64]
Points = NDArray[np.float64]

SAME = 1e-9  # relative difference up to which two lengths count as equal


class SearchGraph(ABC):
    """A graph whose nodes have positions and whose edges are straight lines.

    A graph of your own defines eight members; all others follow from them. Nodes are whole
    numbers from 0 to `node_count` - 1. All points are in world units.

    * `node_count`: one more than the highest node number.
    * `dimension`: 2 or 3.
    * `kernel_graph(radius)`: the NamedTuple of arrays that compiled searches read, for an agent of
      this radius. It is one of a graph of this package, or one of your own that registers the
      kernels listed in `noctule.graphs.protocol`. Its lengths may be in any unit in which the
      graph is between 1 and 1024 units wide: incremental searches round costs to 5e-7 of a unit.
      When the world changes, the content of its arrays changes; where they are replaced by other
      arrays, increment `layout_version`.
    * `positions(nodes)`: the positions of nodes, an array (n, dimension).
    * `entry_nodes(point)`: the numbers of the nodes that an agent at a point can go to in a
      straight line. A free node at the point itself is the only one; an agent in an obstacle has
      none.
    * `is_free(p, q)`: whether an agent can go straight from `p` to `q`: along an edge or through
      free space.
    * `version`: a whole number that grows with every change.
    * `changes_since(version)`: the changes after a version, an int array for the kernel
      `changed_nodes`; None if they are not known, or the kernel graph registers no
      `changed_nodes`: then incremental searches restart.

    Points and edges alone need no class of their own: see `Graph`.

    Examples
    --------
    >>> import numpy as np
    >>> import noctule as nt
    >>> class Line(nt.SearchGraph):
    ...     \"\"\"Five nodes in a row, each joined to the next one.\"\"\"
    ...
    ...     node_count, dimension, version = 5, 2, 0
    ...     points = np.column_stack([np.arange(5.0), np.zeros(5)])
    ...
    ...     def kernel_graph(self, radius=0.0):
    ...         return nt.Graph(self.points, [(i, i + 1) for i in range(4)]).kernel_graph(radius)
    ...
    ...     def positions(self, nodes):
    ...         return self.points[nodes]
    ...
    ...     def entry_nodes(self, point):
    ...         return np.flatnonzero((self.points == point).all(axis=1))
    ...
    ...     def is_free(self, p, q):
    ...         return p[1] == q[1] == 0.0
    ...
    ...     def changes_since(self, version):
    ...         return np.empty(0, np.int32)
    >>> nt.plan(Line(), (0, 0), (3, 0), "a*").nodes.tolist()
    [0, 1, 2, 3]
    """

    # What a planner asks besides. Graphs of this package have better answers to some of it.
    joins_many_nodes = True  # whether start and goal are joined to many nodes, some far away
    tries_straight_line = False  # whether every search first tests the line from start to goal
    layout_version = 0  # incremented when kernel graphs made earlier are invalid
    node_motion = 0.0  # upper bound of the distance that nodes have moved in all, in own units
    nodes = "points"  # where nodes are: "centres", "corners" or "points"
    neighbours = 0  # size of the neighbourhood on a lattice; 0 on other graphs
    snaps = True  # whether places are rounded to multiples of 0.5 nearer than `resolution`
    _OWN = frozenset(("_lock", "_spare", "_unit"))

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        """Return a graph with locks and memory; subclasses need not call `__init__`."""
        graph = super().__new__(cls)
        graph._prepare()
        return graph

    def _prepare(self) -> None:
        """Set up what a copy, or a graph that was pickled, has of its own: see `_OWN`."""
        self._lock = threading.Lock()
        self._spare: dict[Any, list[Any]] = {}
        self._unit = 0.0

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in self._OWN}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    # ------------------------------------------------------------------ the eight members

    @property
    @abstractmethod
    def node_count(self) -> int:
        """One more than the highest node number."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""

    @abstractmethod
    def kernel_graph(self, radius: float = 0.0) -> Any:
        """Return the graph that kernels search, for an agent of this radius.

        Parameters
        ----------
        radius : float
            Radius of the agent in world units.

        Returns
        -------
        NamedTuple
            The arrays that compiled searches read.
        """

    @abstractmethod
    def positions(self, nodes: Numbers) -> Points:
        """Return the positions of nodes in world units, an array (n, dimension).

        Parameters
        ----------
        nodes : int array (n,)
            Node numbers.

        Returns
        -------
        float array (n, dimension)
            Their positions.
        """

    @abstractmethod
    def entry_nodes(self, point: PointLike) -> Numbers:
        """Return the numbers of the nodes that can be reached from a point in a straight line.

        Parameters
        ----------
        point : sequence of float
            A point in world units.

        Returns
        -------
        int array (n,)
            Node numbers; none where the agent cannot be.
        """

    @abstractmethod
    def is_free(self, p: PointLike, q: PointLike) -> bool:
        """Whether an agent can go straight from `p` to `q`.

        Parameters
        ----------
        p, q : sequence of float
            Both ends of a segment, in world units.

        Returns
        -------
        bool
            True along an edge and through free space.
        """

    @property
    @abstractmethod
    def version(self) -> int:
        """A number that grows with every change."""

    @abstractmethod
    def changes_since(self, version: int) -> ArrayLike | None:
        """Return the changes after `version`, for `changed_nodes`; None if they are not known.

        Parameters
        ----------
        version : int
            A `version` of this graph.

        Returns
        -------
        int array, or None
            What the kernel `changed_nodes` reads.
        """

    # ------------------------------------------------------------------ memory pool

    def acquire(self, make: Callable[[int], Memory]) -> Memory:
        """Return memory for one search: released by a finished search, or new from `make`.

        Parameters
        ----------
        make : function
            Makes memory for a number of nodes.

        Returns
        -------
        object
            What `make` returned, now or for an earlier search.
        """
        with self._lock:
            spare = self._spare.get(make)
            return spare.pop() if spare else make(self.node_count)

    def release(self, make: Callable[[int], Memory], memory: Memory) -> None:
        """Keep memory that `make` made for the next search.

        Parameters
        ----------
        make : function
            The function that made the memory.
        memory : object
            Memory that no search uses any more.
        """
        with self._lock:
            self._spare.setdefault(make, []).append(memory)

    # ------------------------------------------------------------------ units

    @property
    def cell(self) -> float:
        """The graph's own unit of length, that of its kernel graph, in world units.

        It is measured between two nodes that are far apart.
        """
        if self._unit == 0.0:
            self._unit = self._measure_unit()
        return self._unit

    def _measure_unit(self) -> float:
        positions = self.positions(np.arange(self.node_count)) if self.node_count else np.zeros(0)
        if len(positions) < 2:
            return 1.0
        lengths = np.linalg.norm(positions - positions[0], axis=1)
        farthest = int(lengths.argmax())
        length = float(distance_between_nodes(self.kernel_graph(0.0), 0, farthest))
        if length == 0.0:
            return 1.0
        unit = float(lengths[farthest]) / length
        power = 2.0 ** round(float(np.log2(unit)))  # most graphs have one: nothing is rounded
        return power if abs(unit - power) < SAME * power else unit

    @property
    def origin(self) -> Points:
        """The point of the world that is the place (0, 0, 0)."""
        return np.zeros(self.dimension)

    @property
    def resolution(self) -> float:
        """How near two places count as the same, in own units."""
        return SAME

    @property
    def flat(self) -> bool:
        """Whether the world lies in the plane."""
        return self.dimension == 2

    def in_cells(self, name: str, point: PointLike) -> Place:
        """Convert a point to a place in the graph's own unit; raise ValueError if it is outside.

        Parameters
        ----------
        name : str
            What the point is called in an error message.
        point : sequence of float
            A point in world units.

        Returns
        -------
        tuple of float
            Its coordinates in the graph's own unit.
        """
        return tuple((finite_point(name, point, self.dimension) / self.cell).tolist())

    def _point(self, place: Place) -> Points:
        return np.array(place) * self.cell

    # ------------------------------------------------------------------ nodes and edges

    def steps_graph(self, radius: float = 0.0) -> Any:
        """Return the same kernel graph with edges that cost one unit each, however long.

        Parameters
        ----------
        radius : float
            Radius of the agent in world units.

        Returns
        -------
        NamedTuple
            The arrays that compiled searches read.
        """
        raise ValueError("cost is 'steps'; on this graph an edge costs its length")

    @property
    def longest_step(self) -> float:
        """Length of the longest edge of `steps_graph` before all cost one, in own units."""
        return 1.0

    def indices(self, nodes: Numbers) -> Numbers:
        """Return what `Path.nodes` has for nodes: their indices on a lattice, or their numbers.

        Parameters
        ----------
        nodes : int array (n,)
            Node numbers.

        Returns
        -------
        int array (n,) or (n, dimension)
            Numbers, or indices on a lattice.
        """
        return nodes

    def indices_and_positions(self, nodes: Numbers) -> tuple[Numbers, Points]:
        """Return both.

        Parameters
        ----------
        nodes : int array (n,)
            Node numbers.

        Returns
        -------
        tuple of two arrays
            What `indices` and `positions` return.
        """
        return self.indices(nodes), self.positions(nodes)

    def has_node(self, s: int) -> bool:
        """Whether `s` is the number of a node; not all numbers below `node_count` need be.

        Parameters
        ----------
        s : int
            A number.

        Returns
        -------
        bool
            False for a number out of range.
        """
        return isinstance(s, int | np.integer) and 0 <= s < self.node_count

    def is_usable(self, graph: Any, s: int) -> bool:
        """Whether a path may pass node `s`.

        Parameters
        ----------
        graph : NamedTuple
            A kernel graph: what `kernel_graph` returned.
        s : int
            A node number.

        Returns
        -------
        bool
            False if an obstacle is there, or the agent does not fit in.
        """
        return s in self._entry_nodes(self.positions(np.array([s]))[0])

    def node_at(self, place: Place) -> int | None:
        """Return the number of the node at a place, or None.

        Parameters
        ----------
        place : tuple of float
            Coordinates in the graph's own unit.

        Returns
        -------
        int or None
            Its number.
        """
        nodes, distances = self.entries(None, place, nearest=True)
        return int(nodes[0]) if len(nodes) and distances[0] <= self.resolution else None

    def node_towards(self, place: Place) -> tuple[int | None, Place]:
        """Return the node now meant by a place planned earlier, and its place.

        Parameters
        ----------
        place : tuple of float
            Coordinates in the graph's own unit.

        Returns
        -------
        tuple
            The node number or None, and a place.
        """
        return self.node_at(place), place

    # ------------------------------------------------------------------ costs

    @property
    def has_costs(self) -> bool:
        """Whether cells have costs, so that a path may cost more than its length."""
        return False

    def cost_along(self, points: Points) -> float | None:
        """Return the cost of a polyline, in world units; None if that is its length.

        Parameters
        ----------
        points : array (n, dimension)
            The corners of the polyline, in world units.

        Returns
        -------
        float or None
            The integral of the costs of cells along it.
        """
        return None

    # ------------------------------------------------------------------ start and goal

    def entries(self, graph: Any, place: Place, nearest: bool = False) -> Entries:
        """Return nodes that see a place and their distances, nearest first; only one if `nearest`.

        A node that lies at the place is its own entry. There are none where the agent can't be.

        Parameters
        ----------
        graph : NamedTuple
            A kernel graph: what `kernel_graph` returned.
        place : tuple of float
            Coordinates in the graph's own unit.
        nearest : bool
            Whether the nearest node is enough.

        Returns
        -------
        tuple of two arrays
            Node numbers, and distances in the graph's own unit.
        """
        point = self._point(place)
        nodes = self._entry_nodes(point)
        if not len(nodes):
            return NO_ENTRIES
        distances = np.linalg.norm(self.positions(nodes) - point, axis=1) / self.cell
        order = np.lexsort((nodes, distances))[: 1 if nearest else None]
        return nodes[order], distances[order]

    def _entry_nodes(self, point: Points) -> Numbers:
        """Return `entry_nodes`, checked."""
        found = np.atleast_1d(np.asarray(self.entry_nodes(point)))
        if not found.size:
            return NO_ENTRIES[0]
        wrong = found.ndim > 1 or found.dtype.kind not in "iu"
        if wrong or found.min() < 0 or found.max() >= self.node_count:
            raise ValueError(
                f"{type(self).__name__}.entry_nodes returned {found.tolist()!r}; "
                f"expected node numbers from 0 to {self.node_count - 1}"
            )
        return found.astype(np.int64)

    def entries_past_bodies(self, graph: Any, place: Place) -> Entries:
        """Return an entry for a place in blocked cells, judged by the bodies themselves.

        Parameters
        ----------
        graph : NamedTuple
            A kernel graph: what `kernel_graph` returned.
        place : tuple of float
            Coordinates in the graph's own unit.

        Returns
        -------
        tuple of two arrays
            Node numbers and distances; empty arrays if there is no entry.
        """
        return NO_ENTRIES

    def why_blocked(self, place: Place) -> str:
        """Explain why a place has no entries.

        Parameters
        ----------
        place : tuple of float
            Coordinates in the graph's own unit.

        Returns
        -------
        str
            The end of a sentence that begins with the name of the point.
        """
        return "is not free"

    # ------------------------------------------------------------------ lines of sight

    @property
    def has_sight(self) -> bool:
        """Whether any-angle searches can check lines of sight between nodes."""
        return has_line_of_sight(self.kernel_graph(0.0))

    def segment_is_free(self, graph: Any, a: Place, b: Place) -> bool:
        """Whether the segment between two places is free.

        Parameters
        ----------
        graph : NamedTuple
            A kernel graph: what `kernel_graph` returned.
        a, b : tuple of float
            Both ends, in the graph's own unit.

        Returns
        -------
        bool
            Whether the agent can go straight from one to the other.
        """
        return bool(self.is_free(self._point(a), self._point(b)))

    def blocked_legs(self, graph: Any, places: Points) -> list[int]:
        """Return the numbers of the legs of a polyline through places that are not free.

        Parameters
        ----------
        graph : NamedTuple
            A kernel graph: what `kernel_graph` returned.
        places : float array (n, dimension)
            Corners, in the graph's own unit.

        Returns
        -------
        list of int
            Numbers from 0 to n - 2.
        """
        corners = [tuple(place) for place in places.tolist()]
        legs = enumerate(itertools.pairwise(corners))
        return [i for i, (a, b) in legs if not self.segment_is_free(graph, a, b)]

"""`Graph`: any graph whose nodes are points and whose edges are straight lines."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noctule.core.jit import INF
from noctule.core.validation import PointLike, as_edges, as_nodes, as_points, at_least, finite_point
from noctule.graphs.base import Place
from noctule.graphs.compiled import CompiledGraph
from noctule.graphs.entry_nodes import NO_ENTRIES, Entries, one_entry
from noctule.graphs.explicit.callbacks import address_of
from noctule.graphs.explicit.csr import CSRGraph, SightCallback, visible_places
from noctule.graphs.grid.grid import Grid
from noctule.graphs.heuristics import STEP_1
from noctule.worlds.resolution import FINEST

# Largest width, in its own units, of a graph without a world: then costs in whole numbers are finer
# than a billionth of it, and paths of twice its width fit into a queue.
WIDTH = 1024.0

FOLLOWED = 0.5  # in units; largest motion of a node between two plans

Numbers = NDArray[np.int64]


class Graph(CompiledGraph):
    """Points, joined by straight edges: a roadmap, the centres of a navigation mesh, roads.

    Parameters
    ----------
    points : array (n, 2) or (n, 3)
        The nodes, in world units.
    edges : int array (m, 2)
        Pairs of nodes, by number. An edge goes both ways; its length is that of the line.
    sight : Grid, function or None
        Decides whether a straight line is free: a grid of cells, then for an agent of `radius`;
        or a function of two points, given as coordinates (x0, y0, z0, x1, y1, z1), or four of them
        in the plane, that Numba can compile. With None nothing is seen: paths start and end at
        nodes, and keep to edges.
    radius : float
        The agent's radius where `sight` is a grid; edges that are not free for it are closed.

    Examples
    --------
    >>> import noctule as nt
    >>> points = [(0, 0, 0), (4, 0, 0), (4, 4, 0), (4, 4, 4)]
    >>> graph = nt.Graph(points, [(0, 1), (1, 2), (2, 3)], sight=lambda *ends: True)
    >>> len(graph)
    4
    >>> nt.plan(graph, points[0], points[3], "a*").nodes.tolist()
    [0, 1, 2, 3]
    >>> round(nt.plan(graph, (0.5, 0, 0), (4, 4, 3.5), "theta*").length, 3)
    6.364
    >>> graph.shut([(1, 2)])
    >>> nt.plan(graph, points[0], points[3], "a*").reason
    'there is no way: 2 nodes were expanded from the start on, and no more can be reached'
    """

    joins_many_nodes = True
    nodes = "points"
    _function: Any = None
    neighbours = 0

    def __init__(
        self,
        points: ArrayLike,
        edges: ArrayLike,
        sight: Grid | Callable[..., bool] | None = None,
        radius: float = 0.0,
    ) -> None:
        super().__init__()
        places = as_points(points)
        self.dimension = places.shape[1]
        self.radius = at_least(0, "radius", radius)
        self.world = sight if isinstance(sight, Grid) else None
        if self.world is not None and self.world.dimension != self.dimension:
            raise ValueError(
                f"points have {self.dimension} coordinates; sight has {self.world.dimension}"
            )
        if sight is not None and self.world is None and not callable(sight):
            raise ValueError(f"sight is {sight!r}; expected a Grid, a function or None")
        if self.radius > 0 and self.world is None:
            raise ValueError(
                f"radius is {radius!r}; it is of use only where sight is a Grid: "
                f"a function of two points knows the agent itself"
            )
        self.snaps, self.plane_z = (False, 0.0) if self.world is None else (True, 0.5)
        if self.world is None:
            extent = float(np.ptp(places, axis=0).max()) if len(places) else 0.0
            self.origin = np.zeros(self.dimension)
            self.cell = 2.0 ** math.ceil(math.log2((extent or 1.0) / WIDTH))  # rounds nothing
            farthest = float(np.abs(places).max(initial=0.0))
            self.resolution = max(FINEST, 4 * math.ulp(farthest) / self.cell)
        else:
            self.origin, self.cell = self.world.origin, self.world.cell
            self.resolution = self.world.resolution
        self._function = sight if self.world is None else None
        self._find_address()
        self._points = places.copy()
        self._at = np.zeros((len(places), 3))
        at = places / self.cell if self.world is None else self.world.snapped(places)
        self._at[:, : self.dimension] = at
        if self.world is not None and self.world.flat:
            self._at[:, 2] = 0.5
        self.edges = as_edges(edges, len(places))
        self._lay_out()
        self.update()

    def _find_address(self) -> None:
        self._address = 0 if self._function is None else address_of(self._function, self.dimension)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._find_address()  # another one in each process

    def __len__(self) -> int:
        return len(self._at)

    def __repr__(self) -> str:
        return f"Graph({len(self)} nodes, {len(self.edges)} edges)"

    # ------------------------------------------------------------------ edges

    def _lay_out(self) -> None:
        """Store every edge in both directions, sorted by the node that it leaves."""
        both = np.concatenate([self.edges, self.edges[:, ::-1]])
        order = np.lexsort((both[:, 1], both[:, 0]))
        self._first = np.searchsorted(both[order, 0], np.arange(len(self) + 1)).astype(np.int64)
        self._target = both[order, 1].copy()
        self._slot = np.empty((2, len(self.edges)), np.int64)  # positions of each edge, both ways
        self._slot.reshape(-1)[order] = np.arange(len(order))
        lines = self._at[self.edges[:, 1]] - self._at[self.edges[:, 0]]
        self._straight = np.sqrt((lines**2).sum(axis=1))
        self._length = np.empty(len(order))
        self._whole = np.empty(len(order))
        self._widest = np.array([np.diff(self._first).max(initial=0)])
        self._shut = np.zeros(len(self.edges), np.bool_)  # by the user
        self._blocked = np.zeros(len(self), np.bool_)  # nodes, by the user
        self._open = np.ones(len(self.edges), np.bool_)  # as kernels have it
        self._set_lengths(np.arange(len(self.edges)))

    def _set_lengths(self, edges: Numbers) -> None:
        lengths = np.where(self._open[edges], self._straight[edges], INF)
        for slots in self._slot[:, edges]:
            self._length[slots] = lengths
            self._whole[slots] = np.ceil(lengths * STEP_1)

    def shut(self, edges: ArrayLike) -> None:
        """Close edges, given as pairs of nodes.

        Parameters
        ----------
        edges : int array (n, 2)
            Pairs of node numbers, in any order.

        Raises
        ------
        ValueError
            If there is no such edge.

        Examples
        --------
        >>> import noctule as nt
        >>> graph = nt.Graph([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)])
        >>> graph.shut([(1, 2)])
        >>> graph.is_free((1, 0), (2, 0))
        False
        """
        self._shut[self._numbers_of(edges)] = True
        self.update()

    def reopen(self, edges: ArrayLike) -> None:
        """Open closed edges again.

        Parameters
        ----------
        edges : int array (n, 2)
            Pairs of node numbers, in any order.

        Raises
        ------
        ValueError
            If there is no such edge.

        Examples
        --------
        >>> import noctule as nt
        >>> graph = nt.Graph([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)])
        >>> graph.shut([(1, 2)])
        >>> graph.reopen([(1, 2)])
        >>> graph.is_free((1, 0), (2, 0))
        True
        """
        self._shut[self._numbers_of(edges)] = False
        self.update()

    def block(self, nodes: ArrayLike) -> None:
        """Block nodes, given by number, with all their edges.

        Parameters
        ----------
        nodes : int, or int array (n,)
            Node numbers.

        Examples
        --------
        >>> import noctule as nt
        >>> graph = nt.Graph([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)])
        >>> graph.block(1)
        >>> nt.plan(graph, (0, 0), (2, 0)).found
        False
        """
        self._blocked[as_nodes(nodes, len(self))] = True
        self.update()

    def free(self, nodes: ArrayLike) -> None:
        """Free blocked nodes.

        Parameters
        ----------
        nodes : int, or int array (n,)
            Node numbers.

        Examples
        --------
        >>> import noctule as nt
        >>> graph = nt.Graph([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)])
        >>> graph.block([0, 1])
        >>> graph.free([0, 1])
        >>> nt.plan(graph, (0, 0), (2, 0)).length
        2.0
        """
        self._blocked[as_nodes(nodes, len(self))] = False
        self.update()

    def update(self) -> int:
        """Recompute which edges are free, if `sight` is a grid that has changed.

        Returns
        -------
        int
            How many edges were closed or opened; planners replan along the others.

        Examples
        --------
        >>> import noctule as nt
        >>> grid = nt.Grid([[False], [False], [False]])
        >>> graph = nt.Graph([(0.5, 0.5), (2.5, 0.5)], [(0, 1)], sight=grid)
        >>> grid.block((1, 0))
        >>> graph.update()
        1
        """
        is_open = ~self._shut & ~self._blocked[self.edges].any(axis=1)
        if self.world is not None:
            graph = self.world.kernel_graph(self.radius)
            for e in np.flatnonzero(is_open).tolist():
                a, b = self._at[self.edges[e]].tolist()
                is_open[e] = self._sight_between_points(graph, *a, *b)
        changed = np.flatnonzero(is_open != self._open)
        self._open = is_open
        self._set_lengths(changed)
        with self._lock:
            self._changes.append((2 * self.edges[changed] + is_open[changed, None]).reshape(-1))
        return len(changed)

    def _numbers_of(self, edges: ArrayLike) -> Numbers:
        pairs = as_edges(edges, len(self))
        known = {pair: e for e, pair in enumerate(map(tuple, self.edges.tolist()))}
        found = [known.get((a, b)) for a, b in pairs.tolist()]
        if None in found:
            raise ValueError(f"there is no edge between {tuple(pairs[found.index(None)].tolist())}")
        return np.array(found, np.int64)

    # ------------------------------------------------------------------ the search graph

    @property
    def has_sight(self) -> bool:
        """Whether there is line of sight at all."""
        return self.world is not None or self._function is not None

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self._at)

    @property
    def longest_step(self) -> float:
        """Length of the longest edge, in units."""
        return float(self._straight.max(initial=1.0))

    def kernel_graph(self, radius: float = 0.0) -> Any:
        """Return the graph that kernels search, for an agent of this radius."""
        if at_least(0, "radius", radius) > self.radius and self.has_sight:
            raise ValueError(
                f"radius is {radius:g}; the edges of this graph were made for {self.radius:g}"
            )
        return self._csr(self._world())

    def _csr(self, world: Any) -> CSRGraph:
        edges = self._first, self._target, self._length, self._whole, self._widest
        return CSRGraph(self._at, *edges, world)

    def _world(self) -> Any:
        """Return the world of the kernel graph, which answers `segment_is_free`."""
        if self.world is not None:
            return self.world.kernel_graph(self.radius)
        x, y, z = (*self.origin.tolist(), 0.0)[:3]
        return SightCallback(self._address, self.cell, x, y, z)

    def in_cells(self, name: str, point: PointLike) -> Place:
        """Convert a point to the units of the graph."""
        if self.world is not None:
            return self.world.in_cells(name, point)
        return tuple(
            ((finite_point(name, point, self.dimension) - self.origin) / self.cell).tolist()
        )

    def indices_and_positions(self, nodes: Numbers) -> tuple[Numbers, NDArray[np.float64]]:
        """Return the numbers of nodes, and their world positions."""
        return nodes.copy(), self.positions(nodes)

    def positions(self, nodes: Numbers) -> NDArray[np.float64]:
        """Return the world positions of nodes."""
        return self._points[nodes]

    def node_at(self, place: Place) -> int | None:
        """Return the number of the node at a place (in units), or None."""
        if not len(self):
            return None
        gap = np.abs(self._at[:, : self.dimension] - place).max(axis=1)
        s = int(gap.argmin())
        return s if gap[s] <= self.resolution else None

    def node_towards(self, place: Place) -> tuple[int | None, Place]:
        """Return the node now meant by a place planned earlier, and its place.

        Nodes may have moved since: it is the nearest, unless that is too far away.
        """
        gap = np.sqrt(((self._at[:, : self.dimension] - place) ** 2).sum(axis=1))
        s = int(gap.argmin()) if len(gap) else 0
        if not len(gap) or gap[s] > (FOLLOWED if self.node_motion else self.resolution):
            return None, place
        return s, tuple(self._at[s, : self.dimension].tolist())

    def is_usable(self, graph: Any, s: int) -> bool:
        """Whether node `s` has an open edge."""
        return bool((self._length[self._first[s] : self._first[s + 1]] < INF).any())

    def entries(self, graph: Any, place: Place, nearest: bool = False) -> Entries:
        """Return the nodes with edges that a place sees, and their distances."""
        s = self.node_at(place)
        if s is not None and not self._blocked[s]:
            return one_entry(s)
        nodes, distances = np.empty(len(self), np.int64), np.empty(len(self))
        n = visible_places(graph, *self._in_space(place), nearest, nodes, distances)
        order = np.lexsort((nodes[:n], distances[:n]))
        return (nodes[order], distances[order]) if n else NO_ENTRIES

    def is_free(self, p: PointLike, q: PointLike) -> bool:
        """Whether a segment is an open edge, or free according to `sight`.

        Parameters
        ----------
        p, q : sequence of float
            Both ends, in world units.

        Returns
        -------
        bool
            Whether the agent can go straight from one to the other.

        Examples
        --------
        >>> import noctule as nt
        >>> graph = nt.Graph([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)])
        >>> graph.is_free((0, 0), (1, 0)), graph.is_free((0, 0), (2, 0))
        (True, False)
        """
        if self._function is not None:
            if self._function(*map(float, p), *map(float, q)):
                return True
        elif self.has_sight and self.line_of_sight(p, q, self.radius):
            return True
        s, t = (self.node_at(self.in_cells("point", point)) for point in (p, q))
        if s is None or t is None:
            return False
        leaving = slice(self._first[s], self._first[s + 1])
        joined = (self._target[leaving] == t) & (self._length[leaving] < INF)
        return s == t or bool(joined.any())

    def why_blocked(self, place: Place) -> str:
        """Explain why a place has no entries."""
        if not self.has_sight:
            return "is no node, and this graph has no line of sight to join it to one"
        if self.world is not None and not self.segment_is_free(self._world(), place, place):
            return self.world.why_blocked(place)
        return "sees no node of the graph that has an edge"

"""`GraphView`: a graph as algorithms in plain Python see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import bind, kernel_short
from noctule.graphs.base import SearchGraph
from noctule.graphs.protocol import has_line_of_sight, neighbours
from noctule.graphs.sight.calls import distance_between_nodes, sight_between_nodes

ROOM = 32  # edges of a node that are read in one call; more if it has more


@kernel_short
def write_neighbours(graph: Any, s: Any, nodes: Any, costs: Any) -> Any:
    """Write the neighbours of a node and the costs of the edges to them; return how many.

    No more are written than there is room for.
    """
    n = 0
    for t, c in neighbours(graph, s):
        if n < len(nodes):
            nodes[n] = t
            costs[n] = c
        n += 1
    return n


class GraphView:
    """A graph for an agent of some radius, as a registered algorithm sees it.

    Nodes are whole numbers from 0 to `node_count` - 1; not all of them need be nodes. All lengths
    and positions are in world units.

    Parameters
    ----------
    graph : SearchGraph
        Any graph.
    kernel_graph : named tuple, optional
        What `graph.kernel_graph(radius)` returned; that for a point agent unless given.

    Attributes
    ----------
    node_count : int
        One more than the highest node number.
    dimension : int
        2 or 3.

    Examples
    --------
    >>> import noctule as nt
    >>> graph = nt.Graph([(0, 0), (3, 0), (3, 4)], [(0, 1), (1, 2)])
    >>> view = nt.GraphView(graph)
    >>> sorted(view.neighbours(1)), view.distance(0, 2), view.line_of_sight(0, 2)
    ([(0, 3.0), (2, 4.0)], 5.0, False)
    """

    def __init__(self, graph: SearchGraph, kernel_graph: Any = None) -> None:
        if not isinstance(graph, SearchGraph):
            raise ValueError(f"graph is a {type(graph).__name__}; expected a noctule.SearchGraph")
        self.node_count = graph.node_count
        self.dimension = graph.dimension
        self._graph = graph
        self._kernel_graph = graph.kernel_graph() if kernel_graph is None else kernel_graph
        self._unit = graph.cell
        self._neighbours = bind(write_neighbours)
        self._distance = bind(distance_between_nodes)
        self._sight = bind(sight_between_nodes)

    def neighbours(self, s: int) -> Iterator[tuple[int, float]]:
        """Return the neighbours of a node.

        Parameters
        ----------
        s : int
            The number of a node.

        Returns
        -------
        iterator of tuple
            Pairs of a neighbour and the cost of the edge to it, its length.

        Examples
        --------
        >>> import noctule as nt
        >>> view = nt.GraphView(nt.Graph([(0, 0), (3, 0), (3, 4)], [(0, 1), (1, 2)]))
        >>> sorted(view.neighbours(1))
        [(0, 3.0), (2, 4.0)]
        """
        s = self._checked(s)
        nodes, costs = np.empty(ROOM, np.int64), np.empty(ROOM)
        n = self._neighbours(self._kernel_graph, s, nodes, costs)
        if n > ROOM:
            nodes, costs = np.empty(n, np.int64), np.empty(n)
            self._neighbours(self._kernel_graph, s, nodes, costs)
        lengths = costs[:n] * self._unit
        return zip(nodes[:n].tolist(), lengths.tolist(), strict=True)

    def distance(self, s: int, t: int) -> float:
        """Return the straight-line distance between two nodes.

        Parameters
        ----------
        s, t : int
            The numbers of two nodes.

        Returns
        -------
        float
            Their distance, in world units.

        Examples
        --------
        >>> import noctule as nt
        >>> view = nt.GraphView(nt.Graph([(0, 0), (3, 0), (3, 4)], [(0, 1), (1, 2)]))
        >>> view.distance(0, 2)
        5.0
        """
        s, t = self._checked(s), self._checked(t)
        return float(self._distance(self._kernel_graph, s, t)) * self._unit

    def line_of_sight(self, s: int, t: int) -> bool:
        """Whether the agent can go straight from one node to another, edge or not.

        Parameters
        ----------
        s, t : int
            The numbers of two nodes.

        Returns
        -------
        bool
            False on a graph without lines of sight (`has_sight`).

        Examples
        --------
        >>> import numpy as np
        >>> import noctule as nt
        >>> grid = nt.Grid(np.zeros((3, 3), bool))
        >>> s, t = grid.number(np.array([(0, 0), (2, 1)])).tolist()
        >>> nt.GraphView(grid).line_of_sight(s, t)
        True
        """
        return bool(self._sight(self._kernel_graph, self._checked(s), self._checked(t)))

    @property
    def has_sight(self) -> bool:
        """Whether lines of sight can be checked; else there are none."""
        return has_line_of_sight(self._kernel_graph)

    def position(self, s: int) -> NDArray[np.float64]:
        """Return the position of a node.

        Parameters
        ----------
        s : int
            The number of a node.

        Returns
        -------
        array (dimension,)
            Its position, in world units.

        Examples
        --------
        >>> import noctule as nt
        >>> view = nt.GraphView(nt.Graph([(0, 0), (3, 0), (3, 4)], [(0, 1), (1, 2)]))
        >>> view.position(2).tolist()
        [3.0, 4.0]
        """
        position: NDArray[np.float64] = self._graph.positions(np.array([self._checked(s)]))[0]
        return position

    def _checked(self, s: int) -> int:
        """Return the number of a node; kernels would read beyond their arrays for others."""
        if not self._graph.has_node(s):
            raise ValueError(f"{s!r} is no node of {self._graph!r}")
        return s

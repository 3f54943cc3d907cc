"""`search_order`: in which order a search expands nodes, found by stopping it again and again."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid.grid import Grid
from noctule.planning.planner import Planner
from noctule.registry import find_algorithm

STOPS = (
    200  # how often a search is stopped; between two stops, nodes are in the order of their costs
)
MAX_EXPANDED = 60_000  # searches of more nodes are ordered by cost only
NOBODY = -1


class SearchOrder(NamedTuple):
    """Expanded nodes, the first one first."""

    nodes: NDArray[np.int64]
    g: NDArray[np.float64]  # their costs from the start, in world units
    parent: NDArray[np.int64]  # the nodes before them on their paths; -1 where it is not known
    exact: bool  # whether the order is that of the search, up to one part in `STOPS`


def search_order(grid: Grid, algorithm: str, ends: tuple[Any, Any], radius: float) -> SearchOrder:
    """Return the order in which the algorithm's own file expands nodes.

    A search that remembers is ordered by cost: what it has is a tree, not an order.
    """
    options: dict[str, Any] = {"radius": radius, "engine": "reference"}
    planner = Planner(grid, algorithm, **options)
    path = planner.plan(*ends)
    found = planner.search_snapshot()
    n, row = len(found.expanded), find_algorithm(algorithm)
    first = np.zeros(grid.node_count, np.int64)
    exact = not (row.keeps_search or row.tightened) and 0 < path.expanded <= MAX_EXPANDED
    if exact:
        first[:] = np.iinfo(np.int64).max
        for k in np.unique(np.linspace(1, path.expanded, STOPS).astype(int)).tolist():
            stopped = Planner(grid, algorithm, max_expanded=k, **options)
            stopped.plan(*ends)
            nodes = stopped.search_snapshot().expanded
            first[nodes] = np.minimum(first[nodes], k)
    order = np.lexsort((found.g, first[found.expanded]))
    nodes = found.expanded[order]
    parent = np.full(grid.node_count, NOBODY)
    if len(found.free):
        parent[found.free[:, 0]] = found.free[:, 1]
    return SearchOrder(nodes, found.g[order] * grid.cell, parent[nodes], exact and n > 0)

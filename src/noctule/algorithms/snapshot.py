"""`SearchSnapshot`: what a search expanded, read from its memory afterwards.

Searches mark nodes with a generation number instead of clearing memory, so recording costs nothing
during a search. Reading takes a pass over all nodes.
"""

from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Lines = NDArray[np.int64]  # (n, 2): the nodes at both ends

NO_NODES: Numbers = np.empty(0, np.int64)
NO_LINES: Lines = np.empty((0, 2), np.int64)
NO_COSTS: NDArray[np.float64] = np.empty(0)


class SearchSnapshot(NamedTuple):
    """Nodes and lines of sight of a search, by numbers of nodes (see `Grid.indices`).

    Attributes
    ----------
    expanded : int array (n,)
        Nodes that were expanded; of an incremental search, all in its tree.
    g : array (n,)
        Their costs in cells; of a search in time, their times in bins.
    open : int array (m,)
        Nodes in the open list.
    free, shut : int arrays (k, 2)
        Lines of sight of an any-angle search: those of its tree, and those found blocked that it
        still stores.
    incremental : bool
        Whether the search continues from this in the next plan.
    """

    expanded: Numbers = NO_NODES
    g: NDArray[np.float64] = NO_COSTS
    open: Numbers = NO_NODES
    free: Lines = NO_LINES
    shut: Lines = NO_LINES
    incremental: bool = False


@singledispatch
def search_snapshot(memory: Any) -> SearchSnapshot:
    """Return the last search in this memory; empty for an unknown class of memory.

    Modules register a reader for their own class of memory.
    """
    return SearchSnapshot()

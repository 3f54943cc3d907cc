"""Which long edges of a hybrid graph have to be looked along in time: few, or none.

Long edges lead past cells that nothing was expected to touch when the graph was made. But the
surroundings of a gate are to be left at times, and a body that somebody places may fly anywhere:
cells that were ever busy all the same are strays, and edges that lead past them may have to wait.
"""

from typing import NamedTuple

import numpy as np

from noctule.core.jit import kernel
from noctule.graphs.grid.lattice import Cells, coordinates
from noctule.graphs.hybrid.hybrid_graph import DYNAMIC, HybridCells
from noctule.graphs.sight.timed import TimeWindow, ever_busy_along
from noctule.worlds.occupancy.timetable import Timetable


class LongEdges(NamedTuple):
    """What is known about them; found out when an edge is first looked at."""

    strays: TimeWindow  # bit 0 of a cell is set if it is a stray
    known: np.ndarray  # of each edge: twice the version, and 1 more if it leads past strays
    version: int  # another number when there are more strays


@kernel
def half_centre(lattice, cell):
    """The centre of a cell, in half cells."""
    x, y, z = coordinates(lattice, cell)
    return 2.0 * x + 1.0, 2.0 * y + 1.0, 2.0 * z + 1.0


@kernel
def may_be_busy(lattice, edges, edge, here, there):
    """Whether a long edge between two places leads past cells that are busy at times."""
    if edges.known[edge] >> 1 != edges.version:
        word = ever_busy_along(lattice, edges.strays, here, there)
        edges.known[edge] = 2 * edges.version + (word != 0)
    return edges.known[edge] & 1 == 1


@kernel
def note_strays(used, cells, words):
    """Note those cells where nothing was expected; whether there are new ones."""
    new = False
    for cell in cells:
        if used[cell] & DYNAMIC == 0 and words[cell] == 0:
            words[cell] = 1
            new = True
    return new


class StrayCells:
    """The strays of one graph; cells have no long edges, and no strays."""

    def __init__(self, graph: Cells | HybridCells) -> None:
        self._used: np.ndarray | None = None
        cells = edges = 0
        if isinstance(graph, HybridCells):
            self._used, cells, edges = graph.used, len(graph.used), len(graph.target)
        self._words, self._known = np.zeros(cells, np.int64), np.zeros(edges, np.int64)
        self._version = 1

    def look(self, timetable: Timetable) -> LongEdges:
        """Take in what is busy, and tell what that means."""
        if self._used is not None:
            new = [note_strays(self._used, c, self._words) for c in timetable.busy_cells()]
            self._version += any(new)
        return LongEdges(TimeWindow(self._words, 1, 0.0, 1.0), self._known, self._version)

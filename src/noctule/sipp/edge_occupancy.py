"""Find the long edges of a hybrid graph that need a check in time: usually few or none.

Long edges cross cells that no body was expected to touch at bake time. But an agent may have to
leave the hold box of a gate, and `Body.place` can move a body anywhere. A stray cell is a cell
outside the dynamic region that was busy at some time. An edge that crosses a stray cell may have
to wait.
"""

from typing import NamedTuple

import numpy as np

from noctule.core.jit import kernel
from noctule.graphs.grid.lattice import Cells, coordinates
from noctule.graphs.hybrid.hybrid_graph import DYNAMIC, HybridCells
from noctule.graphs.sight.timed import TimeWindow, ever_busy_along
from noctule.worlds.occupancy.timetable import Timetable


class LongEdges(NamedTuple):
    """Whether long edges cross stray cells; computed when an edge is first checked."""

    strays: TimeWindow  # bit 0 of a cell is set if it is a stray cell
    known: np.ndarray  # per edge: 2 * version at its check, plus 1 if it crosses stray cells
    version: int  # incremented when stray cells are added


@kernel
def half_centre(lattice, cell):
    """Return the centre of a cell in half cells."""
    x, y, z = coordinates(lattice, cell)
    return 2.0 * x + 1.0, 2.0 * y + 1.0, 2.0 * z + 1.0


@kernel
def may_be_busy(lattice, edges, edge, here, there):
    """Whether the long edge from `here` to `there` (half cells) crosses stray cells."""
    if edges.known[edge] >> 1 != edges.version:
        word = ever_busy_along(lattice, edges.strays, here, there)
        edges.known[edge] = 2 * edges.version + (word != 0)
    return edges.known[edge] & 1 == 1


@kernel
def note_strays(used, cells, words):
    """Mark busy cells that are not dynamic as stray cells; return whether any is new."""
    new = False
    for cell in cells:
        if used[cell] & DYNAMIC == 0 and words[cell] == 0:
            words[cell] = 1
            new = True
    return new


class StrayCells:
    """The stray cells of a hybrid graph; a graph of all cells has none."""

    def __init__(self, graph: Cells | HybridCells) -> None:
        self._used: np.ndarray | None = None
        cells = edges = 0
        if isinstance(graph, HybridCells):
            self._used, cells, edges = graph.used, len(graph.used), len(graph.target)
        self._words, self._known = np.zeros(cells, np.int64), np.zeros(edges, np.int64)
        self._version = 1

    def update(self, timetable: Timetable) -> LongEdges:
        """Add the busy cells of a timetable, and return the state of the long edges."""
        if self._used is not None:
            new = [note_strays(self._used, c, self._words) for c in timetable.busy_cells()]
            self._version += any(new)
        return LongEdges(TimeWindow(self._words, 1, 0.0, 1.0), self._known, self._version)

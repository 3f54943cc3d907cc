"""Distance of every node from a goal, past what never moves; kept for goals that come again."""

from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.best_first import EXHAUSTED, STAMP
from noctule.core.jit import kernel
from noctule.engines.grid_engine import GridEngine
from noctule.engines.hybrid_a_star import HybridEngine
from noctule.engines.packed_nodes import LAST_SEARCH
from noctule.graphs.grid.lattice import Cells
from noctule.graphs.heuristics import STEP_1, ZERO
from noctule.graphs.hybrid.hybrid_graph import HybridCells

MOST_BYTES = 1 << 28  # of fields that are kept
NO_NODE = 0  # the first cell of the border, which no search reaches


@kernel
def read_distances(word, search, distance):
    """The distances (in cells) that a search left in the words of its nodes."""
    for s in range(len(word)):
        if (word[s] >> 6) & LAST_SEARCH == search:
            distance[s] = (word[s] >> 26) / STEP_1
        else:
            distance[s] = np.inf


class Fields:
    """Distance fields on one graph of cells, or of some of them.

    >>> import numpy as np
    >>> import noctule as nt
    >>> grid = nt.Grid(np.zeros((3, 3, 3), dtype=bool))
    >>> s, t = grid.number(np.array([(0, 0, 0), (2, 1, 0)]))
    >>> round(float(Fields(grid.graph()).to(s)[t]), 6)
    2.414214
    """

    def __init__(self, graph: Cells | HybridCells) -> None:
        engine: Any = GridEngine if isinstance(graph, Cells) else HybridEngine
        self._engine = engine(graph, 1.0, ZERO)
        self._memory = self._engine.new_memory(len(graph.lattice.free3))
        self._kept: OrderedDict[int, NDArray[np.float64]] = OrderedDict()

    def to(self, goal: int) -> NDArray[np.float64]:
        """The distance of every node from this one; infinite where there is no way."""
        if goal in self._kept:
            self._kept.move_to_end(goal)
            return self._kept[goal]
        self._engine.begin(self._memory, np.array([goal]), np.zeros(1), NO_NODE)
        status = self._engine.run(self._memory, NO_NODE, 1 << 62, False)
        assert status == EXHAUSTED, "a field fits into the queue, and no one leaves the border"
        field = np.empty(len(self._memory.word))
        read_distances(self._memory.word, self._memory.counts[STAMP], field)
        while self._kept and (len(self._kept) + 1) * field.nbytes > MOST_BYTES:
            self._kept.popitem(last=False)
        self._kept[goal] = field
        return field

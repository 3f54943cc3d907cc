"""Distance fields: shortest distance of every node to a goal past static bodies, cached by goal."""

from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.endpoint import at_node
from noctule.core.jit import kernel
from noctule.core.status import EXHAUSTED
from noctule.engines.hybrid_a_star import HybridAStar
from noctule.engines.lattice_a_star import LatticeAStar
from noctule.engines.packed_nodes import g_of, generation_of
from noctule.graphs.grid.lattice import Cells
from noctule.graphs.heuristics import STEP_1, ZERO
from noctule.graphs.hybrid.hybrid_graph import HybridCells

MAX_BYTES = 1 << 28  # size of the cache
NO_NODE = 0  # a cell of the border, which no search reaches


@kernel
def read_distances(packed: Any, generation: Any, distance: Any) -> None:
    """Write g of every node, in cells, to `distance`; infinite if the search did not reach it."""
    for s in range(len(packed)):
        if generation_of(packed[s]) == generation:
            distance[s] = g_of(packed[s]) / STEP_1
        else:
            distance[s] = np.inf


class DistanceFields:
    """Distance fields on a graph of cells or a hybrid graph, with an LRU cache.

    >>> import numpy as np
    >>> import noctule as nt
    >>> grid = nt.Grid(np.zeros((3, 3, 3), dtype=bool))
    >>> s, t = grid.number(np.array([(0, 0, 0), (2, 1, 0)]))
    >>> round(float(DistanceFields(grid.kernel_graph()).to(s)[t]), 6)
    2.414214
    """

    def __init__(self, graph: Cells | HybridCells) -> None:
        engine: Any = LatticeAStar if isinstance(graph, Cells) else HybridAStar
        self._engine = engine(graph, 1.0, ZERO)
        self._memory = self._engine.new_memory(len(graph.lattice.free3))
        self._kept: OrderedDict[int, NDArray[np.float64]] = OrderedDict()

    def to(self, goal: int) -> NDArray[np.float64]:
        """Return the distance in cells of every node to `goal`; infinite if it is unreachable."""
        if goal in self._kept:
            self._kept.move_to_end(goal)
            return self._kept[goal]
        ends = at_node(goal), at_node(NO_NODE)
        status, _ = self._engine.search(self._memory, *ends, 1 << 62, False)
        assert status == EXHAUSTED, "the search must expand all nodes that it can reach"
        field = np.empty(len(self._memory.packed))
        read_distances(self._memory.packed, int(self._memory.stats[0].generation), field)
        while self._kept and (len(self._kept) + 1) * field.nbytes > MAX_BYTES:
            self._kept.popitem(last=False)
        self._kept[goal] = field
        return field

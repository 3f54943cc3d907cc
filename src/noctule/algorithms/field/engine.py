"""The shell of Field D*: an incremental search whose path is extracted afterwards."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.field.field_path import trace_field
from noctule.algorithms.incremental.search import Incremental
from noctule.algorithms.incremental.state import SearchMemory
from noctule.algorithms.search_engine import bind_once
from noctule.graphs.heuristics import STEP_1

# The search goes on until what has keys up to so many cells beyond that of the start is settled:
# the sides that the path crosses have corners beside it.
BESIDE = 0.5


class FieldEngine(Incremental):
    """Runs Field D* on the corners of cells."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._trace = bind_once(trace_field, *self.types)

    def use_heap(self) -> None:
        """Use the reference queue."""
        super().use_heap()
        self._trace = bind_once(trace_field, *self.types)

    def query(self, memory: SearchMemory) -> Any:
        """Return what kernels need to know of the current query."""
        query = super().query(memory)
        return query._replace(
            target=query.target._replace(slack=query.target.slack + BESIDE * STEP_1)
        )

    def query_weight(self, memory: SearchMemory) -> float:
        """Return the part of the straight distance in keys, with which no node is settled early."""
        return float(self.grid.dimension**-0.5)

    def polyline(self, memory: SearchMemory) -> NDArray[np.float64]:
        """Return the path that was found, from the start to the goal, in cells."""
        lattice = self.graph.lattice
        room = 16 * (lattice.nx + lattice.ny + lattice.nz) + 64
        points = np.empty((room, 3))
        for looks_ahead in (True, False):
            what = memory.query, self.graph, memory.search, looks_ahead, points
            n = int(self._trace(*what))
            if 0 < n <= room:
                return points[:n, : self.grid.dimension]
        raise AssertionError("a proven path from corner to corner falls to the goal")

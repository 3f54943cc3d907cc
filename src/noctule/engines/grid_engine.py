"""The shell around A* on cells (`grid_search`): what runs it from Python."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.best_first import STAMP
from noctule.core.jit import bind
from noctule.engines.lattice_a_star import Engine, begin, find_path, search, trace_path
from noctule.engines.packed_nodes import LAST_SEARCH, new_field
from noctule.engines.pruning import pruning_of
from noctule.graphs.grid.lattice_edges import move_costs
from noctule.queues.buckets import FULL, grow

MOST_PATHS = 512  # have no more nodes than this


class GridEngine:
    """Runs searches of one weight and heuristic on a graph of cells."""

    new_memory: Any = staticmethod(new_field)

    def __init__(self, graph: Any, weight: float, heuristic: int, sparse: bool = False) -> None:
        cost, step = move_costs()
        self._graph = graph
        pruning = pruning_of(graph.lattice.moves, sparse)
        self._engine: Any = Engine(weight, heuristic, cost, step, pruning)
        self._begin, self._search = bind(begin), bind(search)
        self._trace_path, self._find_path = bind(trace_path), bind(find_path)

    def find(
        self,
        memory: Any,
        starts: NDArray[np.int64],
        costs: NDArray[np.float64],
        goal: int,
        limit: int,
    ) -> tuple[int, NDArray[np.int64]]:
        """Begin a search and run it; its status, and the numbers of the nodes on the path."""
        nodes = np.empty(MOST_PATHS, np.int64)
        what = *self.parts(memory, 1), starts, costs, goal, limit, nodes
        status, n = self._find_path(*what)
        return status, nodes[len(nodes) - n :] if n <= len(nodes) else self.trail(memory, goal)

    def begin(
        self, field: Any, starts: NDArray[np.int64], costs: NDArray[np.float64], goal: int
    ) -> None:
        """Prepare a search from several nodes, which it costs something to get to."""
        self.make_room(field)
        self._begin(self._engine, self._graph.lattice, field, starts, costs, goal)

    def make_room(self, field: Any, searches: int = 1) -> None:
        """Forget all searches if there are no more numbers for so many others."""
        if field.counts[STAMP] + searches > LAST_SEARCH:
            field.word[:] = 0
            field.counts[STAMP] = 0

    def parts(self, field: Any, searches: int) -> tuple[Any, Any, Any]:
        """What compiled code needs for so many searches of its own: engine, graph and field."""
        self.make_room(field, searches)
        return self._engine, self._graph, field

    def run(self, field: Any, goal: int, limit: int, partial: bool) -> int:
        """Search until the goal is found or `limit` nodes have been expanded in all."""
        return self._run(self._engine, self._graph, field, goal, limit, partial)

    def _run(
        self, engine: Any, graph: Any, field: Any, goal: int, limit: int, partial: bool
    ) -> int:
        what = engine, graph, field, goal, limit, partial
        while (status := self._search(*what)) == FULL:
            grow(field.queue)
        return int(status)

    def trail(self, field: Any, node: int) -> NDArray[np.int64]:
        """The numbers of the nodes on the path to `node`."""
        return self._trail(self._engine, field, node)

    def _trail(self, engine: Any, field: Any, node: int) -> NDArray[np.int64]:
        nodes = np.empty(MOST_PATHS, np.int64)
        n = self._trace_path(engine, self._graph.lattice, field, node, nodes)
        if n > len(nodes):
            nodes = np.empty(n, np.int64)
            self._trace_path(engine, self._graph.lattice, field, node, nodes)
        return nodes[len(nodes) - n :]

"""The shell of ARA* and AD*: paths that get better, each with a proven bound."""

import copy
from typing import Any, Self

from noctule.algorithms.endpoint import Endpoint
from noctule.algorithms.incremental.search import Incremental
from noctule.algorithms.incremental.state import Changes, Pending, Phase, SearchMemory
from noctule.algorithms.search_engine import bind_once
from noctule.core.status import FOUND, IMPROVABLE
from noctule.graphs.explicit.csr import CSRGraph

FIRST_WEIGHT, STEP = 3.0, 0.2  # as in Krafft (2019)


class Anytime(Incremental):
    """Searches with a large weight first, and repairs the search for smaller ones down to 1."""

    stops_at_each_path = False  # whether a run ends with every better path, or with the best

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.weight, self.step = max(self.weight, FIRST_WEIGHT), STEP

    def _use(self, new_queue: Any) -> None:
        super()._use(new_queue)
        self._suboptimality = bind_once(self.algorithm.suboptimality, *self.types)

    def with_schedule(self, weight: float, step: float) -> Self:
        """Return the same search with another first weight and step, one better path a plan."""
        other = copy.copy(self)
        other.weight, other.step, other.stops_at_each_path = weight, step, True
        return other

    def closes(self, memory: SearchMemory) -> bool:
        """Return whether a node is expanded only once in a run.

        Each edge of a path, at least a cell long, may then be too long by the disorder of the open
        list, so the heuristic is inflated by that much less. Where that leaves no inflation, or
        edges may be shorter than a cell, nodes are expanded as often as necessary.
        """
        return memory.weight - self.disorder > 1.0 and not isinstance(self.graph, CSRGraph)

    def query(self, memory: SearchMemory) -> Any:
        """Return what kernels need to know of the current query."""
        return super().query(memory)._replace(closes=self.closes(memory))

    def query_weight(self, memory: SearchMemory) -> float:
        """Return the inflation of the heuristic."""
        return memory.weight - self.disorder if self.closes(memory) else memory.weight

    def repair(self, memory: SearchMemory, target: Endpoint, changes: Changes) -> None:
        """Go back to the largest weight if anything has changed, else on to the next one.

        If the last run was cut short, it goes on with the same weight.
        """
        if len(changes) > 0 or not target.equals(memory.target):
            memory.weight = self.weight
            super().repair(memory, target, changes)
        elif 1.0 < memory.bound <= memory.weight:
            self.improve(memory)

    def improve(self, memory: SearchMemory) -> None:
        """Go on with a weight that is smaller than what is proven already."""
        memory.weight = max(1.0, round(min(memory.weight, memory.bound) - self.step, 9))
        memory.query = self.query(memory)
        memory.pending = Pending(s_last=memory.query.target.node)

    def run(self, memory: SearchMemory, limit: int, partial: bool) -> int:
        """Improve the path until it is proven shortest, or once.

        With `partial`, stop at each better path: there may be no time for another one.
        """
        while memory.bound > 1.0:
            status = self.compute(memory, limit)
            if status != FOUND:
                return status
            what = memory.query, self.graph, memory.search
            memory.bound = min(memory.bound, float(self._suboptimality(*what, memory.weight)))
            if memory.phase == Phase.GROWING:
                memory.phase, memory.size = Phase.READY, memory.work
            if self.stops_at_each_path:
                break
            if memory.bound > 1.0:
                self.improve(memory)
                if partial:
                    return IMPROVABLE
        return FOUND

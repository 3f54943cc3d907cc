"""What ARA* and AD* share: paths that get better, with a bound that is proven."""

import copy
from typing import Self

import numpy as np

from noctule.algorithms.best_first import EXPANDED, FOUND
from noctule.algorithms.incremental import Kept, Remembering
from noctule.algorithms.incremental_core import restore_order
from noctule.algorithms.remembered import DISORDER, LISTED, Aim, members
from noctule.core.jit import INF, kernel
from noctule.graphs.protocol import estimate

FIRST_WEIGHT, STEP = 3.0, 0.2  # as Krafft (2019) has them


@kernel
def lowest_estimate(graph, search, aim):
    """No path is shorter than this: each leads over an inconsistent node, or is known."""
    lowest = search.rhs[aim.target]
    for s in members(search):
        lowest = min(lowest, estimate_through(graph, search, aim, s))
    for i in range(search.counts[LISTED]):
        lowest = min(lowest, estimate_through(graph, search, aim, np.int64(search.list[i])))
    return lowest


@kernel
def estimate_through(graph, search, aim, s):
    """What a path over `s` must cost at least."""
    h = estimate(graph, aim.heuristic, s, aim.target)
    return min(search.g[s], search.rhs[s]) + h


class Anytime(Remembering):
    """Searches with a large weight first, and repairs the search for smaller ones down to 1."""

    one_by_one = False  # whether a run ends with every better path, or only with the best

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self._weight, self._step = max(self._weight, FIRST_WEIGHT), STEP

    def paced(self, weight: float, step: float) -> Self:
        """The same search, for one better path a plan."""
        paced = copy.copy(self)
        paced._weight, paced._step, paced.one_by_one = weight, step, True
        return paced

    def aim(self, kept: Kept, root: int, target: int) -> Aim:
        """Close nodes, as long as the weight leaves room for the disorder of the open list.

        Each step of a path, at least a cell long, may be too long by that disorder when nodes are
        expanded but once. So much less inflation keeps the bound. Where steps may be shorter, nodes
        are expanded as often as it takes.
        """
        weight = kept.weight - DISORDER
        if weight > 1.0 and not self._short_steps:
            return Aim(root, target, weight, self._heuristic, closing=True)
        return super().aim(kept, root, target)

    def restart(self, kept: Kept, aim: Aim) -> None:
        """Begin anew with the largest weight."""
        kept.bound = INF
        super().restart(kept, aim)

    def lower(self, kept: Kept) -> None:
        """Go on with a smaller weight: INCONS into OPEN, all keys anew, CLOSED empty."""
        kept.weight = max(1.0, round(kept.weight - self._step, 9))
        restore_order(self._graph, kept.search, self.aim(kept, kept.root, kept.target))

    def run(self, kept: Kept, goal: int, limit: int, partial: bool) -> int:
        """Improve the path until it is proven shortest, or once if `one_by_one`."""
        while kept.bound > 1.0:
            status = self.search(kept, limit)
            if status != FOUND:
                return status
            kept.bound = min(kept.bound, self.proven(kept))
            if kept.restarted:
                kept.size = int(kept.counts[EXPANDED])
            if self.one_by_one:
                break
            if kept.bound > 1.0:
                self.lower(kept)
        return FOUND

    def proven(self, kept: Kept) -> float:
        """How many times too long the path is at most: the weight, or less if that is seen."""
        aim = self.aim(kept, kept.root, kept.target)
        lowest = lowest_estimate(self._graph, kept.search, aim)
        cost = kept.search.rhs[aim.target]
        return float(min(kept.weight, cost / lowest)) if lowest > 0.0 else 1.0

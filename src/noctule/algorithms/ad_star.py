"""Anytime Dynamic A* (Likhachev, Ferguson, Gordon, Stentz, Thrun, ICAPS 2005, figures 2 and 3).

ARA* backwards from the goal, with D* Lite's repair of what changed: `compute_shortest_path` is
their ComputeorImprovePath(). After a change or a move of the agent it begins with the largest
weight again, on the search that it has; a new goal begins a new search.
"""

from noctule.algorithms.anytime import Anytime
from noctule.algorithms.incremental import Changes, Kept
from noctule.algorithms.incremental_core import restore_order, update_edges
from noctule.algorithms.remembered import Aim
from noctule.core.jit import INF


class ADStar(Anytime):
    """Anytime Dynamic A*."""

    backwards = True

    def repair(self, kept: Kept, aim: Aim, changes: Changes) -> None:
        """Take the changes in; without any, go on with the next weight."""
        if len(changes) > 0 or aim.target != kept.target:
            kept.weight, kept.bound = self._weight, INF
            aim = self.aim(kept, aim.root, aim.target)
            update_edges(self._graph, kept.search, aim, changes)
            restore_order(self._graph, kept.search, aim)
        elif kept.bound <= kept.weight:
            self.lower(kept)

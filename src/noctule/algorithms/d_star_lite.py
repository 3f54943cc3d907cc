"""D* Lite (Koenig, Likhachev, "D* Lite", AAAI 2002, figure 4: the final version).

The search grows from the goal, so that the agent may move without spoiling it: only the keys
change, and km makes up for that. A new goal begins a new search.
"""

from noctule.algorithms.incremental import Changes, Kept, Remembering
from noctule.algorithms.incremental_core import restore_order, update_edges
from noctule.algorithms.remembered import KM, Aim
from noctule.core.jit import kernel
from noctule.graphs.heuristics import STEP_1
from noctule.graphs.protocol import estimate

# With larger ones, keys would leave the range that the open list keeps in order.
LARGEST_KM = 500.0 * STEP_1


@kernel
def follow(graph, search, aim, s_last, changes):
    """Lines 36 to 47 of Main(): the agent has moved on from `s_last`, edges have changed."""
    move_target(graph, search, aim, s_last)
    update_edges(graph, search, aim, changes)


@kernel
def move_target(graph, search, aim, s_last):
    """Account for a target that was at `s_last`: keys in the open list may now be too low by km.

    One unit more than the inflated estimate, as that is rounded.
    """
    if s_last != aim.target:
        h = estimate(graph, aim.heuristic, s_last, aim.target)
        search.keys[KM] += int(aim.weight * h) + 1 if aim.weight > 1.0 else h
    if search.keys[KM] > LARGEST_KM:
        restore_order(graph, search, aim)


class DStarLite(Remembering):
    """D* Lite."""

    backwards = True

    def repair(self, kept: Kept, aim: Aim, changes: Changes) -> None:
        """Take in what changed and who moved."""
        self.call(follow, self._graph, kept.search, aim, kept.target, changes)

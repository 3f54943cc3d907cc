"""ARA* (Likhachev, Gordon, Thrun, "ARA*: Anytime A* with Provable Bounds", NIPS 2003, figure 3).

It is the incremental core in a world that stands still. Their g(s) is our rhs(s), their v(s) our
g(s); OPEN holds the inconsistent nodes, CLOSED those expanded in this run, and INCONS those that
became inconsistent again after that: `compute_shortest_path` is their ImprovePath(). If anything
changes, it begins anew.
"""

from noctule.algorithms.anytime import Anytime
from noctule.algorithms.incremental import Changes, Kept
from noctule.algorithms.remembered import Aim


class ARAStar(Anytime):
    """Anytime Repairing A*."""

    def can_repair(self, kept: Kept, root: int, target: int, changes: Changes) -> bool:
        """Whether nothing has changed."""
        return (root, target) == (kept.root, kept.target) and len(changes) == 0

    def repair(self, kept: Kept, aim: Aim, changes: Changes) -> None:
        """Go on with the next weight, unless the last run was cut short."""
        if kept.bound <= kept.weight:
            self.lower(kept)

"""Basic Moving Target D* Lite (Sun, Yeoh, Koenig, "Moving Target D* Lite", AAMAS 2010, figure 2).

The search grows from the start. When that moves, the new start keeps its distance, for the
distance of the root may be any number, and the old one has to find a parent as every other node.
What hangs on the old start is under-consistent then, and is raised as far as it matters.

As in the paper, the root stays where it is as long as the agent follows the path: after a repair,
too, if the path still leads through the agent, the rest of it is a shortest path from there. That
holds for weight 1 only, so with a larger one the root always moves along.
"""

from noctule.algorithms.best_first import FOUND, STAMP, STOPPED
from noctule.algorithms.d_star_lite import follow
from noctule.algorithms.incremental import Changes, Kept, Remembering
from noctule.algorithms.incremental_core import update_state, update_vertex
from noctule.algorithms.remembered import NO_NODE, Aim
from noctule.core.jit import INF, kernel


@kernel
def basic_deletion(graph, search, aim, old_start):
    """Let the tree begin at a new start, and the old one look for a parent."""
    make_root(graph, search, aim)
    update_vertex(graph, search, aim, old_start)


@kernel
def make_root(graph, search, aim):
    """Let the tree begin at a node whose distance may be any: best the one that it told others."""
    s = aim.root
    search.parent[s] = NO_NODE
    search.rhs[s] = min(search.g[s], search.rhs[s])
    update_state(graph, search, aim, s)


class BasicMTDStarLite(Remembering):
    """Basic Moving Target D* Lite."""

    def can_repair(self, kept: Kept, root: int, target: int, changes: Changes) -> bool:
        """Whether the start is a node that the search knows the way to."""
        return self.is_known(kept, root)

    def is_known(self, kept: Kept, s: int) -> bool:
        """Whether the search knows a way to `s`."""
        search = kept.search
        known = search.mark[s] == kept.counts[STAMP]
        return bool(known and min(search.g[s], search.rhs[s]) < INF)

    def repair(self, kept: Kept, aim: Aim, changes: Changes) -> None:
        """Take in what changed and how the goal moved; the root stays for now."""
        behind = self.aim(kept, kept.root, aim.target)
        self.call(follow, self._graph, kept.search, behind, kept.target, changes)

    def warm_up(self, kept: Kept) -> None:
        """Compile, or load, what repairs need, and a start that moves away from the path."""
        super().warm_up(kept)
        self.move_root(kept, self.aim(kept, kept.root, kept.target), kept.root, 0)

    def begin(self, kept: Kept, start: int, goal: int) -> None:
        """Prepare a search from the last root, unless there is none."""
        root = kept.root
        super().begin(kept, start, goal)
        kept.start = start
        if not kept.restarted:
            kept.root = root

    def search(self, kept: Kept, limit: int) -> int:
        """Compute the shortest path; if it misses the start, or none is known, move the root."""
        if self._weight == 1.0 or kept.start == kept.root:
            status = super().search(kept, limit)
            if status == STOPPED or kept.start == kept.root:
                return status
            if status == FOUND and self.trace(kept):
                return status
        old_root, kept.root = kept.root, kept.start
        aim = self.aim(kept, kept.root, kept.target)
        if not self.is_known(kept, kept.root) or not self.move_root(kept, aim, old_root, limit):
            kept.restarted = True
            self.restart(kept, aim)
        return super().search(kept, limit)

    def move_root(self, kept: Kept, aim: Aim, old_root: int, limit: int) -> bool:
        """Let the search grow from the new start; False if that is not worth it."""
        self.call(basic_deletion, self._graph, kept.search, aim, old_root)
        return True

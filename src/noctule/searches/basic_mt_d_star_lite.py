"""Basic Moving Target D* Lite (Sun, Yeoh, Koenig, AAMAS 2010, figures 2 and 3).

The search grows from the start. When that moves, the new start keeps its distance, for the
distance of the root may be any number, and the old one has to find a parent as every other node.
What hangs on the old start is under-consistent then, and is raised as far as it matters.
"""

from noctule.kernels import INF, kernel
from noctule.searches.best_first import STAMP
from noctule.searches.d_star_lite import move_target
from noctule.searches.incremental import NO_NODE, Aim, update_edges, update_state, update_vertex
from noctule.searches.remembering import Changes, Kept, Remembering


@kernel
def follow(graph, search, aim, old_start, old_goal, changes):
    """Start and goal have moved, edges have changed."""
    move_target(graph, search, aim, old_goal)
    update_edges(graph, search, aim, changes)
    if old_start != aim.root:
        make_root(graph, search, aim, aim.root)
        update_vertex(graph, search, aim, old_start)


@kernel
def make_root(graph, search, aim, s):
    """Let the tree begin at `s`, whose distance may be any number: best the one it told others."""
    search.parent[s] = NO_NODE
    search.rhs[s] = min(search.g[s], search.rhs[s])
    update_state(graph, search, aim, s)


class BasicMTDStarLite(Remembering):
    """Basic Moving Target D* Lite."""

    def can_repair(self, kept: Kept, root: int, target: int, changes: Changes) -> bool:
        """Whether the start is a node that the search knows the way to."""
        search = kept.search
        known = search.mark[root] == kept.counts[STAMP]
        return bool(known and min(search.g[root], search.rhs[root]) < INF)

    def repair(self, kept: Kept, aim: Aim, changes: Changes) -> None:
        follow(self._graph, kept.search, aim, kept.root, kept.target, changes)

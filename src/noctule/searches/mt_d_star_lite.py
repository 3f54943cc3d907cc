"""Moving Target D* Lite (Sun, Yeoh, Koenig, AAMAS 2010, figures 2 and 4).

Like Basic MT-D* Lite, but when the start moves, the part of the tree that does not hang on the new
start is deleted at once, where the basic version raises its nodes one by one, each by an expansion.
"""

import numpy as np

from noctule.graphs.protocol import neighbours
from noctule.kernels import INF, kernel
from noctule.searches.basic_mt_d_star_lite import BasicMTDStarLite, make_root
from noctule.searches.best_first import STAMP
from noctule.searches.d_star_lite import move_target
from noctule.searches.incremental import NO_NODE, Aim, update_edges, update_vertex
from noctule.searches.open_list import remove
from noctule.searches.remembering import Changes, Kept


@kernel
def follow(graph, search, aim, old_start, old_goal, changes):
    """Start and goal have moved, edges have changed."""
    move_target(graph, search, aim, old_goal)
    update_edges(graph, search, aim, changes)
    if old_start != aim.root:
        make_root(graph, search, aim, aim.root)
        optimized_deletion(graph, search, aim, old_start)


@kernel
def optimized_deletion(graph, search, aim, old_start):
    """Delete the tree below the old start; then let the deleted nodes look for new parents.

    The new start is cut off already. After edges have changed, a parent may for a while be a
    descendant: such a ring of nodes hangs on no start, and is raised like any other.
    """
    deleted = search.list
    deleted[0] = old_start
    search.parent[old_start] = NO_NODE
    count, i = 1, 0
    while i < count:
        s = np.int64(deleted[i])
        i += 1
        for t, _ in neighbours(graph, s):
            if search.parent[t] == s and search.mark[t] == search.counts[STAMP]:
                deleted[count] = t
                count += 1
    for i in range(count):
        s = np.int64(deleted[i])
        search.g[s] = search.rhs[s] = INF
        search.parent[s] = NO_NODE
        remove(search.open, s)
    for i in range(count):
        update_vertex(graph, search, aim, np.int64(deleted[i]))


class MTDStarLite(BasicMTDStarLite):
    """Moving Target D* Lite."""

    def repair(self, kept: Kept, aim: Aim, changes: Changes) -> None:
        follow(self._graph, kept.search, aim, kept.root, kept.target, changes)

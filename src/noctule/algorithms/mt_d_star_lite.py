"""Moving Target D* Lite (Sun, Yeoh, Koenig, AAMAS 2010, figures 2 and 3).

Like Basic MT-D* Lite, but when the start moves, the part of the tree that does not hang on the new
start is deleted at once, where the basic version raises its nodes one by one, each by an expansion.
"""

import numpy as np

from noctule.algorithms.basic_mt_d_star_lite import BasicMTDStarLite, make_root
from noctule.algorithms.best_first import STAMP
from noctule.algorithms.incremental import Kept
from noctule.algorithms.incremental_core import make_room, update_vertex
from noctule.algorithms.remembered import NO_NODE, NOWHERE, Aim
from noctule.core.jit import INF, kernel
from noctule.graphs.protocol import edges, next_edge


@kernel
def optimized_deletion(graph, search, aim, old_start, limit):
    """Delete the tree below the old start; then let the deleted nodes look for new parents.

    The new start is cut off before. After edges have changed, a parent may for a while be a
    descendant: such a ring of nodes hangs on no start, and is raised like any other. If more than
    `limit` nodes were to be deleted, False: little would be left.
    """
    make_root(graph, search, aim)
    make_room(graph, search, aim, 2 * len(search.g))
    deleted = search.list
    deleted[0] = old_start
    search.parent[old_start] = NO_NODE
    count, i = 1, 0
    while i < count:
        s = np.int64(deleted[i])
        i += 1
        left = edges(graph, s)
        while left != 0:
            t, _, left = next_edge(graph, s, left)
            if search.parent[t] == s and search.mark[t] == search.counts[STAMP]:
                deleted[count] = t
                count += 1
        if count > limit:
            return False
    for i in range(count):
        s = np.int64(deleted[i])
        search.g[s] = search.rhs[s] = INF
        search.parent[s] = NO_NODE
        search.stack[s] = NOWHERE
    for i in range(count):
        update_vertex(graph, search, aim, np.int64(deleted[i]))
    return True


class MTDStarLite(BasicMTDStarLite):
    """Moving Target D* Lite."""

    def move_root(self, kept: Kept, aim: Aim, old_root: int, limit: int) -> bool:
        """Let the search grow from the new start; False if hardly anything would be left of it."""
        what = self._graph, kept.search, aim, old_root, limit
        return bool(self.call(optimized_deletion, *what))

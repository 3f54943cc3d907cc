"""Moving Target D* Lite (Sun, Yeoh, Koenig, AAMAS 2010, figures 2 and 3).

Like Basic MT-D* Lite, but when the start moves, the part of the tree that does not hang on the new
start is deleted at once. The basic version raises these nodes one by one, each with an expansion.
"""

import numpy as np

from noctule.algorithms.basic_mt_d_star_lite import make_root
from noctule.algorithms.d_star_lite import DStarLiteQuery, update_rhs
from noctule.algorithms.incremental.memory import reset
from noctule.algorithms.incremental.state import IncrementalAlgorithm
from noctule.core.jit import kernel, per_type
from noctule.graphs.protocol import edges, next_edge
from noctule.queues.protocol import NO_NODE, remove


@kernel
def optimized_deletion(query, graph, search, root, old_roots, limit):
    """Delete the tree below the old roots, but for the new root; then find parents in what is left.

    Returns False if more than `limit` nodes would be deleted: little would be left of the tree.
    After edges have changed, a parent may for a while be a descendant. Such a ring of nodes hangs
    on no root, and its nodes are raised like any other.
    """
    make_root(query, graph, search, root)
    deleted, count, i = search.deleted, 0, 0
    for k in range(len(old_roots)):
        if old_roots[k] != root:
            search.parent[old_roots[k]] = NO_NODE
            deleted[count] = old_roots[k]
            count += 1
    while i < count:
        count = add_children(query, graph, search, np.int64(deleted[i]), count)
        i += 1
        if count > limit:
            return False
    for i in range(count):
        s = np.int64(deleted[i])
        reset(search, s)
        search.parent[s] = NO_NODE
        remove(search.open, s)
    for i in range(count):
        update_rhs(query, graph, search, np.int64(deleted[i]))
    return True


@per_type
def add_children(query, graph, search, s, count):
    """Append the children of `s` to the `count` deleted nodes; return how many there are then."""


@add_children.register
def _(query: DStarLiteQuery, graph, search, s, count):
    left = edges(graph, s)
    while left != 0:
        t, _, left = next_edge(graph, s, left)
        if search.parent[t] == s and search.generation[t] == search.stats[0].generation:
            search.deleted[count] = t
            count += 1
    return count


MT_D_STAR_LITE = IncrementalAlgorithm(DStarLiteQuery, root="start", move_root=optimized_deletion)

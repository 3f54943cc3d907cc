"""Basic Moving Target D* Lite (Sun, Yeoh, Koenig, "Moving Target D* Lite", AAMAS 2010, figure 2).

D* Lite whose search grows from the start. When the start moves, the new start becomes the root and
keeps its distance, for the distance of the root may be any number; the old root has to find a
parent like every other node. Nodes below it are under-consistent then, and raised where it matters.

As in the paper, the root stays where it is while the agent follows the path: as long as the path,
repaired or not, leads through the agent, the rest of it is a shortest path from there. That holds
for weight 1 only, so with a larger weight the root always moves along.
"""

from noctule.algorithms.d_star_lite import (
    DStarLiteQuery,
    update_rhs,
    update_vertex,
)
from noctule.algorithms.incremental.memory import ROOT, set_parent
from noctule.algorithms.incremental.state import IncrementalAlgorithm
from noctule.core.jit import kernel
from noctule.queues.protocol import NO_NODE


@kernel
def basic_deletion(query, graph, search, root, old_roots, limit):
    """Root the tree at a new start; the old roots find parents."""
    make_root(query, graph, search, root)
    for i in range(len(old_roots)):
        s = old_roots[i]
        if s != root:
            search.parent[s] = NO_NODE
            update_rhs(query, graph, search, s)
    return True


@kernel
def make_root(query, graph, search, s):
    """Make `s` a root that keeps its distance."""
    search.stats[0].root = s
    if len(search.child) > 0:
        set_parent(search, s, ROOT)
    search.parent[s] = ROOT
    search.rhs[s] = min(search.g[s], search.rhs[s])
    update_vertex(query, graph, search, s)


BASIC_MT_D_STAR_LITE = IncrementalAlgorithm(DStarLiteQuery, root="start", move_root=basic_deletion)

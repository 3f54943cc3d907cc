"""The procedures of an incremental search, and the kernel that Python calls for a plan.

An algorithm registers its procedures for the class of its query. Those of D* Lite are in
`d_star_lite`; other algorithms register some of them again for queries of their own. Queries need
different names: Numba takes named tuples with the same name and types for the same class.
"""

from noctule.algorithms.incremental.memory import Search, best_target
from noctule.core.jit import kernel, per_type
from noctule.core.status import FOUND, STOPPED


@per_type
def initialize(query, graph, search, roots, costs):
    """Forget the last search and start from the roots, each with a cost."""


@per_type
def update(query, graph, search, s_last, changes):
    """Account for a target that has moved from `s_last`, and for changed edges.

    Of an algorithm with a schedule of weights: go on with another weight.
    """


@per_type
def compute_shortest_path(query, graph, search, limit):
    """Expand nodes until the path is proven, or the work exceeds `limit`; return the status."""


@per_type
def trace_path(search, query, last, nodes):
    """Write the path from the best target as far as `last`, or to its root if `last` < 0.

    Return how many nodes it has; 0 if it does not lead over `last`.
    """


@trace_path.register
def _(search: Search, query, last, nodes):
    s, n = best_target(query, search)[0], 0
    while s >= 0 and n < len(nodes):
        nodes[n] = s
        n += 1
        if s == last:
            return n
        s = search.parent[s]
    return n if last < 0 else 0


@kernel
def replan(query, graph, search, roots, costs, s_last, changes, limit, last, nodes, has_path):
    """Initialize or update a search, run it and trace its path; return the status and its size.

    With roots, start from scratch; else, with a node `s_last`, update what there is. The path is
    traced if it is proven or, with `has_path`, an earlier run has found one.
    """
    if len(roots) > 0:
        initialize(query, graph, search, roots, costs)
    elif s_last >= 0:
        update(query, graph, search, s_last, changes)
    status = STOPPED
    if search.stats[0].broken_off == 0:
        status = compute_shortest_path(query, graph, search, limit)
    if status == FOUND or has_path:
        return status, trace_path(search, query, last, nodes)
    return status, 0

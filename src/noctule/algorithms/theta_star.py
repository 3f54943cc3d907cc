"""Theta* (Nash, Daniel, Koenig, Felner, AAAI 2007, figure 3): the parent may be any node seen."""

from typing import NamedTuple

from noctule.algorithms.best_first import (
    SIGHT_CHECKS,
    compute_cost,
    improve,
    sees,
    set_vertex,
)
from noctule.core.jit import kernel
from noctule.graphs.protocol import distance, is_turning_node


class ThetaStar(NamedTuple):
    """Options of Theta*: as for A*, and whether every segment costs the same.

    The fast variant (Krafft 2021, 5.2.3.2) looks around only at nodes where a path that keeps short
    may turn, and goes on like A* from the others.
    """

    weight: float
    heuristic: int
    equal: bool
    fast: bool = False


def theta_star_fast(weight: float, heuristic: int, equal: bool) -> ThetaStar:
    """Theta* that looks around only where a path may turn."""
    return ThetaStar(weight, heuristic, equal, fast=True)


@kernel
def segment_cost(algorithm, graph, s, t):
    """What a straight segment costs: its length, or one cell where all steps are equal."""
    return 1.0 if algorithm.equal else distance(graph, s, t)


@set_vertex.register
def _(algorithm: ThetaStar, graph, tree, s):
    pass


@compute_cost.register
def _(algorithm: ThetaStar, graph, tree, s, t, c):
    if algorithm.fast and not is_turning_node(graph, s):
        improve(tree, s, t, c)
        return
    p = tree.parent[s]
    c2 = segment_cost(algorithm, graph, p, t)
    tree.counts[SIGHT_CHECKS] += 1
    # Path 1 is never shorter than path 2: where path 2 is no gain, sight makes no difference.
    if tree.g[p] + c2 < tree.g[t]:
        if sees(graph, tree, p, t):
            improve(tree, p, t, c2)  # path 2
        else:
            improve(tree, s, t, c)  # path 1

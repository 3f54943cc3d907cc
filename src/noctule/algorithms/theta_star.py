"""Theta* (Nash, Daniel, Koenig, Felner, AAAI 2007, figure 3): a parent is any visible node."""

from typing import NamedTuple

from noctule.algorithms.best_first import compute_cost, improve, sees, set_vertex
from noctule.core.jit import INF, kernel
from noctule.graphs.protocol import distance, has_costs, is_turning_node, segment_cost


class ThetaStar(NamedTuple):
    """Options of Theta*: those of A*, and whether every segment costs the same (`equal`).

    The fast variant (Krafft 2021, 5.2.3.2) tests sight only from nodes where a taut path may turn
    and expands the others like A*.
    """

    weight: float
    heuristic: int
    equal: bool
    fast: bool = False


def theta_star_fast(weight: float, heuristic: int, equal: bool) -> ThetaStar:
    """Return the options of the fast variant of Theta*."""
    return ThetaStar(weight, heuristic, equal, fast=True)


@kernel
def shortcut_cost(algorithm, graph, tree, s, t, c):
    """Return the cost of the segment from the parent of `s` to `t`: the second part of path 2.

    It is infinite where that path, though never longer than path 1, costs more or is no gain.
    """
    p = tree.parent[s]
    if algorithm.equal:
        return 1.0
    if not has_costs(graph):
        return distance(graph, p, t)
    path_1, least = tree.g[s] + c, tree.g[p] + distance(graph, p, t)
    if least > path_1 or least >= tree.g[t]:
        return INF
    c2 = segment_cost(graph, p, t)
    return INF if tree.g[p] + c2 > path_1 else c2


@set_vertex.register
def _(algorithm: ThetaStar, graph, tree, s):
    pass


@compute_cost.register
def _(algorithm: ThetaStar, graph, tree, s, t, c):
    if algorithm.fast and not is_turning_node(graph, s):
        improve(tree, s, t, c)
        return
    p = tree.parent[s]
    c2 = shortcut_cost(algorithm, graph, tree, s, t, c)
    tree.stats[0].sight_checks += 1
    if c2 == INF:
        improve(tree, s, t, c)  # path 1
    elif tree.g[p] + c2 < tree.g[t]:  # else sight need not be tested
        if sees(graph, tree, p, t):
            improve(tree, p, t, c2)  # path 2
        else:
            improve(tree, s, t, c)  # path 1

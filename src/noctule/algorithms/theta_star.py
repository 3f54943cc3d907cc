"""Theta* (Nash, Daniel, Koenig, Felner, AAAI 2007, figure 3): a parent is any visible node."""

from typing import NamedTuple

from noctule.algorithms.best_first import compute_cost, improve, sees, set_vertex
from noctule.core.jit import kernel
from noctule.graphs.protocol import has_costs, is_turning_node, segment_cost


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
def straight_cost(algorithm, graph, s, t):
    """Return the cost of a straight segment; it is 1 where all segments cost the same."""
    return 1.0 if algorithm.equal else segment_cost(graph, s, t)


@set_vertex.register
def _(algorithm: ThetaStar, graph, tree, s):
    pass


@compute_cost.register
def _(algorithm: ThetaStar, graph, tree, s, t, c):
    if algorithm.fast and not is_turning_node(graph, s):
        improve(tree, s, t, c)
        return
    p = tree.parent[s]
    c2 = straight_cost(algorithm, graph, p, t)
    tree.stats[0].sight_checks += 1
    # Path 1 is never shorter than path 2, but it may cost less where cells have costs.
    if has_costs(graph) and tree.g[p] + c2 > tree.g[s] + c:
        improve(tree, s, t, c)
    elif tree.g[p] + c2 < tree.g[t]:  # else sight need not be tested
        if sees(graph, tree, p, t):
            improve(tree, p, t, c2)  # path 2
        else:
            improve(tree, s, t, c)  # path 1

"""Theta* (Nash, Daniel, Koenig, Felner, AAAI 2007, figure 3): the parent may be any node seen."""

from typing import NamedTuple

from noctule.graphs.protocol import distance
from noctule.kernels import kernel
from noctule.searches.best_first import compute_cost, improve, sees, set_vertex


class ThetaStar(NamedTuple):
    """Options of Theta*: as for A*, and whether every segment costs the same."""

    weight: float
    heuristic: int
    equal: bool


@kernel
def segment_cost(algorithm, graph, s, t):
    """What a straight segment costs: its length, or one cell where all steps are equal."""
    return 1.0 if algorithm.equal else distance(graph, s, t)


@set_vertex.register
def _(algorithm: ThetaStar, graph, tree, s):
    pass


@compute_cost.register
def _(algorithm: ThetaStar, graph, tree, s, t, c):
    p = tree.parent[s]
    if sees(graph, tree, p, t):
        improve(tree, p, t, segment_cost(algorithm, graph, p, t))  # path 2
    else:
        improve(tree, s, t, c)  # path 1

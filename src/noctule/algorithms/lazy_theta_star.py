"""Lazy Theta* (Nash, Koenig, Tovey, AAAI 2010, figure 5): test sight when a node is expanded.

A node enters the open list through a neighbour that has just been expanded. So if its parent turns
out to be invisible, there is an expanded visible neighbour to take instead.
"""

from typing import NamedTuple

from noctule.algorithms.best_first import compute_cost, improve, sees, set_vertex
from noctule.algorithms.theta_star import shortcut_cost
from noctule.core.jit import INF
from noctule.graphs.protocol import neighbours


class LazyThetaStar(NamedTuple):
    """Options of Lazy Theta*, as for Theta*."""

    weight: float
    heuristic: int
    equal: bool


@set_vertex.register
def _(algorithm: LazyThetaStar, graph, tree, s):
    if tree.parent[s] == s:
        return
    tree.stats[0].sight_checks += 1
    if not sees(graph, tree, tree.parent[s], s):
        closed = tree.stats[0].generation + 1
        tree.g[s] = INF
        for t, c in neighbours(graph, s):
            if tree.generation[t] == closed:
                improve(tree, t, s, c)  # path 1


@compute_cost.register
def _(algorithm: LazyThetaStar, graph, tree, s, t, c):
    c2 = shortcut_cost(algorithm, graph, tree, s, t, c)
    if c2 == INF:
        improve(tree, s, t, c)  # path 1 costs less
    else:
        improve(tree, tree.parent[s], t, c2)  # path 2, sight is tested later

"""A* (Hart, Nilsson, Raphael 1968). With the zero heuristic it is Dijkstra's algorithm."""

from typing import NamedTuple

from noctule.algorithms.best_first import compute_cost, improve, set_vertex


class AStar(NamedTuple):
    """Options of A*: weight and code of the heuristic."""

    weight: float
    heuristic: int


@set_vertex.register
def _(algorithm: AStar, graph, tree, s):
    pass


@compute_cost.register
def _(algorithm: AStar, graph, tree, s, t, c):
    improve(tree, s, t, c)

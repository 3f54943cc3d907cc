"""What a search asks of a graph. A new kind of graph registers these, and nothing else.

A graph is a NamedTuple of arrays; its nodes are whole numbers. Lengths are in the graph's own
unit (cells, for a grid).
"""

from noctule.kernels import per_type


@per_type
def neighbours(graph, s):
    """Yield every node that one free step joins to `s`, and the length of the step."""


@per_type
def distance(graph, s, t):
    """Straight-line distance between two nodes."""


@per_type
def estimate(graph, heuristic, s, t):
    """How far `t` is from `s` by `heuristic`, one of the codes in `heuristics`."""


@per_type
def line_of_sight(graph, s, t):
    """Whether the straight segment between two nodes is free, by the same rule as a step."""


@per_type
def segment_is_free(graph, x0, y0, z0, x1, y1, z1):
    """Whether the straight segment between any two points is free, in the graph's own units."""


@per_type
def affected(graph, change):
    """Yield every node that may win or lose a step by a change, such as that of a cell."""

"""What a search asks of a graph. A new kind of graph registers these, and nothing else.

A graph is a NamedTuple of arrays; its nodes are whole numbers. Lengths are in the graph's own
unit (cells, for a grid).
"""

from noctule.core.jit import per_type


@per_type
def neighbours(graph, s):
    """Yield every node that one free step joins to `s`, and the length of the step."""


@per_type
def edges(graph, s):
    """The neighbours of `s` as one number to be handed to `next_edge`; 0 if there are none.

    A generator keeps its state in memory: where a neighbour costs no more than a few nanoseconds,
    this is twice as fast as `neighbours`.
    """


@per_type
def edges_pruned(graph, p, s):
    """Like `edges`, but what one step from `p`, a neighbour, leads to may be left out."""


@per_type
def next_edge(graph, s, edges):
    """A neighbour of `s`, the length of the step to it, and the rest of the ways."""


@per_type
def max_degree(graph):
    """No node has more neighbours than this."""


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
def changed_nodes(graph, change):
    """Yield every node that a change may have given or taken a step, and whether given."""


@per_type
def may_block(graph, change, s, t):
    """Whether a change may concern the straight segment between two nodes; quickly, not exactly."""


@per_type
def is_turning_node(graph, s):
    """Whether a fast any-angle search looks from `s`: a path that keeps short may turn there."""

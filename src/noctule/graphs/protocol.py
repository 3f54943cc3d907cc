"""The questions that a search asks of a graph, for kernels.

A graph is a NamedTuple of arrays; its nodes are whole numbers. Lengths are in the graph's own unit
(cells, for a grid). A new kind of graph registers `edges`, `next_edge`, `max_degree`, `distance`
and `estimate`; for any-angle search `line_of_sight` and `segment_is_free`, and `too_far_to_see` if
lines cost their length; for incremental search `edges_pruned`, `changed_nodes`, `may_block` and
`is_turning_node`; where cells have costs, `has_costs` and `segment_cost`. `neighbours` is derived.
"""

from noctule.core.jit import kernel, per_type


@per_type
def edges(graph, s):
    """Return the edges of `s` as one number to be handed to `next_edge`; 0 if there are none."""


@per_type
def next_edge(graph, s, edges):
    """Return a neighbour of `s`, the length of the edge to it, and the remaining edges."""


@kernel
def neighbours(graph, s):
    """Yield each neighbour of `s` with the length of the edge to it."""
    left = edges(graph, s)
    while left != 0:
        t, c, left = next_edge(graph, s, left)
        yield t, c


@per_type
def edges_pruned(graph, p, s):
    """Return the edges of `s`, perhaps without those to neighbours of `p`, a neighbour of `s`."""


@per_type
def max_degree(graph):
    """Return an upper bound of the number of neighbours of a node."""


@per_type
def distance(graph, s, t):
    """Return the straight-line distance between two nodes."""


@per_type
def estimate(graph, heuristic, s, t):
    """Estimate the cost from `s` to `t` by `heuristic`, one of the codes in `heuristics`."""


@per_type
def line_of_sight(graph, s, t):
    """Whether the straight segment between two nodes is free, by the same rule as an edge."""


@per_type
def too_far_to_see(graph, s, t):
    """Whether a search does not test the line between two nodes because it is so long.

    For each node that it reaches along a straight corridor, a search tests the line back to the
    parent: the work would grow with the square of the length.
    """


@too_far_to_see.register(tuple)
def _(graph, s, t):
    return False


@per_type
def has_costs(graph):
    """Whether cells have costs, so that a straight line may cost more than a detour."""


@has_costs.register(tuple)
def _(graph):
    return False


@per_type
def segment_cost(graph, s, t):
    """Return the cost of the straight segment between two nodes: its length, unless cells cost."""


@segment_cost.register(tuple)
def _(graph, s, t):
    return distance(graph, s, t)


@per_type
def segment_is_free(graph, x0, y0, z0, x1, y1, z1):
    """Whether the straight segment between any two points is free, in the graph's own unit."""


@per_type
def changed_nodes(graph, change):
    """Yield (node, gained) for each node whose edges a change may alter."""


@per_type
def may_block(graph, change, s, t):
    """Whether a change may concern the segment between two nodes: a fast test, not exact."""


@per_type
def is_turning_node(graph, s):
    """Whether a taut path may turn at `s`. The -fast variants test sight only there."""

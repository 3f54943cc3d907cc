"""The kernel protocol: what a compiled search asks of a graph.

A kernel graph is a NamedTuple of arrays; its nodes are whole numbers. Lengths are in the graph's
own unit (cells, for a grid). A new kind of graph registers, for its class,

* `edges(graph, s)` and `next_edge(graph, s, left)`: required. Each edge is there in both
  directions with the same length, at least the distance of its ends. `neighbours` is derived;
* `distance(graph, s, t)`: required. `estimate`, the heuristic, is derived unless registered;
* `line_of_sight(graph, s, t)`: for any-angle searches; else they are refused;
* `changed_nodes(graph, change)`: for incremental searches; else they restart after every change.

```python
class Ring(NamedTuple):
    at: np.ndarray  # positions of the nodes

@edges.register
def _(graph: Ring, s):
    return 2  # how many edges are left: `next_edge` counts down

@next_edge.register
def _(graph: Ring, s, left):
    n = len(graph.at)
    t = (s + 1) % n if left == 2 else (s + n - 1) % n
    return t, distance(graph, s, t), left - 1

@distance.register
def _(graph: Ring, s, t):
    return math.hypot(graph.at[t, 0] - graph.at[s, 0], graph.at[t, 1] - graph.at[s, 1])
```

Registered functions are compiled like kernels: they allocate nothing and raise nothing. The rest is
for the graphs of this package, or makes searches faster: `edges_pruned`, `max_degree`,
`too_far_to_see`, `segment_is_free`, `may_block` and `is_turning_node`. Where
cells have costs, a graph registers `has_costs`, `segment_cost` and `cost_between`.
"""

import math
from typing import Any

from noctule.core.jit import kernel, per_type
from noctule.graphs.heuristics import lattice_estimate


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


@edges_pruned.register(tuple)
def _(graph, p, s):
    return edges(graph, s)


@per_type
def max_degree(graph):
    """Return an upper bound of the number of neighbours of a node."""


@per_type
def distance(graph, s, t):
    """Return the straight-line distance between two nodes."""


@per_type
def estimate(graph, heuristic, s, t):
    """Estimate the cost from `s` to `t` by `heuristic`, one of the codes in `heuristics`."""


@estimate.register(tuple)
def _(graph, heuristic, s, t):
    return lattice_estimate(heuristic, distance(graph, s, t), 0.0, 0.0)


@per_type
def line_of_sight(graph, s, t):
    """Whether the straight segment between two nodes is free, by the same rule as an edge."""


@line_of_sight.register(tuple)
def sees_nothing(graph, s, t):
    """Whether two nodes see each other in a graph without lines of sight: never."""
    return False


def has_line_of_sight(graph: Any) -> bool:
    """Whether a kernel graph answers `line_of_sight`."""
    return line_of_sight.dispatch(type(graph)) is not sees_nothing


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
def cost_between(graph, x0, y0, z0, x1, y1, z1):
    """Return the cost of the straight segment between any two points, in the graph's own unit."""


@cost_between.register(tuple)
def _(graph, x0, y0, z0, x1, y1, z1):
    return math.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2 + (z1 - z0) ** 2)


@per_type
def segment_is_free(graph, x0, y0, z0, x1, y1, z1):
    """Whether the straight segment between any two points is free, in the graph's own unit."""


@per_type
def changed_nodes(graph, change):
    """Yield (node, gained) for each node whose edges a change may alter."""


@changed_nodes.register(tuple)
def names_nothing(graph, change):
    """Yield the nodes of a change in a graph that cannot name them: none."""
    if change != change:  # never; it gives the type of what is yielded
        yield change, False


def has_changed_nodes(graph: Any) -> bool:
    """Whether a kernel graph answers `changed_nodes`, so that searches on it can be repaired."""
    return changed_nodes.dispatch(type(graph)) is not names_nothing


@per_type
def may_block(graph, change, s, t):
    """Whether a change may concern the segment between two nodes: a fast test, not exact."""


@may_block.register(tuple)
def _(graph, change, s, t):
    return True


@per_type
def is_turning_node(graph, s):
    """Whether a taut path may turn at `s`. The -fast variants test sight only there."""


@is_turning_node.register(tuple)
def _(graph, s):
    return True

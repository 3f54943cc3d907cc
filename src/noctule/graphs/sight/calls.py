"""Lines of sight in a graph, compiled for calls from Python."""

from noctule.core.jit import kernel_short
from noctule.graphs.protocol import distance, line_of_sight, segment_is_free


@kernel_short
def sight_between_nodes(graph, s, t):
    """`line_of_sight` between two nodes."""
    return line_of_sight(graph, s, t)


@kernel_short
def distance_between_nodes(graph, s, t):
    """`distance` between two nodes."""
    return distance(graph, s, t)


@kernel_short
def sight_between_points(graph, x0, y0, z0, x1, y1, z1):
    """`segment_is_free` between two points."""
    return segment_is_free(graph, x0, y0, z0, x1, y1, z1)


@kernel_short
def find_blocked_legs(graph, nodes, places, blocked):
    """Write the numbers of the legs of a polyline that are not free; return how many.

    Its corners are nodes, or places where `nodes` is below zero.
    """
    n = 0
    for i in range(len(nodes) - 1):
        if nodes[i] >= 0 and nodes[i + 1] >= 0:
            free = line_of_sight(graph, nodes[i], nodes[i + 1])
        else:
            p, q = places[i], places[i + 1]
            free = segment_is_free(graph, p[0], p[1], p[2], q[0], q[1], q[2])
        if not free:
            blocked[n] = i
            n += 1
    return n

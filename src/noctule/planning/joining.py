"""How a path at any angle is joined to ends that are no nodes, once it has been found.

A search that remembers grows from one node near the start to one near the goal: the nearest ones.
Another that the end sees may see on to the second or third node of the path, and save a detour.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.best_first import SIGHT_CHECKS, SIGHT_WALKS
from noctule.core.jit import kernel
from noctule.graphs.protocol import distance, line_of_sight

FARTHEST = 3  # the last node of a path that is looked at from the nodes around its end
GAIN = 1e-9  # cells; less is none


@kernel
def best_entry(graph, nodes, costs, trail, counts):
    """Of the nodes that an end sees: with which to begin, and with which of the trail to go on."""
    entry, onward, gain, along = 0, 1, GAIN, 0.0
    for j in range(1, min(len(trail), FARTHEST + 1)):
        along += distance(graph, trail[j - 1], trail[j])
        for i in range(len(nodes)):
            saved = costs[0] + along - costs[i] - distance(graph, nodes[i], trail[j])
            if saved > gain:
                counts[SIGHT_CHECKS] += 1
                counts[SIGHT_WALKS] += 1
                if line_of_sight(graph, nodes[i], trail[j]):
                    entry, onward, gain = i, j, saved
    return entry, onward


def join_better(
    graph: Any,
    nodes: NDArray[np.int64],
    costs: NDArray[np.float64],
    trail: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The same trail, but begun with the best of the nodes that its end sees, nearest first."""
    if trail[0] != nodes[0]:
        return trail
    trail = np.ascontiguousarray(trail)  # one kind of array, so that nothing is compiled in flight
    entry, onward = best_entry(graph, nodes, costs, trail, counts)
    first = nodes[entry : entry + 1]
    rest = trail[onward:]
    return rest if len(rest) and rest[0] == first[0] else np.concatenate([first, rest])

"""`Endpoint`: how an end of a path, which need not be a node, joins the graph."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Endpoint(NamedTuple):
    """An end of a path: the nodes that it sees, nearest first, and the costs of getting there."""

    nodes: NDArray[np.int64]
    costs: NDArray[np.float64]  # in cells
    place: tuple[float, ...] | None = None  # where it is, in cells; None for a node itself
    blocked: bool = False  # whether it lies in blocked cells; its segment is free of bodies only

    def equals(self, other: "Endpoint") -> bool:
        """Return whether both have the same nodes and costs; a single node may have any cost."""
        if len(self.nodes) != len(other.nodes) or self.nodes[0] != other.nodes[0]:
            return False
        return len(self.nodes) == 1 or (
            np.array_equal(self.nodes, other.nodes) and np.array_equal(self.costs, other.costs)
        )


def at_node(s: int) -> Endpoint:
    """Return the endpoint at a node."""
    return Endpoint(np.array([s]), np.zeros(1))


NOWHERE = Endpoint(np.empty(0, np.int64), np.empty(0))

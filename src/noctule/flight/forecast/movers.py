"""`Movers`: which bodies with a motion may come near a point soon."""

import numpy as np
from numpy.typing import NDArray

from noctule.flight.corridor import Point
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.worlds.bodies import Body
from noctule.worlds.motions import Motion, top_speed


class Movers:
    """The bodies of a graph that have a motion.

    Attributes
    ----------
    numbers : int array
        Their numbers in the graph.
    speeds : float array
        How fast each may get anywhere; infinite if unknown.
    reach : float array
        Of all bodies of the graph: how far they reach from their origin.
    """

    def __init__(self, graph: CellGrid) -> None:
        self._graph = graph
        self._seen: tuple[list[Body], list[int]] = ([], [])
        self._motions: list[Motion] = []
        self.numbers: NDArray[np.int64] = np.empty(0, np.int64)
        self.speeds, self.reach = np.empty(0), np.empty(0)

    def update(self) -> bool:
        """Take in other bodies and motions; return whether there are any."""
        graph, (bodies, moving) = self._graph, self._seen
        if graph.bodies is bodies and graph.moving is moving:
            return False
        self._seen = graph.bodies, graph.moving
        motions = [graph.bodies[i].motion for i in graph.moving]
        if graph.bodies is bodies and graph.moving == moving and motions == self._motions:
            return False
        self._motions, self.numbers = motions, np.array(graph.moving, np.int64)
        self.speeds = np.array([top_speed(motion) for motion in motions])
        self.reach = np.array([body.reach for body in graph.bodies])
        return True

    def may_come(self, point: Point, near: float, seconds: float) -> NDArray[np.int64]:
        """Return those that may be as `near` to a point as that within so many seconds."""
        apart = self._graph.poses[self.numbers, :3] - point
        far = near + self.reach[self.numbers] + self.speeds * seconds
        numbers: NDArray[np.int64] = self.numbers[(apart * apart).sum(axis=1) <= far * far]
        return numbers

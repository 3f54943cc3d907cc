"""`EscapeCheck`: whether an agent can leave blocked cells before a body comes.

An agent in cells that a body touches, or will touch soon, leaves them along a segment that is
checked with the bodies themselves. It must be free for as long as the agent flies along it.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import bind, kernel
from noctule.flight.corridor import Point
from noctule.flight.forecast.movers import Movers
from noctule.flight.forecast.placed_bodies import PlacedBodies
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.worlds.bodies import Body
from noctule.worlds.geometry.contact import first_contact
from noctule.worlds.motions import Blink

PAUSE = 0.1  # seconds between two samples of the poses
SLACK = 1e-6  # world units or seconds, for rounding


@kernel
def stays_free(solids: Any, poses: Any, points: Any, radius: Any, stack: Any) -> Any:
    """Whether a ball touches no body; it is at `points[k]` when bodies are at `poses[k]`."""
    for k in range(len(points) - 1):
        p = (points[k, 0], points[k, 1], points[k, 2])
        q = (points[k + 1, 0], points[k + 1, 1], points[k + 1, 2])
        body, _ = first_contact(solids, poses[k], poses[k + 1], p, q, radius, stack)
        if body >= 0:
            return False
    return True


class EscapeCheck:
    """Checks short segments among moving bodies.

    Parameters
    ----------
    graph : CellGrid
        The graph of the scene.
    speed, radius : float
        Speed and radius of the agent.
    """

    def __init__(self, graph: CellGrid, speed: float, radius: float) -> None:
        self._graph, self._speed = graph, speed
        self._radius = graph.least_distance(radius)
        self._movers = Movers(graph)
        self._stack = np.empty((64, 2))
        self._stays_free = bind(stays_free)

    def is_free(self, p: Point, q: Point, since: float, placed: PlacedBodies | None = None) -> bool:
        """Whether an agent that leaves `p` at time `since` gets to `q` without touching a body.

        Bodies follow their motions; those that are placed keep their velocity.
        """
        lasts = math.dist(p, q) / self._speed
        parts = np.linspace(0.0, 1.0, max(math.ceil(lasts / PAUSE), 1) + 1)
        points = np.outer(1.0 - parts, p) + np.outer(parts, q)
        self._movers.update()
        far, ahead = math.dist(p, q) + self._radius, abs(since - self._graph.scene.time) + lasts
        movers = self._movers.may_come(p, far + SLACK, ahead + SLACK).tolist()
        times = [since + part * lasts for part in parts.tolist()]
        poses = np.stack([self._poses(t, p, movers, placed) for t in times])
        return bool(self._stays_free(self._graph.bare, poses, points, self._radius, self._stack))

    def _poses(
        self, t: float, agent: Point, movers: list[int], placed: PlacedBodies | None
    ) -> NDArray[np.float64]:
        """Return the expected poses of all bodies at a time; of others than the movers, as now."""
        graph = self._graph
        poses = graph.poses.copy()
        for i in movers:
            body = graph.bodies[i]
            position, rotation = body.pose(t)
            poses[i] = (*position, *rotation, _is_there(body, t, agent))
        if placed is not None:
            poses[placed.numbers] = placed.rows_at(t, placed.numbers)
        return poses


def _is_there(body: Body, t: float, agent: Point) -> bool:
    """Whether a body is there; a gate, if it is there now or appears by then and is not held."""
    if body.present or not isinstance(body.motion, Blink):
        return body.present
    return body.present_at(t) and not body.motion.holds(agent)

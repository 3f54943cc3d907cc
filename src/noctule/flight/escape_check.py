"""`Foresight`: whether a short way is free while the agent flies it, among bodies that move.

An agent in cells that a body touches, or is about to, leaves them by a way that is judged by the
bodies themselves. That the way is free now is not enough: a body that comes along may shut it, or
meet the agent on it.
"""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import bind, kernel
from noctule.flight.corridor import Point
from noctule.graphs.grid.scene_grid import TOUCH, CellGrid
from noctule.worlds.bodies import Body
from noctule.worlds.geometry.contact import first_contact
from noctule.worlds.motions import Blink
from noctule.worlds.occupancy.forecasts import Track

PAUSE = 0.1  # seconds between two looks at the bodies


@kernel
def stays_free(solids, poses, points, radius, stack):
    """Whether a ball touches no body; it is at `points[k]` when bodies are at `poses[k]`."""
    for k in range(len(points) - 1):
        p = (points[k, 0], points[k, 1], points[k, 2])
        q = (points[k + 1, 0], points[k + 1, 1], points[k + 1, 2])
        body, _ = first_contact(solids, poses[k], poses[k + 1], p, q, radius, stack)
        if body >= 0:
            return False
    return True


class Foresight:
    """Flies short ways in thought.

    Parameters
    ----------
    graph : CellGrid
        Of the scene that is flown through.
    speed, radius : float
        Of the agent.
    """

    def __init__(self, graph: CellGrid, speed: float, radius: float) -> None:
        self._graph, self._speed = graph, speed
        self._radius = max(radius - TOUCH, TOUCH)
        self._stack = np.empty((64, 2))
        self._stays_free = bind(stays_free)

    def is_free(self, p: Point, q: Point, since: float, tracks: Iterable[Track] = ()) -> bool:
        """Whether an agent that leaves `p` at a moment gets to `q` without touching a body.

        Bodies move as their motions take them, and those that are placed as their tracks expect.
        """
        lasts = math.dist(p, q) / self._speed
        looks = max(math.ceil(lasts / PAUSE), 1)
        parts = np.linspace(0.0, 1.0, looks + 1)
        points = np.outer(1.0 - parts, p) + np.outer(parts, q)
        by_track = {id(track.body): track for track in tracks}
        poses = np.stack([self._poses(since + part * lasts, p, by_track) for part in parts])
        return bool(self._stays_free(self._graph.bare, poses, points, self._radius, self._stack))

    def _poses(self, t: float, agent: Point, tracks: dict[int, Track]) -> NDArray[np.float64]:
        """Where all bodies are expected at a moment."""
        poses = self._graph.poses.copy()
        for i, body in enumerate(self._graph.scene.bodies):
            source = tracks.get(id(body), body if body.moves else None)
            if source is not None:
                position, rotation = source.pose(t)
                poses[i] = (*position, *rotation, _is_there(body, t, agent))
        return poses


def _is_there(body: Body, t: float, agent: Point) -> bool:
    """Whether a body is there: a gate if it is now, or comes by then and no agent holds it."""
    if body.present or not isinstance(body.motion, Blink):
        return body.present
    return body.present_at(t) and not body.motion.holds(agent)

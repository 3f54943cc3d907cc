"""`ForecastPoses`: where all bodies of a scene will be at some times, for all agents at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noctule.flight.forecast.placed_bodies import PlacedBodies
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.worlds.bodies import Body
from noctule.worlds.geometry.rotations import Vector
from noctule.worlds.geometry.solids import PRESENT
from noctule.worlds.motions import Blink

Poses = NDArray[np.float64]


class ForecastPoses:
    """Poses of the bodies of a graph in the next moments.

    Motions of the scene are known, gates toggle on time unless an agent holds them now, and bodies
    that the caller places keep their velocity.
    """

    def __init__(self, graph: CellGrid, placed: PlacedBodies) -> None:
        self._graph, self._placed = graph, placed

    def at(self, times: NDArray[np.float64], agents: Sequence[Vector] = ()) -> Poses:
        """Return the poses so many seconds from now: an array for each time, a row a body."""
        graph, scene = self._graph, self._graph.scene
        poses = np.repeat(graph.poses[None], len(times), axis=0)
        moving, placed = scene.moving, self._placed.numbers
        for k, ahead in enumerate(times.tolist()):
            if ahead == 0.0:
                continue
            t = scene.time + ahead
            if moving:
                rows = scene._poses.at(t)
                for i in scene._poses.gates:
                    rows[i, PRESENT] = _may_be_there(moving[i], t, agents)
                poses[k, graph.moving] = rows
            if len(placed):
                poses[k, placed] = self._placed.rows_at(t, placed)
        return poses


def _may_be_there(gate: Body, t: float, agents: Sequence[Vector]) -> bool:
    """Whether a gate is there now, or at a time unless an agent holds it open."""
    if gate.present or not isinstance(gate.motion, Blink):
        return gate.present
    return gate.present_at(t) and not any(gate.motion.holds(agent) for agent in agents)

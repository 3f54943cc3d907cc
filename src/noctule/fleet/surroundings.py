"""`ForecastPoses`: where all bodies of a scene will be at some times, for all agents at once."""

import numpy as np
from numpy.typing import NDArray

from noctule.flight.forecast.placed_bodies import PlacedBodies
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.worlds.geometry.solids import PRESENT

Poses = NDArray[np.float64]


class ForecastPoses:
    """Poses of the bodies of a graph in the next moments.

    Motions of the scene are known, gates toggle on time, and bodies that the caller places keep
    their velocity.
    """

    def __init__(self, graph: CellGrid, placed: PlacedBodies) -> None:
        self._graph, self._placed = graph, placed

    def at(self, times: NDArray[np.float64]) -> Poses:
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
                    rows[i, PRESENT] = moving[i].present or moving[i].present_at(t)
                poses[k, graph.moving] = rows
            if len(placed):
                poses[k, placed] = self._placed.rows_at(t, placed)
        return poses

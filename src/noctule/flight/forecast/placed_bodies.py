"""`PlacedBodies`: bodies that the caller moves by `place`, with the velocity they are seen to have.

As `Track` for each body, but for all at once.
"""

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid.scene_grid import CellGrid
from noctule.worlds.bodies import Body

FORGET = 0.5  # seconds without a placement after which a body stands
GAP = 2.0  # seconds between two placements from which no velocity is derived


class PlacedBodies:
    """Poses and velocities of bodies that are placed, as of the last `observe`.

    Attributes
    ----------
    numbers : int array
        The bodies that have been placed, by number in the graph.
    """

    def __init__(self, graph: CellGrid) -> None:
        self._graph = graph
        self._seen: tuple[list[Body], list[int]] = ([], [])
        self._rows, self._time = np.empty((0, 8)), np.empty(0)
        self._placed, self._velocity = np.empty(0, np.bool_), np.empty((0, 3))
        self._take(graph.bodies, graph.moving)

    def _take(self, bodies: list[Body], moving: list[int]) -> None:
        """Follow these bodies; what is known of those that were followed before is kept."""
        n, (before, moved) = len(bodies), self._seen
        still = np.ones(n, np.bool_)
        still[moving] = False
        known = {id(body): i for i, body in enumerate(before)}
        for i in moved:  # they had a motion: nothing is known of them
            del known[id(before[i])]
        old = np.array([known.get(id(body), -1) for body in bodies], np.int64)
        old[~still] = -1
        new, rows = old < 0, self._graph.poses.copy()
        placed, time, velocity = np.zeros(n, np.bool_), np.zeros(n), np.zeros((n, 3))
        time[new] = self._graph.scene.time
        if not new.all():
            kept = old[~new]
            rows[~new], time[~new] = self._rows[kept], self._time[kept]
            placed[~new], velocity[~new] = self._placed[kept], self._velocity[kept]
        self._rows, self._time, self._placed, self._velocity = rows, time, placed, velocity
        self._still, self._seen = still, (bodies, moving)
        self.numbers = np.flatnonzero(placed)

    def observe(self) -> None:
        """Update poses and velocities from where the bodies are now."""
        graph, now = self._graph, self._graph.scene.time
        if (graph.bodies, graph.moving) != self._seen:
            self._take(graph.bodies, graph.moving)
        since = now - self._time
        moved = self._still & (graph.poses != self._rows).any(axis=1)
        # What stood there for ever was put somewhere else: that tells no velocity.
        flies = moved & self._placed & (since > 0.0) & (since <= GAP)
        self._velocity[moved | (since > FORGET) | (since < 0.0)] = 0.0
        way = graph.poses[flies, :3] - self._rows[flies, :3]
        self._velocity[flies] = way / since[flies, None]
        self._rows[moved], self._time[moved] = graph.poses[moved], now
        self._placed |= moved
        self.numbers = np.flatnonzero(self._placed)

    @property
    def speeds(self) -> NDArray[np.float64]:
        """Speeds of the placed bodies."""
        speeds: NDArray[np.float64] = np.sqrt((self._velocity[self.numbers] ** 2).sum(axis=1))
        return speeds

    def velocities(self, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the velocities of some bodies."""
        return self._velocity[numbers]

    def rows_at(self, t: float, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the poses of some placed bodies expected at a time."""
        rows = self._rows[numbers]
        rows[:, :3] += (t - self._time[numbers])[:, None] * self._velocity[numbers]
        return rows

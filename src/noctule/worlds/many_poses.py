"""`ManyPoses`: the poses of many bodies at one time, computed together."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noctule.worlds.bodies import Body, PoseTable
from noctule.worlds.motions import Patrol, Way
from noctule.worlds.tracks import ManyTracks, PolylineTrack


class ManyPoses(PoseTable):
    """Poses of bodies at any time; motions along polylines are evaluated as arrays.

    Attributes
    ----------
    gates : list of int
        Indices of the bodies that are gates.
    """

    def __init__(self, bodies: Sequence[Body]) -> None:
        self._motions = [(body, body.motion) for body in bodies]
        tracks = {i: track for i, body in enumerate(bodies) if (track := _track_of(body))}
        self._along, self._tracks = list(tracks), ManyTracks(list(tracks.values()))
        self._others = [(i, body) for i, body in enumerate(bodies) if i not in tracks]
        self._rows = np.array([(*body.home[0], *body.home[1], 1.0) for body in bodies])
        self.gates = [i for i, body in self._others if body.blinks]
        self._shown = [(i, body) for i, body in enumerate(bodies) if not body.blinks]

    def match(self, bodies: Sequence[Body]) -> bool:
        """Whether these are the poses of these bodies with their current motions."""
        return self._motions == [(body, body.motion) for body in bodies]

    def assign(self, poses: NDArray[np.float64]) -> None:
        """Set the poses of all bodies except the gates."""
        self.poses = poses
        if not self.is_used:
            for i, body in self._shown:
                body.use_table(self, i)
            self.is_used = True

    def at(self, t: float) -> NDArray[np.float64]:
        """Return the `Body.row_at(t)` of each body."""
        rows = self._rows.reshape(-1, 8).copy()
        rows[self._along, :3] = self._tracks.at(t)
        for i, body in self._others:
            rows[i] = body.row_at(t)
        return rows


def _track_of(body: Body) -> PolylineTrack | None:
    motion = body.motion
    track = motion.track(body.home[0]) if isinstance(motion, Patrol | Way) else None
    return track if isinstance(track, PolylineTrack) else None

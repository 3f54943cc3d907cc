"""Positions along polylines as functions of time, for motions that fly through points."""

import bisect
import math
from collections.abc import Sequence

from noctule.worlds.geometry.rotations import Vector


class PolylineTrack:
    """A polyline through knots, each a time and a position, whose last part may be a cycle."""

    def __init__(self, knots: list[tuple[float, Vector]], cycle: int | None) -> None:
        self._times = [time for time, _ in knots]
        self._places = [place for _, place in knots]
        self._start = self._times[-1] if cycle is None else self._times[cycle]
        self._period = self._times[-1] - self._start

    def at(self, t: float) -> Vector:
        """Return the position at a time; before time 0, the first knot."""
        if t >= self._times[-1]:
            t = self._start + (math.fmod(t - self._start, self._period) if self._period else 0.0)
        i = bisect.bisect_right(self._times, t)
        if i == 0:
            return self._places[0]
        if i == len(self._times):
            return self._places[-1]
        part = (t - self._times[i - 1]) / (self._times[i] - self._times[i - 1])
        (ax, ay, az), (bx, by, bz) = self._places[i - 1], self._places[i]
        return (ax + part * (bx - ax), ay + part * (by - ay), az + part * (bz - az))


class SteppedTrack:
    """A patrol that moves once a frame; the positions of all frames so far are stored."""

    def __init__(
        self,
        home: Vector,
        targets: Sequence[Vector],
        speed: float,
        arrive_within: float,
        frame: float,
    ) -> None:
        self._targets, self._arrive_within = targets, arrive_within
        self._speed, self._frame = speed, frame
        self._places, self._target = [home], 0

    def at(self, t: float) -> Vector:
        """Return the position in the frame that contains a time."""
        n = max(0, math.floor(t / self._frame + 1e-9))
        while len(self._places) <= n:
            self._step()
        return self._places[n]

    def _step(self) -> None:
        here, target = self._places[-1], self._targets[self._target]
        left = math.dist(here, target)
        part = min(1.0, self._speed * self._frame / left) if left > 0 else 1.0
        x, y, z = (p + part * (q - p) for p, q in zip(here, target, strict=True))
        self._places.append((x, y, z))
        if math.dist((x, y, z), target) <= self._arrive_within:
            self._target = (self._target + 1) % len(self._targets)

"""Positions along polylines as functions of time."""

import bisect
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noctule.worlds.geometry.rotations import Vector


class PolylineTrack:
    """A polyline through knots (time, position); from knot `cycle` on it repeats, unless None."""

    def __init__(self, knots: list[tuple[float, Vector]], cycle: int | None) -> None:
        self._times = [time for time, _ in knots]
        self._places = [place for _, place in knots]
        self._start = self._times[-1] if cycle is None else self._times[cycle]
        self._period = self._times[-1] - self._start

    def at(self, t: float) -> Vector:
        """Return the position at a time; before time 0, the first knot."""
        if t >= self._times[-1]:
            t = self._start + (math.fmod(t - self._start, self._period) if self._period else 0.0)
        start, end, (ax, ay, az), (bx, by, bz) = self.part_at(t)
        part = (t - start) / (end - start) if start > -math.inf and end < math.inf else 0.0
        return (ax + part * (bx - ax), ay + part * (by - ay), az + part * (bz - az))

    @property
    def cycle(self) -> tuple[float, float, float]:
        """The time of the last knot, the time at which the cycle starts, and its period or 0."""
        return self._times[-1], self._start, self._period

    def part_at(self, t: float) -> tuple[float, float, Vector, Vector]:
        """Return start time, end time and end points of the segment at time `t`.

        Before the first and after the last knot the position is constant; such a segment starts or
        ends at infinity.
        """
        times, places = self._times, self._places
        i = bisect.bisect_right(times, t)
        start = times[i - 1] if i > 0 else -math.inf
        end = times[i] if i < len(times) else math.inf
        return start, end, places[max(i - 1, 0)], places[min(i, len(times) - 1)]


class ManyTracks:
    """Positions along many tracks as an array, equal to those of `PolylineTrack.at`.

    The current segment of each track is cached and searched again only when it has ended.
    """

    def __init__(self, tracks: Sequence[PolylineTrack]) -> None:
        self._tracks = tracks
        last, start, period = np.array([t.cycle for t in tracks]).reshape(-1, 3).T
        self._last, self._start, self._period = last, start, np.where(period > 0, period, 1.0)
        self._repeats = period > 0
        self._from = np.full(len(tracks), math.inf)  # segments that contain no time
        self._to = np.full(len(tracks), math.inf)
        self._a, self._b = np.zeros((len(tracks), 3)), np.zeros((len(tracks), 3))

    def at(self, t: float) -> NDArray[np.float64]:
        """Return the positions at a time, one row per track."""
        over = np.where(self._repeats, np.fmod(t - self._start, self._period), 0.0)
        times = np.where(t >= self._last, self._start + over, t)
        for i in np.flatnonzero((times < self._from) | (times >= self._to)).tolist():
            part = self._tracks[i].part_at(float(times[i]))
            self._from[i], self._to[i], self._a[i], self._b[i] = part
        rests = np.isinf(self._from) | np.isinf(self._to)
        start, end = np.where(rests, 0.0, self._from), np.where(rests, 1.0, self._to)
        part_done = np.where(rests, 0.0, (times - start) / (end - start))
        positions: NDArray[np.float64] = self._a + part_done[:, None] * (self._b - self._a)
        return positions


class SteppedTrack:
    """A patrol that moves once per frame; the positions of all frames so far are stored."""

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

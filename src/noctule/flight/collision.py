"""`CollisionCheck`: exact, continuous collision detection of the agent within a frame."""

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import kernel
from noctule.flight.corridor import Point
from noctule.worlds.geometry.contact import first_contact
from noctule.worlds.geometry.rotations import slerp
from noctule.worlds.geometry.solids import PRESENT, Solids

DEEPEST = 64  # halvings of a frame; see `contact`


class Outcome(NamedTuple):
    """How a flight ended in a frame."""

    body: int  # number of the body that was hit, or -1
    reached: bool
    moment: float  # 0 to 1 within the frame


@kernel
def poses_between(before: Any, after: Any, t: Any, poses: Any) -> None:
    """Interpolate poses at part `t` of the frame; bodies that appear are there from its end on."""
    for b in range(len(before)):
        for k in range(3):
            poses[b, k] = (1.0 - t) * before[b, k] + t * after[b, k]
        q, r = before[b], after[b]
        x, y, z, w = slerp(q[3], q[4], q[5], q[6], r[3], r[4], r[5], r[6], t)
        poses[b, 3], poses[b, 4], poses[b, 5], poses[b, 6] = x, y, z, w
        poses[b, PRESENT] = before[b, PRESENT]


class CollisionCheck:
    """Checks the frames of a flight.

    Parameters
    ----------
    radius : float
        Radius of the agent.
    touch_at : float
        Distance from the destination at which it is reached.
    slack : float
        A ball that comes so much too near to a body only touches it, and flies on; so does a point
        that enters one no deeper.
    """

    def __init__(self, radius: float, touch_at: float, slack: float = 1e-7) -> None:
        self._radius = radius - slack
        self._touch_at = touch_at
        self._stack = np.empty((DEEPEST, 2))

    def frame(
        self,
        solids: Solids,
        before: NDArray[np.float64],
        after: NDArray[np.float64],
        flown: list[Point],
        destination: tuple[Point, Point],
        durations: list[float] | None = None,
    ) -> Outcome | None:
        """Return what ends the flight while bodies move from `before` to `after`, if anything.

        `flown` are the corners of what the agent flew. Its legs last in proportion to their
        lengths, or to `durations`. The destination moves evenly between two points.
        """
        lengths = durations or [math.dist(p, q) for p, q in itertools.pairwise(flown)]
        total, done = sum(lengths), 0.0
        legs = list(zip(flown[:-1], flown[1:], lengths, strict=True)) or [(flown[0], flown[0], 0.0)]
        first, there = before, _point_between(destination, 0.0)
        start = 0.0
        for k, (p, q, length) in enumerate(legs):
            done += length
            end = 1.0 if k == len(legs) - 1 else done / total
            last = after
            if end != 1.0:
                last = np.empty_like(before)
                poses_between(before, after, end, last)
            here, there = there, _point_between(destination, end)
            body, hit = first_contact(solids, first, last, p, q, self._radius, self._stack)
            touch = time_of_touch((p, q), (here, there), self._touch_at)
            if min(hit, touch) <= 1.0:
                reached, moment = touch <= hit, start + min(hit, touch) * (end - start)
                return Outcome(-1 if reached else int(body), reached, moment)
            first, start = last, end
        return None


def _point_between(ends: tuple[Point, Point], t: float) -> Point:
    x, y, z = ((1 - t) * p + t * q for p, q in zip(*ends, strict=True))
    return (x, y, z)


def time_of_touch(way: tuple[Point, Point], other: tuple[Point, Point], near: float) -> float:
    """Return when two evenly moving points first come so near: 0 to 1, or 2 for never."""
    u = [p - q for p, q in zip(way[0], other[0], strict=True)]
    v = [p - q for p, q in zip(way[1], other[1], strict=True)]
    d = [b - a for a, b in zip(u, v, strict=True)]
    c = sum(a * a for a in u) - near * near
    if c <= 0:
        return 0.0
    a, b = sum(x * x for x in d), sum(x * y for x, y in zip(u, d, strict=True))
    root = b * b - a * c
    if b >= 0 or root < 0:
        return 2.0
    t = c / (-b + math.sqrt(root))
    return t if t <= 1.0 else 2.0

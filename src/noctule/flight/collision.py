"""`Judge`: what happens to the agent during a frame, continuously and exactly."""

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import kernel
from noctule.flight.corridor import Point
from noctule.worlds.geometry.contact import first_contact
from noctule.worlds.geometry.rotations import between
from noctule.worlds.geometry.solids import PRESENT, Solids

# In world units. A ball that comes so much too near to a body touches it, and flies on.
TOUCH = 1e-7
DEEPEST = 64  # of halvings of a frame; see `contact`


class Verdict(NamedTuple):
    """What ended a flight in this frame, and at which part (0 to 1) of it."""

    body: int  # the one that was hit, or -1
    reached: bool
    moment: float


@kernel
def judge_contact(solids, before, after, p, q, radius, stack):
    """`first_contact`, as something that Python can call compiled."""
    return first_contact(solids, before, after, p, q, radius, stack)


@kernel
def poses_between(before, after, t, poses):
    """The poses at a part of the frame; what is present at its end is there from its start on."""
    for b in range(len(before)):
        for k in range(3):
            poses[b, k] = (1.0 - t) * before[b, k] + t * after[b, k]
        q, r = before[b], after[b]
        x, y, z, w = between(q[3], q[4], q[5], q[6], r[3], r[4], r[5], r[6], t)
        poses[b, 3], poses[b, 4], poses[b, 5], poses[b, 6] = x, y, z, w
        poses[b, PRESENT] = before[b, PRESENT]


class Judge:
    """Judges frame after frame of one flight."""

    def __init__(self, radius: float, touch_at: float) -> None:
        self._radius = max(radius - TOUCH, 0.0)
        self._touch_at = touch_at  # distance of agent and destination at which they touch
        self._stack = np.empty((DEEPEST, 2))

    def frame(
        self,
        solids: Solids,
        before: NDArray[np.float64],
        after: NDArray[np.float64],
        way: list[Point],
        destination: tuple[Point, Point],
        lasting: list[float] | None = None,
    ) -> Verdict | None:
        """What ends the flight in this frame, if anything; `way` is what the agent flew.

        Each piece of it takes a time in proportion to its length, unless `lasting` tells how long.
        """
        lengths = lasting or [math.dist(p, q) for p, q in itertools.pairwise(way)]
        total, done = sum(lengths), 0.0
        pieces = list(zip(way[:-1], way[1:], lengths, strict=True)) or [(way[0], way[0], 0.0)]
        first = before
        for k, (p, q, length) in enumerate(pieces):
            start = done / total if total > 0 else 0.0
            done += length
            end = 1.0 if k == len(pieces) - 1 else done / total
            if end == 1.0:
                last = after
            else:
                last = np.empty_like(before)
                poses_between(before, after, end, last)
            ends = _at(destination, start), _at(destination, end)
            verdict = self._piece(solids, first, last, (p, q), ends)
            if verdict is not None:
                return verdict._replace(moment=start + verdict.moment * (end - start))
            first = last
        return None

    def _piece(
        self,
        solids: Solids,
        before: NDArray[np.float64],
        after: NDArray[np.float64],
        way: tuple[Point, Point],
        destination: tuple[Point, Point],
    ) -> Verdict | None:
        """The same for a straight piece of the way."""
        body, hit = judge_contact(solids, before, after, *way, self._radius, self._stack)
        touch = _time_of_touch(way, destination, self._touch_at)
        if min(hit, touch) > 1.0:
            return None
        return Verdict(-1, True, touch) if touch <= hit else Verdict(int(body), False, hit)


def _at(ends: tuple[Point, Point], t: float) -> Point:
    x, y, z = ((1 - t) * p + t * q for p, q in zip(*ends, strict=True))
    return (x, y, z)


def _time_of_touch(way: tuple[Point, Point], other: tuple[Point, Point], near: float) -> float:
    """When two points that move evenly first come so near: 0 to 1, or 2 for never."""
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

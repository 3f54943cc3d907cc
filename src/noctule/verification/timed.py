"""Proof that a path in time is free of bodies that move, continuously, by plain and slow code.

Over a span of time neither the ball nor any point of a body goes farther than its speed allows: if
they are far enough apart in the middle of the span they are apart all through it, and if not, the
span is halved. What stands is judged by its distance from the whole segment. Distances are found as
in `verification`. Of a motion that is a function nobody knows the speed: it is taken to be half
more than the fastest of many looks.
"""

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.worlds.bodies import Body
from noctule.worlds.geometry.rotations import Vector
from noctule.worlds.motions import Blink, Drift, Patrol, Still, Turn, Way
from noctule.worlds.scene import Scene

NEAR = 1e-5  # in world units; a ball may come so much too near
LOOKS = 500  # at a motion of which nobody knows the speed
STEP = 1e-3  # seconds; how exactly the moment is known at which an agent leaves a hold box

Array = NDArray[np.float64]


class Leg(NamedTuple):
    """A straight piece of a path in time."""

    p: Array
    q: Array
    start: float
    end: float

    def at(self, t: float) -> Array:
        """Where the agent is."""
        part = (t - self.start) / (self.end - self.start) if self.end > self.start else 1.0
        return self.p + min(max(part, 0.0), 1.0) * (self.q - self.p)


class Hit(NamedTuple):
    """Where a path comes too near to a body."""

    leg: int
    body: str
    distance: float


def hits_in_time(
    points: Array, times: Array, scene: Scene, radius: float, foreseen: float
) -> Iterator[Hit]:
    """Every leg and body that come too near to each other; the scene is not moved.

    Bodies that move are looked at until the moment `foreseen`, others all the time.
    """
    pairs = list(itertools.pairwise(zip(points, times.tolist(), strict=True)))
    legs = [Leg(p, q, a, b) for (p, a), (q, b) in pairs]
    legs = legs or [Leg(points[0], points[0], float(times[0]), float(times[0]))]
    for body in scene.bodies:
        spans = _there(body, legs, scene.time)
        bound = _Bound(body, float(times[0]), float(times[-1]))
        for i, leg in enumerate(legs):
            for since, until in spans:
                last = until if isinstance(body.motion, Still) else min(until, foreseen)
                a, b = max(leg.start, since), min(leg.end, last)
                if a > b:
                    continue
                gap = bound.nearest(leg, a, b, radius)
                if gap < radius - NEAR:
                    yield Hit(i, body.name, max(gap, 0.0))
                    break


class _Bound:
    """Distances of one body that moves, and how far any point of it gets in a time."""

    def __init__(self, body: Body, start: float, end: float) -> None:
        self.body, self.shape = body, body.shape
        self.speed, self.jump = _fastest(body, start, end)

    def gap(self, t: float, ends: Array) -> float:
        """Distance of the body at a time from the segment between two points."""
        from noctule.verification.bodies import nearest_to_origin, rotation_matrix

        position, rotation = self.body.pose(t)
        corners = self.shape.vertices @ rotation_matrix(np.array(rotation)).T + position
        differences = (corners[:, None, :] - ends[None, :, :]).reshape(-1, 3)
        return float(np.linalg.norm(nearest_to_origin(differences))) - self.shape.radius

    def farther_than(self, t: float, point: Array, least: float) -> bool:
        """Whether even the ball around the whole body is so far away; quick, and often enough."""
        return math.dist(self.body.pose(t)[0], point) - self.shape.reach >= least

    def nearest(self, leg: Leg, start: float, end: float, radius: float) -> float:
        """A distance below `radius` that the agent comes to in a span of time, or `radius`."""
        if self.speed == 0.0 and self.jump == 0.0:
            return min(self.gap(start, np.array([leg.at(start), leg.at(end)])), radius)
        agent = math.dist(leg.p, leg.q) / (leg.end - leg.start) if leg.end > leg.start else 0.0
        spans = [(start, end)]
        while spans:
            a, b = spans.pop()
            middle = (a + b) / 2
            point = leg.at(middle)
            stray = (agent + self.speed) * (b - a) / 2 + self.jump
            if self.farther_than(middle, point, radius + stray):
                continue
            gap = self.gap(middle, point[None, :])
            if gap < radius - NEAR:
                return gap
            if gap - stray < radius - NEAR and stray - self.jump > NEAR / 2:
                spans += [(middle, b), (a, middle)]
        return radius


def _fastest(body: Body, start: float, end: float) -> tuple[float, float]:
    """A speed that no point of a body exceeds, and how far it may jump besides."""
    motion, reach = body.motion, body.shape.reach
    if isinstance(motion, Still | Blink):
        return 0.0, 0.0
    if isinstance(motion, Patrol):
        return motion.speed, motion.speed * (motion.frame or 0.0)
    if isinstance(motion, Way):
        return motion.speed, 0.0
    if isinstance(motion, Turn):
        return reach * math.radians(abs(motion.rate)), 0.0
    if isinstance(motion, Drift):
        turn = reach * math.radians(abs(motion.rate))
        return math.hypot(*motion.velocity) + turn, 0.0
    fastest, step = 0.0, max(end - start, 1e-3) / LOOKS
    poses = (body.pose(start + k * step) for k in range(LOOKS + 1))
    for (p, q), (r, s) in itertools.pairwise(poses):
        turned = min(math.dist(q, s), math.dist(q, [-v for v in s]))
        fastest = max(fastest, (math.dist(p, r) + 2.1 * reach * turned) / step)
    return 1.5 * fastest, 0.0


def _there(body: Body, legs: list[Leg], now: float) -> list[tuple[float, float]]:
    """The spans of time in which a body is there while the path is flown; a gate may be held."""
    start, end = legs[0].start, legs[-1].end
    gate = body.motion
    if not isinstance(gate, Blink):
        return [(start, end)]
    present, toggle = body.present, body.toggles_at
    if now > start:  # what held it by then is not known any more
        present = gate.present(start)
        toggle = (start // gate.half_period + 1) * gate.half_period
    spans, since = [], start
    while True:
        toggle = max(toggle, min(now, start))
        while toggle <= end and gate.holds(_position(legs, toggle)):
            toggle += STEP
        if toggle > end:
            break
        if present:
            spans.append((since, toggle))
        present, since = not present, toggle
        toggle += gate.half_period
    return [*spans, (since, end)] if present else spans


def _position(legs: list[Leg], t: float) -> Vector:
    leg = next((leg for leg in legs if t <= leg.end), legs[-1])
    x, y, z = leg.at(t).tolist()
    return (x, y, z)

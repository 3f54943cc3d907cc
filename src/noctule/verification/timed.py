"""Proof that a path in time is free of moving bodies, continuously, by plain and slow code.

Over a span of time neither the ball nor any point of a body moves farther than its speed allows: if
they are far enough apart in the middle of the span they are apart all through it, and if not, the
span is halved. A static body is judged by its distance from the whole segment. The speed of a
motion given as a function is unknown: it is taken to be 1.5 times the fastest of many samples.
"""

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from noctule.verification.bodies import Array, signed_distance, slack
from noctule.worlds.bodies import Body
from noctule.worlds.geometry.rotations import Vector
from noctule.worlds.motions import Blink, Drift, Patrol, Still, Turn, Way
from noctule.worlds.scene import Scene

NEAR = 1e-5  # in cells; so much nearer a ball may come to a body that moves
SAMPLES = 500  # of a motion of unknown speed
STEP = 1e-3  # seconds; precision of the time at which an agent leaves a hold box


class Leg(NamedTuple):
    """A straight piece of a path in time."""

    p: Array
    q: Array
    start: float
    end: float

    def at(self, t: float) -> Array:
        """Return the position of the agent."""
        part = (t - self.start) / (self.end - self.start) if self.end > self.start else 1.0
        return self.p + min(max(part, 0.0), 1.0) * (self.q - self.p)


def hits_in_time(
    points: Array, times: Array, scene: Scene, radius: float, foreseen: float
) -> Iterator[tuple[int, str, float]]:
    """Yield leg, body and distance wherever they are too near; the scene is not moved.

    Moving bodies are checked until the time `foreseen`, others all the time.
    """
    pairs = list(itertools.pairwise(zip(points, times.tolist(), strict=True)))
    legs = [Leg(p, q, a, b) for (p, a), (q, b) in pairs]
    legs = legs or [Leg(points[0], points[0], float(times[0]), float(times[0]))]
    for body in scene.bodies:
        spans = _present_spans(body, legs, scene.time)
        speed, jump = _fastest(body, float(times[0]), float(times[-1]))
        most = slack(scene.space)
        if speed or jump:
            most = max(most, NEAR * scene.space.cell)
        for i, leg in enumerate(legs):
            for since, until in spans:
                last = until if isinstance(body.motion, Still) else min(until, foreseen)
                a, b = max(leg.start, since), min(leg.end, last)
                gap = _too_near(body, (speed, jump), leg, (a, b), radius, most) if a <= b else None
                if gap is not None:
                    yield i, body.name, gap
                    break


def _too_near(
    body: Body,
    motion: tuple[float, float],
    leg: Leg,
    span: tuple[float, float],
    radius: float,
    most: float,
) -> float | None:
    """Return a distance that occurs in a span of time and is more than `most` below `radius`."""
    speed, jump = motion
    if speed == 0.0 and jump == 0.0:
        ends = np.array([leg.at(t) for t in span])
        gap = signed_distance(body.shape, *body.pose(span[0]), ends)
        return gap if gap < radius - most else None
    agent = math.dist(leg.p, leg.q) / (leg.end - leg.start) if leg.end > leg.start else 0.0
    spans = [span]
    while spans:
        a, b = spans.pop()
        middle = (a + b) / 2
        point, pose = leg.at(middle), body.pose(middle)
        stray = (agent + speed) * (b - a) / 2 + jump
        if math.dist(pose[0], point) - body.shape.reach >= radius + stray:
            continue  # even the ball around the whole body is far enough away
        gap = signed_distance(body.shape, *pose, point[None, :])
        if gap < radius - most:
            return gap
        if gap - stray < radius - most and stray - jump > most / 2:
            spans += [(middle, b), (a, middle)]
    return None


def _fastest(body: Body, start: float, end: float) -> tuple[float, float]:
    """Return a speed that no point of a body exceeds, and how far it may jump besides."""
    motion, reach = body.motion, body.shape.reach
    if isinstance(motion, Still | Blink):
        return 0.0, 0.0
    if isinstance(motion, Patrol):
        return motion.speed, motion.speed * (motion.frame or 0.0)
    if isinstance(motion, Way):
        return motion.speed, 0.0
    if isinstance(motion, Turn | Drift):
        straight = math.hypot(*motion.velocity) if isinstance(motion, Drift) else 0.0
        return straight + reach * math.radians(abs(motion.rate)), 0.0
    fastest, step = 0.0, max(end - start, 1e-3) / SAMPLES
    poses = (body.pose(start + k * step) for k in range(SAMPLES + 1))
    for (p, q), (r, s) in itertools.pairwise(poses):
        turned = min(math.dist(q, s), math.dist(q, [-v for v in s]))
        fastest = max(fastest, (math.dist(p, r) + 2.1 * reach * turned) / step)
    return 1.5 * fastest, 0.0


def _present_spans(body: Body, legs: list[Leg], now: float) -> list[tuple[float, float]]:
    """Return the spans of time of the path in which a body is present; a gate may be held."""
    start, end = legs[0].start, legs[-1].end
    gate = body.motion
    if not isinstance(gate, Blink):
        return [(start, end)]
    present, toggle = body.present, body.toggles_at
    if now > start:  # what held it before is unknown
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

"""Check that a timed path is free of moving bodies, in continuous time.

In a time span, neither the ball nor a point of a body moves farther than its speed allows. If they
are far enough apart at the middle of the span, they are apart during all of it; otherwise the span
is halved. A static body is checked against the whole segment. The speed of a motion given as a
function is unknown: 1.5 times the highest sampled speed is used.
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

NEAR = 1e-5  # cells; tolerance of the distance from a moving body
SAMPLES = 500  # poses sampled from a motion of unknown speed
STEP = 1e-3  # seconds; precision of the time at which an agent leaves a hold box


class Leg(NamedTuple):
    """A straight piece of a timed path."""

    p: Array
    q: Array
    start: float  # seconds
    end: float  # seconds

    def at(self, t: float) -> Array:
        """Return the position of the agent at time `t`."""
        part = (t - self.start) / (self.end - self.start) if self.end > self.start else 1.0
        return self.p + min(max(part, 0.0), 1.0) * (self.q - self.p)


def violations_in_time(
    points: Array, times: Array, scene: Scene, radius: float, foreseen: float
) -> Iterator[tuple[int, str, float]]:
    """Yield (leg, body, distance) for each leg that comes too near to a body.

    Moving bodies are checked until the time `foreseen`, static ones for the whole path. The scene
    is not changed.
    """
    pairs = list(itertools.pairwise(zip(points, times.tolist(), strict=True)))
    legs = [Leg(p, q, a, b) for (p, a), (q, b) in pairs]
    legs = legs or [Leg(points[0], points[0], float(times[0]), float(times[0]))]
    for body in scene.bodies:
        spans = _present_spans(body, legs, scene.time)
        speed, jump = _motion_bounds(body, float(times[0]), float(times[-1]))
        tolerance = slack(scene.space)
        if speed or jump:
            tolerance = max(tolerance, NEAR * scene.space.cell)
        for i, leg in enumerate(legs):
            for since, until in spans:
                last = until if isinstance(body.motion, Still) else min(until, foreseen)
                a, b = max(leg.start, since), min(leg.end, last)
                if a > b:
                    continue
                gap = _distance_if_too_near(body, (speed, jump), leg, (a, b), radius, tolerance)
                if gap is not None:
                    yield i, body.name, gap
                    break


def _distance_if_too_near(
    body: Body,
    motion: tuple[float, float],
    leg: Leg,
    span: tuple[float, float],
    radius: float,
    tolerance: float,
) -> float | None:
    """Return a distance below `radius - tolerance` that occurs in a time span, or None."""
    speed, jump = motion
    if speed == 0.0 and jump == 0.0:
        ends = np.array([leg.at(t) for t in span])
        gap = signed_distance(body.shape, *body.pose(span[0]), ends)
        return gap if gap < radius - tolerance else None
    agent = math.dist(leg.p, leg.q) / (leg.end - leg.start) if leg.end > leg.start else 0.0
    spans = [span]
    while spans:
        a, b = spans.pop()
        middle = (a + b) / 2
        point, pose = leg.at(middle), body.pose(middle)
        motion_bound = (agent + speed) * (b - a) / 2 + jump
        if math.dist(pose[0], point) - body.shape.reach >= radius + motion_bound:
            continue  # the bounding ball of the body is far enough away
        gap = signed_distance(body.shape, *pose, point[None, :])
        if gap < radius - tolerance:
            return gap
        if gap - motion_bound < radius - tolerance and motion_bound - jump > tolerance / 2:
            spans += [(middle, b), (a, middle)]
    return None


def _motion_bounds(body: Body, start: float, end: float) -> tuple[float, float]:
    """Return an upper bound of the speed of any point of a body, and the size of its jumps."""
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
    """Return the time spans of the path in which a body is present; the agent may hold a gate."""
    start, end = legs[0].start, legs[-1].end
    gate = body.motion
    if not isinstance(gate, Blink):
        return [(start, end)]
    present, toggle = body.present, body.toggles_at
    if now > start:  # whether an agent held it earlier is unknown
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

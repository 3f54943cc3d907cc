"""Cells that a moving body ever touches.

The motion is sampled. Between two samples no point of the body moves farther than the poses are
apart, so all cells it touches in between lie within half that distance of those it touches at a
sample. Cells so near count as touched: none is missed, however long the pause.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noctule.worlds.bodies import Body
from noctule.worlds.geometry.rotations import Vector, after
from noctule.worlds.geometry.solids import pack
from noctule.worlds.motions import Blink, Patrol, Pose, Still, Turn, Way
from noctule.worlds.occupancy.occupancy import Occupancy
from noctule.worlds.scene import Space
from noctule.worlds.shapes import Shape

Ways = tuple[float, float, float, float]  # how far a point gets along x, y, z, and in all


def touched(
    space: Space, body: Body, shapes: Sequence[Shape], pause: float, horizon: float
) -> NDArray[np.bool_]:
    """Return the cells that shapes of a body may touch while it moves.

    A motion that never repeats is sampled for `horizon` seconds.
    """
    duration = min(round_trip(body), horizon)
    poses = [body.pose(float(t)) for t in np.arange(0.0, duration + pause, pause)]
    reach = max(shape.reach for shape in shapes)
    way = max((apart(a, b, reach) for a, b in itertools.pairwise(poses)), default=0.0)
    return _met(space, shapes, poses, way / 2)


def touched_at_looks(
    space: Space, body: Body, shapes: Sequence[Shape], frame: float, horizon: float
) -> NDArray[np.bool_]:
    """Return the cells touched in the frames of `horizon` seconds, as baked in the theses."""
    motion = body.motion
    if isinstance(motion, Patrol):
        motion = motion.stepped(frame)
    poses = [motion.pose(float(t), body.home) for t in np.arange(0.0, horizon, frame)]
    return _met(space, shapes, poses, 0.0)


def _met(
    space: Space, shapes: Sequence[Shape], poses: Sequence[Pose], near: float
) -> NDArray[np.bool_]:
    """Return the cells within `near` of the shapes at any of the poses."""
    solids = pack([(0, shape) for shape in shapes])
    occupancy = Occupancy(space, near)
    occupancy.hold(solids, np.full(len(shapes), -1))
    found = np.zeros(space.cells, np.bool_)
    for position, rotation in poses:
        row = np.array([(*position, *rotation, 1.0)])
        occupancy.update(solids, np.arange(len(shapes)), row)
        found |= occupancy.blocked
    return found


def round_trip(body: Body) -> float:
    """Return the seconds after which a motion adds no new poses; infinite if unknown."""
    motion = body.motion
    if isinstance(motion, Patrol):
        return motion.settled(body.home[0])
    if isinstance(motion, Turn):
        return 360.0 / abs(motion.rate) if motion.rate else 0.0
    if isinstance(motion, Way):
        return motion.duration
    return 0.0 if isinstance(motion, Still | Blink) else math.inf


def apart(a: Pose, b: Pose, reach: float) -> float:
    """Return the largest distance of a point within `reach` of the origin between two poses."""
    cosine = min(1.0, abs(sum(p * q for p, q in zip(a[1], b[1], strict=True))))
    return math.dist(a[0], b[0]) + 2 * math.acos(cosine) * reach


def apart_along_axes(a: Pose, b: Pose, reach: float) -> Vector:
    """Return that distance along each axis: zero along an axis of rotation."""
    (px, py, pz), (qx, qy, qz, qw) = a
    ux, uy, uz, w = after(b[1], (-qx, -qy, -qz, qw))
    sine = math.hypot(ux, uy, uz)
    turned = 2 * math.atan2(sine, abs(w)) * reach / sine if sine > 0.0 else 0.0
    x, y, z = b[0]
    return (
        abs(x - px) + turned * math.hypot(uy, uz),
        abs(y - py) + turned * math.hypot(ux, uz),
        abs(z - pz) + turned * math.hypot(ux, uy),
    )

"""Swept cells: all cells that a moving body may meet at some time.

The motion is sampled. Between two samples no point of the body moves farther than the displacement
between the two poses. So all cells that it meets in between lie within half that distance of the
cells at a sample. Cells that near are included: the result is conservative for every step.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noctule.worlds.bodies import Body
from noctule.worlds.geometry.rotations import Vector, compose
from noctule.worlds.geometry.solids import pack
from noctule.worlds.motions import Blink, Patrol, Pose, Still, Turn, Way
from noctule.worlds.occupancy.occupancy import Occupancy
from noctule.worlds.shapes import Shape
from noctule.worlds.space import Space


def swept_cells(
    space: Space, body: Body, shapes: Sequence[Shape], step: float, horizon: float
) -> NDArray[np.bool_]:
    """Return the cells that shapes of a body may meet while it moves.

    The motion is sampled every `step` seconds, for one period or at most `horizon` seconds.
    """
    duration = min(motion_period(body), horizon)
    poses = [body.pose(float(t)) for t in np.arange(0.0, duration + step, step)]
    reach = max(shape.reach for shape in shapes)
    moves = (max_displacement(a, b, reach) for a, b in itertools.pairwise(poses))
    return _occupied_cells(space, shapes, poses, max(moves, default=0.0) / 2)


def sampled_cells(
    space: Space, body: Body, shapes: Sequence[Shape], frame: float, horizon: float
) -> NDArray[np.bool_]:
    """Return the cells met at the frames of `horizon` seconds only, as the theses bake them."""
    motion = body.motion
    if isinstance(motion, Patrol):
        motion = motion.with_frame(frame)
    poses = [motion.pose(float(t), body.home) for t in np.arange(0.0, horizon, frame)]
    return _occupied_cells(space, shapes, poses, 0.0)


def _occupied_cells(
    space: Space, shapes: Sequence[Shape], poses: Sequence[Pose], near: float
) -> NDArray[np.bool_]:
    """Return the cells within `near` (world units) of the shapes at any of the poses."""
    solids = pack([(0, shape) for shape in shapes])
    occupancy = Occupancy(space, near)
    occupancy.replace_solids(solids, np.full(len(shapes), -1))
    found = np.zeros(space.cells, np.bool_)
    for position, rotation in poses:
        row = np.array([(*position, *rotation, 1.0)])
        occupancy.update(solids, np.arange(len(shapes)), row)
        found |= occupancy.blocked
    return found


def motion_period(body: Body) -> float:
    """Return the time (seconds) after which all poses have occurred; infinite if unknown."""
    motion = body.motion
    if isinstance(motion, Patrol):
        return motion.coverage_time(body.home[0])
    if isinstance(motion, Turn):
        return 360.0 / abs(motion.rate) if motion.rate else 0.0
    if isinstance(motion, Way):
        return motion.duration
    return 0.0 if isinstance(motion, Still | Blink) else math.inf


def max_displacement(a: Pose, b: Pose, reach: float) -> float:
    """Return an upper bound of the displacement of any point of a body between two poses.

    `reach` is the largest distance of a point of the body from its origin.
    """
    cosine = min(1.0, abs(sum(p * q for p, q in zip(a[1], b[1], strict=True))))
    return math.dist(a[0], b[0]) + 2 * math.acos(cosine) * reach


def max_displacement_along_axes(a: Pose, b: Pose, reach: float) -> Vector:
    """Return that bound along each axis; the rotation adds nothing along its own axis."""
    (px, py, pz), (qx, qy, qz, qw) = a
    ux, uy, uz, w = compose(b[1], (-qx, -qy, -qz, qw))
    sine = math.hypot(ux, uy, uz)
    turned = 2 * math.atan2(sine, abs(w)) * reach / sine if sine > 0.0 else 0.0
    x, y, z = b[0]
    return (
        abs(x - px) + turned * math.hypot(uy, uz),
        abs(y - py) + turned * math.hypot(ux, uz),
        abs(z - pz) + turned * math.hypot(ux, uy),
    )

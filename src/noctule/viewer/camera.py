"""Where cameras stand, the camera that follows the agent, and what a click in the view means."""

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

FOV = math.radians(42)
ASPECT = 1.3  # width by height of the picture beside the panel
VIEWS = ("front", "angled", "follow")
ANGLES = {"front": (0.0, 0.0), "angled": (-32.0, 28.0)}  # turn and tilt, in degrees
MARGIN = 1.08  # bodies may extend beyond the world a little
FOLLOW = -20.0, 32.0  # initial turn and tilt of a camera that follows
TURNS, TILTS = range(-180, 180, 30), (8, 32, 56, 80)  # that it may change to
EASE = 0.2  # share of the turn made in an update
REACH = 3.0  # distance from a click within which a box is picked

Point = tuple[float, float, float]
Array = NDArray[np.float64]


class Shot(NamedTuple):
    """Where a camera is and what it looks at."""

    position: Point
    look_at: Point


def shot(view: str, low: Any, high: Any) -> Shot:
    """Return the camera of a view of the box from `low` to `high`; y is up, x to the right."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    middle = (low + high) / 2
    turn, tilt = ANGLES[view]
    right, towards = direction(turn + 90.0, 0.0), direction(turn, tilt)
    corners = np.array(list(itertools.product(*zip(low, high, strict=True)))) - middle
    across, up = np.abs(corners @ right), np.abs(corners @ np.cross(towards, right))
    # What is nearer to the camera needs more of its angle.
    needed = np.maximum(up, across / ASPECT) / math.tan(FOV / 2) + corners @ towards
    return aimed(middle, MARGIN * float(needed.max()) * towards)


def direction(turn: float, tilt: float) -> Array:
    """Return the direction of a camera: turned from the front to the right, and lifted."""
    around, up = math.radians(turn), math.radians(tilt)
    across = math.cos(up)
    return np.array([math.sin(around) * across, math.sin(up), math.cos(around) * across])


def aimed(at: Any, away: Array) -> Shot:
    """Return a camera that looks at a point from a distance."""
    target = np.asarray(at, float)
    return Shot(tuple((target + away).tolist()), tuple(target.tolist()))


def begin_with(server: Any, view: Shot) -> None:
    """Set the initial camera of every new page."""
    camera = server.initial_camera
    camera.fov, camera.position, camera.look_at = FOV, view.position, view.look_at


def take_shot(client: Any, view: Shot) -> None:
    """Move the camera of one page."""
    with client.atomic():
        client.camera.position = view.position
        client.camera.look_at = view.look_at
        client.camera.up_direction = (0.0, 1.0, 0.0)


class Follower:
    """A camera at a fixed distance that keeps its direction until something hides the agent.

    `hidden` tells whether something is between two points.
    """

    def __init__(self, distance: float, hidden: Callable[[Any, Any], bool]) -> None:
        self._distance, self._hidden = distance, hidden
        self._direction = self._wanted = direction(*FOLLOW)

    def shot(self, agent: Any) -> Shot:
        """Return the camera of the next picture."""
        if self._is_hidden(agent, self._wanted):  # turn to the nearest direction that is not
            others = [direction(*angles) for angles in itertools.product(TURNS, TILTS)]
            others.sort(key=lambda other: -float(other @ self._wanted))
            free = (other for other in others if not self._is_hidden(agent, other))
            self._wanted = next(free, self._wanted)
        turned = self._direction + EASE * (self._wanted - self._direction)
        self._direction = turned / max(float((turned @ turned) ** 0.5), 1e-9)
        return aimed(agent, self._distance * self._direction)

    def _is_hidden(self, agent: Any, towards: Array) -> bool:
        return self._hidden(agent, agent + self._distance * towards)


def on_plane(eye: Array, ray: Array, ahead: Array, point: Any) -> Array:
    """Return where the ray is as deep as a point, for a camera that looks `ahead`."""
    depth = float((np.asarray(point, float) - eye) @ ahead)
    return eye + max(depth, 0.0) / float(ray @ ahead) * ray


def near_point(eye: Array, ray: Array, point: Any) -> Array:
    """Return where the ray is nearest to a point."""
    along = float((np.asarray(point, float) - eye) @ ray)
    return eye + max(along, 0.0) * ray


def near_line(eye: Array, ray: Array, line: Array) -> Array:
    """Return where the ray is nearest to a polyline."""
    parts = np.linspace(0.0, 1.0, 33)[None, :, None]
    samples = (line[:-1, None] * (1 - parts) + line[1:, None] * parts).reshape(-1, 3)
    depth = (samples - eye) @ ray
    gaps = np.linalg.norm(samples - eye - depth[:, None] * ray, axis=1)
    nearest: NDArray[np.float64] = eye + depth[gaps.argmin()] * ray
    return nearest


def nearest_box(eye: Array, ray: Array, boxes: dict[str, Array]) -> str:
    """Return the name of the box nearest to the ray."""

    def gap(name: str) -> float:
        return float(np.linalg.norm(boxes[name] - near_point(eye, ray, boxes[name])))

    name = min(boxes, key=gap, default=None)
    if name is None or gap(name) > REACH:
        raise ValueError("there is no box at the click; boxes that were put are orange")
    return name

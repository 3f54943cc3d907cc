"""Camera poses, a camera that follows the agent, and points selected by a click."""

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.pictures.orientation import Orientation, orientation_of

FOV = math.radians(42)
ASPECT = 1.3  # width divided by height of the view beside the panel
VIEWS = ("front", "angled", "follow")
ANGLES = {"front": (0.0, 0.0), "angled": (-32.0, 28.0)}  # turn and tilt, in degrees
MARGIN = 1.08  # bodies may extend slightly beyond the world
FOLLOW = -20.0, 32.0  # initial turn and tilt of the following camera, in degrees
TURNS, TILTS = range(-180, 180, 30), (8, 32, 56, 80)  # its other directions, in degrees
EASE = 0.2  # share of a change of direction that is made per update
REACH = 3.0  # world units; distance from a click within which a box is selected

Point = tuple[float, float, float]
Array = NDArray[np.float64]


class CameraPose(NamedTuple):
    """Position of a camera, and the point at its centre."""

    position: Point
    look_at: Point
    up: Point = (0.0, 1.0, 0.0)


def camera_for(view: str, low: Any, high: Any, up_axis: str = "y") -> CameraPose:
    """Return the camera of a view of the box from `low` to `high`; x is to the right."""
    turned = orientation_of(up_axis, 3)
    low, high = turned.box(low, high)
    middle = (low + high) / 2
    turn, tilt = ANGLES[view]
    right, towards = direction(turn + 90.0, 0.0), direction(turn, tilt)
    corners = np.array(list(itertools.product(*zip(low, high, strict=True)))) - middle
    across, up = np.abs(corners @ right), np.abs(corners @ np.cross(towards, right))
    # Nearer corners need a wider angle.
    needed = np.maximum(up, across / ASPECT) / math.tan(FOV / 2) + corners @ towards
    return aimed(middle, MARGIN * float(needed.max()) * towards, turned)


def direction(turn: float, tilt: float) -> Array:
    """Return the unit vector to a camera: turned to the right from the front, and tilted up."""
    around, up = math.radians(turn), math.radians(tilt)
    across = math.cos(up)
    return np.array([math.sin(around) * across, math.sin(up), math.cos(around) * across])


def aimed(at: Any, away: Array, turned: Orientation) -> CameraPose:
    """Return a camera at `at + away` that points at `at`, in coordinates of the picture."""
    target = np.asarray(at, float)
    places = turned.back([target + away, target, (0.0, 1.0, 0.0)])
    position, look_at, up = (tuple(place.tolist()) for place in places + 0.0)
    return CameraPose(position, look_at, up)


def set_initial_camera(server: Any, view: CameraPose) -> None:
    """Set the initial camera of every new page."""
    camera = server.initial_camera
    camera.fov, camera.position, camera.look_at = FOV, view.position, view.look_at
    server.scene.set_up_direction(view.up)


def move_camera(client: Any, view: CameraPose) -> None:
    """Move the camera of one page."""
    with client.atomic():
        client.camera.position = view.position
        client.camera.look_at = view.look_at
        client.camera.up_direction = view.up


class Follower:
    """A camera at a fixed distance that keeps its direction until a body hides the agent.

    `hidden` returns whether a body is between two points.
    """

    def __init__(
        self, distance: float, hidden: Callable[[Any, Any], bool], up_axis: str = "y"
    ) -> None:
        self._distance, self._hidden = distance, hidden
        self._turned = orientation_of(up_axis, 3)
        self._direction = self._target = direction(*FOLLOW)

    def camera_for(self, agent: Any) -> CameraPose:
        """Return the camera for the next update."""
        if self._is_hidden(agent, self._target):  # turn to the nearest free direction
            others = [direction(*angles) for angles in itertools.product(TURNS, TILTS)]
            others.sort(key=lambda other: -float(other @ self._target))
            free = (other for other in others if not self._is_hidden(agent, other))
            self._target = next(free, self._target)
        turned = self._direction + EASE * (self._target - self._direction)
        self._direction = turned / max(float((turned @ turned) ** 0.5), 1e-9)
        return aimed(self._turned.points(agent), self._distance * self._direction, self._turned)

    def _is_hidden(self, agent: Any, towards: Array) -> bool:
        return self._hidden(agent, agent + self._distance * self._turned.back(towards))


def on_plane(eye: Array, ray: Array, ahead: Array, point: Any) -> Array:
    """Return the point of a ray at the depth of `point`, for a camera that points `ahead`."""
    depth = float((np.asarray(point, float) - eye) @ ahead)
    return eye + max(depth, 0.0) / float(ray @ ahead) * ray


def near_point(eye: Array, ray: Array, point: Any) -> Array:
    """Return the point of a ray that is nearest to a point."""
    along = float((np.asarray(point, float) - eye) @ ray)
    return eye + max(along, 0.0) * ray


def near_line(eye: Array, ray: Array, line: Array) -> Array:
    """Return the point of a ray that is nearest to a polyline."""
    parts = np.linspace(0.0, 1.0, 33)[None, :, None]
    samples = (line[:-1, None] * (1 - parts) + line[1:, None] * parts).reshape(-1, 3)
    depth = (samples - eye) @ ray
    gaps = np.linalg.norm(samples - eye - depth[:, None] * ray, axis=1)
    nearest: NDArray[np.float64] = eye + depth[gaps.argmin()] * ray
    return nearest


def nearest_box(eye: Array, ray: Array, boxes: dict[str, Array]) -> str:
    """Return the name of the box nearest to a ray."""

    def gap(name: str) -> float:
        return float(np.linalg.norm(boxes[name] - near_point(eye, ray, boxes[name])))

    name = min(boxes, key=gap, default=None)
    if name is None or gap(name) > REACH:
        raise ValueError("there is no box at the click; added boxes are lime")
    return name

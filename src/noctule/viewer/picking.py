"""Where in the world a click is meant: a ray from the eye through the mouse."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

REACH = 3.0  # how near to the middle of a box a click may be


def on_plane(eye: Array, ray: Array, ahead: Array, point: Any) -> Array:
    """Where the ray is as deep as a point, for a camera that looks `ahead`."""
    depth = float((np.asarray(point, float) - eye) @ ahead)
    return eye + max(depth, 0.0) / float(ray @ ahead) * ray


def near_point(eye: Array, ray: Array, point: Any) -> Array:
    """Where the ray is nearest to a point."""
    along = float((np.asarray(point, float) - eye) @ ray)
    return eye + max(along, 0.0) * ray


def near_line(eye: Array, ray: Array, line: Array, otherwise: Any) -> Array:
    """Where the ray is nearest to a polyline; without one, to another point."""
    if len(line) < 2:
        return near_point(eye, ray, otherwise)
    parts = np.linspace(0.0, 1.0, 33)[None, :, None]
    samples = (line[:-1, None] * (1 - parts) + line[1:, None] * parts).reshape(-1, 3)
    depth = (samples - eye) @ ray
    gaps = np.linalg.norm(samples - eye - depth[:, None] * ray, axis=1)
    return eye + depth[gaps.argmin()] * ray


def nearest_box(eye: Array, ray: Array, boxes: dict[str, Array]) -> str:
    """The box that a click meets."""
    gaps = {
        name: float(np.linalg.norm(middle - near_point(eye, ray, middle)))
        for name, middle in boxes.items()
    }
    name = min(gaps, key=lambda name: gaps[name], default=None)
    if name is None or gaps[name] > REACH:
        raise ValueError("there is no box at the click; boxes that were put are orange")
    return name

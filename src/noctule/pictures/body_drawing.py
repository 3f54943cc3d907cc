"""Draw the bodies of a trace; helpers for pictures and the viewer."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.flight.recording import Trace
from noctule.pictures.rendering import Array, Canvas, Colour

# Colours of the bodies, as in the theses; white is tinted to be visible on paper.
COLOURS = {
    "white": "#dfe3ea",
    "green": "#58a55c",
    "red": "#d0453e",
    "dark blue": "#2c4a9a",
    "light blue": "#7cc4e8",
    "orange": "#f08c1e",
}
FLOOR: Colour = (0.96, 0.96, 0.95)
GREY: Colour = (0.5, 0.5, 0.55)
ZONE_OPACITY = 0.35


def draw_bodies(
    canvas: Canvas, trace: Trace, frame: int, bodies: NDArray[np.int64], pale: float = 0.0
) -> None:
    """Draw some of the bodies of a trace at their poses in a frame; `pale` is a share of white."""
    described = trace.about["bodies"]
    for b in sorted(bodies.tolist(), key=lambda b: "cost" in described[b]):  # zones last
        body, pose = trace.about["bodies"][b], trace.poses[frame, b]
        if not pose[7]:
            continue
        red, green, blue = rgb(COLOURS.get(body["colour"], body["colour"]))
        colour = (red + (1 - red) * pale, green + (1 - green) * pale, blue + (1 - blue) * pale)
        if body["radius"] > 0:
            canvas.ball(pose[:3], body["radius"], colour, opacity=opacity_of(body))
        else:
            corners = in_world(np.array(body["vertices"]), pose)
            canvas.solid(corners, np.array(body["triangles"], np.int64), colour, opacity_of(body))


def opacity_of(body: dict[str, Any]) -> float:
    """Return how opaque a body is drawn; zones, which cost, let most through."""
    return ZONE_OPACITY if "cost" in body else 1.0


def draw_floor(canvas: Canvas, about: dict[str, Any], up: str) -> None:
    """Draw the ground of a world in which z points up."""
    if up != "z":
        return
    (x0, y0, z), (x1, y1, _) = space_of(about)
    corners = np.array([(x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z)])
    canvas.solid(corners, np.array([[0, 1, 2], [0, 2, 3]]), FLOOR)


def in_world(points: Array, poses: Array) -> Array:
    """Transform points from body to world coordinates: n points of one body, or one per body."""
    q, w = poses[..., 3:6], poses[..., 6:7]
    return points + 2 * np.cross(q, np.cross(q, points) + w * points) + poses[..., :3]


def space_of(about: dict[str, Any]) -> tuple[Array, Array]:
    """Return the low and the high corner of the space that `Trace.about` describes."""
    low = np.array(about["origin"], float)
    return low, low + np.array(about["cells"]) * about["cell"]


def hex_colour(text: str) -> tuple[int, int, int] | None:
    """Return red, green and blue of a colour like #a0b1c2; None for any other text."""
    if not re.fullmatch("#?[0-9a-fA-F]{6}", text):
        return None
    r, g, b = bytes.fromhex(text.removeprefix("#"))
    return (r, g, b)


def rgb(text: str) -> Colour:
    """Return a colour like #a0b1c2 as numbers from 0 to 1; grey for any other text."""
    colour = hex_colour(text)
    return GREY if colour is None else (colour[0] / 255, colour[1] / 255, colour[2] / 255)

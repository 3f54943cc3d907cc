"""Bodies of a trace: their colours, their corners, and how they get on a canvas."""

import numpy as np
from numpy.typing import NDArray

from noctule.flight.recording import Trace
from noctule.pictures.rendering import Canvas, Colour

# Colours of the bodies, as the theses have them; white needs a tint to be seen on paper.
COLOURS = {
    "white": "#dfe3ea",
    "green": "#58a55c",
    "red": "#d0453e",
    "dark blue": "#2c4a9a",
    "light blue": "#7cc4e8",
}


def draw_bodies(canvas: Canvas, trace: Trace, frame: int, bodies: NDArray[np.int64]) -> None:
    """Draw some of the bodies of a trace, where they were in a frame."""
    for b in bodies.tolist():
        body, pose = trace.about["bodies"][b], trace.poses[frame, b]
        if not pose[7]:
            continue
        colour = rgb(COLOURS.get(body["colour"], body["colour"]))
        if body["radius"] > 0:
            canvas.ball(pose[:3], body["radius"], colour)
        else:
            corners = turned_corners(np.array(body["vertices"]), pose)
            canvas.solid(corners, np.array(body["triangles"], np.int64), colour)


def turned_corners(corners: NDArray[np.float64], pose: NDArray[np.float64]) -> NDArray[np.float64]:
    """Corners of a body in the world."""
    q, w = pose[3:6], pose[6]
    return corners + 2 * np.cross(q, np.cross(q, corners) + w * corners) + pose[:3]


def rgb(colour: str) -> Colour:
    """A colour like #a0b1c2 as three numbers; grey where it is none."""
    digits = colour.removeprefix("#")
    if len(digits) != 6 or not all(d in "0123456789abcdefABCDEF" for d in digits):
        return (0.5, 0.5, 0.55)
    r, g, b = bytes.fromhex(digits)
    return (r / 255, g / 255, b / 255)

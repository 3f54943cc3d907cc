"""`fleet_picture`: draw the ways of all agents of a fleet, from the front and at an angle."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from noctule.fleet.flights import FleetResult
from noctule.pictures.body_drawing import COLOURS, in_world, rgb
from noctule.pictures.figures import INK, save_figure, views_in_a_row
from noctule.pictures.rendering import FINER, Canvas, view_of
from noctule.worlds.scene import Scene

PIXELS = 1100  # width of the angled view
PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8250df", "#6b7280")


def fleet_picture(
    scene: Scene, result: FleetResult, file: str | os.PathLike[str], title: str, outcome: str = ""
) -> None:
    """Draw the bodies as they are at the end, and how all agents flew.

    Parameters
    ----------
    scene : Scene
        The world.
    result : FleetResult
        A flight.
    file : path
        Output file; the suffix selects the format.
    title, outcome : str
        Lines above the picture.
    """
    low, high = np.array(scene.space.origin), np.array(scene.space.high)
    view = view_of(low, high, PIXELS, scene.space.up)
    tall = 7.0
    figure, (axes,) = views_in_a_row(
        [tall * view.size[0] / view.size[1]], tall, title, 0, 6.0, ticks=False
    )
    canvas = Canvas(view, (1.0, 1.0, 1.0))
    for body in scene.bodies:
        colour = rgb(COLOURS.get(body.colour, body.colour))
        row = np.array(body.row)
        if row[7] and body.shape.radius > 0.0:
            canvas.ball(row[:3], body.shape.radius, colour)
        elif row[7]:
            canvas.solid(in_world(body.shape.vertices, row), body.shape.triangles, colour)
    ways = result.positions.transpose(1, 0, 2)
    for k, way in enumerate(ways):
        canvas.line(way, rgb(PALETTE[k % len(PALETTE)]), 3.0)
    axes.imshow(canvas.image(), interpolation="antialiased")
    marks: dict[str, Any] = {"linestyle": "none", "mec": INK, "mew": 1.2, "clip_on": False}
    for k, way in enumerate(ways):
        ends = canvas.view.place(np.stack([way[0], way[-1]])) / FINER
        colour_of_way = PALETTE[k % len(PALETTE)]
        axes.plot(*ends[0][:2], "o", ms=6, mfc="white", **marks)
        axes.plot(*ends[1][:2], "o", ms=8, mfc=colour_of_way, **marks)
    axes.axis("off")
    axes.set_title(outcome, color=INK, fontsize=10)
    save_figure(figure, file)

"""Draw the clip at the top of README: a hunter chases its prey through moving walls.

`python docs/make_pictures.py hunt` writes docs/hunt.gif.
"""

import copy
from pathlib import Path

import numpy as np
from PIL import Image

import noctule as nt
from noctule.pictures.body_drawing import draw_bodies, space_of
from noctule.pictures.rendering import Canvas, view_of
from noctule.worlds.motions import Patrol, Turn, Way

NIGHT = (0.055, 0.07, 0.12)
STILL, MOVING = "#46536b", "#3f8f84"
TRAIL, PLAN, HUNTER, PREY = (0.66, 0.49, 1.0), (1.0, 0.62, 0.2), (1.0, 0.84, 0.25), (1.0, 0.3, 0.62)
WIDTH, RATE, SPEED = 720, 12.5, 1.7  # pixels, pictures a second, seconds of flight a second
BALL = 0.62  # radius of both balls as drawn


def scene() -> nt.Scene:
    """Return a hall with pillars and walls, some of which move, and a prey that circles in it."""
    walls = [
        ((6, 2.2, 13), (1, 4.4, 12), None),
        ((13, 2.2, 6.5), (1, 4.4, 13), None),
        ((20, 2.2, 13.5), (1, 4.4, 11), None),
        ((27, 2.2, 6), (1, 4.4, 12), None),
        ((9.5, 1.5, 9), (1.6, 3, 1.6), None),
        ((16.5, 1.5, 13), (1.6, 3, 1.6), None),
        ((23.5, 1.5, 9), (1.6, 3, 1.6), None),
        ((9.5, 2.2, 4), (4.5, 0.8, 0.8), Turn((0, 1, 0), 100)),
        ((16.5, 2.2, 6), (4.5, 0.8, 0.8), Turn((0, 1, 0), -100)),
        ((23.5, 2.2, 15), (4.5, 0.8, 0.8), Turn((0, 1, 0), 120)),
        ((30, 2.2, 7), (2.6, 0.8, 0.8), Turn((0, 1, 0), -120)),
        ((9.5, 2.2, 14), (1.2, 4.4, 1.2), Patrol([(7.6, 2.2, 14), (11.6, 2.2, 14)], 2)),
        ((23.5, 2.2, 4), (1.2, 4.4, 1.2), Patrol([(21.6, 2.2, 4), (25.6, 2.2, 4)], 2)),
    ]
    bodies = [
        nt.Body(f"wall-{k}", nt.Box(size), place, motion=motion, colour=MOVING if motion else STILL)
        for k, (place, size, motion) in enumerate(walls)
    ]
    bodies.append(nt.Body("floor", nt.Box((32, 0.4, 20)), (16, -0.3, 10), colour="#232c3f"))
    flee = Way(
        [
            (8, 2, 4),
            (10.5, 3, 11),
            (10, 2, 17),
            (14, 3, 17),
            (16, 2, 9.5),
            (18, 3, 3),
            (22, 2, 2.5),
            (25, 3, 9),
            (25, 2, 16),
            (28, 3, 17),
            (30, 2, 11),
            (30, 2, 2),
        ],
        4.2,
    )
    return nt.Scene(
        nt.Space((0, -0.5, 0), (64, 10, 40), 0.5),
        nt.Agent((2, 3, 18), radius=0.4, speed=4.8),
        nt.Destination((8, 2, 4), radius=0.4, modes={"flee": flee}, mode="flee"),
        bodies,
    )


def flight() -> nt.FlightResult:
    """Return the hunt, recorded."""
    return nt.Flight(
        scene(), "cells", "aamt-d*-lite", start=0.0, prediction=True, record=True
    ).run()


def pictures(trace: nt.Trace):
    """Yield the pictures of the clip; the last one stays for a second."""
    still = ~(trace.poses != trace.poses[:1]).any(axis=(0, 2))
    background = Canvas(view_of(*space_of(trace.about), WIDTH), NIGHT)
    draw_bodies(background, trace, 0, np.flatnonzero(still))
    seconds = float(trace.time[-1] - trace.time[0])
    count = int(seconds / SPEED * RATE)
    for i in [*np.linspace(0, len(trace.time) - 1, count).astype(int), *[len(trace.time) - 1] * 12]:
        canvas = copy.deepcopy(background)
        draw_bodies(canvas, trace, i, np.flatnonzero(~still))
        canvas.line(trace.destination[max(0, i - 90) : i + 1], PREY, 2.0)
        canvas.line([*trace.agent[i : i + 1], *trace.paths[i][1:]], PLAN, 3.0)
        canvas.line(trace.agent[: i + 1], TRAIL, 5.0)
        canvas.ball(trace.destination[i], BALL, PREY, True)
        canvas.ball(trace.agent[i], BALL, HUNTER, True)
        yield canvas.image()


def write(file: Path) -> None:
    """Write the clip."""
    result = flight()
    images = [Image.fromarray(picture) for picture in pictures(result.trace)]
    middle = Image.fromarray(np.concatenate([np.asarray(images[k]) for k in (0, len(images) // 2)]))
    palette = middle.quantize(96)
    first, *others = [image.quantize(palette=palette, dither=0) for image in images]
    first.save(file, save_all=True, append_images=others, duration=round(1000 / RATE), loop=0)

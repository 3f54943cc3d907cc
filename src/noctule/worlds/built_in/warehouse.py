"""A warehouse: racks in rows, shelves on rails, and forklifts in the aisles; z is up."""

from typing import Any

import numpy as np

from noctule.worlds.bodies import Body
from noctule.worlds.motions import Way
from noctule.worlds.scene import Agent, Destination, Scene
from noctule.worlds.shapes import Box
from noctule.worlds.space import Space

CELL = 0.5  # metres
CELLS = (64, 44, 14)  # 32 x 22 x 7 m
RACK = (1.2, 7.5, 4.8)
ROWS = (5.0, 9.0, 17.0, 21.0, 25.0)  # x of the racks
SHELF = (1.0, 7.0, 3.6)
START, GOAL = (1.5, 1.5, 1.5), (30.0, 20.0, 2.0)


def warehouse(seed: int = 1) -> Scene:
    """Return a hall of 32 x 22 x 7 m with a drone that brings something to a moving cart."""
    rng = np.random.default_rng([seed, 2])
    bodies: list[Body] = []
    for row, x in enumerate(ROWS):
        for side, y in enumerate((6.0, 15.5)):
            height = RACK[2] - 0.4 * float(rng.integers(0, 4))
            size = (RACK[0], RACK[1], height)
            bodies.append(Body(f"rack-{row}{side}", Box(size), (x, y, height / 2)))
    for i, y in enumerate((6.0, 15.5)):  # between the second and the third row
        ends = [(11.6, y, SHELF[2] / 2), (14.4, y, SHELF[2] / 2)]
        motion = Way(ends if i else ends[::-1], float(rng.uniform(0.25, 0.45)), "back")
        place = motion.points[0]
        bodies.append(
            Body(f"shelf-{i}", Box(SHELF), place, motion=motion, kind="patrol", colour="light blue")
        )
    for i, x in enumerate((7.0, 19.0, 23.0, 27.5)):
        size = (1.2, 2.2, float(rng.uniform(2.0, 4.2)))
        ends = [(x, 2.2, size[2] / 2), (x, 19.8, size[2] / 2)]
        motion = Way(ends if i % 2 else ends[::-1], float(rng.uniform(1.0, 2.2)), "back")
        place = motion.points[0]
        bodies.append(
            Body(f"forklift-{i}", Box(size), place, motion=motion, kind="patrol", colour="green")
        )
    beam = Box((0.4, 22.0, 0.6))
    bodies += [Body(f"beam-{i}", beam, (x, 11.0, 6.2)) for i, x in enumerate((8.0, 16.0, 24.0))]
    cart = [GOAL, (30.0, 3.0, 2.0)]
    modes: dict[str, Any] = {"cart": Way(cart, 1.0, "back")}
    return Scene(
        Space((0, 0, 0), CELLS, CELL, "z"),
        Agent(START, radius=0.3, speed=4.0),
        Destination(GOAL, 0.3, modes | {"static": Way([GOAL, GOAL], 1.0, "stay")}, "cart"),
        bodies,
        "warehouse",
    )

"""A few blocks of a city: buildings, cranes, and drones that fly along the streets; z is up."""

from typing import Any

import numpy as np

from noctule.worlds.bodies import Body
from noctule.worlds.motions import Turn, Way
from noctule.worlds.scene import Agent, Destination, Scene
from noctule.worlds.shapes import Ball, Box
from noctule.worlds.space import Space

SIZE = (60, 60, 30)
BLOCKS, PITCH, WIDE = 5, 12.0, 8.0  # blocks along a side, from centre to centre, and their width
DRONES = 14
START, GOAL = (1.0, 1.0, 3.0), (59.0, 59.0, 12.0)


def city(seed: int = 1) -> Scene:
    """Return 60 x 60 m of a city with a drone that follows another one."""
    rng = np.random.default_rng([seed, 3])
    bodies: list[Body] = []
    for i in range(BLOCKS):
        for j in range(BLOCKS):
            x, y = 6.0 + PITCH * i, 6.0 + PITCH * j
            height = float(rng.integers(6, 22))
            if rng.random() < 0.12:  # a square with a crane
                bodies.append(Body(f"mast-{i}{j}", Box((1, 1, 20)), (x, y, 10)))
                arm = Turn((0, 0, 1), float(rng.uniform(8, 16)))
                bodies.append(
                    Body(f"crane-{i}{j}", Box((9, 0.8, 0.8)), (x, y, 20.4), motion=arm,
                         kind="turn", colour="red")
                )  # fmt: skip
                continue
            bodies.append(Body(f"house-{i}{j}", Box((WIDE, WIDE, height)), (x, y, height / 2)))
            if rng.random() < 0.4:
                top, narrow = float(rng.integers(2, 6)), WIDE - 3.0
                place = (x, y, height + top / 2)
                bodies.append(Body(f"tower-{i}{j}", Box((narrow, narrow, top)), place))
    for k in range(DRONES):
        z, street = float(rng.uniform(3, 20)), PITCH * float(rng.integers(1, BLOCKS))
        ends = [(street, 1.5, z), (street, 58.5, z)]
        if k % 2:
            ends = [(b, a, z) for a, b, _ in ends]
        motion = Way(ends if rng.random() < 0.5 else ends[::-1], float(rng.uniform(2, 6)), "back")
        bodies.append(
            Body(f"drone-{k:02}", Ball(0.7), motion.points[0], motion=motion, kind="patrol",
                 colour="green")
        )  # fmt: skip
    loop = [GOAL, (59.0, 24.0, 8.0), (36.0, 24.0, 8.0), (36.0, 59.0, 8.0)]
    modes: dict[str, Any] = {"courier": Way(loop, 2.5)}
    return Scene(
        Space((0, 0, 0), SIZE, 1.0, "z"),
        Agent(START, radius=0.5, speed=7.0),
        Destination(GOAL, 0.5, modes | {"static": Way([GOAL, GOAL], 1.0, "stay")}, "courier"),
        bodies,
        "city",
    )

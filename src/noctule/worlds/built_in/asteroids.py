"""A field of asteroids: some rest, some turn, some drift to and fro."""

from typing import Any

import numpy as np

from noctule.worlds.bodies import Body
from noctule.worlds.motions import Turn, Way
from noctule.worlds.scene import Agent, Destination, Scene
from noctule.worlds.shapes import Hull
from noctule.worlds.space import Space

SIZE = (48, 32, 32)
ROCKS = 34
CORNERS = 22  # points of a rock, before its hull is taken
FREE = 4.5  # radius of the free space around start and goal
START, GOAL = (2.5, 4.5, 27.5), (44.5, 27.5, 5.5)


def asteroids(seed: int = 1) -> Scene:
    """Return a box of space, 48 x 32 x 32, with a ship that chases another one."""
    rng = np.random.default_rng([seed, 1])
    bodies: list[Body] = []
    while len(bodies) < ROCKS:
        radius = float(rng.uniform(1.2, 4.2))
        place = rng.uniform(radius, np.array(SIZE) - radius)
        way = place + rng.uniform(-9, 9, 3)
        ends = place, np.clip(way, radius, np.array(SIZE) - radius)
        kind = ("static", "turn", "patrol")[len(bodies) % 3]
        covers = ends if kind == "patrol" else ends[:1]
        if any(_gap(covers, end) < radius + FREE for end in (START, GOAL)):
            continue
        name = f"rock-{len(bodies) + 1:02}"
        bodies.append(_rock(name, kind, radius, ends, rng))
    loop = [GOAL, (44.5, 16.5, 5.5), (40.5, 16.5, 27.5), (44.5, 27.5, 20.5)]
    modes: dict[str, Any] = {"flee": Way(loop, 2.5)}
    return Scene(
        Space((0, 0, 0), SIZE),
        Agent(START, radius=0.6, speed=6.0),
        Destination(GOAL, 0.6, modes | {"static": Way([GOAL, GOAL], 1.0, "stay")}, "flee"),
        bodies,
        "asteroids",
    )


def _rock(name: str, kind: str, radius: float, ends: Any, rng: np.random.Generator) -> Body:
    points = rng.normal(size=(CORNERS, 3))
    points *= radius / np.linalg.norm(points, axis=1, keepdims=True)
    shape = Hull((points * rng.uniform(0.75, 1.0, (CORNERS, 1))).round(3))
    place = tuple(ends[0].round(3).tolist())
    if kind == "turn":
        axis = tuple(rng.normal(size=3).round(3).tolist())
        motion: Any = Turn(axis, float(rng.uniform(10, 40)))
        return Body(name, shape, place, motion=motion, kind="turn", colour="red")
    if kind == "patrol":
        motion = Way(
            [place, tuple(ends[1].round(3).tolist())], float(rng.uniform(0.5, 1.8)), "back"
        )
        return Body(name, shape, place, motion=motion, kind="patrol", colour="green")
    return Body(name, shape, place)


def _gap(ends: Any, point: Any) -> float:
    """Return the distance of a point from a segment, or from a single place."""
    a, b = np.asarray(ends[0]), np.asarray(ends[-1])
    way = b - a
    part = np.clip((np.array(point) - a) @ way / max(float(way @ way), 1e-9), 0, 1)
    return float(np.linalg.norm(a + part * way - np.array(point)))

"""A cave: rock with tunnels, as a few hundred boxes, and bats that fly through it; y is up."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.worlds.bodies import Body
from noctule.worlds.motions import Way
from noctule.worlds.scene import Agent, Destination, Scene
from noctule.worlds.shapes import Ball, Box
from noctule.worlds.space import Space

COARSE = (22, 12, 12)  # blocks of rock
BLOCK = 2  # cells along a block
BATS = 10
FIRST, LAST = (1, 6, 6), (20, 6, 6)  # blocks of start and goal


def cave(seed: int = 1) -> Scene:
    """Return a cave of 44 x 24 x 24 with an agent that looks for the other end."""
    rng = np.random.default_rng([seed, 4])
    rock = _rock(rng)
    bodies = [
        Body(f"rock-{i:03}", Box(size), place) for i, (size, place) in enumerate(_boxes(rock))
    ]
    way = _tunnel(rng)
    for i in range(BATS):
        first = int(rng.integers(2, len(way) - 6))
        points = [_centre(block) for block in way[first : first + 5]]
        motion = Way(points, float(rng.uniform(1.0, 3.0)), "back")
        bodies.append(
            Body(f"bat-{i}", Ball(0.25), points[0], motion=motion, kind="patrol", colour="green")
        )
    start, goal = _centre(FIRST), _centre(LAST)
    modes: dict[str, Any] = {"static": Way([goal, goal], 1.0, "stay")}
    size = (COARSE[0] * BLOCK, COARSE[1] * BLOCK, COARSE[2] * BLOCK)
    return Scene(
        Space((0, 0, 0), size),
        Agent(start, radius=0.3, speed=4.0),
        Destination(goal, 0.3, modes, "static"),
        bodies,
        "cave",
    )


def _rock(rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which blocks are solid: blurred noise, with a tunnel from end to end."""
    field = rng.normal(size=COARSE)
    for axis in range(3):
        field = field + np.roll(field, 1, axis) + np.roll(field, -1, axis)
    rock = field > np.quantile(field, 0.42)
    for block in _tunnel(np.random.default_rng(rng.integers(2**31))):
        rock[block] = False
    for block in (*_tunnel(rng), FIRST, LAST):
        rock[block] = False
    return rock


def _tunnel(rng: np.random.Generator) -> list[tuple[int, int, int]]:
    """Return the blocks of a way from the first block to the last one that turns at random."""
    place, way = np.array(FIRST), [FIRST]
    while tuple(place) != LAST:
        left = LAST[0] - place[0]
        step = np.zeros(3, int)
        axis = int(rng.integers(0, 3))
        if axis == 0 and left:
            step[0] = 1
        elif axis:
            towards = LAST[axis] - place[axis]
            wander = int(rng.choice((-1, 1)))
            step[axis] = np.sign(towards) if left < abs(towards) + 3 else wander
        place = np.clip(place + step, 1, np.array(COARSE) - 2)
        block = (int(place[0]), int(place[1]), int(place[2]))
        if block != way[-1]:
            way.append(block)
    return way


def _boxes(rock: NDArray[np.bool_]) -> list[tuple[Any, Any]]:
    """Return sizes and centres of boxes that cover exactly the solid blocks."""
    left, found = rock.copy(), []
    for low in np.argwhere(rock).tolist():
        if not left[tuple(low)]:
            continue
        high = [i + 1 for i in low]
        for axis in range(3):  # grows as far as all of it is solid and not covered yet
            while high[axis] < rock.shape[axis]:
                layer = [slice(a, b) for a, b in zip(low, high, strict=True)]
                layer[axis] = slice(high[axis], high[axis] + 1)
                if not left[tuple(layer)].all():
                    break
                high[axis] += 1
        left[tuple(slice(a, b) for a, b in zip(low, high, strict=True))] = False
        size = tuple(float(BLOCK * (b - a)) for a, b in zip(low, high, strict=True))
        centre = tuple(BLOCK * (a + b) / 2 for a, b in zip(low, high, strict=True))
        found.append((size, centre))
    return found


def _centre(block: tuple[int, int, int]) -> tuple[float, float, float]:
    x, y, z = (BLOCK * (i + 0.5) for i in block)
    return (x, y, z)

"""Scenes to test fleets in: agents that swap places, cross the test environment, or hunt."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from noctule.fleet.fleet import Fleet
from noctule.fleet.flights import FleetFlight
from noctule.fleet.hunting import Tactic
from noctule.worlds.bodies import Body
from noctule.worlds.motions import Way
from noctule.worlds.scene import Scene
from noctule.worlds.shapes import Ball, Hull
from noctule.worlds.space import Space

RADIUS, SPEED = 0.45, 4.0  # of agents
TRIES = 10_000  # random places
PATIENCE = 10.0  # times the ideal duration, after which a flight is given up
APART = 1.6  # world units between the surfaces of agents at the start


def swap(agents: int = 50, seed: int = 0, **options: Any) -> FleetFlight:
    """Return a flight of agents on a sphere, each to the place opposite, through the centre."""
    random = np.random.default_rng([seed, 1])
    reach = max(12.0, 1.5 * math.sqrt(agents))
    size = math.ceil(2 * reach + 8)
    fleet = Fleet(Scene(Space((0, 0, 0), (size, size, size)), name="swap"), **options)
    centre, places = np.full(3, size / 2), _points_on_sphere(random, agents, reach)
    for place in places:
        fleet.add(centre + place, centre - place, radius=RADIUS, speed=SPEED)
    return FleetFlight(fleet, limit=PATIENCE * 2 * reach / SPEED)


def crossing(
    agents: int = 20, seed: int = 0, scene: Scene | None = None, **options: Any
) -> FleetFlight:
    """Return a flight of agents through the test environment, from one side to the other."""
    random = np.random.default_rng([seed, 2])
    scene = Scene.load("test-environment") if scene is None else scene
    start = float(random.uniform(0.0, 600.0))
    scene.move(start)
    fleet = Fleet(scene, **options)
    low, high = np.array(scene.space.origin), np.array(scene.space.high)
    axis = int(np.argmax(high - low))
    taken: list[Any] = []
    farthest = 0.0
    for k in range(agents):
        ends = []
        for side in (k % 2, 1 - k % 2):
            for _ in range(TRIES):
                point = random.uniform(low + 1.0, high - 1.0)
                part = random.uniform(0.02, 0.15)
                span = high[axis] - low[axis]
                point[axis] = low[axis] + (part if side == 0 else 1.0 - part) * span
                if _is_free(fleet, point) and _is_apart(point, taken):
                    break
            else:
                raise ValueError(f"{agents} agents do not fit at the sides of {scene.name!r}")
            taken.append(point)
            ends.append(point)
        fleet.add(ends[0], ends[1], radius=RADIUS, speed=SPEED)
        farthest = max(farthest, math.dist(*ends))
    return FleetFlight(fleet, start, PATIENCE * farthest / SPEED)


def hunt(
    hunters: int = 8,
    asteroids: int = 120,
    seed: int = 0,
    tactic: Tactic = "intercept",
    **options: Any,
) -> FleetFlight:
    """Return a flight of hunters after one target that flies around among asteroids."""
    random = np.random.default_rng([seed, 3])
    size = np.array([80.0, 80.0, 40.0])
    scene = Scene(Space((0, 0, 0), (80, 80, 40)), bodies=_asteroids(random, asteroids, size))
    fleet = Fleet(scene, **options)
    points = [random.uniform(0.2, 0.8, 3) * size for _ in range(6)]
    target = Way([tuple(point) for point in points], 0.6 * SPEED)
    first = target.pose(0.0, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)))[0]

    def place(t: float) -> tuple[float, float, float]:
        return target.pose(t, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)))[0]

    added: list[Any] = []
    while len(added) < hunters:
        point = random.uniform(1.0, size - 1.0)
        far = math.dist(point, first)
        if far > 25.0 and _is_apart(point, added) and _is_free(fleet, point):
            fleet.add(point, radius=RADIUS, speed=SPEED, arrive_within=2 * RADIUS)
            added.append(point)
    fleet.hunt(fleet.agents, place, tactic)
    return FleetFlight(fleet, limit=PATIENCE * 40.0 / (0.4 * SPEED), any_arrival=True)


def pursuit(
    agents: int = 5, seed: int = 0, scene: Scene | None = None, **options: Any
) -> FleetFlight:
    """Return a flight of hunters through the test environment, after its destination."""
    random = np.random.default_rng([seed, 5])
    scene = Scene.load("test-environment") if scene is None else scene
    start = float(random.uniform(0.0, 600.0))
    scene.move(start)
    fleet, target = Fleet(scene, **options), scene.destination
    low, high = np.array(scene.space.origin), np.array(scene.space.high)
    taken: list[Any] = []
    for _ in range(TRIES):
        if len(taken) == agents:
            break
        point = random.uniform(low + 1.0, high - 1.0)
        far = math.dist(point, target.at(start)) > 0.3 * math.dist(low, high)
        if far and _is_free(fleet, point) and _is_apart(point, taken):
            near = target.radius + RADIUS
            taken.append(point)
            fleet.add(point, radius=RADIUS, speed=SPEED, arrive_within=near)
    if len(taken) < agents:
        raise ValueError(f"{agents} agents do not fit into {scene.name!r}, far from its target")
    fleet.hunt(fleet.agents, target.at, "intercept")
    limit = PATIENCE * math.dist(low, high) / SPEED
    return FleetFlight(fleet, start, limit, any_arrival=True)


def crowd(agents: int = 100, bodies: int = 200, seed: int = 0, **options: Any) -> FleetFlight:
    """Return a flight of agents between random places among moving bodies."""
    random = np.random.default_rng([seed, 4])
    size = np.array([100.0, 100.0, 50.0])
    scene = Scene(Space((0, 0, 0), (100, 100, 50)), bodies=_asteroids(random, bodies, size))
    fleet = Fleet(scene, **options)
    taken: list[Any] = []
    farthest = 0.0
    while len(fleet.agents) < agents:
        ends = random.uniform(1.0, size - 1.0, (2, 3))
        if all(_is_free(fleet, end) and _is_apart(end, taken) for end in ends):
            taken += list(ends)
            fleet.add(ends[0], ends[1], radius=RADIUS, speed=SPEED)
            farthest = max(farthest, math.dist(*ends))
    return FleetFlight(fleet, limit=PATIENCE * farthest / SPEED)


SCENARIOS: dict[str, Callable[..., FleetFlight]] = {
    "swap": swap,
    "crossing": crossing,
    "hunt": hunt,
    "crowd": crowd,
}


def _points_on_sphere(random: Any, n: int, radius: float) -> list[Any]:
    """Return random points on a sphere, far enough apart, together with their opposites."""
    points: list[Any] = []
    for _ in range(100_000):
        point = random.normal(size=3)
        point *= radius / np.linalg.norm(point)
        if all(np.linalg.norm(point - other) > 2 * RADIUS + APART / 2 for other in points):
            points.append(point)
        if len(points) == n:
            return points
    raise ValueError(f"{n} agents do not fit on a sphere of radius {radius:g}")


def _asteroids(random: Any, n: int, size: Any) -> list[Body]:
    """Return balls and hulls that fly to and fro between two points."""
    bodies = []
    for k in range(n):
        radius = random.uniform(0.6, 2.0)
        shape: Any = Ball(radius)
        if k % 2:
            corners = random.normal(size=(14, 3))
            shape = Hull(radius * corners / np.linalg.norm(corners, axis=1, keepdims=True))
        ends = random.uniform(2.0, size - 2.0, (2, 3))
        way = Way([tuple(end) for end in ends], random.uniform(0.3, 2.4 / radius), "back")
        bodies.append(Body(f"asteroid-{k:03}", shape, ends[0], motion=way, kind="patrol"))
    return bodies


def _is_free(fleet: Fleet, point: Any) -> bool:
    """Whether an agent fits in at a point, with room around it."""
    wide = RADIUS + APART
    graph, space = fleet.graph, fleet.scene.space
    inside = space.inside((float(point[0]), float(point[1]), float(point[2])), RADIUS)
    return graph.body_on(inside, inside, wide) is None and math.dist(inside, point) < 1e-9


def _is_apart(point: Any, taken: list[Any]) -> bool:
    """Whether a point is far enough from the places that are taken."""
    return all(math.dist(point, other) > 2 * RADIUS + APART for other in taken)

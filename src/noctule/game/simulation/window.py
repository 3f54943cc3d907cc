"""`MovingWindow`: the part of unbounded space in which the enemies plan; it follows the player."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from noctule.fleet.agents import FleetAgent
from noctule.fleet.fleet import Fleet
from noctule.game.simulation.contacts import Point, as_point
from noctule.game.simulation.field import Field
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.worlds.bodies import Body
from noctule.worlds.scene import Scene, Space
from noctule.worlds.shapes import Ball

Array = NDArray[np.float64]

CELL = 10.0
CELLS = (100, 100, 48)
FARTHEST = 40.0  # the player is at most so far from the centre, along each axis


class MovingWindow:
    """A scene around the player with a ball around each asteroid.

    The scene has coordinates of its own: those of the game less `offset`. When the player is far
    from its centre, everything in it is shifted back by whole cells.

    Parameters
    ----------
    field : Field
        The asteroids.
    centre : array
        Where the player is.
    """

    def __init__(self, field: Field, centre: Array) -> None:
        origin = [-0.5 * n * CELL for n in CELLS]
        self.scene = Scene(
            Space((origin[0], origin[1], origin[2]), CELLS, CELL, up="z"), name="lost-in-space"
        )
        self.offset = CELL * np.round(centre / CELL)
        self._made = 0
        self._field = field
        self._bodies = [self._add(i) for i in range(len(field))]
        self.graph = CellGrid(self.scene, safety=False)

    def local(self, place: Array) -> Point:
        """Return a place of the game in coordinates of the scene."""
        return as_point(place - self.offset)

    def follow(self, centre: Array, fleets: tuple[Fleet, ...]) -> None:
        """Follow the player and the asteroids."""
        away = centre - self.offset
        shift = np.zeros(3)
        if np.abs(away).max() > FARTHEST:
            shift = CELL * np.round(away / CELL)
            self.offset = self.offset + shift
        for i in self._field.moved:
            self.scene.remove(self._bodies[i])
        for i in dict.fromkeys(self._field.moved):
            self._bodies[i] = self._add(i)
        self._field.moved.clear()
        for body, place in zip(self._bodies, self._field.position - self.offset, strict=True):
            body.place(place)
        if shift.any():
            for fleet in fleets:
                _shift(fleet, shift)

    def _add(self, i: int) -> Body:
        """Add the ball around an asteroid; a new body, of which no velocity is known yet."""
        self._made += 1
        place = self._field.position[i] - self.offset
        body = Body(f"asteroid {self._made}", Ball(float(self._field.reach[i])), place)
        self.scene.add(body)
        return body


def _shift(fleet: Fleet, shift: Array) -> None:
    """Give what a fleet remembers new coordinates."""
    placed = fleet._planning._placed
    placed._rows[:, :3] -= shift
    for agent in fleet.agents:
        agent.place(_moved(agent.position, shift))
        agent._planned_for = _moved(agent._planned_for, shift)
        guide = agent._guide
        if guide is not None and guide.route is not None:
            corners = tuple(_moved(corner, shift) for corner in guide.route.corners)
            guide.route = replace(guide.route, corners=corners)


def _moved(point: Point, shift: Array) -> Point:
    x, y, z = (a - b for a, b in zip(point, shift.tolist(), strict=True))
    return (x, y, z)


def agent_at(agent: FleetAgent, window: MovingWindow) -> Array:
    """Return where an agent of a fleet is, in coordinates of the game."""
    return np.array(agent.position) + window.offset


def meeting_time(p: Array, speed: float, place: Array, velocity: Array, latest: float) -> float:
    """Return when a hunter can first meet a target that keeps its velocity, at most `latest`."""
    apart = place - p
    far2, along = float(apart @ apart), float(apart @ velocity)
    a = float(velocity @ velocity) - speed * speed
    t = math.inf
    if abs(a) < 1e-9:
        t = -0.5 * far2 / along if along < 0.0 else math.inf
    elif along * along - a * far2 >= 0.0:
        root = math.sqrt(along * along - a * far2)
        t = min((s for s in ((-along - root) / a, (-along + root) / a) if s > 0.0), default=t)
    return min(t, latest)

"""`Enemies`: ships that hunt the player; one fleet plans for all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from time import perf_counter, thread_time

import numpy as np
from numpy.typing import NDArray

from noctule.fleet.agents import FleetAgent
from noctule.fleet.fleet import Fleet
from noctule.game.simulation import rules
from noctule.game.simulation.contacts import Point, as_point
from noctule.game.simulation.field import Field
from noctule.game.simulation.player import Player
from noctule.game.simulation.window import AsteroidWindow
from noctule.registry import algorithms, find_algorithm

Array = NDArray[np.float64]

LOST = 1.1 * rules.FIELD_RADIUS  # farther from the player, an enemy starts again
LOST_HEIGHT = 190.0
TRIES = 60  # places that are tried for a new enemy


@dataclass(eq=False)
class Enemy:
    """An enemy.

    Attributes
    ----------
    position, before, velocity : array
        Where it is, where it was a frame ago, and how it flies.
    health : float
        It is lost at 0.
    born : float
        When it appeared.
    agent : FleetAgent or None
        What the fleet plans for; None if it flies straight at the player.
    """

    position: Array
    born: float
    agent: FleetAgent | None
    velocity: Array = field(default_factory=lambda: np.zeros(3))
    health: float = rules.ENEMY_HEALTH
    before: Array = field(default_factory=lambda: np.zeros(3))


@dataclass
class Spent:
    """What the planning of all enemies has cost, frame by frame."""

    milliseconds: list[float] = field(default_factory=list)
    cpu_milliseconds: list[float] = field(default_factory=list)
    expanded: int = 0


class Enemies:
    """The enemies that are there.

    Parameters
    ----------
    asteroids : Field
        What they avoid.
    window : AsteroidWindow
        Where they plan.
    algorithm : str
        One of `hunting_algorithms()`.
    speed : float
        World units a second.
    budget_ms : float, optional
        Milliseconds for planning in a frame; without it, the same inputs give the same game.
    random : numpy.random.Generator
        Draws the places where they appear.
    """

    def __init__(
        self,
        asteroids: Field,
        window: AsteroidWindow,
        algorithm: str,
        speed: float,
        budget_ms: float | None,
        random: np.random.Generator,
    ) -> None:
        self.algorithm, self.speed = check_algorithm(algorithm), speed
        self._field, self.window, self._random = asteroids, window, random
        self.fleet: Fleet | None = None
        if self.algorithm != rules.STRAIGHT:
            self.fleet = Fleet(
                window.scene,
                window.graph,
                algorithm=self.algorithm,
                budget_ms=budget_ms,
                frame=rules.FRAME,
            )
        self.ships: list[Enemy] = []
        self.spent = Spent()
        self.travelled = 0.0  # by all of them

    def fly(self, now: float, player: Player) -> None:
        """Plan for all enemies, and move them by a frame; the asteroids have just moved."""
        began, cpu = perf_counter(), thread_time()
        if self.fleet is not None:
            self.window.place_bodies()
            self.fleet.step(now)
        for ship in self.ships:
            ship.before = ship.position
            if ship.agent is None:
                ship.velocity = _towards(ship.position, player.position, self.speed)
            else:
                ship.velocity = np.array(ship.agent.velocity)
        if self.fleet is not None:
            self.fleet.fly()
            self.spent.expanded += sum(agent.step.expanded for agent in self.fleet.agents)
        for ship in self.ships:
            if ship.agent is None:
                ship.position = ship.position + rules.FRAME * ship.velocity
            else:
                ship.position = np.array(ship.agent.position)
            self.travelled += math.dist(ship.before, ship.position)
        self.spent.milliseconds.append(1e3 * (perf_counter() - began))
        self.spent.cpu_milliseconds.append(1e3 * (thread_time() - cpu))

    def far_away(self, player: Player) -> list[Enemy]:
        """Return the enemies that have lost the player."""
        lost = []
        for ship in self.ships:
            away = ship.position - player.position
            if math.hypot(away[0], away[1]) > LOST or abs(away[2]) > LOST_HEIGHT:
                lost.append(ship)
        return lost

    def spawn(self, now: float, player: Player) -> Enemy | None:
        """Let an enemy appear at the rim, where there is room; None if there is none now."""
        for _ in range(TRIES):
            turn = self._random.uniform(0.0, 2.0 * math.pi)
            height = self._random.uniform(-rules.SPAWN_HEIGHT, rules.SPAWN_HEIGHT)
            far = rules.SPAWN_DISTANCE
            away = far * math.cos(turn), far * math.sin(turn), height
            place = player.position + np.array(away)
            gaps = np.linalg.norm(self._field.position - place, axis=1) - self._field.reach
            apart = min((math.dist(place, ship.position) for ship in self.ships), default=math.inf)
            if gaps.min() > rules.SPAWN_ROOM and apart > rules.SPAWN_ROOM:
                return self._add(place, now, player)
        return None

    def remove(self, enemy: Enemy) -> None:
        """Take an enemy out of the game."""
        self.ships.remove(enemy)
        if self.fleet is not None and enemy.agent is not None:
            self.fleet.remove(enemy.agent)

    def _add(self, place: Array, now: float, player: Player) -> Enemy:
        enemy = Enemy(place, now, None, before=place)
        if self.fleet is not None:

            def target(_: float) -> Point:
                return as_point(player.position)

            enemy.agent = self.fleet.add(
                as_point(place), radius=rules.SHIP_RADIUS, speed=self.speed
            )
            self.fleet.hunt([enemy.agent], target, "intercept")
        self.ships.append(enemy)
        return enemy


def hunting_algorithms() -> tuple[str, ...]:
    """Return the names of the algorithms that can hunt: those of a fleet, and "straight"."""
    fit = [row.name for row in algorithms() if not (row.timed or row.corners_only)]
    return (*fit, rules.STRAIGHT)


def check_algorithm(name: str) -> str:
    """Return the full name of an algorithm that can hunt; a ValueError for others."""
    found = name if name == rules.STRAIGHT else find_algorithm(name).name
    if found not in hunting_algorithms():
        allowed = ", ".join(hunting_algorithms())
        raise ValueError(f"algorithm is {name!r}; those that can hunt are {allowed}")
    return found


def _towards(here: Array, there: Array, speed: float) -> Array:
    way = there - here
    far = float(np.linalg.norm(way))
    return np.zeros(3) if far == 0.0 else speed * way / far

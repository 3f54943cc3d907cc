"""Pilots that fly the player: one that plans with Noctule, and one that flies evenly."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from noctule.fleet.fleet import Fleet
from noctule.game.simulation import rules
from noctule.game.simulation.contacts import as_point
from noctule.game.simulation.controls import Controls
from noctule.game.simulation.game import Game

Array = NDArray[np.float64]

AHEAD = 200.0  # how far the goals of the demo lie ahead
EVERY = 4.0  # seconds for a goal
WIDE = 4.0  # radius of the ball for which the demo plans
FEAR = 140.0  # distance at which it flees from an enemy
AIM = 2.5  # degrees beside the nose at which it shoots
SHARP = 8.0  # degrees beside the nose at which it turns as fast as it can


class EvenPilot:
    """Flies straight on."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def controls(self) -> Controls:
        """Return the controls for the next frame."""
        return Controls()


class DemoPilot:
    """Flies the player around asteroids with a fleet of one, away from enemies, and shoots.

    Parameters
    ----------
    game : Game
        The game it plays.
    shoots : bool
        Whether it uses the guns.
    """

    def __init__(self, game: Game, shoots: bool = True) -> None:
        self._game, self._shoots = game, shoots
        self._random = np.random.default_rng([game.seed, 32])
        self._fleet = Fleet(game.window.scene, game.window.graph, frame=rules.FRAME)
        player = game.player
        self._goal: Array = player.position + AHEAD * player.forward
        self._until = 0.0
        self._agent = self._fleet.add(
            as_point(player.position),
            lambda _: as_point(self._goal),
            radius=WIDE,
            speed=rules.PLAYER_SPEED,
            max_turn_rate=rules.TURN_RATE,
        )

    def controls(self) -> Controls:
        """Return the controls for the next frame."""
        game, player, agent = self._game, self._game.player, self._agent
        threat = self._threat()
        if game.time >= self._until or threat is not None:
            self._choose_goal(threat)
        game.window.place_bodies()
        agent.place(as_point(player.position), player.velocity.tolist())
        self._fleet.step(game.time)
        wish = np.array(agent.velocity)
        agent.velocity = (0.0, 0.0, 0.0)
        if not wish.any():
            wish = self._goal - player.position
        yaw, pitch = self._beside_nose(wish)
        fire = self._shoots and self._has_target()
        empty = game.guns.loaded[game.guns.number] < 2
        return Controls(
            yaw=yaw / SHARP,
            pitch=pitch / SHARP,
            boost=threat is not None and threat < 60.0 and abs(yaw) < 30.0,
            brake=abs(yaw) > 60.0,
            fire=fire,
            reload=empty,
        )

    def _threat(self) -> float | None:
        """Return the distance of the nearest enemy, if it is near."""
        here = self._game.player.position
        far = min((math.dist(here, s.position) for s in self._game.enemies.ships), default=math.inf)
        return far if far < FEAR else None

    def _choose_goal(self, threat: float | None) -> None:
        game, player = self._game, self._game.player
        if threat is not None:
            away = np.zeros(3)
            for ship in game.enemies.ships:
                gap = player.position - ship.position
                away += gap / max(float(gap @ gap), 1.0)
            way = away / max(float(np.linalg.norm(away)), 1e-9) + 0.7 * player.forward
        else:
            way = player.forward + self._random.normal(0.0, 0.5, 3)
        way[2] *= 0.4
        self._goal = player.position + AHEAD * way / max(float(np.linalg.norm(way)), 1e-9)
        self._until = game.time + EVERY

    def _beside_nose(self, wish: Array) -> tuple[float, float]:
        """Return how far a direction lies beside the nose, to the right and up, in degrees."""
        player = self._game.player
        heading = math.degrees(math.atan2(-wish[0], wish[1]))
        steep = math.degrees(math.atan2(wish[2], math.hypot(wish[0], wish[1])))
        turn = (player.heading - heading + 180.0) % 360.0 - 180.0
        return turn, steep - player.pitch

    def _has_target(self) -> bool:
        """Whether an enemy, or an asteroid that is near, lies ahead."""
        game, player = self._game, self._game.player
        for ship in game.enemies.ships:
            gap = ship.position - player.position
            far = float(np.linalg.norm(gap))
            yaw, pitch = self._beside_nose(gap)
            width = AIM + math.degrees(math.atan2(rules.SHIP_RADIUS, far))
            if far < 300.0 and math.hypot(yaw, pitch) < width:
                return True
        gap = game.field.position - player.position
        along = gap @ player.forward
        beside = np.sqrt(np.maximum((gap * gap).sum(axis=1) - along * along, 0.0))
        ahead = (along > 0.0) & (along < 110.0 + game.field.reach)
        return bool((ahead & (beside < 0.8 * game.field.reach)).any())

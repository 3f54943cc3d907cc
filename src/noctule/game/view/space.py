"""`SpaceView`: asteroids, ships and effects of a game, as nodes of Panda3D."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from noctule.game.simulation.enemies import Enemy
from noctule.game.simulation.events import Event
from noctule.game.simulation.game import Game
from noctule.game.view import colours, models
from noctule.game.view.effects import Effects

FLICKER = 25.0  # of engines, radians a second


class SpaceView:
    """Shows what is around the player.

    Parameters
    ----------
    render : NodePath
        Panda3D's world.
    game : Game
        What is shown.
    """

    def __init__(self, render: Any, game: Game) -> None:
        self.root = render.attachNewNode("game")
        self._game = game
        self.effects = Effects(self.root)
        self._rocks: list[Any] = [None] * len(game.field)
        self._models: list[Any] = [None] * len(game.field)
        self._ships: dict[Enemy, Any] = {}
        self._player = models.saucer(colours.SHIP)
        self._player.reparentTo(self.root)
        self._seconds = 0.0

    def update(self, seconds: float, events: list[Event], chase: bool) -> None:
        """Show the game as it is now."""
        self._seconds += seconds
        self._show_rocks()
        self._show_enemies()
        player, game = self._player, self._game
        (player.show if chase else player.hide)()
        ship = game.player
        player.setPos(*ship.position.tolist())
        player.setHpr(ship.heading, ship.pitch, 25.0 * ship.turning)
        strength = 0.6 + 0.8 * ship.speed / 25.0
        player.find("**/engine").setScale(strength * self._flicker())
        for event in events:
            self.effects.add(event)
        self.effects.update(seconds, game.guns.shots)

    def remove(self) -> None:
        """Remove everything."""
        self.effects.clear()
        self.root.removeNode()

    def _show_rocks(self) -> None:
        field = self._game.field
        for i, (model, pose) in enumerate(zip(field.models, field.poses.tolist(), strict=True)):
            if self._models[i] is not model:
                if self._rocks[i] is not None:
                    self._rocks[i].removeNode()
                self._rocks[i], self._models[i] = models.rock(model), model
                self._rocks[i].reparentTo(self.root)
            x, y, z, qx, qy, qz, qw, _ = pose
            self._rocks[i].setPosQuat((x, y, z), (qw, qx, qy, qz))

    def _show_enemies(self) -> None:
        ships = self._game.enemies.ships
        for gone in [ship for ship in self._ships if ship not in ships]:
            self._ships.pop(gone).removeNode()
        for ship in ships:
            if ship not in self._ships:
                self._ships[ship] = models.saucer(colours.ENEMY)
                self._ships[ship].reparentTo(self.root)
            node, way = self._ships[ship], ship.velocity
            node.setPos(*ship.position.tolist())
            if np.any(way):
                heading = math.degrees(math.atan2(-way[0], way[1]))
                steep = math.degrees(math.atan2(way[2], math.hypot(way[0], way[1])))
                node.setHpr(heading, steep, 0.0)
            node.find("**/engine").setScale(self._flicker())

    def _flicker(self) -> float:
        return 1.0 + 0.12 * math.sin(FLICKER * self._seconds)

"""`Guns`: the weapons of the player, and the shots that are on their way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noctule.game.simulation import rules
from noctule.game.simulation.controls import Controls
from noctule.game.simulation.player import Player

Array = NDArray[np.float64]


@dataclass(eq=False)
class Shot:
    """A projectile."""

    weapon: rules.Weapon
    position: Array
    velocity: Array
    left: float  # of its range
    before: Array


class Guns:
    """Two weapons, of which one is in use.

    Attributes
    ----------
    number : int
        The one in use, of `rules.WEAPONS`.
    loaded : list of int
        What is left in the magazines.
    reloading, waiting : float
        Seconds until the magazine is full again, and until the next shot.
    shots : list of Shot
        The shots on their way.
    """

    def __init__(self) -> None:
        self.number = 0
        self.loaded = [weapon.magazine for weapon in rules.WEAPONS]
        self.reloading = self.waiting = 0.0
        self.shots: list[Shot] = []

    @property
    def weapon(self) -> rules.Weapon:
        """The weapon in use."""
        return rules.WEAPONS[self.number]

    def handle(self, controls: Controls, player: Player) -> list[str]:
        """Swap, reload or fire; return what was done: "swap", "reload", "fire" or "empty"."""
        done = []
        self.waiting = max(self.waiting - rules.FRAME, 0.0)
        if self.reloading > 0.0:
            self.reloading = max(self.reloading - rules.FRAME, 0.0)
            if self.reloading == 0.0:
                self.loaded[self.number] = self.weapon.magazine
        elif controls.swap:
            self.number = (self.number + 1) % len(rules.WEAPONS)
            done.append("swap")
        elif controls.reload and self.loaded[self.number] < self.weapon.magazine:
            self.reloading = self.weapon.reload
            done.append("reload")
        if controls.fire and self.waiting == 0.0 and self.reloading == 0.0:
            self.waiting = self.weapon.cooldown
            done.append("fire" if self.loaded[self.number] >= 2 else "empty")
            if done[-1] == "fire":
                self._fire(player)
        return done

    def fly(self) -> None:
        """Move all shots by a frame; those at the end of their range are gone."""
        for shot in self.shots:
            shot.before = shot.position
            shot.position = shot.position + rules.FRAME * shot.velocity
            shot.left -= shot.weapon.speed * rules.FRAME
        self.shots = [shot for shot in self.shots if shot.left > 0.0]

    def _fire(self, player: Player) -> None:
        weapon, forward = self.weapon, player.forward
        self.loaded[self.number] -= 2
        aim = player.position + rules.RANGE * forward
        for side in (-rules.BARREL, rules.BARREL):
            start = player.position + side * player.right + rules.SHIP_RADIUS * forward
            way = aim - start
            velocity = weapon.speed * way / np.linalg.norm(way) + player.velocity
            self.shots.append(Shot(weapon, start, velocity, rules.RANGE, start))

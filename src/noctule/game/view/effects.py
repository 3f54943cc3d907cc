"""`Effects`: shots, explosions and sparks."""

from __future__ import annotations

from typing import Any

import numpy as np

from noctule.game.simulation.events import Event
from noctule.game.simulation.guns import Shot
from noctule.game.simulation.rules import WEAPONS
from noctule.game.view import colours
from noctule.game.view.geometry import glow, points

SPARKS = 40
# What is seen of an event: seconds, size of the light as part of the event's, and its colour.
SEEN = {
    "hit": (0.25, 6.0, colours.WARNING),
    "broken": (0.9, 2.6, colours.FIRE),
    "killed": (1.1, 30.0, colours.FIRE),
    "crashed": (1.1, 26.0, colours.ENEMY),
    "collided": (1.1, 26.0, colours.ENEMY),
    "caught": (0.6, 16.0, colours.ENEMY),
}


class Effects:
    """Things that light up for a moment.

    Parameters
    ----------
    parent : NodePath
        What they are drawn under.
    """

    def __init__(self, parent: Any) -> None:
        self._parent = parent
        self._shots: dict[Shot, Any] = {}
        self._lit: list[tuple[float, float, Any, Any]] = []  # age, duration, light, sparks
        self._random = np.random.default_rng(0)  # only for the picture

    def add(self, event: Event) -> None:
        """Show an event, if there is something to see."""
        if event.what not in SEEN:
            return
        seconds, size, colour = SEEN[event.what]
        holder = self._parent.attachNewNode("explosion")
        holder.setPos(*event.position.tolist())
        light = glow(colour, size * event.size)
        light.reparentTo(holder)
        core = glow((1.0, 1.0, 0.9, 1.0), 0.45 * size * event.size)
        core.reparentTo(holder)
        ways = self._random.normal(size=(SPARKS, 3))
        ways *= self._random.uniform(0.3, 1.0, (SPARKS, 1)) / np.linalg.norm(ways, axis=1)[:, None]
        sparks = points(0.6 * size * event.size * ways, colour, 3.0, "sparks")
        sparks.reparentTo(holder)
        self._lit.append((0.0, seconds, holder, sparks))

    def update(self, seconds: float, shots: list[Shot]) -> None:
        """Go on by some seconds."""
        kept = []
        for age, duration, holder, sparks in self._lit:
            age += seconds
            part = age / duration
            if part >= 1.0:
                holder.removeNode()
                continue
            holder.setColorScale(1.0, 1.0, 1.0, (1.0 - part) ** 2)
            holder.setScale(0.35 + 0.65 * part**0.5)
            sparks.setScale(0.2 + 1.6 * part)
            kept.append((age, duration, holder, sparks))
        self._lit = kept
        self._move_shots(shots)

    def clear(self) -> None:
        """Remove everything."""
        for *_, holder, _sparks in self._lit:
            holder.removeNode()
        self._lit = []
        self._move_shots([])

    def _move_shots(self, shots: list[Shot]) -> None:
        for shot in [shot for shot in self._shots if shot not in shots]:
            self._shots.pop(shot).removeNode()
        for shot in shots:
            if shot not in self._shots:
                number = WEAPONS.index(shot.weapon)
                light = glow(colours.SHOTS[number], (2.2, 4.5)[number])
                light.reparentTo(self._parent)
                self._shots[shot] = light
            self._shots[shot].setPos(*shot.position.tolist())

"""`AsteroidWindow`: the part of unbounded space in which agents plan; it follows the player."""

from __future__ import annotations

from noctule.game.simulation.field import Field
from noctule.game.simulation.player import Player
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.worlds.bodies import Body
from noctule.worlds.scene import Scene
from noctule.worlds.shapes import Ball
from noctule.worlds.space import Space

CELL = 10.0
CELLS = (100, 100, 48)


class AsteroidWindow:
    """A scene around the player with the ball around each asteroid, and its cells.

    Parameters
    ----------
    field : Field
        The asteroids.
    player : Player
        What the window follows.

    Attributes
    ----------
    scene, graph : Scene, CellGrid
        What agents plan in.
    """

    def __init__(self, field: Field, player: Player) -> None:
        x, y, z = (
            round(p / CELL) * CELL - 0.5 * n * CELL
            for p, n in zip(player.position.tolist(), CELLS, strict=True)
        )
        space = Space((x, y, z), CELLS, CELL, up="z", follow=player)
        self.scene = Scene(space, name="lost-in-space")
        self._field, self._made = field, 0
        self._bodies = [self._add(i) for i in range(len(field))]
        field.moved.clear()
        self.graph = CellGrid(self.scene, safety=False)

    def place_bodies(self) -> None:
        """Place all bodies where the asteroids are."""
        field = self._field
        changed = list(dict.fromkeys(field.moved))
        for i in changed:
            self.scene.remove(self._bodies[i])
        for i in changed:
            self._bodies[i] = self._add(i)
        field.moved.clear()
        for body, place in zip(self._bodies, field.position, strict=True):
            body.place(place)

    def _add(self, i: int) -> Body:
        """Add the ball around an asteroid; a new body, of which no velocity is known yet."""
        self._made += 1
        ball = Ball(float(self._field.reach[i]))
        body = Body(f"asteroid {self._made}", ball, self._field.position[i])
        self.scene.add(body)
        return body

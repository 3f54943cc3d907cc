"""`Hud`: cross-hair, health, guns, score, radar, and the frame of the cockpit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.game.simulation import rules
from noctule.game.simulation.game import Game
from noctule.game.view import colours
from noctule.game.view.geometry import Colour, lines, mesh, points, polyline, see_through

Array = NDArray[np.float64]

RADAR = 0.22  # radius in parts of half the height of the window
RADAR_RANGE = rules.FIELD_RADIUS
BAR = (0.5, 0.022)  # width and height of the bar of health
WARNING_AT, BAD_AT = 0.6, 0.3  # parts of the health


class Hud:
    """What is drawn over the game.

    Parameters
    ----------
    base : ShowBase
        Panda3D's application.
    """

    def __init__(self, base: Any) -> None:
        self._base = base
        self.root = base.aspect2d.attachNewNode("hud")
        self._cross_hair().reparentTo(self.root)
        self._cockpit = _cockpit()
        self._cockpit.reparentTo(base.render2d)
        left, right = base.a2dTopLeft, base.a2dTopRight
        self._score = text(left, (0.05, -0.09), 0.06)
        self._wave = text(left, (0.05, -0.15), 0.042, colours.DIM)
        self._enemies = text(right, (-0.05, -0.09), 0.045, colours.ENEMY, "right")
        self._gun = text(base.a2dBottomRight, (-0.05, 0.13), 0.05, colours.TEXT, "right")
        self._speed = text(base.a2dBottomRight, (-0.05, 0.06), 0.042, colours.DIM, "right")
        self._message = text(base.aspect2d, (0.0, 0.45), 0.08, colours.WARNING, "center")
        self._names = [
            text(base.a2dBottomLeft, (0.05, y), 0.035, colours.DIM) for y in (0.145, 0.075)
        ]
        self._names[0].setText("health")
        self._names[1].setText("boost")
        self._bars = [_bar(base.a2dBottomLeft, y) for y in (0.115, 0.045)]
        self._radar = base.a2dBottomCenter.attachNewNode("radar")
        self._radar.setPos(0.0, 0.0, RADAR + 0.05)
        _radar_face().reparentTo(self._radar)
        self._blips: Any = None
        self._flash = _flash(base.render2d)
        self._hurt = 0.0
        self._said: tuple[str, float] = ("", 0.0)

    def show(self, visible: bool, cockpit: bool) -> None:
        """Show it or not, with or without the frame of the cockpit."""
        parts = [self.root, self._radar, *self._bars, *self._names]
        parts += [self._score, self._wave, self._enemies, self._gun, self._speed, self._message]
        for part in parts:
            (part.show if visible else part.hide)()
        (self._cockpit.show if visible and cockpit else self._cockpit.hide)()
        if not visible:
            self._flash.setAlphaScale(0.0)

    def say(self, words: str, seconds: float = 2.0) -> None:
        """Show a message for some seconds."""
        self._said = words, seconds

    def hurt(self) -> None:
        """Flash, because the ship was hit."""
        self._hurt = 1.0

    def update(self, game: Game, seconds: float) -> None:
        """Show the state of a game."""
        player, guns = game.player, game.guns
        self._score.setText(f"{game.score:06}")
        self._wave.setText(f"wave {game.wave}   {max(game.wave_left, 0.0):.0f} s")
        count = len(game.enemies.ships)
        self._enemies.setText(f"{count} {'enemy' if count == 1 else 'enemies'}")
        state = f"{guns.loaded[guns.number]} / {guns.weapon.magazine}"
        state = f"reloading {guns.reloading:.1f} s" if guns.reloading > 0.0 else state
        self._gun.setText(f"{guns.weapon.name}   {state}")
        self._speed.setText(f"{player.speed:.0f} units a second")
        part = player.health / rules.HEALTH
        _fill(self._bars[0], part, health_colour(part))
        _fill(self._bars[1], player.boost, colours.SHIP)
        self._names[0].setText("health" if part >= BAD_AT else "health: low")
        words, left = self._said
        self._message.setText(words if left > 0.0 else "")
        self._said = words, left - seconds
        self._hurt = max(self._hurt - 2.5 * seconds, 0.0)
        self._flash.setAlphaScale(0.45 * self._hurt)
        self._show_radar(game)

    def _show_radar(self, game: Game) -> None:
        """Show enemies and asteroids from above, nose up; lines show how high enemies are."""
        if self._blips is not None:
            self._blips.removeNode()
        self._blips = self._radar.attachNewNode("blips")
        rocks = _on_radar(game, game.field.position)
        near = np.abs(game.field.position[:, 2] - game.player.position[2]) < 60.0
        rocks = rocks[near]
        points(_flat(rocks[np.hypot(*rocks.T) < RADAR]), colours.DIM, 2.0).reparentTo(self._blips)
        ships = game.enemies.ships
        if not ships:
            return
        places = np.array([ship.position for ship in ships])
        blips = _flat(_on_radar(game, places))
        feet = blips.copy()
        blips[:, 2] += np.clip((places[:, 2] - game.player.position[2]) / 600.0, -0.15, 0.15)
        ends = np.stack((feet, blips), axis=1).reshape(-1, 3)
        lines(ends, colours.ENEMY, 1.0).reparentTo(self._blips)
        points(blips, colours.ENEMY, 7.0).reparentTo(self._blips)

    def _cross_hair(self) -> Any:
        ends = np.array([(x, 0.0, 0.0) for x in (-0.05, -0.018, 0.018, 0.05)])
        both = np.concatenate((ends, ends[:, [2, 1, 0]]))
        return lines(both, colours.GOOD, 1.5, "cross-hair")


def health_colour(part: float) -> Colour:
    """Return the colour of the bar of health."""
    if part < BAD_AT:
        return colours.BAD
    return colours.WARNING if part < WARNING_AT else colours.GOOD


def text(
    parent: Any,
    place: tuple[float, float],
    size: float,
    colour: Colour = colours.TEXT,
    align: str = "left",
) -> Any:
    """Return a text that can be changed."""
    from direct.gui.OnscreenText import OnscreenText
    from panda3d.core import TextNode

    sides = {"left": TextNode.ALeft, "right": TextNode.ARight, "center": TextNode.ACenter}
    return OnscreenText(
        "", pos=place, scale=size, fg=colour, align=sides[align], parent=parent, mayChange=True,
        shadow=(0.0, 0.0, 0.0, 0.8),
    )  # fmt: skip


def panel(parent: Any, frame: tuple[float, float, float, float], colour: Colour) -> Any:
    """Return a rectangle: left, right, bottom, top."""
    from panda3d.core import CardMaker

    maker = CardMaker("panel")
    maker.setFrame(*frame)
    card = parent.attachNewNode(maker.generate())
    card.setColor(*colour)
    see_through(card)
    return card


def _bar(parent: Any, y: float) -> Any:
    holder = parent.attachNewNode("bar")
    holder.setPos(0.05, 0.0, y)
    width, height = BAR
    panel(holder, (0.0, width, 0.0, height), (0.1, 0.12, 0.16, 0.8))
    panel(holder, (0.0, width, 0.0, height), colours.GOOD).setName("level")
    return holder


def _fill(bar: Any, part: float, colour: Colour) -> None:
    level = bar.find("level")
    level.setScale(max(part, 1e-3), 1.0, 1.0)
    level.setColor(*colour)


def _flash(parent: Any) -> Any:
    card = panel(parent, (-1.0, 1.0, -1.0, 1.0), colours.BAD)
    card.setAlphaScale(0.0)
    card.setBin("fixed", 50)
    return card


def _on_radar(game: Game, places: Array) -> Array:
    """Return places as (right, ahead) of the ship, in units of the radar."""
    away = places - game.player.position
    turn = math.radians(game.player.heading)
    right = away[:, 0] * math.cos(turn) + away[:, 1] * math.sin(turn)
    ahead = -away[:, 0] * math.sin(turn) + away[:, 1] * math.cos(turn)
    return np.column_stack((right, ahead)) * (RADAR / RADAR_RANGE)


def _flat(places: Array) -> Array:
    """Return (right, up) as points of the plane of the window."""
    return np.column_stack((places[:, 0], np.zeros(len(places)), places[:, 1]))


def _radar_face() -> Any:
    from panda3d.core import NodePath

    face = NodePath("face")
    turn = np.linspace(0.0, 2.0 * np.pi, 49)
    circle = np.column_stack((np.cos(turn), np.zeros(49), np.sin(turn)))
    middle = np.zeros((48, 3))
    disc = np.stack((middle, circle[1:], circle[:-1]), axis=1) * RADAR
    dark = mesh(disc, np.tile((0.03, 0.06, 0.09, 0.72), (48, 1)), "disc")
    dark.setTwoSided(True)
    dark.setLightOff()
    see_through(dark)
    dark.reparentTo(face)
    for part in (0.5, 1.0):
        lines(polyline(part * RADAR * circle), (0.2, 0.42, 0.5, 1.0), 1.0).reparentTo(face)
    ship = np.array([(-0.012, 0.0, -0.012), (0.0, 0.0, 0.018), (0.012, 0.0, -0.012)])
    lines(polyline(ship), colours.SHIP, 2.0).reparentTo(face)
    return face


def _cockpit() -> Any:
    """Return the struts and the board of the cockpit, over the whole window."""
    from panda3d.core import NodePath

    frame = NodePath("cockpit")
    shapes = [
        [(-1.0, -1.0), (1.0, -1.0), (0.72, -0.8), (-0.72, -0.8)],
        [(-1.0, -1.0), (-0.72, -0.8), (-0.93, -0.55), (-1.0, -0.58)],
        [(1.0, -1.0), (1.0, -0.58), (0.93, -0.55), (0.72, -0.8)],
        [(-1.0, 1.0), (-1.0, 0.72), (-0.78, 0.94), (-0.76, 1.0)],
        [(1.0, 1.0), (0.76, 1.0), (0.78, 0.94), (1.0, 0.72)],
        [(-0.05, 1.0), (-0.02, 0.965), (0.02, 0.965), (0.05, 1.0)],
    ]
    triangles, shades = [], []
    for k, shape in enumerate(shapes):
        a, b, c, d = (np.array((x, 0.0, z)) for x, z in shape)
        triangles += [(a, b, c), (a, c, d)]
        shades += [np.array(colours.FRAME) * (1.0 if k else 0.8)] * 2
    struts = mesh(np.array(triangles), np.array(shades), "struts")
    struts.setTwoSided(True)
    struts.setLightOff()
    struts.reparentTo(frame)
    edge = np.array(
        [(-0.93, 0.0, -0.55), (-0.72, 0.0, -0.8), (0.72, 0.0, -0.8), (0.93, 0.0, -0.55)]
    )
    lines(polyline(edge), (0.25, 0.4, 0.5, 1.0), 2.0).reparentTo(frame)
    frame.setBin("background", 5)
    return frame

"""The models: asteroids and flying saucers."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.game.simulation.rocks import RockModel
from noctule.game.simulation.rules import SHIP_RADIUS
from noctule.game.view import colours
from noctule.game.view.geometry import Colour, glow, mesh

Array = NDArray[np.float64]

SECTORS = 24  # of a saucer
# Outlines of a saucer of radius 1: (radius, height), from below to the top of the dome.
HULL = ((0.0, -0.22), (0.45, -0.2), (1.0, 0.0), (0.62, 0.16), (0.4, 0.2))
DOME = ((0.4, 0.2), (0.36, 0.36), (0.22, 0.48), (0.0, 0.53))
LAMPS = 8


_rocks: dict[tuple[int, int, float], Any] = {}  # by class, shape and size


def rock(model: RockModel) -> Any:
    """Return a node that shows an asteroid; all of one model share their triangles."""
    from panda3d.core import NodePath

    key = model.kind, model.shape, model.reach
    if key not in _rocks:
        corners = model.hull.vertices[model.hull.triangles]
        random = np.random.default_rng([model.kind, model.shape])
        shades = random.uniform(0.75, 1.1, (len(corners), 1)) * np.array([colours.ROCK])
        _rocks[key] = mesh(corners, np.column_stack((shades, np.ones(len(corners)))), "rock")
    holder = NodePath("asteroid")
    _rocks[key].instanceTo(holder)
    return holder


def saucer(colour: Colour) -> Any:
    """Return a flying saucer with the glow of its engine; +y is ahead."""
    from panda3d.core import NodePath

    ship = NodePath("saucer")
    tint = np.array(colour[:3])
    body = _revolved(HULL) * SHIP_RADIUS
    sector = (np.arange(len(body)) // 2) % SECTORS
    shade = np.where(sector % 6 < 3, 0.85, 0.6)[:, None] * (0.35 + 0.65 * tint)
    mesh(body, np.column_stack((shade, np.ones(len(body)))), "hull").reparentTo(ship)
    dome = _revolved(DOME) * SHIP_RADIUS
    glass = np.tile((*(0.5 + 0.5 * tint), 1.0), (len(dome), 1))
    mesh(dome, glass, "dome").reparentTo(ship)
    for k in range(LAMPS):
        turn = 2.0 * np.pi * k / LAMPS
        lamp = glow(colour, 0.9)
        lamp.setPos(*(0.93 * SHIP_RADIUS * np.array([np.cos(turn), np.sin(turn), 0.02])))
        lamp.reparentTo(ship)
    engine = glow(colours.FIRE, 3.4)
    engine.setName("engine")
    engine.setPos(0.0, -0.95 * SHIP_RADIUS, 0.0)
    engine.reparentTo(ship)
    return ship


def _revolved(outline: tuple[tuple[float, float], ...]) -> Array:
    """Return the triangles of an outline that is turned about the vertical axis."""
    turn = 2.0 * np.pi * np.arange(SECTORS + 1) / SECTORS
    rings = [
        np.column_stack((r * np.cos(turn), r * np.sin(turn), np.full(SECTORS + 1, z)))
        for r, z in outline
    ]
    triangles = []
    for low, high in itertools.pairwise(rings):
        for k in range(SECTORS):
            a, b, c, d = low[k], low[k + 1], high[k + 1], high[k]
            triangles += [(a, b, c), (a, c, d)]
    return np.array(triangles)

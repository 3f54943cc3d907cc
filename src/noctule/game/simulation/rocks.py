"""`RockModel`: the shapes of asteroids. Each is a convex hull of points near to a sphere."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.game.simulation.rules import ROCKS
from noctule.worlds.geometry.solids import Solids, pack
from noctule.worlds.shapes import Hull

SHAPES = 4
CORNERS = 22
FLATTEST = 0.72  # smallest part of the reach at which a corner lies


class RockModel(NamedTuple):
    """An asteroid of one size and shape."""

    kind: int  # of `ROCKS`
    shape: int
    reach: float
    hull: Hull
    solids: Solids  # the hull, for the kernels that judge contact


@functools.cache
def rock_models() -> tuple[tuple[RockModel, ...], ...]:
    """Return the models of each class; they are the same in every game."""
    shapes = [_corners(shape) for shape in range(SHAPES)]
    models = []
    for kind, row in enumerate(ROCKS):
        hulls = [
            (shape, reach, Hull(reach * shapes[shape]))
            for shape in range(SHAPES)
            for reach in row.reaches
        ]
        models.append(
            tuple(
                RockModel(kind, shape, reach, hull, pack([(0, hull)]))
                for shape, reach, hull in hulls
            )
        )
    return tuple(models)


def _corners(shape: int) -> NDArray[np.float64]:
    """Return the corners of a shape of which the farthest lies at distance 1."""
    random = np.random.default_rng([shape, 2019])
    k = np.arange(CORNERS) + 0.5
    z, turn = 1.0 - 2.0 * k / CORNERS, np.pi * (1.0 + 5.0**0.5) * k
    flat = np.sqrt(1.0 - z * z)
    points = np.column_stack((flat * np.cos(turn), flat * np.sin(turn), z))
    points += random.normal(0.0, 0.16, points.shape)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    points *= random.uniform(FLATTEST, 1.0, (CORNERS, 1))
    corners: NDArray[np.float64] = points / np.linalg.norm(points, axis=1).max()
    return corners

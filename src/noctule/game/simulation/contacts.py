"""Exact contact of ships and shots with asteroids, over a whole frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noctule.flight.collision import DEEPEST, time_of_touch
from noctule.game.simulation.field import Field
from noctule.worlds.geometry.contact import first_contact

Array = NDArray[np.float64]
Point = tuple[float, float, float]

_stack = np.empty((DEEPEST, 2))


def rock_on(field: Field, p: Array, q: Array, radius: float) -> tuple[int, float]:
    """Return the asteroid that a ball touches first on its way, and when: -1 and 2 for none."""
    found, moment = -1, 2.0
    start, end = as_point(p), as_point(q)
    for i in _near(field, p, q, radius).tolist():
        before, after = field.before[i : i + 1], field.poses[i : i + 1]
        body, t = first_contact(field.models[i].solids, before, after, start, end, radius, _stack)
        if body >= 0 and t < moment:
            found, moment = i, t
    return found, moment


def _near(field: Field, p: Array, q: Array, radius: float) -> NDArray[np.int64]:
    """Return the asteroids whose surrounding ball is touched, if both move evenly."""
    apart = p - field.before[:, :3]
    moves = (q - field.poses[:, :3]) - apart
    size = (moves * moves).sum(axis=1)
    t = np.clip(-(apart * moves).sum(axis=1) / np.where(size > 0.0, size, 1.0), 0.0, 1.0)
    closest = apart + t[:, None] * moves
    near: NDArray[np.int64] = np.flatnonzero(
        (closest * closest).sum(axis=1) <= (field.reach + radius) ** 2
    )
    return near


def ships_touch(p: Array, q: Array, other_p: Array, other_q: Array, near: float) -> float:
    """Return when two balls come so near to each other: 0 to 1, or 2 for never."""
    return time_of_touch((as_point(p), as_point(q)), (as_point(other_p), as_point(other_q)), near)


def as_point(vector: Array) -> Point:
    """Return a vector as a tuple."""
    x, y, z = vector.tolist()
    return (x, y, z)

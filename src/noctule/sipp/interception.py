"""Interception: find where a moving goal will be when the agent can reach it."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import INF
from noctule.core.validation import PointLike
from noctule.graphs.entry_nodes import Entries
from noctule.sipp.distance_fields import DistanceFields

Goal = PointLike | Callable[[float], Any]
Interception = tuple[Any, Entries, NDArray[np.float64] | None]

TRIES = 24  # iterations of the arrival time
NEAR = 0.02  # seconds; tolerance of the arrival time
MAX_EXTRAPOLATION = 3.0  # seconds; horizon of the constant-velocity model of a goal


def intercept_straight(
    start: Any, goal: Callable[[float], Any], t0: float, speed: float
) -> Any | None:
    """Return where an agent that flies straight from `start` at `t0` meets the goal, or None."""

    def arrival_at(t: float) -> float:
        return t0 + math.dist(start, goal(t)) / speed

    early, t = t0, t0
    for _ in range(4 * TRIES):
        arrival = arrival_at(t)
        if arrival <= t + 1e-9:
            break
        early, t = t, arrival
    else:
        return None
    if arrival >= t - 1e-9:
        return goal(t)
    while t - early > 1e-9:  # the goal came nearer: bisect between the last two iterates
        middle = (early + t) / 2
        early, t = (early, middle) if arrival_at(middle) <= middle else (middle, t)
    return goal(t)


def intercept_past_walls(
    goal_at: Callable[[float], tuple[Any, Entries]],
    starts: Entries,
    fields: DistanceFields,
    t0: float,
    seconds_per_cell: float,
    tries: int = TRIES,
) -> Interception:
    """Find where the agent can meet the goal, ignoring moving bodies.

    `goal_at` returns the position of the goal at a time and its entries. If the goal cannot be
    caught, its position in the last iteration is used; if that position is inside a wall, the last
    reachable one. Returns the position, its entries, and the distance field of the nearest entry,
    which is None if there is no path.
    """
    t = t0
    best: Interception | None = None
    for _ in range(tries):
        target, ends = goal_at(t)
        length, field = INF, None
        if len(ends[0]):
            field = fields.to(int(ends[0][0]))
            length = float((starts[1] + field[starts[0]]).min()) + float(ends[1][0])
        if length == INF:
            return best or (target, ends, None)
        best = target, ends, field
        arrival = t0 + length * seconds_per_cell
        if arrival - t <= NEAR:
            break
        t = arrival
    assert best is not None
    return best


def constant_velocity(
    now: float, here: Any, before: float, there: Any
) -> Callable[[float], tuple[float, ...]]:
    """Return a function of time that extrapolates a goal from its positions at two times."""
    since = now - before

    def at(t: float) -> tuple[float, ...]:
        ahead = min(t - now, MAX_EXTRAPOLATION) / since if since > 0 else 0.0
        return tuple(p + ahead * (p - q) for p, q in zip(here, there, strict=True))

    return at


class GoalTracker:
    """Extrapolates a goal of unknown motion from its last two positions.

    >>> goal = GoalTracker()
    >>> goal.expected(1.0, (2.0, 0.0, 0.0))(5.0)
    (2.0, 0.0, 0.0)
    >>> goal.expected(2.0, (3.0, 0.0, 0.5))(4.0)
    (5.0, 0.0, 1.5)
    """

    def __init__(self) -> None:
        self._last: tuple[float, Any] | None = None

    def expected(self, now: float, place: Any) -> Callable[[float], tuple[float, ...]]:
        """Add the current position, and return the expected position as a function of time."""
        before, self._last = self._last, (now, place)
        if before is None or before[0] >= now:
            before = self._last
        return constant_velocity(*self._last, *before)

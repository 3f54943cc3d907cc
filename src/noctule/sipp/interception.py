"""Interception: where a moving destination will be when the agent can be there."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import INF
from noctule.core.validation import PointLike
from noctule.graphs.entry_nodes import Entries
from noctule.sipp.distance_fields import Fields

Goal = PointLike | Callable[[float], Any]
Meeting = tuple[Any, Entries, NDArray[np.float64] | None]

TRIES = 24
NEAR = 0.02  # seconds; tolerance of the time of arrival
FAITH = 3.0  # seconds for which the motion of a destination is extrapolated


def meet_on_line(start: Any, goal: Callable[[float], Any], t0: float, speed: float) -> Any | None:
    """Return where an agent that flies straight from `start` at `t0` meets the goal, or None."""

    def there(t: float) -> float:
        return t0 + math.dist(start, goal(t)) / speed

    early, t = t0, t0
    for _ in range(4 * TRIES):
        arrival = there(t)
        if arrival <= t + 1e-9:
            break
        early, t = t, arrival
    else:
        return None
    if arrival >= t - 1e-9:
        return goal(t)
    while t - early > 1e-9:  # the goal came nearer: bisect between the last two tries
        middle = (early + t) / 2
        early, t = (early, middle) if there(middle) <= middle else (middle, t)
    return goal(t)


def meet_past_walls(
    aim: Callable[[float], tuple[Any, Entries]],
    starts: Entries,
    fields: Fields,
    t0: float,
    seconds_a_cell: float,
    tries: int = TRIES,
) -> Meeting:
    """Find where the agent can meet the goal, if there were only walls.

    `aim` returns the position of the goal at a time, and the nodes near it. If the goal cannot be
    caught, the position of the last try is used; if it is inside a wall, the last one that can be
    reached. Returns the position, the nodes near it, and the distance of every node to the nearest
    of these; None if no start has a path to it.
    """
    t = t0
    best: Meeting | None = None
    for _ in range(tries):
        target, ends = aim(t)
        way, field = INF, None
        if len(ends[0]):
            field = fields.to(int(ends[0][0]))
            way = float((starts[1] + field[starts[0]]).min()) + float(ends[1][0])
        if way == INF:
            return best or (target, ends, None)
        best = target, ends, field
        there = t0 + way * seconds_a_cell
        if there - t <= NEAR:
            break
        t = there
    assert best is not None
    return best


def constant_velocity(
    now: float, here: Any, before: float, there: Any
) -> Callable[[float], tuple[float, ...]]:
    """Extrapolate a destination from its positions at two times."""
    since = now - before

    def at(t: float) -> tuple[float, ...]:
        ahead = min(t - now, FAITH) / since if since > 0 else 0.0
        return tuple(p + ahead * (p - q) for p, q in zip(here, there, strict=True))

    return at


class Seen:
    """Extrapolates a destination whose motion is unknown from the last two positions.

    >>> goal = Seen()
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

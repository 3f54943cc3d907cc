"""Where to meet a destination that moves: where it will be when the agent can be there."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import INF
from noctule.core.validation import Point
from noctule.graphs.grid.grid import Entries
from noctule.sipp.distance_fields import Fields

Goal = Point | Callable[[float], Any]
Meeting = tuple[Any, Entries, NDArray[np.float64] | None]

TRIES = 24
NEAR = 0.02  # seconds; two moments so near to each other are as good as one
FAITH = 3.0  # seconds that a destination is expected to fly on as it did


def meet_on_line(start: Any, goal: Callable[[float], Any], t0: float, speed: float) -> Any | None:
    """Where an agent that flies straight from `start` at `t0` meets the goal; None if it can't."""

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
    while t - early > 1e-9:  # the goal came nearer: it can be met between the last two tries
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
    """Where the agent can be when the goal is there, if only walls were in its way.

    `aim` tells where the goal is at a time, and the nodes near it. A goal that can't be caught up
    with is chased: the place of the last try; one that stands needs no other. If it is expected
    where nobody can be, in a wall, the last place is taken that can be reached. Returns the place,
    the nodes near it, and the distance of every node from the nearest of these; None if no start
    has a way to it.
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
    """A destination of which two places are known, expected to fly on as it did for a while."""
    since = now - before

    def at(t: float) -> tuple[float, ...]:
        ahead = min(t - now, FAITH) / since if since > 0 else 0.0
        return tuple(p + ahead * (p - q) for p, q in zip(here, there, strict=True))

    return at


class Seen:
    """A destination of which nobody knows how it moves: it is looked at again and again.

    >>> goal = Seen()
    >>> goal.expected(1.0, (2.0, 0.0, 0.0))(5.0)
    (2.0, 0.0, 0.0)
    >>> goal.expected(2.0, (3.0, 0.0, 0.5))(4.0)
    (5.0, 0.0, 1.5)
    """

    def __init__(self) -> None:
        self._last: tuple[float, Any] | None = None

    def expected(self, now: float, place: Any) -> Callable[[float], tuple[float, ...]]:
        """Where it will be, if it flies on as it did since the last look."""
        before, self._last = self._last, (now, place)
        if before is None or before[0] >= now:
            before = self._last
        return constant_velocity(*self._last, *before)

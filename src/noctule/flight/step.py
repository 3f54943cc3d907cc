"""`Step`: the result of a step of a navigator; `LeftOut`: what it had no time for.

`Request`: a query for its background thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from noctule.flight.corridor import Point
from noctule.path import Path


class Request(NamedTuple):
    """A query for the background thread."""

    start: Point
    goal: Point
    corner: Point | None


class LeftOut(NamedTuple):
    """What a step had no time for.

    Attributes
    ----------
    predictions : int
        Number of bodies near the agent, the farthest of them, whose motion was not predicted.
        Where they are now is known to every step.
    plan : bool
        Whether time ran out before there was a new path to the goal.
    """

    predictions: int = 0
    plan: bool = False


NOTHING = LeftOut()


@dataclass(frozen=True)
class Step:
    """Where to fly now.

    Attributes
    ----------
    waypoint : (x, y, z)
        Where to fly in a straight line; the position of the agent if it is to stay.
    path : Path or None
        The path from the agent on, checked in this step; None if there is none.
    reason : str
        Why there is no path, or only a partial one; empty otherwise.
    kept : bool
        Whether the path of the last step was kept.
    expanded : int
        Number of nodes expanded.
    seconds : float
        Duration of the step.
    left_out : LeftOut
        What there was no time for.
    velocity : (x, y, z) or None
        How to fly until the next step, for agents of a fleet.

    Examples
    --------
    >>> import numpy as np
    >>> import noctule as nt
    >>> navigator = nt.Navigator(nt.Grid(np.zeros((4, 4, 4), dtype=bool)))
    >>> step = navigator.step(0.0, (0.5, 0.5, 0.5), (3.5, 0.5, 0.5))
    >>> step.waypoint, step.path.length, step.kept
    ((3.5, 0.5, 0.5), 3.0, False)
    """

    waypoint: Point
    path: Path | None
    reason: str
    kept: bool
    expanded: int
    seconds: float
    left_out: LeftOut = NOTHING
    velocity: Point | None = None

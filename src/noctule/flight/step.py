"""What a navigator is told to do next, and what it asks its thread for."""

from dataclasses import dataclass
from typing import NamedTuple

from noctule.flight.corridor import Point
from noctule.path import Path


class Request(NamedTuple):
    """What the background thread is asked for."""

    start: Point
    goal: Point
    corner: Point | None


@dataclass(frozen=True)
class Step:
    """What to do now.

    Attributes
    ----------
    waypoint : (x, y, z)
        Where to fly, in a straight line; where the agent is if it is to stay.
    path : Path or None
        The way from the agent on, proven free just now; None if there is none.
    reason : str
        Why there is no way to the goal, or only the beginning of one; empty if there is.
    kept : bool
        Whether it is the path of the last step, rather than a new one.
    expanded : int
        How many nodes were expanded for it.
    seconds : float
        How long the step took.
    """

    waypoint: Point
    path: Path | None
    reason: str
    kept: bool
    expanded: int
    seconds: float

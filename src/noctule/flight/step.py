"""`Step`: the result of a step of a navigator. `Request`: a query for its background thread."""

from dataclasses import dataclass
from typing import NamedTuple

from noctule.flight.corridor import Point
from noctule.path import Path


class Request(NamedTuple):
    """A query for the background thread."""

    start: Point
    goal: Point
    corner: Point | None


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
    """

    waypoint: Point
    path: Path | None
    reason: str
    kept: bool
    expanded: int
    seconds: float

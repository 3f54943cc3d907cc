"""`FleetAgent`: one agent of a fleet."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from noctule.core.validation import PointLike, at_least, positive
from noctule.flight.corridor import Point
from noctule.flight.step import Step
from noctule.path import Path
from noctule.worlds.bodies import Body
from noctule.worlds.motions import as_vector

if TYPE_CHECKING:
    from noctule.fleet.hunting import Hunt
    from noctule.flight.guide import Guide

Goal = Any  # a point, a function of time, a FleetAgent, a Body, or None to stay

NO_STEP = Step((math.nan,) * 3, None, "there is no step yet", False, 0, 0.0)


class FleetAgent:
    """An agent of a fleet, made by `Fleet.add`.

    Attributes
    ----------
    number : int
        Counted from 0 in the order in which agents were added.
    position, velocity : (x, y, z)
        Where it is, and how it flies. A game or robot that moves agents itself calls `place`.
    goal : point, function of time, FleetAgent, Body or None
        Where it is to go; may be set at any time.
    radius, speed : float
        Its size, and its highest speed.
    max_acceleration, max_turn_rate : float or None
        World units a second squared, and degrees a second.
    arrive_within : float
        So near to its goal it has arrived. For a goal that is an agent or a body, its size is
        added.
    arrived : bool
        Whether it was there in the last step.
    step : Step
        What the last `Fleet.step` returned for it.
    path : Path or None
        What is left of its path.

    Examples
    --------
    >>> import noctule as nt
    >>> fleet = nt.Fleet(nt.Scene(nt.Space((0, 0, 0), (9, 9, 9))))
    >>> agent = fleet.add((1, 1, 1), goal=(8, 8, 8), radius=0.3, speed=2.0)
    >>> agent.position, agent.radius
    ((1.0, 1.0, 1.0), 0.3)
    """

    def __init__(
        self,
        number: int,
        position: PointLike,
        goal: Goal,
        radius: float,
        speed: float,
        max_acceleration: float | None,
        max_turn_rate: float | None,
        arrive_within: float | None,
    ) -> None:
        self.number = number
        self.position: Point = as_vector("position", position)
        self.velocity: Point = (0.0, 0.0, 0.0)
        self.radius, self.speed = positive("radius", radius), positive("speed", speed)
        self.max_acceleration = (
            None if max_acceleration is None else positive("max_acceleration", max_acceleration)
        )
        self.max_turn_rate = (
            None if max_turn_rate is None else positive("max_turn_rate", max_turn_rate)
        )
        self.arrive_within = (
            self.radius if arrive_within is None else at_least(0, "arrive_within", arrive_within)
        )
        self.goal = goal
        self.arrived = False
        self.step: Step = NO_STEP
        self._guide: Guide | None = None
        self._there: Point | None = None  # its goal in the last step
        self._planned_at = -1  # frame of the last plan; -1 before the first
        self._planned_for: Point = (math.nan,) * 3  # the goal of that plan
        self._asks = True  # whether it needs a plan
        self._waits = 0  # frames since it asked
        self._rank = float(number)  # the lower, the more others give way
        self._slow_for = 0  # frames for which it has hardly moved

    def __repr__(self) -> str:
        x, y, z = self.position
        return f"FleetAgent({self.number}, at ({x:.4g}, {y:.4g}, {z:.4g}))"

    @property
    def goal(self) -> Goal:
        """Where it is to go."""
        return self._goal

    @goal.setter
    def goal(self, goal: Goal) -> None:
        if goal is self:
            raise ValueError(f"goal is the agent itself, {self!r}; expected another one")
        if not (goal is None or isinstance(goal, FleetAgent | Body) or callable(goal)):
            goal = as_vector("goal", goal)
        self._goal, self._asks, self.arrived = goal, True, False
        self._hunt: Hunt | None = None

    @property
    def path(self) -> Path | None:
        """What is left of its path, from where it is; None if it has none."""
        route = self._guide.route if self._guide is not None else None
        if route is None or self._there is None:
            return None
        return route.as_path(np.array([self.position, *route.corners]), self.step.reason)

    def place(self, position: PointLike, velocity: PointLike | None = None) -> None:
        """Say where the agent is, if the caller moves it instead of `Fleet.fly`.

        Parameters
        ----------
        position : sequence of float
            Its position in world units.
        velocity : sequence of float, optional
            Its velocity; that of the last step unless given.

        Examples
        --------
        >>> import noctule as nt
        >>> fleet = nt.Fleet(nt.Scene(nt.Space((0, 0, 0), (9, 9, 9))))
        >>> agent = fleet.add((1, 1, 1), goal=(8, 8, 8))
        >>> agent.place((1.5, 1, 1))
        >>> agent.position
        (1.5, 1.0, 1.0)
        """
        self.position = as_vector("position", position)
        if velocity is not None:
            self.velocity = as_vector("velocity", velocity)


def place_of(goal: Goal, now: float) -> Point:
    """Return where a goal is at a time."""
    if isinstance(goal, FleetAgent):
        return goal.position
    if isinstance(goal, Body):
        x, y, z = goal.position.tolist()
        return (x, y, z)
    if isinstance(goal, Callable):  # type: ignore[arg-type]
        return as_vector("goal", goal(now))
    x, y, z = np.asarray(goal, np.float64).tolist()
    return (x, y, z)


def size_of(goal: Goal) -> float:
    """Return how far a goal reaches from its position."""
    if isinstance(goal, FleetAgent):
        return goal.radius
    return goal.reach if isinstance(goal, Body) else 0.0

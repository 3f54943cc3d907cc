"""`TimedSteps`: what a navigator does otherwise when its algorithm plans in time."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np

from noctule.flight.corridor import Point
from noctule.path import Path, polyline_length
from noctule.sipp.interception import Goal, Seen
from noctule.sipp.planner import TimedPlanner
from noctule.worlds.motions import as_vector

PAUSE = 0.1  # seconds from plan to plan, as long as bodies move as expected
AT = 1e-6  # in world units; an agent so near to a corner is there
ASTRAY = 0.05  # seconds of flight; an agent so far from where it should be is somewhere else


class TimedSteps:
    """Where to fly now: along a plan that is made again every tenth of a second, or earlier.

    Earlier if a body leaves what was expected of it, or the agent its plan. If no plan is found,
    the old one is flown on.
    """

    def __init__(self, planner: TimedPlanner) -> None:
        self._planner, self._speed = planner, planner.timing.speed
        self._goal = Seen()
        self._planned_at = math.inf
        self._left: list[tuple[Point, float]] = []  # corners ahead, and when to be there
        self._plan: Path | None = None

    def step(
        self, now: float, agent: Point, goal: Goal
    ) -> tuple[Point, Path | None, str, bool, int]:
        """The waypoint, the plan from here on, why there is none, if it is kept, and expansions."""
        self._go_on(now, agent)
        expanded, reason, kept = 0, "", True
        if self._is_due(now, agent):
            path = self._planner.plan(agent, self._expected(now, goal), now)
            self._planned_at, expanded, reason = now, path.expanded, path.reason
            if path.times is not None:
                corners = [(x, y, z) for x, y, z in path.points.tolist()]
                self._left = list(zip(corners, path.times.tolist(), strict=True))
                self._plan, kept, reason = path, False, ""
                self._go_on(now, agent)
        if self._plan is None:
            return agent, None, reason, False, expanded
        waypoint = self._left[0][0] if self._left else agent
        return waypoint, self._rest(self._plan, now, agent), reason, kept, expanded

    def _expected(self, now: float, goal: Goal) -> Goal:
        """Where the goal will be: as it says itself, or as it did since the last plan."""
        return goal if callable(goal) else self._goal.expected(now, as_vector("goal", goal))

    def _is_due(self, now: float, agent: Point) -> bool:
        if not 0.0 <= now - self._planned_at < PAUSE or self._planner.deviates_from_forecast():
            return True
        if self._plan is None or self._plan.times is None:
            return True
        should = [float(np.interp(now, self._plan.times, axis)) for axis in self._plan.points.T]
        return math.dist(agent, should) > ASTRAY * self._speed

    def _go_on(self, now: float, agent: Point) -> None:
        """Leave corners behind that the agent has passed; not yet where it is to wait."""
        while self._left:
            corner, _ = self._left[0]
            waits = len(self._left) > 1 and self._left[1][0] == corner
            if math.dist(agent, corner) > AT or (waits and now < self._left[1][1] - AT):
                return
            del self._left[0]

    def _rest(self, plan: Path, now: float, agent: Point) -> Path:
        """The plan from where the agent is, as much later as the agent is by now."""
        corners = [(agent, now), *self._left]
        times = [now]
        for (p, _), (q, planned) in pairwise(corners):
            times.append(max(planned, times[-1] + math.dist(p, q) / self._speed))
        points = np.array([corner for corner, _ in corners])
        return replace(plan, points=points, times=np.array(times), length=polyline_length(points))

"""Follow plans in time: `TimedPilot` in a flight, `TimedSteps` in a navigator."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np

from noctule.flight.corridor import Corridor, Point, TimedCorridor
from noctule.flight.pilots import Pilot
from noctule.graphs.scene_graphs import SceneGraph
from noctule.path import Path, polyline_length
from noctule.planning.planner import Planner
from noctule.sipp.interception import Goal, GoalTracker
from noctule.sipp.planner import TimedPlanner
from noctule.worlds.motions import as_vector
from noctule.worlds.scene import Destination

PAUSE = 0.1  # seconds from plan to plan, while bodies move as forecast
AT = 1e-6  # world units; an agent so near to a corner is there
ASTRAY = 0.05  # seconds of flight; an agent so far from its plan has left it


class TimedPilot(Pilot):
    """Plans for the time at which a plan will be ready, and flies it as scheduled.

    If no plan is found, the old one is kept: it is free while bodies move as forecast.
    """

    every = 6  # frames from plan to plan, while bodies move as forecast

    def __init__(
        self,
        planner: Planner,
        graph: SceneGraph,
        near: float,
        destination: Destination,
        foresee: bool,
    ) -> None:
        super().__init__(planner, graph, near)
        assert planner._timed is not None
        self._timed, self._scene = planner._timed, graph.scene
        self._destination, self._foresee = destination, foresee
        self._seen = GoalTracker()  # extrapolates the destination if it is not foreseen

    def head_for(self, destination: Destination) -> None:
        """Change the destination."""
        self._destination, self._seen = destination, GoalTracker()

    def plan(self, start: Point, goal: Point, corner: Point | None, ready_at: float) -> Path:
        """Plan from `start` at time `ready_at` to where the goal will be."""
        if self._foresee:
            return self._timed.plan(start, self._destination.at, ready_at)
        return self._timed.plan(start, self._seen.expected(self._scene.time, goal), ready_at)

    def join(self, corridor: Corridor, path: Path) -> Corridor:
        """Return the corridor of a new plan, or the old one if there is none."""
        if path.times is None:
            return corridor
        return TimedCorridor(path.points.tolist(), path.times.tolist(), self._scene.agent.speed)

    def needs_replan(self) -> bool:
        """Whether a body deviates from the forecast of the last plan."""
        return self._timed.deviates_from_forecast()

    def explain_timeout(self, no_plan: str, waited: float) -> str:
        """Return what to add to the reason of a flight that took too long."""
        return f", of which it waited {waited:.0f} s" + super().explain_timeout(no_plan, waited)


class TimedSteps:
    """Waypoints of a navigator whose algorithm plans in time.

    It plans every tenth of a second, and at once if a body deviates from its forecast or the agent
    from its plan. If no plan is found, it follows the old one.
    """

    def __init__(self, planner: TimedPlanner) -> None:
        self._planner, self._speed = planner, planner.speed
        self._goal = GoalTracker()
        self._planned_at = math.inf
        self._left: list[tuple[Point, float]] = []  # corners ahead, and when to be there
        self._plan: Path | None = None

    def step(
        self, now: float, agent: Point, goal: Goal
    ) -> tuple[Point, Path | None, str, bool, int]:
        """Return waypoint, rest of the plan, why there is none, if it is kept, nodes expanded."""
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
        """Return the position of the goal over time; extrapolated unless it is a function."""
        return goal if callable(goal) else self._goal.expected(now, as_vector("goal", goal))

    def _is_due(self, now: float, agent: Point) -> bool:
        if not 0.0 <= now - self._planned_at < PAUSE or self._planner.deviates_from_forecast():
            return True
        if self._plan is None or self._plan.times is None:
            return True
        should = [float(np.interp(now, self._plan.times, axis)) for axis in self._plan.points.T]
        return math.dist(agent, should) > ASTRAY * self._speed

    def _go_on(self, now: float, agent: Point) -> None:
        """Remove the corners that the agent has passed, unless it waits there."""
        while self._left:
            corner, _ = self._left[0]
            waits = len(self._left) > 1 and self._left[1][0] == corner
            if math.dist(agent, corner) > AT or (waits and now < self._left[1][1] - AT):
                return
            del self._left[0]

    def _rest(self, plan: Path, now: float, agent: Point) -> Path:
        """Return the plan from the agent on, delayed by as much as the agent is late."""
        corners = [(agent, now), *self._left]
        times = [now]
        for (p, _), (q, planned) in pairwise(corners):
            times.append(max(planned, times[-1] + math.dist(p, q) / self._speed))
        points = np.array([corner for corner, _ in corners])
        return replace(plan, points=points, times=np.array(times), length=polyline_length(points))

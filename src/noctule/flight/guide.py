"""`Guide`: the route of one agent; a new plan, the old route or a detour, whichever is free."""

from __future__ import annotations

import math
from dataclasses import replace
from time import perf_counter

import numpy as np

from noctule.flight.corridor import WORTH_IT, Point, Route, RouteChecker
from noctule.flight.prediction import Prediction
from noctule.flight.step import LeftOut, Step
from noctule.path import Path
from noctule.planning.planner import Planner
from noctule.planning.replanning.smoothing import pulled_taut

PART = 0.5  # of the time of a step, for the plan; the rest is for the detour


class Guide:
    """Plans for one agent, and keeps the route that it flies.

    Agents of a fleet may share planners, the prediction and the checker.

    Parameters
    ----------
    planner, detour : Planner
        The one that plans, and one that finds any path quickly.
    checker : RouteChecker
        Checks routes in the current world.
    prediction : Prediction, optional
        Blocks the cells that bodies are about to touch.
    smooth : bool
        Whether to pull paths taut.
    """

    def __init__(
        self,
        planner: Planner,
        detour: Planner,
        checker: RouteChecker,
        prediction: Prediction | None,
        smooth: bool = False,
    ) -> None:
        self.planner, self._detour = planner, detour
        self._checker, self._prediction, self._smooth = checker, prediction, smooth
        self.route: Route | None = None

    @property
    def next_corner(self) -> Point | None:
        """The corner that the agent flies to."""
        return self.route.corners[0] if self.route is not None and self.route.corners else None

    def step(self, agent: Point, goal: Point, deadline: float) -> Step:
        """Plan now; leave half of the time for a detour."""
        corner = self.next_corner
        now = perf_counter()
        until = deadline if deadline == math.inf else now + PART * max(deadline - now, 0.0)
        path = self._plan(self.planner, agent, goal, corner, until)
        is_late = not path.found and perf_counter() >= until
        step = self.choose(path, agent, goal, deadline)
        return replace(step, left_out=LeftOut(plan=is_late))

    def check(self, agent: Point, goal: Point) -> bool:
        """Follow agent and goal along the route; return whether it is still free."""
        checked = self._checker.checked(self.route, agent, goal)
        self.route = self.route if checked is None else checked
        return checked is not None

    def keep_from(self, corners: tuple[Point, ...]) -> None:
        """Leave corners behind that the agent has reached; these are left."""
        assert self.route is not None
        self.route = replace(self.route, corners=corners)

    def choose(self, path: Path | None, agent: Point, goal: Point, deadline: float) -> Step:
        """Return a step along the new path, the one being flown, or a detour: one that is free."""
        kept = self._checker.checked(self.route, agent, goal)
        new: Route | None = None
        if path is not None and len(path.points):
            end = goal if path.reached_goal else None
            new = self._checker.checked(Route.along(path), agent, end)
        expanded = 0 if path is None else path.expanded
        if new is not None and kept is not None and kept.complete:
            is_better = new.cost < WORTH_IT * kept.cost
            new = new if new.complete and is_better else None
        route = kept if new is None else new
        if route is None:
            detour = self._plan(self._detour, agent, goal, None, deadline)
            expanded += detour.expanded
            if len(detour.points):
                route = self._checker.checked(Route.along(detour), agent, None)
        self.route = route
        if route is None:
            reason = path.reason if path is not None and path.reason else "there is no plan yet"
            return Step(agent, None, reason, False, expanded, 0.0)
        late = "the path does not reach the goal yet"
        reason = "" if route.complete else route.source.reason or late
        proven = route.as_path(np.array([agent, *route.corners]), reason)
        waypoint = route.corners[0] if route.corners else agent
        return Step(waypoint, proven, reason, route is kept, expanded, 0.0)

    def _plan(
        self, planner: Planner, agent: Point, goal: Point, corner: Point | None, deadline: float
    ) -> Path:
        time_limit = None if deadline == math.inf else max(deadline - perf_counter(), 0.0)
        if self._prediction is not None:
            path = self._prediction.plan(planner, agent, goal, corner, time_limit)
        else:
            path = planner.plan(agent, goal, best_start=True, towards=corner, time_limit=time_limit)
        return pulled_taut(path, planner, deadline) if self._smooth else path

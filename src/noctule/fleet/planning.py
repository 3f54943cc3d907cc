"""`FleetPlanning`: the routes of the agents of a fleet, within one budget of time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from noctule.core.validation import at_least
from noctule.fleet.agents import FleetAgent
from noctule.fleet.rights_of_way import RightsOfWay
from noctule.flight.corridor import Point, RouteChecker
from noctule.flight.forecast.placed_bodies import PlacedBodies
from noctule.flight.guide import Guide
from noctule.flight.prediction import Prediction
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.planning.planner import Planner
from noctule.planning.search_options import SearchOptions
from noctule.registry import find_algorithm

EMERGENCY = 3.0  # weight of the search for a detour when a route has just been blocked
CHECK_EVERY = 4  # frames from check to check of a route
REPLAN_AFTER = 30  # frames after which a route around corners is planned again
AT_MOST_EVERY = 6  # frames between two plans for one agent, unless it has a new goal
MOVED = 0.1  # of the distance to the goal; planned again if the goal has moved farther

Key = tuple[float, float]


class FleetPlanning:
    """Plans for the agents that need it most.

    An agent needs a plan if it has no route, its route is blocked, its goal has moved far, or its
    plan is old. In every frame at least one agent that needs a plan gets one. In every other frame
    the one that has waited longest comes first, so none of n agents waits more than 2 n frames.

    Parameters
    ----------
    graph : CellGrid
        The graph of the scene.
    algorithm : str
        One of `algorithms()`.
    placed : PlacedBodies
        Bodies that the caller moves.
    prediction : bool
        Whether to avoid the cells that bodies are about to touch.
    frame : float
        Seconds from step to step.
    search : dict
        Options of the search.
    """

    def __init__(
        self,
        graph: CellGrid,
        algorithm: str,
        placed: PlacedBodies,
        prediction: bool,
        frame: float,
        search: SearchOptions,
    ) -> None:
        row = find_algorithm(algorithm)
        if row.timed:
            raise ValueError(f"algorithm is {algorithm!r}; a fleet does not plan in time")
        self._graph, self._algorithm, self._search = graph, algorithm, search
        self._repairs = row.incremental
        self._rights = RightsOfWay(graph, frame)
        self._placed, self._predicts = placed, prediction
        self._tools: dict[Key, tuple[Planner, Planner, RouteChecker, Prediction | None]] = {}
        self.frame = 0
        self.planned = 0  # agents in the last frame

    def join(self, agent: FleetAgent) -> None:
        """Give an agent what it plans with; agents of one size and speed share it."""
        key = agent.radius, agent.speed
        if key not in self._tools:
            prediction = None
            if self._predicts:
                prediction = Prediction(
                    self._graph, agent.speed, radius=agent.radius, placed=self._placed
                )
            checker = RouteChecker(self._graph, agent.radius)
            self._tools[key] = (*self._planners(agent.radius), checker, prediction)
        planner, detour, checker, prediction = self._tools[key]
        if self._repairs:  # a search that is kept from plan to plan
            planner, _ = self._planners(agent.radius)
        agent._guide = Guide(planner, detour, checker, prediction)

    def _planners(self, radius: float) -> tuple[Planner, Planner]:
        options: SearchOptions = {"nearest": True, **self._search, "radius": radius}
        planner = Planner(self._graph, self._algorithm, **options)
        detour = Planner(
            self._graph, "a*", radius=radius, nearest=options["nearest"], weight=EMERGENCY
        )
        return planner, detour

    def warm_up(self, agents: Sequence[FleetAgent]) -> None:
        """Compile, or load, what plans need."""
        for agent in agents:
            planner, detour, _, prediction = self._tools[agent.radius, agent.speed]
            for each in (planner, detour):
                each.warm_up(agent.position, agent.position)
            if prediction is not None:
                prediction.warm_up(agent.position)
            if agent._guide is not None and self._graph.contains(agent.position):
                agent._guide.step(agent.position, agent.position, math.inf)
                agent._guide.route = None

    def observe(self) -> None:
        """Take in where bodies are; once a frame."""
        self._placed.observe()
        for *_, prediction in self._tools.values():
            if prediction is not None:
                prediction.begin_frame()

    def plan(self, agents: Sequence[FleetAgent], deadline: float) -> None:
        """Check routes, and plan for agents that need it until the deadline."""
        self.frame += 1
        self.planned = 0
        if self._predicts:
            self._graph.set_predicted(None)
        self._rights.watch(agents)
        asking = [agent for agent in agents if self._needs_plan(agent)]
        for agent in asking:
            agent._waits += 1
        asking.sort(key=_most_urgent if self.frame % 2 else _longest_waiting)
        for agent in asking:
            self._plan_for(agent, agents, deadline)
            if perf_counter() >= deadline:
                break
        if self._predicts:
            self._graph.set_predicted(None)

    def _needs_plan(self, agent: FleetAgent) -> bool:
        """Whether an agent needs a plan; its route is checked now and then."""
        there, guide = agent._there, agent._guide
        if there is None or guide is None:
            return False
        follows = self._graph.scene.space.follow is not None
        if follows and not self._graph.contains(agent.position):
            guide.route = None
            return False
        age = self.frame - agent._planned_at
        if agent._asks or (agent._planned_at >= 0 and age < AT_MOST_EVERY):
            return agent._asks
        far = math.dist(agent._planned_for, there)
        if far > 0.0 and far > MOVED * math.dist(agent.position, there):
            agent._asks = True
        elif (agent.number + self.frame) % CHECK_EVERY == 0:
            route = guide.route
            is_straight = route is not None and route.complete and len(route.corners) <= 1
            agent._asks = not guide.check(agent.position, there) or (
                age >= REPLAN_AFTER and not (is_straight or agent.arrived)
            )
        return agent._asks

    def _plan_for(self, agent: FleetAgent, agents: Sequence[FleetAgent], deadline: float) -> None:
        guide, there = agent._guide, agent._there
        assert guide is not None
        assert there is not None
        before, prediction = guide.route, self._tools[agent.radius, agent.speed][-1]
        if prediction is not None and self._rights.is_stuck(agent):
            prediction.others = self._rights.cells_in_use(agent, agents)
            guide.route = None
        shared = agent._hunt.field if agent._hunt is not None else None
        if shared is not None and not shared.is_ready and guide.route is None:
            return  # it asks again
        path = shared.path(agent.position) if shared is not None else None
        if path is None:
            step = guide.step(agent.position, there, deadline)
        else:
            step = guide.choose(path, agent.position, there, deadline)
        if prediction is not None and prediction.others is not None:
            prediction.others = None
            self._rights.promote(agent)
        if step.path is None and step.left_out.plan:
            guide.route = before  # there was no time: it asks again
        else:
            agent._asks, agent._waits, agent._planned_at = False, 0, self.frame
            agent._planned_for = there
        agent.step = step
        self.planned += 1


def _most_urgent(agent: FleetAgent) -> Any:
    has_route = agent._guide is not None and agent._guide.route is not None
    return has_route, -agent._waits, agent.number


def _longest_waiting(agent: FleetAgent) -> Any:
    return -agent._waits, agent.number


def deadline_of(budget_ms: float | None) -> float:
    """Return when a budget that starts now ends."""
    if budget_ms is None:
        return math.inf
    return perf_counter() + at_least(0, "budget_ms", budget_ms) / 1e3


def first_corner(agent: FleetAgent, reached: float) -> Point | None:
    """Return the corner that an agent flies to; corners that it has reached are left behind."""
    guide = agent._guide
    if guide is None or guide.route is None:
        return None
    corners = guide.route.corners
    while len(corners) > 1 and math.dist(agent.position, corners[0]) <= reached:
        corners = corners[1:]
    if len(corners) < len(guide.route.corners):
        guide.keep_from(corners)
    return corners[0] if corners else None

"""Pilots: how an agent plans, and which corridor it flies."""

import math

from noctule.flight.corridor import Corridor, Point
from noctule.flight.prediction import Prediction
from noctule.flight.routes import Route, RouteChecker, is_worth_it
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.scene_graphs import SceneGraph
from noctule.path import Path
from noctule.planning.planner import Planner
from noctule.worlds.scene import Destination


class Pilot:
    """Flies every new plan; where there is none, on along the old one while nothing is near.

    Parameters
    ----------
    planner : Planner
        What makes the plans.
    graph : CellGrid, Hybrid or Waypoints
        Of the scene that is flown through.
    near : float
        How far the agent flies in a frame.
    """

    every = 1  # frames from plan to plan

    def __init__(self, planner: Planner, graph: SceneGraph, near: float) -> None:
        self._planner, self._graph, self._near = planner, graph, near

    def head_for(self, destination: Destination) -> None:
        """Expect another destination from now on."""

    def observe(self) -> None:
        """Take notice of how bodies have just moved."""

    def surprised(self) -> bool:
        """Whether something makes the last plan doubtful."""
        return False

    def plan(self, start: Point, goal: Point, corner: Point | None, ready_at: float) -> Path:
        """A plan from where the agent will be when it is ready, flying to a corner."""
        return self._planner.plan(start, goal, best_start=True, towards=corner)

    def join(self, corridor: Corridor, path: Path) -> Corridor:
        """The new corridor; the old one if there is no path, as long as nothing is in its way."""
        if path.found:
            return Corridor([corridor.position, *path.points.tolist()])
        ahead = corridor.ahead(self._near)
        radius = self._planner.options.radius
        if ahead and self._graph.body_on(corridor.position, ahead[-1], radius) is None:
            return corridor
        return Corridor([corridor.position])

    def why_late(self, no_plan: str, waited: float) -> str:
        """What is to be said of a flight that took too long."""
        return f"; {no_plan}" if no_plan else ""


class CarefulPilot(Pilot):
    """Keeps out of where bodies are about to be, and to its corridor while that is as good."""

    def __init__(self, planner: Planner, graph: CellGrid, near: float) -> None:
        super().__init__(planner, graph, near)
        radius = planner.options.radius
        self._prediction = Prediction(graph, graph.scene.agent.speed, radius=radius)
        self._checker = RouteChecker(graph, radius)

    def observe(self) -> None:
        """Take notice of bodies that somebody places."""
        self._prediction.observe()

    def plan(self, start: Point, goal: Point, corner: Point | None, ready_at: float) -> Path:
        """A plan that keeps out of what is dangerous, as far ahead as leaves a path."""
        return self._prediction.plan(self._planner, start, goal, corner, at=ready_at)

    def join(self, corridor: Corridor, path: Path) -> Corridor:
        """The old corridor, if it is free and the new path hardly shorter: no flying to and fro."""
        here, *corners = corridor.rest
        if path.found and corners:
            goal = path.points[-1].tolist()
            kept = self._checker.checked(Route(tuple(corners), path, True), here, (*goal,))
            new_length = math.dist(here, path.points[0]) + path.length
            if kept is not None and self._stays_with(kept, here, new_length):
                return Corridor([here, *kept.corners])
        return super().join(corridor, path)

    def _stays_with(self, kept: Route, here: Point, new_length: float) -> bool:
        """Whether to fly on: nothing is much shorter, and no body comes into a way out."""
        if is_worth_it(new_length, kept):
            return False
        leaves = kept.blocked_ends[0] and kept.corners
        return not leaves or self._prediction.gets_out(
            here, kept.corners[0], self._graph.scene.time
        )

"""Pilots: how an agent plans, and which corridor it flies."""

import math

import numpy as np

from noctule.flight.corridor import WORTH_IT, Corridor, Point, Route, RouteChecker
from noctule.flight.prediction import Prediction
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.scene_graphs import SceneGraph
from noctule.path import Path
from noctule.planning.planner import Planner
from noctule.worlds.scene import Destination


class Pilot:
    """Flies every new plan; without one, flies on along the old one while no body is near.

    Parameters
    ----------
    planner : Planner
        Makes the plans.
    graph : CellGrid, Hybrid or Waypoints
        The graph of the scene.
    near : float
        Distance flown in a frame.
    """

    every = 1  # frames from plan to plan

    def __init__(self, planner: Planner, graph: SceneGraph, near: float) -> None:
        self._planner, self._graph, self._near = planner, graph, near

    def head_for(self, destination: Destination) -> None:
        """Change the destination."""

    def observe(self) -> None:
        """Update what is known of the motion of bodies; once a frame."""

    def needs_replan(self) -> bool:
        """Whether to plan at once, because the world deviates from the last plan."""
        return False

    def plan(self, start: Point, goal: Point, corner: Point | None, ready_at: float) -> Path:
        """Plan from `start`, where the agent flies towards `corner` at time `ready_at`."""
        return self._planner.plan(start, goal, best_start=True, towards=corner)

    def join(self, corridor: Corridor, path: Path) -> Corridor:
        """Return the corridor of a new path; without one, the old one while no body is in it."""
        if path.found:
            return Corridor([corridor.position, *path.points.tolist()])
        ahead, _ = corridor.ahead(self._near)
        radius = self._planner.options.radius
        if ahead and self._graph.body_on(corridor.position, ahead[-1], radius) is None:
            return corridor
        return Corridor([corridor.position])

    def explain_timeout(self, no_plan: str, waited: float) -> str:
        """Return what to add to the reason of a flight that took too long."""
        return f"; {no_plan}" if no_plan else ""


class PredictivePilot(Pilot):
    """Avoids predicted cells, and keeps its corridor unless a new path is shorter."""

    def __init__(self, planner: Planner, graph: CellGrid, near: float) -> None:
        super().__init__(planner, graph, near)
        radius = planner.options.radius
        self._prediction = Prediction(graph, graph.scene.agent.speed, radius=radius)
        self._checker = RouteChecker(graph, radius)

    def observe(self) -> None:
        """Update the tracks of bodies that are placed by the caller."""
        self._prediction.observe()

    def plan(self, start: Point, goal: Point, corner: Point | None, ready_at: float) -> Path:
        """Plan around the predicted cells of the longest horizon that leaves a path."""
        return self._prediction.plan(self._planner, start, goal, corner, at=ready_at)

    def join(self, corridor: Corridor, path: Path) -> Corridor:
        """Return the old corridor if it is free and about as short: else the agent would turn."""
        here = corridor.position
        if path.found and corridor.corners:
            x, y, z = path.points[-1].tolist()
            route = Route(tuple(corridor.corners), path, True)
            kept = self._checker.checked(route, here, (x, y, z))
            if kept is not None and self._cost(here, path) >= WORTH_IT * kept.cost:
                leaves_blocked_cells = kept.blocked_ends[0] and kept.corners
                if not leaves_blocked_cells or self._prediction.escapes_in_time(
                    here, kept.corners[0], self._graph.scene.time
                ):
                    return Corridor([here, *kept.corners])
        return super().join(corridor, path)

    def _cost(self, here: Point, path: Path) -> float:
        """Return what it costs to fly to a path and along it."""
        cost = self._graph.cost_along(np.array([here, path.points[0]]))
        return path.cost + (math.dist(here, path.points[0]) if cost is None else cost)

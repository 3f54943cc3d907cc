"""`Navigator`: the loop of a game or a robot; world changes in, a place to fly to out."""

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from noctule.core.validation import Point as Place
from noctule.core.validation import at_least, positive
from noctule.flight.corridor import Point
from noctule.flight.prediction import SHARES, Prediction
from noctule.flight.routes import Route, RouteChecker, is_worth_it
from noctule.flight.step import Request, Step
from noctule.flight.timed_steps import TimedSteps
from noctule.flight.worker import Background
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.scene_graphs import graph_of
from noctule.path import Path
from noctule.planning.planner import Planner
from noctule.registry import find_algorithm
from noctule.sipp.interception import Goal
from noctule.worlds.motions import as_vector
from noctule.worlds.scene import Scene

EMERGENCY = 3.0  # the weight of the search for a way out when the path has just been blocked
PART = 0.5  # of the time of a step, for the plan; the rest is for the way out
WAY_OUT = 1e-3  # seconds for it when planning goes on in the background
SWITCH = 5e-5  # seconds that another Python thread may keep the interpreter while a step waits
DEFAULT_SPEED = 4.0


class Navigator:
    """Guides an agent to a goal through a world that changes, step by step.

    Parameters
    ----------
    world : Scene or Grid
        Where to fly. Bodies of a scene are moved by `step`, or placed by the caller; cells of a
        grid are blocked and freed by the caller.
    graph : str or graph, optional
        For a scene: "cells", "hybrid", or a graph that was made of it.
    algorithm : str
        One of `algorithms()`.
    radius, speed : float, optional
        Of the agent: those of the scene unless given.
    prediction : bool
        Whether to keep out of the cells that bodies of a scene are about to touch.
    background : bool
        Whether to plan on a thread of its own: `step` then returns at once, with what is there.
        Not for `safe-intervals`: a plan in time is for now, and takes no longer than that.
    **options
        Options of the planner, as for `plan`.

    Examples
    --------
    >>> import noctule as nt
    >>> scene = nt.Scene.load("test-environment")
    >>> agent, now = scene.agent.start, 0.0
    >>> with nt.Navigator(scene, "cells", "aamt-d*-lite") as navigator:
    ...     for frame in range(3):
    ...         step = navigator.step(now, agent, scene.destination.at(now), budget_ms=50)
    ...         agent, now = navigator.fly(agent, step, 1 / 60), now + 1 / 60
    >>> step.path.found, nt.verify(step.path, navigator.graph)
    (True, True)
    """

    def __init__(
        self,
        world: Scene | Grid,
        graph: Any = None,
        algorithm: str = "aamt-d*-lite",
        *,
        radius: float | None = None,
        speed: float | None = None,
        prediction: bool = True,
        background: bool = False,
        **options: Any,
    ) -> None:
        self.graph = self._graph_of(world, graph)
        agent = self.graph.scene.agent if isinstance(self.graph, CellGrid) else None
        self.radius = at_least(0, "radius", _first(radius, agent and agent.radius, 0.0))
        self.speed = positive("speed", _first(speed, agent and agent.speed, DEFAULT_SPEED))
        options = {"radius": self.radius, **options}
        in_time = find_algorithm(algorithm).timed
        if in_time:
            options["speed"] = self.speed
        self._prediction: Prediction | None = None
        if prediction and isinstance(self.graph, CellGrid) and not in_time:
            self._prediction = Prediction(self.graph, self.speed, radius=self.radius)
        self._snapshot = self.graph.snapshot_copy() if background else self.graph
        self.planner = Planner(self._snapshot, algorithm, **options)
        self._timed: TimedSteps | None = None
        if self.planner.timed is not None:
            if background:
                raise ValueError(f"background is True; {algorithm} plans for now, in the step")
            self._timed = TimedSteps(self.planner.timed)
        self._checker = RouteChecker(self.graph, self.radius)
        self._way_out = Planner(self.graph, "a*", radius=self.radius, weight=EMERGENCY)
        self._route: Route | None = None
        self._share = 0  # which share of the horizon the background plans with
        self._warm_up()
        self._background: Background[Request, Path] | None = None
        if background:
            self._background = Background(self._plan_in_background)

    def _graph_of(self, world: Any, graph: Any) -> Grid:
        if isinstance(world, Scene):
            found = graph_of(world, graph)
            if not isinstance(found, Grid):
                raise ValueError(f"graph is {graph!r}; a navigator works on cells and hybrid")
            return found
        if not isinstance(world, Grid) or world.flat:
            raise ValueError(f"world is {world!r}; expected a noctule.Scene or a 3-D noctule.Grid")
        if graph is not None:
            raise ValueError("graph is for scenes; a grid is its own graph")
        return world

    def _warm_up(self) -> None:
        """Compile, or load, what steps may need: none of them is to pay for it."""
        if isinstance(self.graph, CellGrid):
            scene = self.graph.scene
            start, goal = scene.agent.start, scene.destination.start
            self.graph.body_on(start, goal, self.radius)
            self.graph.entries_past_bodies(
                self.graph.graph(self.radius), self.graph.in_cells("start", start)
            )
        else:
            free = np.argwhere(~self.graph.blocked)[[0, -1]]
            start, goal = (self.graph.centre(cell).tolist() for cell in free)
        if self._prediction is not None:
            self._prediction.look(start)
            self._prediction.look(start, 0.0)
            self._prediction.gets_out(start, start, 0.0)
        for planner in (self.planner, self._way_out):
            planner.warm_up(start, goal)
        ends = self.graph.all_in_cells("end", [start, goal])
        self.graph.blocked_legs(self.graph.graph(self.radius), ends)
        if self.planner.timed is not None:
            self.planner.timed.warm_up(start)

    def __enter__(self) -> "Navigator":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the background thread, if there is one."""
        if self._background is not None:
            self._background.close()
            self._background = None

    def step(self, now: float, agent: Place, goal: Goal, budget_ms: float | None = None) -> Step:
        """Take in how the world is now, and say where to fly.

        Parameters
        ----------
        now : float
            The time; bodies of a scene are moved there.
        agent, goal : sequence of float
            Where the agent is, and where to. For `safe-intervals` the goal may be a function of
            time; else it is expected to fly on as it does, for some seconds.
        budget_ms : float, optional
            Return after about so many milliseconds with the best free path there is by then.
        """
        began = perf_counter()
        if budget_ms is not None:
            budget_ms = at_least(0, "budget_ms", budget_ms)
        deadline = math.inf if budget_ms is None else began + budget_ms / 1e3
        with _short_switches():
            here = as_vector("agent", agent)
            if self._timed is not None:
                self._look_around(now, here)
                return Step(*self._timed.step(now, here, goal), perf_counter() - began)
            there = as_vector("goal", goal)
            self._look_around(now, here)
            if self._background is None:
                step = self._step_inline(here, there, deadline)
            else:
                step = self._step_in_background(self._background, here, there)
        return replace(step, seconds=perf_counter() - began)

    def fly(self, agent: Place, step: Step, seconds: float) -> Point:
        """Where the agent is after flying as a step says for so long."""
        here = as_vector("agent", agent)
        far = math.dist(here, step.waypoint)
        part = min(1.0, self.speed * seconds / far) if far > 0 else 0.0
        x, y, z = (p + part * (q - p) for p, q in zip(here, step.waypoint, strict=True))
        return (x, y, z)

    # ------------------------------------------------------------------ one step

    def _look_around(self, now: float, agent: Point) -> None:
        if isinstance(self.graph, CellGrid):
            self.graph.update(now, agent)
        if self._prediction is not None:
            self._prediction.observe()

    def _step_inline(self, agent: Point, goal: Point, deadline: float) -> Step:
        """Plan now; half of the time is left for a way out, should one be needed."""
        corner = self._route.next_corner if self._route is not None else None
        now = perf_counter()
        until = deadline if deadline == math.inf else now + PART * max(deadline - now, 0.0)
        path = self._plan(self.planner, agent, goal, corner, until)
        return self._choose(path, agent, goal, deadline)

    def _plan(
        self, planner: Planner, agent: Point, goal: Point, corner: Point | None, deadline: float
    ) -> Path:
        budget = None if deadline == math.inf else max(deadline - perf_counter(), 0.0)
        if self._prediction is not None:
            return self._prediction.plan(planner, agent, goal, corner, budget)
        return planner.plan(agent, goal, best_start=True, towards=corner, budget=budget)

    def _step_in_background(
        self, background: Background[Request, Path], agent: Point, goal: Point
    ) -> Step:
        """Take what the other thread has found, if anything, and give it something to do."""
        if self._prediction is not None:
            self._prediction.look(agent, SHARES[self._share])
        path = background.poll()
        if path is not None:
            last = len(SHARES) - 1
            self._share = 0 if path.found else min(self._share + 1, last)
        step = self._choose(path, agent, goal, perf_counter() + WAY_OUT)
        if background.idle:
            self._snapshot.sync_from(self.graph)
            corner = self._route.next_corner if self._route is not None else None
            background.post(Request(agent, goal, corner))
        return step

    def _plan_in_background(self, request: Request) -> Path:
        start, goal, corner = request
        return self.planner.plan(start, goal, best_start=True, towards=corner)

    def _choose(self, path: Path | None, agent: Point, goal: Point, deadline: float) -> Step:
        """The new path, the one that is being flown, or a way out; whatever is proven free."""
        kept = self._checker.checked(self._route, agent, goal)
        new: Route | None = None
        if path is not None and len(path.points):
            new = self._checker.checked(Route.along(path), agent, goal if path.found else None)
        expanded = path.expanded if path is not None else 0
        if new is not None and kept is not None and kept.complete:
            new = new if new.complete and is_worth_it(new.length, kept) else None
        route, is_kept = (new, False) if new is not None else (kept, True)
        if route is None:
            way_out = self._plan(self._way_out, agent, goal, None, deadline)
            expanded += way_out.expanded
            if len(way_out.points):
                route = self._checker.checked(Route.along(way_out), agent, None)
            is_kept = False
        self._route = route
        if route is None:
            reason = path.reason if path is not None and path.reason else "there is no plan yet"
            return Step(agent, None, reason, False, expanded, 0.0)
        reason = "" if route.complete else route.source.reason or "the way is not known to its end"
        proven = route.as_path(np.array([agent, *route.corners]), reason)
        waypoint = route.corners[0] if route.corners else agent
        return Step(waypoint, proven, reason, is_kept, expanded, 0.0)


@contextmanager
def _short_switches() -> Iterator[None]:
    """Let no other Python thread keep the interpreter for long while a step is under way."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def _first(*values: Any) -> Any:
    return next(value for value in values if value is not None)

"""`Navigator`: path planning for the loop of a game or a robot."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from time import perf_counter
from typing import Any, Unpack

import numpy as np

from noctule.core.preparation import prepare_flights
from noctule.core.validation import PointLike, at_least, positive
from noctule.flight.corridor import Point, RouteChecker
from noctule.flight.guide import Guide
from noctule.flight.prediction import SHARES, Prediction
from noctule.flight.step import Request, Step
from noctule.flight.timed import TimedSteps
from noctule.flight.worker import Background
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.scene_graphs import SceneGraph, graph_of, kind_of
from noctule.path import Path
from noctule.planning.planner import Planner
from noctule.planning.replanning.smoothing import (
    Smooth,
    check_smooth,
    pulled_taut,
    warm_up_smoothing,
)
from noctule.planning.search_options import SearchOptions, named_options
from noctule.registry import find_algorithm
from noctule.sipp.interception import Goal
from noctule.timing import Timing
from noctule.worlds.motions import as_vector
from noctule.worlds.scene import Scene

EMERGENCY = 3.0  # weight of the search for a detour when the path has just been blocked
DETOUR = 1e-3  # seconds for the detour when planning runs in the background
SWITCH = 5e-5  # seconds after which a waiting step gets the interpreter from another thread
OFF_NODE = 0.1  # cells
DEFAULT_SPEED = 4.0


class Navigator:
    """Guides an agent to a goal through a changing world, step by step.

    Parameters
    ----------
    world : Scene or Grid
        The world. Bodies of a scene are moved by `step`, or placed by the caller; cells of a grid
        are blocked and freed by the caller.
    graph : str or graph, optional
        For a scene: "cells", "hybrid", or a graph that was made of it.
    algorithm : str
        One of `algorithms()`.
    speed : float, optional
        Speed of the agent in units a second; that of the scene's agent unless given.
    prediction : bool
        Whether to avoid the cells that bodies of a scene are about to touch.
    smooth : "taut", optional
        Pull every new path taut before it is flown, as `smooth` does, within the budget. Not for
        an algorithm that plans in time.
    background : bool
        Whether to plan on a background thread; `step` then returns at once with the latest plan.
        Sets the switch interval of the interpreter (`sys.setswitchinterval`) to 50 microseconds
        until `close`, so that a step does not wait for the other thread. Not supported by
        `safe-intervals`.
    **search
        Options of the search, as in `plan`. `radius` is that of the scene's agent unless given,
        and `nearest` is True.

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

    @named_options
    def __init__(
        self,
        world: Scene | Grid,
        graph: SceneGraph | str | None = None,
        algorithm: str = "aamt-d*-lite",
        *,
        speed: float | None = None,
        prediction: bool = True,
        smooth: Smooth | None = None,
        background: bool = False,
        **search: Unpack[SearchOptions],
    ) -> None:
        self.graph = self._graph_of(world, graph)
        agent = self.graph.scene._agent if isinstance(self.graph, CellGrid) else None
        self.radius = at_least(
            0, "radius", _first(search.get("radius"), agent and agent.radius, 0.0)
        )
        self.speed = positive("speed", _first(speed, agent and agent.speed, DEFAULT_SPEED))
        in_time = find_algorithm(algorithm).timed
        options: SearchOptions = {"nearest": not in_time, **search, "radius": self.radius}
        if in_time:
            options["timing"] = replace(search.get("timing") or Timing(), speed=self.speed)
        self._prediction: Prediction | None = None
        if prediction and isinstance(self.graph, CellGrid) and not in_time:
            self._prediction = Prediction(self.graph, self.speed, radius=self.radius)
        self._smooth = check_smooth(smooth, find_algorithm(algorithm), self.graph)
        self._snapshot = self.graph.snapshot_copy() if background else self.graph
        if isinstance(self.graph, CellGrid):
            prepare_flights(find_algorithm(algorithm).name, kind_of(self.graph))
        self.planner = Planner(self._snapshot, algorithm, **options)
        self._timed: TimedSteps | None = None
        if self.planner._timed is not None:
            if background:
                raise ValueError(f"background=True is not supported by {algorithm}")
            self._timed = TimedSteps(self.planner._timed)
        self._detour = Planner(
            self.graph, "a*", radius=self.radius, nearest=options["nearest"], weight=EMERGENCY
        )
        checker = RouteChecker(self.graph, self.radius)
        self._guide = Guide(
            self.planner, self._detour, checker, self._prediction, self._smooth is not None
        )
        self._share = 0  # which share of the horizon the background plans with
        self.warm_up()
        self._background: Background[Request, Path] | None = None
        if background:
            self._switch_interval = sys.getswitchinterval()
            sys.setswitchinterval(SWITCH)
            self._background = Background(self._plan_in_background)

    def _graph_of(self, world: Any, graph: SceneGraph | str | None) -> Grid:
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

    def warm_up(self, agent: PointLike | None = None, goal: PointLike | None = None) -> None:
        """Compile, or load, all kernels that a step may need, so that no step has to.

        Done when a navigator is made. Call it again with places that matter to bring what the
        first steps use into memory, for example after a long pause.

        Parameters
        ----------
        agent, goal : sequence of float, optional
            Between which places; unless given, those of the scene, or free cells of the grid.
        """
        scene = self.graph.scene if isinstance(self.graph, CellGrid) else None
        if scene is not None and scene._agent is not None and scene._destination is not None:
            ends = scene.agent.start, scene.destination.start
        else:
            free = np.argwhere(~self.graph.blocked)[[0, -1]]
            ends = self.graph.centre(free[0]).tolist(), self.graph.centre(free[1]).tolist()
        start = as_vector("agent", ends[0] if agent is None else agent)
        there = as_vector("goal", ends[1] if goal is None else goal)
        if isinstance(self.graph, CellGrid):
            self.graph.warm_up(self.graph.in_cells("agent", start), self.radius)
        if self._prediction is not None:
            self._prediction.warm_up(start)
        for planner in (self.planner, self._detour):
            planner.warm_up(start, there)
        if self._smooth is not None:
            warm_up_smoothing(self.planner, start)
        graph, places = (
            self.graph.kernel_graph(self.radius),
            self.graph.all_in_cells("end", [start, there]),
        )
        self.graph.blocked_legs(graph, places)
        x, y, z = places[0].tolist()
        for place in ((x, y, z), (x + OFF_NODE, y, z)):  # at a node, perhaps, and beside it
            self.graph.entries(graph, place)
            self.graph.segment_is_free(graph, place, place)
        if self.planner._timed is not None:
            self.planner._timed.warm_up(start)

    def __enter__(self) -> Navigator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the background thread, if there is one."""
        if self._background is not None:
            self._background.close()
            self._background = None
            sys.setswitchinterval(self._switch_interval)

    def step(
        self, now: float, agent: PointLike, goal: Goal, budget_ms: float | None = None
    ) -> Step:
        """Update the world and return where to fly.

        Parameters
        ----------
        now : float
            The time; bodies of a scene are moved there.
        agent, goal : sequence of float
            Positions of the agent and of the goal. For `safe-intervals` the goal may be a function
            of time; else its motion is extrapolated for some seconds.
        budget_ms : float, optional
            Return after about so many milliseconds with the best free path found by then. All
            bodies are moved in any case; `left_out` of the step says what there was no time for.

        Returns
        -------
        Step
            Where to fly, and the path that leads there.
        """
        began = perf_counter()
        if budget_ms is not None:
            budget_ms = at_least(0, "budget_ms", budget_ms)
        deadline = math.inf if budget_ms is None else began + budget_ms / 1e3
        here = as_vector("agent", agent)
        if self._timed is not None:
            self._update(now, here)
            return Step(*self._timed.step(now, here, goal), perf_counter() - began)
        there = as_vector("goal", goal)
        self._update(now, here)
        if isinstance(self.graph, CellGrid) and self.graph.scene.space.follow is not None:
            there = self.graph.scene.space.inside(there, self.radius)
        if self._background is None:
            step = self._guide.step(here, there, deadline)
        else:
            step = self._step_in_background(self._background, here, there, deadline)
        predictions = self._prediction.left_out if self._prediction is not None else 0
        left_out = step.left_out._replace(predictions=predictions)
        return replace(step, seconds=perf_counter() - began, left_out=left_out)

    def fly(self, agent: PointLike, step: Step, seconds: float) -> Point:
        """Return the position of the agent after following a step for so many seconds.

        Parameters
        ----------
        agent : sequence of float
            Position of the agent in world units.
        step : Step
            What `step` returned.
        seconds : float
            How long to fly.

        Returns
        -------
        tuple of float
            The new position, not beyond the waypoint.
        """
        here = as_vector("agent", agent)
        far = math.dist(here, step.waypoint)
        part = min(1.0, self.speed * seconds / far) if far > 0 else 0.0
        x, y, z = (p + part * (q - p) for p, q in zip(here, step.waypoint, strict=True))
        return (x, y, z)

    # ------------------------------------------------------------------ one step

    def _update(self, now: float, agent: Point) -> None:
        if isinstance(self.graph, CellGrid):
            self.graph.update(now, agent)
        if self._prediction is not None:
            self._prediction.observe()

    def _step_in_background(
        self, background: Background[Request, Path], agent: Point, goal: Point, deadline: float
    ) -> Step:
        """Take the result of the background thread, if it is ready, and post a new request."""
        if self._prediction is not None:
            self._prediction.look(agent, SHARES[self._share], deadline)
        path = background.poll()
        if path is not None:
            last = len(SHARES) - 1
            self._share = 0 if path.reached_goal else min(self._share + 1, last)
        step = self._guide.choose(path, agent, goal, perf_counter() + DETOUR)
        if background.idle:
            self._snapshot.sync_from(self.graph)
            background.post(Request(agent, goal, self._guide.next_corner))
        return step

    def _plan_in_background(self, request: Request) -> Path:
        start, goal, corner = request
        path = self.planner.plan(start, goal, best_start=True, towards=corner)
        return path if self._smooth is None else pulled_taut(path, self.planner)


def _first(*values: Any) -> Any:
    return next(value for value in values if value is not None)

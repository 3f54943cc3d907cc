"""`Flight`: an agent flies to a destination through a scene, frame by frame.

In each frame the planner plans or replans, the agent flies along its corridor, the bodies move and
the graph is updated. A plan starts where the agent will be when the plan is ready, so a new
corridor never leads back to a corner of the old one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from time import perf_counter
from typing import Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from noctule.core.preparation import prepare_flights
from noctule.core.validation import at_least, positive
from noctule.flight.collision import CollisionCheck, Outcome
from noctule.flight.corridor import Corridor, Point
from noctule.flight.pilots import Pilot, PredictivePilot
from noctule.flight.recording import Frame, Recorder, poses_to_draw
from noctule.flight.results import FlightLog, FlightResult
from noctule.flight.warm_up import warm_up_flight
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
from noctule.worlds.scene import Destination, Scene

SLACK = 100  # touches; by so much a body must come too near for a collision
MOMENTS = 600.0  # seconds; the time of the start is drawn from 0 to this


class Flight:
    """One flight through a scene.

    Parameters
    ----------
    scene : Scene
        The world; the flight moves it.
    graph : CellGrid, Hybrid or Waypoints, or "cells", "hybrid", "waypoints"
        The search graph; a new one of cells unless given.
    algorithm : str
        One of `algorithms()`.
    seed, run : int
        Seeds of the time at which the flight starts.
    start : float, optional
        That time in seconds, instead of a random one.
    destination : str, optional
        How the destination moves: one of the modes of the scene.
    static_agent : bool
        The agent plans but does not move, until `limit`.
    frame : float
        Seconds per frame.
    latency : int or "real"
        Number of frames until a plan is flown: 1 unless given; "real" is the measured time.
    every : int, optional
        Number of frames from plan to plan: 1 unless given, or 6 for an algorithm that plans in
        time; it plans at once if a body deviates from its forecast.
    foresee : bool
        Whether an algorithm that plans in time knows the motion of the destination; else it
        extrapolates.
    prediction : bool
        Whether to avoid the cells that bodies are about to touch (see `Prediction`), instead of
        their safety boxes; an algorithm that plans in time does so anyway.
    smooth : "taut", optional
        Pull every new path taut before it is flown, as `smooth` does, within `time_limit` if there
        is one. Not for an algorithm that plans in time.
    limit : float
        Seconds after which the flight is given up.
    record : bool
        Whether to record all frames.
    **search
        Options of the search, as in `plan`: `weight`, `time_limit` ... The radius is that of the
        scene's agent unless given. Unless `nearest` is False, the agent flies to the reachable
        point nearest to a goal that cannot be reached.

    Examples
    --------
    >>> import noctule as nt
    >>> scene = nt.Scene.load("test-environment")
    >>> result = nt.Flight(scene, nt.CellGrid(scene), "a*", seed=1, limit=0.5).run()
    >>> result.reached, result.reason, result.frames
    (False, 'not there after 0.5 s', 30)
    """

    @named_options
    def __init__(
        self,
        scene: Scene,
        graph: SceneGraph | str | None = None,
        algorithm: str = "aamt-d*-lite",
        *,
        seed: int = 0,
        run: int = 0,
        start: float | None = None,
        destination: str | None = None,
        static_agent: bool = False,
        frame: float = 1 / 60,
        latency: int | Literal["real"] = 1,
        every: int | None = None,
        foresee: bool = True,
        prediction: bool = True,
        smooth: Smooth | None = None,
        limit: float = 180.0,
        record: bool = False,
        **search: Unpack[SearchOptions],
    ) -> None:
        self.scene = scene
        row = find_algorithm(algorithm)
        if graph is None:  # prediction replaces the safety boxes of bodies
            graph = CellGrid(scene, safety=row.timed or not prediction)
        self.graph = graph_of(scene, graph)
        self.destination = scene.destination_in_mode(destination)
        self.frame = positive("frame", frame)
        self.limit = positive("limit", limit)
        if latency != "real" and (not isinstance(latency, int) or latency < 0):
            raise ValueError(f"latency is {latency!r}; it must be a number of frames, or 'real'")
        self.latency = latency
        if every is not None and (not isinstance(every, int) or every < 1):
            raise ValueError(f"every is {every!r}; it must be a number of frames, at least 1")
        self.static_agent, self.record = static_agent, record
        drawn = np.random.default_rng([seed, run]).uniform(0.0, MOMENTS)
        self.start = drawn if start is None else at_least(0, "start", start)
        self._algorithm = row.name
        nearest = not (row.timed or row.corners_only)
        defaults: SearchOptions = {"radius": scene.agent.radius, "nearest": nearest}
        self._options: SearchOptions = {**defaults, **search}
        self._smooth = check_smooth(smooth, row, self.graph)
        prepare_flights(row.name, kind_of(self.graph))
        self.planner = Planner(self.graph, algorithm, **self._options)
        self._pilot = self._choose_pilot(bool(prediction), bool(foresee))
        self.every = every or self._pilot.every

    def _choose_pilot(self, prediction: bool, foresee: bool) -> Pilot:
        near = self.scene.agent.speed * self.frame
        if self.planner._timed is not None:
            from noctule.flight.timed import TimedPilot

            return TimedPilot(self.planner, self.graph, near, self.destination, foresee)
        if prediction and isinstance(self.graph, CellGrid):
            return PredictivePilot(self.planner, self.graph, near)
        return Pilot(self.planner, self.graph, near)

    def warm_up(self) -> None:
        """Compile, or load, all kernels that a flight may need, so that no frame has to wait."""
        warm_up_flight(
            self.graph, self._algorithm, self._options, self.destination.at(self.start), self.start
        )
        if self._smooth is not None:
            warm_up_smoothing(self.planner, self.scene.agent.start)

    def head_for(self, destination: Destination) -> None:
        """Change the destination; an incremental search repairs its tree.

        Parameters
        ----------
        destination : Destination
            The new one.

        Examples
        --------
        >>> import noctule as nt
        >>> scene = nt.Scene.load("test-environment")
        >>> flight = nt.Flight(scene, "cells", "a*", start=0.0)
        >>> flight.head_for(nt.Destination((5, 5, 5)))
        >>> flight.destination.at(2.0)
        (5.0, 5.0, 5.0)
        """
        self.destination = destination
        self._pilot.head_for(destination)

    def run(self) -> FlightResult:
        """Fly until the destination is reached, a body is hit, or time is up.

        Returns
        -------
        FlightResult
            How the flight ended, with measurements of each plan and update.
        """
        *_, last = self.frames()
        assert isinstance(last, FlightResult)
        return last

    def frames(self) -> Iterator[Frame | FlightResult]:
        """Fly, and yield each frame when it has been flown; the result comes last.

        Yields
        ------
        Frame or FlightResult
            Positions and poses at the start of a frame, and the path being flown; at the end, the
            result.
        """
        self.warm_up()
        scene, agent = self.scene, self.scene.agent
        reached_at = agent.radius + self.destination.radius
        check = CollisionCheck(agent.radius, reached_at, SLACK * self.graph.touch)
        log, corridor = FlightLog(), Corridor([agent.start])
        recorder = Recorder(scene, self.planner.options.algorithm.name) if self.record else None
        path: Path | None = None
        pending: tuple[int, Path] | None = None
        if scene.time != self.start:  # else a flight continues where another one stopped
            scene.move(self.start)
        self.graph.update()
        goal, poses = self.destination.at(self.start), self.graph.poses
        outcome: Outcome | None = None
        if not self.static_agent:  # a flight may end before the first frame
            outcome = check.frame(self.graph.bare, poses, poses, [agent.start], (goal, goal))
        last = math.ceil(self.limit / self.frame - 1e-9)
        while outcome is None and log.frames < last:
            if pending is not None and pending[0] <= log.frames:
                path, pending = pending[1], None
                corridor = self._pilot.join(corridor, path)
            since = self.every if log.planned_at is None else log.frames - log.planned_at
            due = pending is None and (since >= self.every or self._pilot.needs_replan())
            if due:
                made, latency = self._plan(corridor, goal, log)
                pending = log.frames + latency, made
                if latency == 0:
                    path, pending = made, None
                    corridor = self._pilot.join(corridor, made)
            now = self.start + log.frames * self.frame
            here, there, poses = corridor.position, goal, self.graph.poses.copy()
            drawn = poses_to_draw(self.graph)
            goal, outcome = self._fly(corridor, poses, (now + self.frame, goal), check, log)
            plan_ms = log.plan_ms[-1] if due else 0.0
            frame = Frame(now, here, there, path, drawn, log.update_ms[-1], plan_ms)
            if recorder is not None:
                recorder.add(frame)
            yield frame
        yield self._result(log, outcome, recorder, corridor.position, goal)

    def _plan(self, corridor: Corridor, goal: Point, log: FlightLog) -> tuple[Path, int]:
        """Plan from where the agent will be when the plan is ready; return it and the latency."""
        latency = 1 if self.latency == "real" else int(self.latency)
        if self.latency == "real" and log.plan_ms:  # as long as the last one took
            latency = max(1, math.ceil(log.plan_ms[-1] / 1e3 / self.frame))
        start, corner = corridor.position, None
        if not self.static_agent:
            ahead, passed = corridor.ahead(latency * self.frame * self.scene.agent.speed)
            start = ahead[-1] if ahead else start
            corner = corridor.corners[passed] if passed < len(corridor.corners) else None
        # A destination at the border is reached from the nearest point where the agent fits in.
        goal = self.scene.space.inside(goal, self.planner.options.radius)
        began = perf_counter()
        path = self._pilot.plan(start, goal, corner, self.scene.time + latency * self.frame)
        if self._smooth is not None:
            limit = self.planner.options.time_limit
            path = pulled_taut(path, self.planner, math.inf if limit is None else began + limit)
        log.plan_ms.append(1e3 * (perf_counter() - began))
        log.planned_at = log.frames
        log.expanded.append(path.expanded)
        log.no_plan = path.reason
        if path.reached_goal:
            log.path_length.append(path.length)
        else:
            log.failed_plans += 1
        return path, latency

    def _fly(
        self,
        corridor: Corridor,
        poses: NDArray[np.float64],
        until: tuple[float, Point],
        check: CollisionCheck,
        log: FlightLog,
    ) -> tuple[Point, Outcome | None]:
        """Fly for a frame, from these poses and this goal until a time; update the graph.

        Returns the new goal, and what ends the flight.
        """
        t, goal = until
        flown, durations = [corridor.position], None
        if not self.static_agent:
            flown, durations = corridor.fly(self.scene.agent.speed * self.frame)
        began = perf_counter()
        self.graph.update(t, corridor.position)
        self._pilot.observe()
        log.update_ms.append(1e3 * (perf_counter() - began))
        there, outcome = self.destination.at(t), None
        if not self.static_agent:
            graph, ends = self.graph, (goal, there)
            outcome = check.frame(graph.bare, poses, graph.poses, flown, ends, durations)
        log.frames += 1
        length = sum(math.dist(p, q) for p, q in itertools.pairwise(flown))
        log.travelled += length if outcome is None else length * outcome.moment
        log.waited += self.frame if flown[0] == flown[-1] else 0.0
        return there, outcome

    def _result(
        self,
        log: FlightLog,
        outcome: Outcome | None,
        recorder: Recorder | None,
        position: Point,
        goal: Point,
    ) -> FlightResult:
        reason = f"not there after {self.limit:g} s"
        reason += self._pilot.explain_timeout(log.no_plan, log.waited)
        if recorder is not None:
            now = self.start + log.frames * self.frame
            recorder.add(Frame(now, position, goal, None, poses_to_draw(self.graph)))
        names = [body.name for body in self.scene.bodies]
        trace = recorder.trace() if recorder is not None else None
        return log.result(self.start, self.frame, outcome, names, reason, trace)

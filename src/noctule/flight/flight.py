"""`Flight`: an agent flies to a destination through a scene, frame by frame.

Each frame the bodies move, the graph follows them, the planner plans or repairs, and the agent
flies on along its corridor. A plan is made for where the agent will be when it is ready, so a new
corridor begins where the agent is and never leads back to a corner of the old one.
"""

import itertools
import math
from collections.abc import Iterator
from time import perf_counter
from typing import Any, Literal

import numpy as np

from noctule.core.validation import at_least, positive
from noctule.flight.collision import Judge, Verdict
from noctule.flight.corridor import Corridor, Point
from noctule.flight.logbook import Logbook
from noctule.flight.pilots import CarefulPilot, Pilot
from noctule.flight.recording import Frame, Recorder
from noctule.flight.results import FlightResult
from noctule.flight.timing import TimedPilot
from noctule.flight.warm_up import warm_up_flight
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.scene_graphs import SceneGraph, graph_of
from noctule.path import Path
from noctule.planning.planner import Planner
from noctule.worlds.scene import Destination, Scene

MOMENTS = 600.0  # seconds from which the moment of the start is drawn


class Flight:
    """One flight through a scene.

    Parameters
    ----------
    scene : Scene
        The world; it is moved while the flight lasts.
    graph : CellGrid, Hybrid or Waypoints, or "cells", "hybrid", "waypoints"
        The search graph; a new one unless given.
    algorithm : str
        One of `algorithms()`.
    seed, run : int
        Together they draw the moment at which the flight starts.
    start : float, optional
        That moment in seconds, instead of one that is drawn.
    destination : str, optional
        How the destination moves: one of the modes of the scene.
    static_agent : bool
        The agent plans but stays where it is, for as long as `limit`.
    frame : float
        Seconds of a frame.
    latency : int or "real"
        How many frames pass until a plan is flown: 1 unless given; "real" is as many as it took.
    every : int, optional
        How many frames pass until the next plan is begun: 1 unless given, or 6 for an algorithm
        that plans in time; its plans hold as long as bodies move as expected.
    foresee : bool
        Whether an algorithm that plans in time knows how the destination moves; if not, it expects
        it to fly on as it does.
    prediction : bool
        Whether to keep out of the cells that bodies are about to touch (see `Prediction`); an
        algorithm that plans in time does so anyway.
    limit : float
        Seconds after which a flight that has not ended is given up.
    record : bool
        Whether to keep a trace of everything.
    **options
        Options of the planner, as for `plan`; the radius is that of the agent.

    Examples
    --------
    >>> import noctule as nt
    >>> scene = nt.Scene.load("test-environment")
    >>> result = nt.Flight(scene, nt.CellGrid(scene), "a*", seed=1, limit=0.5).run()
    >>> result.reached, result.reason, result.frames
    (False, 'not there after 0.5 s', 30)
    """

    def __init__(
        self,
        scene: Scene,
        graph: SceneGraph | str | None = None,
        algorithm: str = "a*",
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
        prediction: bool = False,
        limit: float = 180.0,
        record: bool = False,
        **options: Any,
    ) -> None:
        self.scene = scene
        self.graph = graph_of(scene, graph)
        self.destination = scene.heading_for(destination)
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
        self._algorithm = algorithm
        self._options: dict[str, Any] = {"radius": scene.agent.radius, **options}
        self.planner = Planner(self.graph, algorithm, **self._options)
        self._pilot = self._choose_pilot(bool(prediction), bool(foresee))
        self.every = every or self._pilot.every

    def _choose_pilot(self, prediction: bool, foresee: bool) -> Pilot:
        near = self.scene.agent.speed * self.frame
        if self.planner.timed is not None:
            return TimedPilot(self.planner, self.graph, near, self.destination, foresee)
        if prediction and isinstance(self.graph, CellGrid):
            return CarefulPilot(self.planner, self.graph, near)
        return Pilot(self.planner, self.graph, near)

    def warm_up(self) -> None:
        """Compile, or load, what a flight may need: no frame is to pay for it."""
        warm_up_flight(
            self.graph, self._algorithm, self._options, self.destination.at(self.start), self.start
        )

    def head_for(self, destination: Destination) -> None:
        """Fly to another destination from now on; a search that remembers repairs what it knows."""
        self.destination = destination
        self._pilot.head_for(destination)

    def run(self) -> FlightResult:
        """Fly until the destination is reached, something is hit, or time is up."""
        *_, last = self.frames()
        assert isinstance(last, FlightResult)
        return last

    def frames(self) -> Iterator[Frame | FlightResult]:
        """Fly, giving each frame as it has been flown, and the result at the end."""
        self.warm_up()
        scene, agent = self.scene, self.scene.agent
        touch_at = agent.radius + self.destination.radius
        judge = Judge(agent.radius, touch_at)
        log, corridor = Logbook(), Corridor([agent.start])
        recorder = Recorder(scene, self.planner.options.algorithm.name) if self.record else None
        path: Path | None = None
        pending: tuple[int, Path] | None = None
        if scene.time != self.start:  # else a flight goes on where another one broke off
            scene.move(self.start)
        self.graph.update()
        goal = self.destination.at(self.start)
        verdict = self._before_start(judge, goal)
        number = 0
        while verdict is None and number < self._last_frame:
            now = self.start + number * self.frame
            if pending is not None and pending[0] <= number:
                path, pending = pending[1], None
                corridor = self._pilot.join(corridor, path)
            due = pending is None and self._is_due(number, log)
            if due:
                made, ready = self._plan(corridor, goal, log)
                log.planned_at = number
                pending = number + ready, made
                if ready == 0:
                    path, pending = made, None
                    corridor = self._pilot.join(corridor, made)
            way, lasting = self._fly(corridor)
            before, goal_before = self.graph.poses.copy(), goal
            self._update(now + self.frame, corridor.position, log)
            goal = self.destination.at(now + self.frame)
            if not self.static_agent:
                ends = goal_before, goal
                verdict = judge.frame(self.graph.bare, before, self.graph.poses, way, ends, lasting)
            number += 1
            log.frames = number
            log.travelled += self._flown(way, verdict)
            log.waited += self.frame if way[0] == way[-1] else 0.0
            plan_ms = log.plan_ms[-1] if due else 0.0
            frame = Frame(now, way[0], goal_before, path, before, log.update_ms[-1], plan_ms)
            if recorder is not None:
                recorder.add(frame)
            yield frame
        yield self._result(log, verdict, recorder, corridor.position, goal)

    @property
    def _last_frame(self) -> int:
        return math.ceil(self.limit / self.frame - 1e-9)

    def _before_start(self, judge: Judge, goal: Point) -> Verdict | None:
        """A flight may be over before it begins."""
        here = self.scene.agent.start
        if self.static_agent:
            return None
        return judge.frame(
            self.graph.bare, self.graph.poses, self.graph.poses, [here], (goal, goal)
        )

    def _is_due(self, number: int, log: Logbook) -> bool:
        """Whether to plan in this frame: it is time for it, or a body left what was expected."""
        if log.planned_at is None or number - log.planned_at >= self.every:
            return True
        return self._pilot.surprised()

    def _plan(self, corridor: Corridor, goal: Point, log: Logbook) -> tuple[Path, int]:
        """A plan for where the agent will be when it is ready, and how many frames that takes."""
        wait = 1 if self.latency == "real" else int(self.latency)
        if self.latency == "real" and log.plan_ms:  # what the last one took
            wait = max(1, math.ceil(log.plan_ms[-1] / 1e3 / self.frame))
        start, corner = corridor.position, None
        if not self.static_agent:
            distance = wait * self.frame * self.scene.agent.speed
            start, corner = self._start_of_plan(corridor, distance)
        # A destination that touches the border is reached from where the agent fits in beside it.
        goal = self.scene.space.inside(goal, self.planner.options.radius)
        began = perf_counter()
        path = self._pilot.plan(start, goal, corner, self.scene.time + wait * self.frame)
        log.plan_ms.append(1e3 * (perf_counter() - began))
        log.expanded.append(path.expanded)
        log.no_plan = path.reason
        if path.found:
            log.path_length.append(path.length)
        else:
            log.failed_plans += 1
        return path, wait

    def _start_of_plan(self, corridor: Corridor, distance: float) -> tuple[Point, Point | None]:
        """Where the agent will be, and the corner that it flies to then."""
        ahead = corridor.ahead(distance)
        return ahead[-1] if ahead else corridor.position, corridor.corner_after(distance)

    def _fly(self, corridor: Corridor) -> tuple[list[Point], list[float] | None]:
        """Fly for a frame; returns the way flown, and how long its pieces took if that is known."""
        way = [corridor.position]
        if self.static_agent:
            return way, None
        distance = self.scene.agent.speed * self.frame
        way += corridor.ahead(distance)
        lasting = corridor.lasting(distance)
        corridor.fly(distance)
        return way, lasting

    def _update(self, t: float, agent: Point, log: Logbook) -> None:
        began = perf_counter()
        self.graph.update(t, agent)
        self._pilot.observe()
        log.update_ms.append(1e3 * (perf_counter() - began))

    def _flown(self, way: list[Point], verdict: Verdict | None) -> float:
        length = sum(math.dist(p, q) for p, q in itertools.pairwise(way))
        return length if verdict is None else length * verdict.moment

    def _result(
        self,
        log: Logbook,
        verdict: Verdict | None,
        recorder: Recorder | None,
        position: Point,
        goal: Point,
    ) -> FlightResult:
        reason = f"not there after {self.limit:g} s"
        reason += self._pilot.why_late(log.no_plan, log.waited)
        if recorder is not None:
            now = self.start + log.frames * self.frame
            recorder.add(Frame(now, position, goal, None, self.graph.poses))
        names = [body.name for body in self.scene.bodies]
        trace = recorder.trace() if recorder is not None else None
        return log.result(self.start, self.frame, verdict, names, reason, trace)

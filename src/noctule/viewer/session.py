"""`Session`: a flight that can be paused, stepped, changed and disturbed while it lasts."""

import itertools
import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from noctule.core.validation import show
from noctule.flight.corridor import Point
from noctule.flight.flight import Flight
from noctule.flight.recording import Frame, describe
from noctule.flight.results import FlightResult
from noctule.flight.simulation import Plan, needs_safety_boxes
from noctule.graphs.scene_graphs import SceneGraph
from noctule.planning.planner import Planner
from noctule.worlds.bodies import Body
from noctule.worlds.motions import Motion, Still
from noctule.worlds.scene import Agent, Destination, Scene
from noctule.worlds.shapes import Box

BOX = 3.0  # edge of a box that is put in the way, in cells
BOX_COLOUR = "#c4d63a"  # of no other thing on the page
AHEAD = 8.0  # how far ahead of the agent, in cells
MOST_FRAMES = 24  # flown in one go: a slow planner makes the flight slow, not the page
HISTORY = 240  # frames of which the milliseconds are kept
TRAIL = 400  # points that are kept of the way flown


@dataclass(frozen=True)
class Settings:
    """What is flown, and how."""

    scene: str = "test-environment"
    variant: str | None = None
    graph: str = "cells"
    algorithm: str = "a*"
    weight: float = 1.0
    radius: float | None = None  # of the agent; the scene's unless given
    destination: str | None = None  # how it moves; as the scene has it unless given
    prediction: bool = True  # else the safety boxes of bodies block cells
    foresee: bool = True
    seed: int = 0

    def options(self) -> dict[str, Any]:
        """Options of `Flight`."""
        weight = {} if self.weight == 1.0 else {"weight": self.weight}
        kept = {name: getattr(self, name) for name in ("destination", "prediction", "foresee")}
        return kept | weight


@dataclass(frozen=True, eq=False)
class World:
    """A scene and its graph, ready to be flown: everything is compiled."""

    settings: Settings
    scene: Scene
    graph: SceneGraph


def prepare(settings: Settings, progress: Callable[[int, int], None] | None = None) -> World:
    """Load and compile what a flight needs; ValueError if the settings do not go together."""
    plan = Plan(
        settings.scene,
        settings.variant,
        settings.graph,
        safety=needs_safety_boxes(settings.graph, settings.algorithm, settings.prediction),
        algorithm=settings.algorithm,
        seed=settings.seed,
        flight=settings.options(),
    )
    scene, graph = plan.prepare(progress)
    radius = settings.radius
    if radius is not None and radius != scene.agent.radius:
        scene.agent = replace(scene.agent, radius=radius)
        flight = _flight(World(settings, scene, graph), 0, 0.0)
        planner, here = flight.planner, scene.agent.start
        if planner.timed is None:  # a wide agent needs other code
            planner.plan(here, flight.destination.at(0.0), best_start=True)
    return World(settings, scene, graph)


def _flight(world: World, run: int, start: float | None = None) -> Flight:
    settings = world.settings
    return Flight(
        world.scene,
        world.graph,
        settings.algorithm,
        seed=settings.seed,
        run=run,
        start=start,
        **settings.options(),
    )


class Session:
    """Flights through a world, one after the other.

    Attributes
    ----------
    frame : Frame
        The last frame flown.
    result : FlightResult or None
        How the flight ended; None while it lasts.
    began : float
        When the flight set out, whatever has been changed since.
    run, flown, reached : int
        The number of the flight, how many have ended, and how many of them arrived.
    trail : list of points
        The way flown so far, with some points left out once it is long.
    """

    def __init__(self, world: World) -> None:
        self.run = self.flown = self.reached = 0
        self._boxes = itertools.count(1)
        self._moved: Destination | None = None
        self._take(world)
        self.restart()

    def _take(self, world: World) -> None:
        self.world = world
        self._home: Agent = world.scene.agent
        self.bodies_changed()

    def bodies_changed(self) -> None:
        """Describe the world anew; who shows it sees that `about` is another one."""
        name = self.world.settings.algorithm
        self.about = describe(self.world.scene, name)

    # ------------------------------------------------------------------ flying

    def restart(self, run: int | None = None) -> None:
        """Begin a flight anew, by another number if one is given."""
        self.run = self.run if run is None else run
        self.world.scene.agent = self._home
        flight = _flight(self.world, self.run)
        self.began = flight.start
        self._set_out(flight)

    def _set_out(self, flight: Flight) -> None:
        if self._moved is not None:
            flight.head_for(self._moved)
        self.flight = flight
        self._frames: Iterator[Frame | FlightResult] = flight.frames()
        self._owed = 0.0
        self.result: FlightResult | None = None
        self.trail: list[Point] = []
        self.history: deque[tuple[float, float, float]] = deque(maxlen=HISTORY)
        self.step()

    def advance(self, seconds: float) -> int:
        """Fly on by so much time of the flight; returns how many frames that was."""
        self._owed += seconds / self.flight.frame
        count = min(int(self._owed), MOST_FRAMES)
        self._owed = min(self._owed - count, 1.0)
        return sum(self.step() for _ in range(count))

    def step(self) -> bool:
        """Fly one frame; False if the flight has ended."""
        if self.result is not None:
            return False
        last = next(self._frames)
        if isinstance(last, FlightResult):
            self.result = last
            self.flown += 1
            self.reached += last.reached
            if not hasattr(self, "frame"):  # over before it began
                goal = self.flight.destination.at(self.flight.start)
                poses = self.world.graph.poses.copy()
                self.frame = Frame(self.flight.start, self._home.start, goal, None, poses)
            return False
        self.frame = last
        self.history.append((last.time, last.update_ms, last.plan_ms))
        self.trail.append(last.agent)
        if len(self.trail) > TRAIL:
            self.trail = self.trail[:-1:2] + self.trail[-1:]
        return True

    @property
    def planner(self) -> Planner:
        """Who plans."""
        return self.flight.planner

    # ------------------------------------------------------------------ changing things in flight

    def change(self, world: World) -> None:
        """Fly on in a world with other settings; in another scene, begin anew."""
        before, self.world = self.world, world
        if not _same_place(before.settings, world.settings) or self.result is not None:
            if before.settings.scene != world.settings.scene:
                self._moved = None
            self._carry_boxes(before.scene)
            self._take(world)
            self.restart()
            return
        position, trail = self.frame.agent, self.trail
        self._carry_boxes(before.scene)
        world.scene.take_over(before.scene)
        world.graph.update()
        self._take(world)
        world.scene.agent = replace(self._home, start=position)
        if before.settings.destination != world.settings.destination:
            self._moved = None
        self._set_out(_flight(world, self.run, world.scene.time))
        self.trail = [*trail, *self.trail]

    def _carry_boxes(self, scene: Scene) -> None:
        for body in scene.bodies:
            if body.kind == "put":
                self.world.scene.add(body)

    # ------------------------------------------------------------------ disturbing the flight

    def head_for(self, point: Any) -> Point:
        """Move the destination to a point, or to the nearest one inside the world."""
        space = self.world.scene.space
        destination = self.flight.destination
        edge = max(destination.radius, self._home.radius)
        low, high = np.array(space.origin) + edge, np.array(space.high) - edge
        x, y, z = np.clip(np.asarray(point, float), low, high).tolist()
        still: dict[str, Motion] = {"static": Still()}
        self._moved = replace(destination, start=(x, y, z), modes=still, mode="static")
        self.flight.head_for(self._moved)
        return (x, y, z)

    def release(self) -> None:
        """Let the destination move again as the scene has it."""
        self._moved = None
        self.flight.head_for(self.world.scene.heading_for(self.world.settings.destination))

    def put_box(self, point: Any = None) -> Body:
        """Put a box somewhere, or in the way of the agent; it is there in the next frame."""
        place = self._in_the_way() if point is None else tuple(map(float, point))
        size = BOX * self.world.scene.space.cell
        near = size * math.sqrt(3) / 2 + self._home.radius
        if math.dist(place, self.frame.agent) < near:
            raise ValueError(f"a box at {show(place)} would be too near to the agent")
        taken = {body.name for body in self.world.scene.bodies}
        name = next(n for n in (f"box-{i}" for i in self._boxes) if n not in taken)
        body = Body(name, Box((size,) * 3), place, kind="put", colour=BOX_COLOUR)
        self.world.scene.add(body)
        self._follow_bodies()
        return body

    def take_box(self, name: str | None = None) -> str:
        """Take a box away again: the last one unless named."""
        boxes = [body.name for body in self.world.scene.bodies if body.kind == "put"]
        if not boxes or (name is not None and name not in boxes):
            raise ValueError("there is no box to take away" if name is None else f"no box {name!r}")
        name = name or boxes[-1]
        self.world.scene.remove(name)
        self._follow_bodies()
        return name

    def _follow_bodies(self) -> None:
        """Between two frames: the next one is to begin with the bodies of now."""
        self.world.graph.update()
        self.bodies_changed()
        self.frame = replace(self.frame, poses=self.world.graph.poses.copy())

    def _in_the_way(self) -> Point:
        """A point on the path ahead of the agent."""
        path = self.frame.path
        if path is None or len(path.points) < 2:
            raise ValueError("there is no path to put a box on")
        left = AHEAD * self.world.scene.space.cell
        for p, q in itertools.pairwise(path.points.tolist()):
            leg = math.dist(p, q)
            if leg >= left:
                x, y, z = (a + left / leg * (b - a) for a, b in zip(p, q, strict=True))
                return (x, y, z)
            left -= leg
        raise ValueError("the destination is too near to put a box in the way")


def _same_place(a: Settings, b: Settings) -> bool:
    return (a.scene, a.variant, a.seed) == (b.scene, b.variant, b.seed)

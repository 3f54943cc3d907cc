"""`Session`: a flight that can be paused, stepped, changed and disturbed while it lasts."""

import itertools
import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from noctule.core.preparation import Report
from noctule.core.validation import show
from noctule.files import MAX_CELLS
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

BOX = 3.0  # edge of a box that is put, in cells
BOX_COLOUR = "#c4d63a"  # of nothing else on the page
AHEAD = 8.0  # distance from the agent to a box on its path, in cells
MOST_FRAMES = 24  # flown in one update: a slow planner slows the flight, not the page
HISTORY = 240  # frames whose milliseconds are kept
TRAIL = 400  # points kept of the path flown


@dataclass(frozen=True)
class Settings:
    """Scene, graph, algorithm and options of a flight."""

    scene: str = "test-environment"
    variant: str | None = None
    graph: str = "cells"
    algorithm: str = "a*"
    weight: float = 1.0
    radius: float | None = None  # of the agent; default: the scene's
    destination: str | None = None  # its motion; default: the scene's
    prediction: bool = True  # otherwise the safety boxes of bodies block cells
    foresee: bool = True
    seed: int = 0
    max_cells: int = MAX_CELLS  # of the scene

    def options(self) -> dict[str, Any]:
        """Return the options of `Flight`."""
        options: dict[str, Any] = {} if self.weight == 1.0 else {"weight": self.weight}
        return options | {n: getattr(self, n) for n in ("destination", "prediction", "foresee")}


@dataclass(frozen=True, eq=False)
class World:
    """A scene and its graph, ready to be flown with everything compiled."""

    settings: Settings
    scene: Scene
    graph: SceneGraph


def prepare(
    settings: Settings,
    progress: Callable[[int, int], None] | None = None,
    report: Report | None = None,
) -> World:
    """Load and compile what a flight needs; ValueError if the settings do not go together."""
    plan = Plan(
        settings.scene,
        settings.variant,
        settings.graph,
        safety=needs_safety_boxes(settings.graph, settings.algorithm, settings.prediction),
        algorithm=settings.algorithm,
        seed=settings.seed,
        max_cells=settings.max_cells,
        flight=settings.options(),
    )
    scene, graph = plan.prepare(progress, report)
    world = World(settings, scene, graph)
    if settings.radius not in (None, scene.agent.radius):
        scene.agent = replace(scene.agent, radius=settings.radius)
        flight = _flight(world, 0, 0.0)
        if not flight.planner.options.algorithm.timed:  # compile the code for a wide agent
            goal = flight.destination.at(0.0)
            flight.planner.plan(scene.agent.start, goal, best_start=True)
    return world


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
        The result of the flight; None while it lasts.
    began : float
        Start time of the flight, whatever has been changed since.
    run, flown, reached : int
        Number of the flight, flights ended, and flights that reached the destination.
    trail : list of points
        The path flown so far, with some points left out once it is long.
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
        self._describe()

    def _describe(self) -> None:
        """Describe the world again; a drawing notices that `about` is another object."""
        self.about = describe(self.world.scene, self.world.settings.algorithm)

    # ------------------------------------------------------------------ flying

    def restart(self, run: int | None = None) -> None:
        """Restart the flight, with another number if one is given."""
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
        """Fly for so many seconds of the flight; return the number of frames."""
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
            if not hasattr(self, "frame"):  # the very first flight ended at once
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
        """The planner of the flight."""
        return self.flight.planner

    # ------------------------------------------------------------------ changing things in flight

    def change(self, world: World) -> None:
        """Continue in a world with other settings; in another scene, restart."""
        before, position, trail = self.world, self.frame.agent, self.trail
        old, new = before.settings, world.settings
        for body in before.scene.bodies:
            if body.kind == "put":
                world.scene.add(body)
        same_place = (old.scene, old.variant, old.seed) == (new.scene, new.variant, new.seed)
        if not same_place or self.result is not None:
            if old.scene != new.scene:
                self._moved = None
            self._take(world)
            self.restart()
            return
        world.scene.copy_state(before.scene)
        world.graph.update()
        self._take(world)
        world.scene.agent = replace(self._home, start=position)
        if old.destination != new.destination:
            self._moved = None
        self._set_out(_flight(world, self.run, world.scene.time))
        self.trail = [*trail, *self.trail]

    # ------------------------------------------------------------------ disturbing the flight

    def head_for(self, point: Any) -> Point:
        """Move the destination to a point, or to the nearest one inside the world."""
        destination = self.flight.destination
        edge = max(destination.radius, self._home.radius)
        x, y, z = map(float, point)
        place = self.world.scene.space.inside((x, y, z), edge)
        still: dict[str, Motion] = {"static": Still()}
        self._moved = replace(destination, start=place, modes=still, mode="static")
        self.flight.head_for(self._moved)
        return place

    def release(self) -> None:
        """Let the destination move again as in the scene."""
        self._moved = None
        self.flight.head_for(self.world.scene.destination_in_mode(self.world.settings.destination))

    def put_box(self, point: Any = None) -> Body:
        """Put a box at a point, or on the path ahead; it is there in the next frame."""
        place = self._point_ahead() if point is None else tuple(map(float, point))
        size = BOX * self.world.scene.space.cell
        near = size * math.sqrt(3) / 2 + self._home.radius
        if math.dist(place, self.frame.agent) < near:
            raise ValueError(f"a box at {show(place)} would be too near to the agent")
        taken = {body.name for body in self.world.scene.bodies}
        name = next(n for n in (f"box-{i}" for i in self._boxes) if n not in taken)
        body = Body(name, Box((size,) * 3), place, kind="put", colour=BOX_COLOUR)
        self.world.scene.add(body)
        self._update_bodies()
        return body

    def take_box(self, name: str | None = None) -> str:
        """Remove a box: the last one unless named."""
        boxes = [body.name for body in self.world.scene.bodies if body.kind == "put"]
        if not boxes or (name is not None and name not in boxes):
            raise ValueError("there is no box to take away" if name is None else f"no box {name!r}")
        name = name or boxes[-1]
        self.world.scene.remove(name)
        self._update_bodies()
        return name

    def _update_bodies(self) -> None:
        """Between two frames: let the next one start with the current bodies."""
        self.world.graph.update()
        self._describe()
        self.frame = replace(self.frame, poses=self.world.graph.poses.copy())

    def _point_ahead(self) -> Point:
        """Return a point on the path ahead of the agent."""
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

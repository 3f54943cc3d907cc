"""`Session`: a flight that can be stepped, changed and disturbed while it lasts."""

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
from noctule.flight.recording import Frame, describe, poses_to_draw
from noctule.flight.results import FlightResult
from noctule.flight.simulation import Plan, needs_safety_boxes
from noctule.graphs.scene_graphs import SceneGraph
from noctule.planning.planner import Planner
from noctule.worlds.bodies import Body
from noctule.worlds.motions import Motion, Still
from noctule.worlds.scene import Agent, Destination, Scene
from noctule.worlds.shapes import Box

BOX = 3.0  # cells; edge length of an added box
BOX_COLOUR = "#c4d63a"  # used for nothing else on the page
AHEAD = 8.0  # cells; distance from the agent to a box on its path
MAX_FRAMES = 24  # per update: a slow planner slows the flight, not the page
HISTORY = 240  # frames whose times are kept
TRAIL = 400  # points of the flown path that are kept


@dataclass(frozen=True)
class Settings:
    """Scene, graph, algorithm and options of a flight."""

    scene: str | Scene = "test-environment"
    variant: str | None = None
    graph: str = "cells"
    algorithm: str = "aamt-d*-lite"
    weight: float = 1.0
    radius: float | None = None  # of the agent, in world units; default: that of the scene
    destination: str | None = None  # mode of its motion; default: that of the scene
    prediction: bool = True  # if False, the safety boxes of bodies block cells
    foresee: bool = True
    seed: int = 0
    max_cells: int = MAX_CELLS  # limit of the size of the scene

    def options(self) -> dict[str, Any]:
        """Return the options of `Flight`."""
        options: dict[str, Any] = {} if self.weight == 1.0 else {"weight": self.weight}
        return options | {n: getattr(self, n) for n in ("destination", "prediction", "foresee")}


@dataclass(frozen=True, eq=False)
class World:
    """A scene and its graph; all kernels for a flight are compiled."""

    settings: Settings
    scene: Scene
    graph: SceneGraph


def prepare(
    settings: Settings,
    progress: Callable[[int, int], None] | None = None,
    report: Report | None = None,
) -> World:
    """Load and compile all that a flight needs; raise ValueError for incompatible settings."""
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
        if not flight.planner.options.algorithm.timed:  # compile the kernels for a large agent
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
    """Consecutive flights through a world.

    Attributes
    ----------
    frame : Frame
        The last frame.
    result : FlightResult or None
        The result of the flight; None while it lasts.
    start_time : float
        Start time of the flight in seconds, also after changes of the settings.
    run, flown, reached : int
        Number of the current flight, of ended flights, and of flights that reached the goal.
    trail : list of points
        The flown path, thinned out when it is long.
    """

    def __init__(self, world: World) -> None:
        self.run = self.flown = self.reached = 0
        self._boxes = itertools.count(1)
        self._placed_goal: Destination | None = None
        self._set_world(world)
        self.restart()

    def _set_world(self, world: World) -> None:
        self.world = world
        self._home: Agent = world.scene.agent
        self._describe()

    def _describe(self) -> None:
        """Update `about`; a drawing detects the new object."""
        self.about = describe(self.world.scene, self.world.settings.algorithm)

    # ------------------------------------------------------------------ flying

    def restart(self, run: int | None = None) -> None:
        """Restart the flight, with number `run` if given."""
        self.run = self.run if run is None else run
        self.world.scene.agent = self._home
        flight = _flight(self.world, self.run)
        self.start_time = flight.start
        self._start(flight)

    def _start(self, flight: Flight) -> None:
        if self._placed_goal is not None:
            flight.head_for(self._placed_goal)
        self.flight = flight
        self._frames: Iterator[Frame | FlightResult] = flight.frames()
        self._frames_due = 0.0
        self.result: FlightResult | None = None
        self.trail: list[Point] = []
        self.history: deque[tuple[float, float, float]] = deque(maxlen=HISTORY)
        self.step()

    def advance(self, seconds: float) -> int:
        """Fly for `seconds` of flight time; return the number of frames."""
        self._frames_due += seconds / self.flight.frame
        count = min(int(self._frames_due), MAX_FRAMES)
        self._frames_due = min(self._frames_due - count, 1.0)
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
            if not hasattr(self, "frame"):  # the first flight ended in its first frame
                goal = self.flight.destination.at(self.flight.start)
                poses = poses_to_draw(self.world.graph)
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

    # ------------------------------------------------------------------ changes in flight

    def change(self, world: World) -> None:
        """Continue in a world with other settings; restart if the scene or the seed changed."""
        before, position, trail = self.world, self.frame.agent, self.trail
        old, new = before.settings, world.settings
        for body in before.scene.bodies:
            if body.kind == "put":
                world.scene.add(body)
        same_place = (old.scene, old.variant, old.seed) == (new.scene, new.variant, new.seed)
        if not same_place or self.result is not None:
            if old.scene != new.scene:
                self._placed_goal = None
            self._set_world(world)
            self.restart()
            return
        world.scene.copy_state(before.scene)
        world.graph.update()
        self._set_world(world)
        world.scene.agent = replace(self._home, start=position)
        if old.destination != new.destination:
            self._placed_goal = None
        self._start(_flight(world, self.run, world.scene.time))
        self.trail = [*trail, *self.trail]

    # ------------------------------------------------------------------ disturbing the flight

    def move_goal(self, point: Any) -> Point:
        """Move the goal to a point, or to the nearest point inside the world."""
        destination = self.flight.destination
        edge = max(destination.radius, self._home.radius)
        x, y, z = map(float, point)
        place = self.world.scene.space.inside((x, y, z), edge)
        still: dict[str, Motion] = {"static": Still()}
        self._placed_goal = replace(destination, start=place, modes=still, mode="static")
        self.flight.head_for(self._placed_goal)
        return place

    def release_goal(self) -> None:
        """Let the goal move as in the scene again."""
        self._placed_goal = None
        self.flight.head_for(self.world.scene.destination_in_mode(self.world.settings.destination))

    def add_box(self, point: Any = None) -> Body:
        """Add a box at a point, or on the path ahead; it is present from the next frame on."""
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

    def remove_box(self, name: str | None = None) -> str:
        """Remove a box, by default the last one."""
        boxes = [body.name for body in self.world.scene.bodies if body.kind == "put"]
        if not boxes or (name is not None and name not in boxes):
            raise ValueError("there is no box to remove" if name is None else f"no box {name!r}")
        name = name or boxes[-1]
        self.world.scene.remove(name)
        self._update_bodies()
        return name

    def _update_bodies(self) -> None:
        """Update graph and frame after a change of the bodies between two frames."""
        self.world.graph.update()
        self._describe()
        self.frame = replace(self.frame, poses=poses_to_draw(self.world.graph))

    def _point_ahead(self) -> Point:
        """Return a point on the path ahead of the agent."""
        path = self.frame.path
        if path is None or len(path.points) < 2:
            raise ValueError("there is no path to add a box on")
        left = AHEAD * self.world.scene.space.cell
        for p, q in itertools.pairwise(path.points.tolist()):
            leg = math.dist(p, q)
            if leg >= left:
                x, y, z = (a + left / leg * (b - a) for a, b in zip(p, q, strict=True))
                return (x, y, z)
            left -= leg
        raise ValueError("the goal is too near to add a box on the path")

"""Many flights of the same kind, one after the other or in several processes at once."""

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from noctule.core.jit import cache_folder
from noctule.flight.flight import Flight
from noctule.flight.results import FlightResult
from noctule.graphs.explicit.waypoints import Waypoints
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.hybrid.hybrid import Hybrid, fingerprint
from noctule.graphs.scene_graphs import SceneGraph
from noctule.registry import find_algorithm
from noctule.worlds.scene import Scene

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Plan:
    """What to fly: everything that a flight needs but its number."""

    scene: str = "test-environment"
    variant: str | None = None
    graph: str = "cells"
    neighbours: int = 26
    safety: bool = True
    algorithm: str = "a*"
    seed: int = 0
    flight: dict[str, Any] = field(default_factory=dict)  # further options of `Flight`
    agent: dict[str, Any] = field(default_factory=dict)  # what is different about the agent

    def prepare(self, progress: Progress | None = None) -> tuple[Scene, SceneGraph]:
        """Load the scene, and compile what a flight needs: that is not time spent planning."""
        scene = Scene.load(self.scene, self.variant)
        scene.agent = replace(scene.agent, **self.agent)
        if self.graph == "hybrid":
            grid: SceneGraph = baked(scene, self.safety, progress)
        elif self.graph == "waypoints":
            grid = Waypoints(scene, safety=self.safety)
        else:
            grid = CellGrid(scene, self.neighbours, self.safety)
        self.make(scene, grid, 0).warm_up()
        return scene, grid

    def make(self, scene: Scene, grid: SceneGraph, run: int, **more: Any) -> Flight:
        """The flight with this number."""
        options = self.flight | more
        return Flight(scene, grid, self.algorithm, seed=self.seed, run=run, **options)


def needs_safety_boxes(graph: str, algorithm: str, prediction: bool) -> bool:
    """Whether bodies are to be given a wide berth, for lack of anything better.

    Prediction is better, where there are cells to predict. A search in time keeps out of what will
    be there anyway: a berth costs it nothing where bodies do not come.
    """
    return not prediction or graph == "waypoints" or find_algorithm(algorithm).timed


def baked(scene: Scene, safety: bool = True, progress: Progress | None = None) -> Hybrid:
    """The hybrid graph of a scene: baked when it is first asked for, then read from the cache."""
    file = cache_folder() / f"hybrid-{fingerprint(scene, None, safety)[:16]}.npz"
    if file.is_file():
        try:
            return Hybrid(scene, safety=safety, bake=file)
        except ValueError:  # cut short, or of an older version: bake it anew
            file.unlink(missing_ok=True)
    graph = Hybrid(scene, safety=safety, progress=progress)
    file.parent.mkdir(parents=True, exist_ok=True)
    half = file.with_suffix(f".{os.getpid()}")  # so that nobody reads what is half written
    graph.save(half)
    half.replace(file)
    return graph


def fly_many(plan: Plan, runs: int, jobs: int = 1) -> Iterator[FlightResult]:
    """Fly numbers 0 to `runs` - 1; results come in this order, whatever the number of jobs."""
    if jobs <= 1:
        scene, grid = plan.prepare()
        for run in range(runs):
            yield plan.make(scene, grid, run).run()
        return
    plan.prepare()  # compiles once, for all processes to load
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _prepare, (plan,)) as pool:
        yield from pool.map(_fly, range(runs))


_ready: dict[str, Any] = {}  # what a process has prepared


def _prepare(plan: Plan) -> None:
    _ready["plan"], _ready["world"] = plan, plan.prepare()


def _fly(run: int) -> FlightResult:
    plan: Plan = _ready["plan"]
    scene, grid = _ready["world"]
    return plan.make(scene, grid, run).run()

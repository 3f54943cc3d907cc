"""Run many flights of the same kind, one after the other or in several processes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from typing import Any

from noctule.core.kernel_cache import user_folder
from noctule.core.preparation import Report, prepare_flights
from noctule.files import MAX_CELLS
from noctule.flight.flight import Flight
from noctule.flight.results import FlightResult
from noctule.graphs.explicit.waypoints import Waypoints
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.hybrid.bake_files import fingerprint
from noctule.graphs.hybrid.hybrid import Hybrid
from noctule.graphs.scene_graphs import SceneGraph, graph_of
from noctule.processes import worker_pool
from noctule.registry import find_algorithm
from noctule.worlds.scene import Scene

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Plan:
    """Parameters of a series of flights."""

    scene: str | Scene = "test-environment"
    variant: str | None = None
    graph: str = "cells"
    neighbours: int = 26
    safety: bool = True
    algorithm: str = "aamt-d*-lite"
    seed: int = 0
    max_cells: int = MAX_CELLS  # of the scene
    flight: dict[str, Any] = field(default_factory=dict)  # further options of `Flight`
    agent: dict[str, Any] = field(
        default_factory=dict
    )  # fields of the agent that differ from the scene's

    def prepare(
        self, progress: Progress | None = None, report: Report | None = None
    ) -> tuple[Scene, SceneGraph]:
        """Load the scene, make the graph and compile what a flight needs.

        `progress` is called while the graph is baked, `report` while kernels are compiled.
        """
        prepare_flights(find_algorithm(self.algorithm).name, self.graph, report)
        scene = Scene.load(self.scene, self.variant, max_cells=self.max_cells)
        scene.agent = replace(scene.agent, **self.agent)
        if self.graph == "hybrid":
            grid: SceneGraph = baked(scene, self.safety, progress)
        elif self.graph == "waypoints":
            grid = Waypoints(scene, safety=self.safety)
        elif self.graph == "cells":
            grid = CellGrid(scene, self.neighbours, self.safety)
        else:
            grid = graph_of(scene, self.graph)
        self.make(scene, grid, 0).warm_up()
        return scene, grid

    def make(self, scene: Scene, grid: SceneGraph, run: int, **more: Any) -> Flight:
        """Return flight number `run`."""
        options = self.flight | more
        return Flight(scene, grid, self.algorithm, seed=self.seed, run=run, **options)


def runs_on(algorithm: str, graph: str) -> bool:
    """Whether an algorithm can plan flights on this kind of graph of a scene."""
    row = find_algorithm(algorithm)
    if row.corners_only or row.plane_only:
        return False
    if graph == "waypoints" and row.timed:
        return False
    return graph == "cells" or not row.cells_only


def needs_safety_boxes(graph: str, algorithm: str, prediction: bool) -> bool:
    """Whether the safety boxes of bodies should block cells.

    Not with prediction on cells, which replaces them. A search in time loses nothing by them.
    """
    return not prediction or graph == "waypoints" or find_algorithm(algorithm).timed


def baked(scene: Scene, safety: bool = True, progress: Progress | None = None) -> Hybrid:
    """Return the hybrid graph of a scene; baked once, then read from the cache folder."""
    file = user_folder() / f"hybrid-{fingerprint(scene, None, safety)[:16]}.npz"
    if file.is_file():
        try:
            return Hybrid(scene, safety=safety, bake=file)
        except ValueError:  # truncated, or of an older version
            file.unlink(missing_ok=True)
    graph = Hybrid(scene, safety=safety, progress=progress)
    file.parent.mkdir(parents=True, exist_ok=True)
    graph.save(file)
    return graph


def fly_many(plan: Plan, runs: int, jobs: int = 1) -> Iterator[FlightResult]:
    """Yield the results of flights 0 to `runs` - 1 in this order."""
    if jobs <= 1:
        scene, grid = plan.prepare()
        for run in range(runs):
            yield plan.make(scene, grid, run).run()
        return
    plan.prepare()  # compiles once, for all processes to load
    with worker_pool(jobs, _prepare, plan) as pool:
        yield from pool.map(_fly, range(runs))


def fly_on(client: Any, plan: Plan, runs: int) -> Iterator[FlightResult]:
    """Yield the results of flights 0 to `runs` - 1 in this order, flown by a dask client."""
    for future in client.map(partial(_fly_one, plan), range(runs), pure=False):
        yield future.result()


_one_at_a_time = Lock()  # in a worker with several threads


def _fly_one(plan: Plan, run: int) -> FlightResult:
    with _one_at_a_time:
        if _ready.get("plan") != plan:
            _prepare(plan)
        return _fly(run)


_ready: dict[str, Any] = {}  # plan, scene and graph of a worker process


def _prepare(plan: Plan) -> None:
    _ready["plan"], _ready["world"] = plan, plan.prepare()


def _fly(run: int) -> FlightResult:
    plan: Plan = _ready["plan"]
    scene, grid = _ready["world"]
    return plan.make(scene, grid, run).run()

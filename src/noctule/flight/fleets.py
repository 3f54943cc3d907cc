"""Many flights of the same kind, one after the other or in several processes at once."""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from noctule.flight.flights import Flight
from noctule.flight.results import FlightResult
from noctule.graphs.cell_grid import CellGrid
from noctule.worlds.scenes import Scene


@dataclass(frozen=True)
class Plan:
    """What to fly: everything that a flight needs but its number."""

    scene: str = "test-environment"
    variant: str | None = None
    neighbours: int = 26
    safety: bool = True
    algorithm: str = "a*"
    seed: int = 0
    flight: dict[str, Any] = field(default_factory=dict)  # further options of `Flight`

    def prepare(self) -> tuple[Scene, CellGrid]:
        """Load the scene, and compile what a flight needs: that is not time spent planning."""
        scene = Scene.load(self.scene, self.variant)
        grid = CellGrid(scene, self.neighbours, self.safety)
        self.make(scene, grid, 0).prepare()
        return scene, grid

    def make(self, scene: Scene, grid: CellGrid, run: int, **more: Any) -> Flight:
        """The flight with this number."""
        options = self.flight | more
        return Flight(scene, grid, self.algorithm, seed=self.seed, run=run, **options)


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

"""Noctule: short, provably free paths for a flying body in a 3D world that keeps changing.

>>> import noctule as nt
>>> grid = nt.Grid([[False, False, False], [True, True, False], [False, False, False]])
>>> path = nt.plan(grid, start=(0.5, 0.5), goal=(2.5, 0.5), algorithm="lazy-theta*", radius=0.4)
>>> path.found, round(path.length, 3), nt.verify(path, grid, radius=0.4)
(True, 6.0, True)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noctule.flight.flights import Flight
    from noctule.flight.navigator import Navigator
    from noctule.flight.results import FlightResult
    from noctule.flight.steps import Step
    from noctule.flight.traces import Trace
    from noctule.graphs.cell_grid import CellGrid
    from noctule.graphs.euclidean import Graph
    from noctule.graphs.grid import Grid
    from noctule.graphs.hybrid import Hybrid
    from noctule.graphs.waypoints import Waypoints
    from noctule.path import Path
    from noctule.searches.catalogue import Algorithm, algorithms
    from noctule.searches.plan import plan, plan_many
    from noctule.searches.planner import Planner
    from noctule.smoothing import smooth
    from noctule.verification import Violation, verify, violations
    from noctule.worlds.bodies import Body
    from noctule.worlds.files import MapError, load_map
    from noctule.worlds.scenarios import Scenarios, load_scenarios
    from noctule.worlds.scene_entries import SceneError
    from noctule.worlds.scene_files import scenes
    from noctule.worlds.scenes import Agent, Destination, Scene, Space
    from noctule.worlds.shapes import Ball, Box, Hull

__version__ = "0.1.0"

# Where the public names live. They are imported when first used, because compiling takes time to
# wake up: `import noctule` and `noctule --help` do not pay for it.
_HOMES = {
    "noctule.flight.flights": ("Flight",),
    "noctule.flight.navigator": ("Navigator",),
    "noctule.flight.results": ("FlightResult",),
    "noctule.flight.steps": ("Step",),
    "noctule.flight.traces": ("Trace",),
    "noctule.graphs.cell_grid": ("CellGrid",),
    "noctule.graphs.euclidean": ("Graph",),
    "noctule.graphs.grid": ("Grid",),
    "noctule.graphs.hybrid": ("Hybrid",),
    "noctule.graphs.waypoints": ("Waypoints",),
    "noctule.path": ("Path",),
    "noctule.searches.catalogue": ("Algorithm", "algorithms"),
    "noctule.searches.plan": ("plan", "plan_many"),
    "noctule.searches.planner": ("Planner",),
    "noctule.smoothing": ("smooth",),
    "noctule.verification": ("Violation", "verify", "violations"),
    "noctule.worlds.bodies": ("Body",),
    "noctule.worlds.files": ("MapError", "load_map"),
    "noctule.worlds.scenarios": ("Scenarios", "load_scenarios"),
    "noctule.worlds.scene_entries": ("SceneError",),
    "noctule.worlds.scene_files": ("scenes",),
    "noctule.worlds.scenes": ("Agent", "Destination", "Scene", "Space"),
    "noctule.worlds.shapes": ("Ball", "Box", "Hull"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Agent",
    "Algorithm",
    "Ball",
    "Body",
    "Box",
    "CellGrid",
    "Destination",
    "Flight",
    "FlightResult",
    "Graph",
    "Grid",
    "Hull",
    "Hybrid",
    "MapError",
    "Navigator",
    "Path",
    "Planner",
    "Scenarios",
    "Scene",
    "SceneError",
    "Space",
    "Step",
    "Trace",
    "Violation",
    "Waypoints",
    "algorithms",
    "load_map",
    "load_scenarios",
    "plan",
    "plan_many",
    "scenes",
    "smooth",
    "verify",
    "violations",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'noctule' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

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
    from noctule.files import FileError
    from noctule.fleet.agents import FleetAgent
    from noctule.fleet.fleet import Fleet
    from noctule.flight.flight import Flight
    from noctule.flight.navigator import Navigator
    from noctule.flight.recording import Trace
    from noctule.flight.results import FlightResult
    from noctule.flight.step import Step
    from noctule.graphs.base import SearchGraph
    from noctule.graphs.explicit.graph import Graph
    from noctule.graphs.explicit.waypoints import Waypoints
    from noctule.graphs.grid.grid import Grid
    from noctule.graphs.grid.scene_grid import CellGrid
    from noctule.graphs.hybrid.hybrid import Hybrid
    from noctule.graphs.registered import make_graph, register_graph
    from noctule.graphs.sources.load_world import load_world
    from noctule.path import Path
    from noctule.pictures.drawing import Picture, draw
    from noctule.planning.distance_field import DistanceField
    from noctule.planning.plan import plan, plan_many
    from noctule.planning.planner import Planner
    from noctule.planning.search_options import SearchOptions
    from noctule.planning.smoothing import smooth
    from noctule.plugins.graph_view import GraphView
    from noctule.plugins.search_result import Limits, SearchResult
    from noctule.registration import register_algorithm, register_kernels
    from noctule.registry import Algorithm, algorithms
    from noctule.timing import Timing
    from noctule.verification.verify import Violation, verify, violations
    from noctule.viewer.show import Page, show
    from noctule.worlds.bodies import Body
    from noctule.worlds.io.maps import load_map
    from noctule.worlds.io.scenarios import Scenarios, load_scenarios
    from noctule.worlds.io.scene_files import scenes
    from noctule.worlds.scene import Agent, Destination, Scene
    from noctule.worlds.shapes import Ball, Box, Hull
    from noctule.worlds.space import Space
    from noctule.worlds.zones import Zone

__version__ = "0.1.0"

# Where the public names live. They are imported when first used, because compiling takes time to
# wake up: `import noctule` and `noctule --help` do not pay for it.
_HOMES = {
    "noctule.files": ("FileError",),
    "noctule.fleet.agents": ("FleetAgent",),
    "noctule.fleet.fleet": ("Fleet",),
    "noctule.flight.flight": ("Flight",),
    "noctule.flight.navigator": ("Navigator",),
    "noctule.flight.results": ("FlightResult",),
    "noctule.flight.step": ("Step",),
    "noctule.flight.recording": ("Trace",),
    "noctule.graphs.base": ("SearchGraph",),
    "noctule.graphs.grid.scene_grid": ("CellGrid",),
    "noctule.graphs.explicit.graph": ("Graph",),
    "noctule.graphs.grid.grid": ("Grid",),
    "noctule.graphs.hybrid.hybrid": ("Hybrid",),
    "noctule.graphs.explicit.waypoints": ("Waypoints",),
    "noctule.graphs.sources.load_world": ("load_world",),
    "noctule.path": ("Path",),
    "noctule.graphs.registered": ("make_graph", "register_graph"),
    "noctule.plugins.graph_view": ("GraphView",),
    "noctule.plugins.search_result": ("Limits", "SearchResult"),
    "noctule.registration": ("register_algorithm", "register_kernels"),
    "noctule.registry": ("Algorithm", "algorithms"),
    "noctule.pictures.drawing": ("Picture", "draw"),
    "noctule.planning.distance_field": ("DistanceField",),
    "noctule.planning.plan": ("plan", "plan_many"),
    "noctule.planning.planner": ("Planner",),
    "noctule.planning.search_options": ("SearchOptions",),
    "noctule.planning.smoothing": ("smooth",),
    "noctule.timing": ("Timing",),
    "noctule.verification.verify": ("Violation", "verify", "violations"),
    "noctule.viewer.show": ("Page", "show"),
    "noctule.worlds.bodies": ("Body",),
    "noctule.worlds.io.maps": ("load_map",),
    "noctule.worlds.io.scenarios": ("Scenarios", "load_scenarios"),
    "noctule.worlds.io.scene_files": ("scenes",),
    "noctule.worlds.scene": ("Agent", "Destination", "Scene"),
    "noctule.worlds.space": ("Space",),
    "noctule.worlds.shapes": ("Ball", "Box", "Hull"),
    "noctule.worlds.zones": ("Zone",),
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
    "DistanceField",
    "FileError",
    "Fleet",
    "FleetAgent",
    "Flight",
    "FlightResult",
    "Graph",
    "GraphView",
    "Grid",
    "Hull",
    "Hybrid",
    "Limits",
    "Navigator",
    "Page",
    "Path",
    "Picture",
    "Planner",
    "Scenarios",
    "Scene",
    "SearchGraph",
    "SearchOptions",
    "SearchResult",
    "Space",
    "Step",
    "Timing",
    "Trace",
    "Violation",
    "Waypoints",
    "Zone",
    "algorithms",
    "draw",
    "load_map",
    "load_scenarios",
    "load_world",
    "make_graph",
    "plan",
    "plan_many",
    "register_algorithm",
    "register_graph",
    "register_kernels",
    "scenes",
    "show",
    "smooth",
    "verify",
    "violations",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'noctule' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return list(__all__)

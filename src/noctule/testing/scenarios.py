"""The scenarios that every algorithm is tried on: a small graph of every kind, and its changes."""

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.base import SearchGraph
from noctule.graphs.explicit.graph import Graph
from noctule.graphs.explicit.waypoints import Waypoints
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.hybrid.hybrid import Hybrid
from noctule.worlds.bodies import Body
from noctule.worlds.scene import Agent, Destination, Scene
from noctule.worlds.shapes import Box
from noctule.worlds.space import Space

Random = np.random.Generator


class Scenario(NamedTuple):
    """A kind of graph, an agent, and how the graph changes between two plans."""

    name: str
    make: Callable[[Random], Any]
    change: Callable[[Any, Random], None]
    radius: float = 0.0
    moves: bool = False  # whether bodies move, so that a search in time finds other paths


def _cells(shape: tuple[int, ...], density: float, **options: Any) -> Callable[[Random], Grid]:
    return lambda rng: Grid(rng.random(shape) < density, **options)


def _change_cells(grid: Grid, rng: Random) -> None:
    """Block a few cells, and free others."""
    cells = rng.integers(0, grid.shape, (6, grid.dimension))
    grid.block(cells[:3])
    grid.free(cells[3:])


def _near_in_x(x0: float, y0: float, z0: float, x1: float, y1: float, z1: float) -> bool:
    return abs(x1 - x0) < 4.0


def _roads(seen: bool) -> Callable[[Random], Graph]:
    """Return a maker of random points in space, joined where they are near."""

    def make(rng: Random) -> Graph:
        points = rng.uniform(0.0, 10.0, (40, 3))
        edges = [
            (i, j)
            for i, j in itertools.combinations(range(len(points)), 2)
            if math.dist(points[i], points[j]) < 4.0
        ]
        return Graph(points, edges, sight=_near_in_x if seen else None)

    return make


def _change_roads(graph: Graph, rng: Random) -> None:
    """Close and open edges and nodes."""
    graph.shut(graph.edges[rng.integers(0, len(graph.edges), 4)])
    graph.reopen(graph.edges[rng.integers(0, len(graph.edges), 4)])
    graph.block(rng.integers(0, len(graph), 2))
    graph.free(rng.integers(0, len(graph), 4))


def _up_and_down(t: float) -> tuple[float, float, float]:
    return (6.0, 6.0, 1.0 + 4.0 * (t % 5.0) / 5.0)


def scene(moves: bool = True) -> Scene:
    """Return a small scene: a wall, and a body beside it that may move up and down."""
    wall = Body("wall", Box((1, 5, 6)), (6, 2.5, 3))
    door = Body("door", Box((1, 2, 1)), (6, 6, 1), motion=_up_and_down if moves else None)
    ends = Agent((1.5, 1.5, 1.5), 0.3), Destination((10.5, 1.5, 1.5), 0.3)
    return Scene(Space((0, 0, 0), (12, 9, 6)), *ends, [wall, door])


def _move_bodies(graph: Any, rng: Random) -> None:
    graph.update(float(rng.uniform(0.0, 10.0)))


SCENARIOS = (
    Scenario("cells in the plane", _cells((12, 10), 0.25), _change_cells),
    Scenario("cells in the plane, 4 neighbours", _cells((9, 12), 0.2, neighbours=4), _change_cells),
    Scenario("cells in space", _cells((6, 7, 5), 0.3), _change_cells, 0.4),
    Scenario("cells in space, 6 neighbours", _cells((6, 5, 6), 0.2, neighbours=6), _change_cells),
    Scenario("cells in space, 18 neighbours", _cells((5, 6, 6), 0.3, neighbours=18), _change_cells),
    Scenario(
        "small cells far from the origin",
        _cells((7, 6, 5), 0.25, cell=0.3, origin=(100.0, -50.0, 3.0)),
        _change_cells,
        0.1,
    ),
    Scenario("cells in the plane, a wide agent", _cells((14, 12), 0.08), _change_cells, 0.8),
    Scenario("corners in the plane", _cells((10, 9), 0.3, nodes="corners"), _change_cells),
    Scenario("corners in space", _cells((5, 6, 4), 0.35, nodes="corners"), _change_cells),
    Scenario("an explicit graph", _roads(False), _change_roads),
    Scenario("an explicit graph with lines of sight", _roads(True), _change_roads),
    Scenario("cells of a scene at rest", lambda rng: CellGrid(scene(False)), _move_bodies, 0.3),
    Scenario("cells of a scene", lambda rng: CellGrid(scene()), _move_bodies, 0.3, True),
    Scenario("hybrid graph of a scene", lambda rng: Hybrid(scene()), _move_bodies, 0.3, True),
    Scenario("waypoints of a scene", lambda rng: Waypoints(scene()), _move_bodies, 0.3, True),
)


def usable_nodes(graph: SearchGraph, radius: float) -> NDArray[np.int64]:
    """Return the numbers of the nodes that a path may pass."""
    kernel_graph = graph.kernel_graph(radius)
    numbers = range(graph.node_count)
    usable = [s for s in numbers if graph.has_node(s) and graph.is_usable(kernel_graph, s)]
    return np.array(usable, np.int64)

"""The search graphs of a scene by their names."""

from typing import Any

from noctule.graphs.explicit.waypoints import Waypoints
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.hybrid.hybrid import Hybrid
from noctule.graphs.registered import OWN, make_graph
from noctule.worlds.scene import Scene

GRAPHS = OWN  # those of this package

SceneGraph = CellGrid | Waypoints


def kind_of(graph: SceneGraph) -> str:
    """Return the name of a graph's kind."""
    if isinstance(graph, Hybrid):
        return "hybrid"
    return "cells" if isinstance(graph, CellGrid) else "waypoints"


def graph_of(scene: Scene, graph: Any) -> SceneGraph:
    """Return the search graph with this name, or the graph itself if it belongs to the scene."""
    if graph is None:
        return CellGrid(scene)
    if isinstance(graph, str):
        made = make_graph(graph, scene)
        if not isinstance(made, SceneGraph):
            raise ValueError(f"graph is {graph!r}, {made!r}, which does not follow a scene")
        return made
    if not isinstance(graph, SceneGraph):
        raise ValueError(f"graph is {graph!r}; expected one of {', '.join(GRAPHS)}, or a graph")
    if graph.scene is not scene:
        raise ValueError(f"graph belongs to another scene ({graph.scene.name!r})")
    return graph

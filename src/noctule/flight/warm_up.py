"""Warm-up: compile, or load, all kernels that a flight may need before it starts."""

from typing import Any

import numpy as np

from noctule.flight.collision import CollisionCheck
from noctule.flight.corridor import Point
from noctule.flight.prediction import Prediction
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.scene_graphs import SceneGraph
from noctule.planning.planner import Planner
from noctule.planning.search_options import SearchOptions

_warm: set[Any] = set()  # kinds of flights that are warmed up


def warm_up_flight(
    graph: SceneGraph, algorithm: str, options: SearchOptions, goal: Point, start: float
) -> None:
    """Run everything that flights of this kind run, once for each kind."""
    cells = [getattr(graph, name, None) for name in ("neighbours", "sight")]
    kind = algorithm, type(graph), *cells, *sorted(options)
    if kind in _warm:
        return
    scene = graph.scene
    here, radius = scene.agent.start, scene.agent.radius
    planner = Planner(graph, algorithm, **options)
    if isinstance(graph, CellGrid):
        Prediction(graph, scene.agent.speed).warm_up(here)
    for moment in (start, start + 1.0):  # an incremental search repairs its tree the second time
        scene.move(moment)
        graph.update()
        planner.plan(here, goal, best_start=True)
        planner.plan(_node_near(graph, here), goal)
    planner.warm_up(here, goal)
    kernel_graph, place = graph.kernel_graph(radius), graph.in_cells("start", here)
    if isinstance(graph, CellGrid):
        graph.set_predicted(None)
        graph.blocked_legs(kernel_graph, np.array([place, place]))
    graph.body_on(here, here, radius)
    graph.entries_past_bodies(kernel_graph, place)
    for point in (here, _node_near(graph, here)):  # sight between points, and between nodes
        end = graph.in_cells("corner", point)
        graph.segment_is_free(kernel_graph, end, end)
    if planner._timed is not None:
        planner._timed.warm_up(here)
    before, after = graph.poses.copy(), graph.poses
    flown = [here, goal, here]
    CollisionCheck(radius, 0.0).frame(graph.bare, before, after, flown, (goal, goal))
    _warm.add(kind)


def _node_near(graph: SceneGraph, point: Point) -> Any:
    """Return the position of a node, from which an incremental search plans."""
    if isinstance(graph, CellGrid):
        return graph.centre(graph.cell_of(point))
    free = np.flatnonzero(~graph.blocked)
    return graph.positions(free)[0] if len(free) else point

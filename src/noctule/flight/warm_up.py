"""What a flight may need is compiled, or loaded, before it starts: no frame is to pay for it."""

from typing import Any

import numpy as np

from noctule.flight.collision import Judge
from noctule.flight.corridor import Point
from noctule.flight.prediction import Prediction
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.scene_graphs import SceneGraph
from noctule.planning.planner import Planner

_awake: set[Any] = set()  # kinds of flights for which that has been done


def warm_up_flight(
    graph: SceneGraph, algorithm: str, options: dict[str, Any], goal: Point, start: float
) -> None:
    """Do once, on a graph at a moment, all that flights of this kind do again and again."""
    cells = [getattr(graph, name, None) for name in ("neighbours", "sight")]
    kind = algorithm, type(graph), *cells, *sorted(options)
    if kind in _awake:
        return
    scene = graph.scene
    here, radius = scene.agent.start, scene.agent.radius
    planner = Planner(graph, algorithm, **options)
    if isinstance(graph, CellGrid):
        prediction = Prediction(graph, scene.agent.speed)
        prediction.look(here)
        prediction.gets_out(here, here, start)
    for moment in (start, start + 1.0):  # a search that remembers repairs the first
        scene.move(moment)
        graph.update()
        planner.plan(here, goal, best_start=True)
        planner.plan(_node_near(graph, here), goal)
    planner.warm_up(here, goal)
    search_snapshot, place = graph.graph(radius), graph.in_cells("start", here)
    if isinstance(graph, CellGrid):
        graph.set_predicted(None)
        graph.blocked_legs(search_snapshot, np.array([place, place]))
    graph.body_on(here, here, radius)
    graph.entries_past_bodies(search_snapshot, place)
    for point in (here, _node_near(graph, here)):  # lines between points, and between nodes
        end = graph.in_cells("corner", point)
        graph.segment_is_free(search_snapshot, end, end)
    if planner.timed is not None:
        planner.timed.warm_up(here)
    before, after = graph.poses.copy(), graph.poses
    Judge(radius, 0.0).frame(graph.bare, before, after, [here, goal, here], (goal, goal))
    _awake.add(kind)


def _node_near(graph: SceneGraph, point: Point) -> Any:
    """A node of the graph, where a search that remembers plans from."""
    if isinstance(graph, CellGrid):
        return graph.centre(graph.cell_of(point))
    free = np.flatnonzero(~graph.blocked)
    return graph.positions(free)[0] if len(free) else point

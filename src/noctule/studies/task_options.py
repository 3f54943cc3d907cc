"""What the settings of a task mean: options of planners, scenes and graphs."""

from functools import lru_cache
from typing import Any

import noctule as nt
from noctule.flight.simulation import baked
from noctule.graphs.scene_graphs import GRAPHS
from noctule.studies.definition import SEARCH
from noctule.studies.task_worlds import check_world

DEFAULT_SCENE = "test-environment"


def search_options(task: dict[str, Any]) -> dict[str, Any]:
    """The keywords of `noctule.Planner` that a task has."""
    return {key: task[key] for key in sorted(SEARCH - {"algorithm"}) if key in task}


def scene_and_graph(task: dict[str, Any]) -> tuple[nt.Scene, Any]:
    """The scene of a task and its search graph; they are kept for the next task."""
    return _scene_and_graph(
        task.get("scene", DEFAULT_SCENE),
        task.get("variant"),
        task.get("graph", "cells"),
        task.get("neighbours", 26),
        task.get("safety", True),
    )


@lru_cache(maxsize=4)
def _scene_and_graph(
    name: str, variant: str | None, graph: str, neighbours: int, safety: bool
) -> tuple[nt.Scene, Any]:
    scene = nt.Scene.load(name, variant)
    if graph == "cells":
        return scene, nt.CellGrid(scene, neighbours, safety)
    if graph == "hybrid":
        return scene, baked(scene, safety)
    if graph == "waypoints":
        return scene, nt.Waypoints(scene, safety=safety)
    raise ValueError(f"graph is {graph!r}; allowed are {', '.join(GRAPHS)}")


def check_available(task: dict[str, Any]) -> None:
    """Raise ValueError if this version can't run a task: algorithm, graph, or both together."""
    from noctule.registry import find_algorithm

    find_algorithm(task["algorithm"])
    if task["kind"] == "paths":
        check_world(task)
        return
    _, graph = scene_and_graph(task)
    nt.Planner(graph, task["algorithm"], **search_options(task))

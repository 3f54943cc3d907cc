"""Planner options, scene and graph of a task from its settings, and its measured times."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

import noctule as nt
from noctule.flight.simulation import baked
from noctule.game.simulation.enemies import check_algorithm
from noctule.graphs.scene_graphs import graph_of
from noctule.planning.search_options import SearchOptions
from noctule.registry import find_algorithm
from noctule.studies.definition import SEARCH
from noctule.studies.task_worlds import check_world

Settings = dict[str, Any]
Values = Sequence[float] | NDArray[np.float64]


def search_options(task: Settings) -> SearchOptions:
    """Return the options of the search in a task."""
    found = {key: task[key] for key in sorted(SEARCH - {"algorithm"}) if key in task}
    if "window" in task:
        found["timing"] = nt.Timing(window=task["window"])
    return cast(SearchOptions, found)


def scene_and_graph(task: Settings) -> tuple[nt.Scene, Any]:
    """Return the scene of a task and its search graph (cached)."""
    keys = ("scene", "variant", "graph", "neighbours", "safety")
    return _scene_and_graph(**{key: task[key] for key in keys if key in task})


@lru_cache(maxsize=4)
def _scene_and_graph(
    scene: str = "test-environment",
    variant: str | None = None,
    graph: str = "cells",
    neighbours: int = 26,
    safety: bool = True,
) -> tuple[nt.Scene, Any]:
    loaded = nt.Scene.load(scene, variant)
    if graph == "cells":
        return loaded, nt.CellGrid(loaded, neighbours, safety)
    if graph == "hybrid":
        return loaded, baked(loaded, safety)
    if graph == "waypoints":
        return loaded, nt.Waypoints(loaded, safety=safety)
    return loaded, graph_of(loaded, graph)


def check_available(task: Settings) -> None:
    """Raise ValueError if this version cannot run the algorithm of a task on its graph or world."""
    if task["kind"] == "hunts":
        check_algorithm(task["algorithm"])
        return
    find_algorithm(task["algorithm"])
    if task["kind"] == "paths":
        check_world(task)
    else:
        nt.Planner(scene_and_graph(task)[1], task["algorithm"], **search_options(task))


def timed_values(plan_ms: Values, update_ms: Values) -> dict[str, list[float]]:
    """Return the timed measures of a run, from the times of its plans and graph updates (ms)."""
    plans = np.asarray(plan_ms, np.float64)
    return {
        "plan_ms": np.round(plans, 4).tolist(),
        "plan_ms_run": [round(float(plans.sum()), 4)],
        "peak_ms": [round(float(plans[1:].max(initial=0.0)), 4)],
        "update_ms": np.round(update_ms, 4).tolist(),
    }

"""Tasks of kind `flights`: an agent flies through a scene."""

import time
from typing import Any, cast

import numpy as np

import noctule as nt
from noctule.studies.task_options import scene_and_graph, search_options

OPTIONS = (
    *("destination", "static_agent", "latency", "every", "limit", "frame"),
    *("foresee", "window", "prediction"),
)


class Clocked:
    """A planner whose plans are timed by CPU time.

    A flight knows what its plans took on the clock; on a busy machine that tells more about the
    others on it. A search in time is asked by another way, and a prediction may plan twice: then
    the time on the clock is kept.
    """

    def __init__(self, planner: nt.Planner) -> None:
        self._planner = planner
        self.ms: list[float] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._planner, name)

    def plan(self, *ends: Any, **options: Any) -> Any:
        """What the planner plans."""
        began = time.thread_time()
        path = self._planner.plan(*ends, **options)
        self.ms.append(1e3 * (time.thread_time() - began))
        return path


def fly(task: dict[str, Any]) -> dict[str, Any]:
    """One flight; `seed` and `run` draw the moment at which it starts."""
    scene, graph = scene_and_graph(task)
    options = {key: task[key] for key in OPTIONS if key in task} | search_options(task)
    flight = nt.Flight(
        scene, graph, task["algorithm"], seed=task["seed"], run=task["run"], **options
    )
    clocked = Clocked(flight.planner)
    flight.planner = cast(nt.Planner, clocked)
    result = flight.run()
    one_each = len(clocked.ms) == len(result.plan_ms)
    plan_ms = np.array(clocked.ms) if one_each else result.plan_ms
    static = task.get("static_agent", False)
    counted: dict[str, list[float]] = {
        "expanded": result.expanded.tolist(),
        "expanded_run": [int(result.expanded.sum())],
        "length": np.round(result.path_length, 6).tolist(),
        "found": [len(result.path_length) / max(len(result.expanded), 1)],
    }
    if not static:
        counted["reached"] = [int(result.reached)]
        counted["travelled"] = [result.travelled] if result.reached else []
        counted["seconds"] = [result.seconds] if result.reached else []
    timed = {
        "plan_ms": np.round(plan_ms, 4).tolist(),
        "plan_ms_run": [round(float(plan_ms.sum()), 4)],
        "peak_ms": [round(float(plan_ms[1:].max(initial=0.0)), 4)],
        "update_ms": np.round(result.update_ms, 4).tolist(),
    }
    why = None if static or result.reached else result.reason
    return {"counted": counted, "timed": timed, **({"why": why} if why else {})}

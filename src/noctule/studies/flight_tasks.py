"""Tasks of kind `flights`: an agent flies through a scene."""

import time
from typing import Any

import numpy as np

import noctule as nt
from noctule.studies.definition import FLIGHT
from noctule.studies.task_options import scene_and_graph, search_options, timed_values


def fly(task: dict[str, Any]) -> dict[str, Any]:
    """Run one flight; `seed` and `run` determine its start time."""
    scene, graph = scene_and_graph(task)
    options: dict[str, Any] = {"prediction": False}  # as the published experiments did
    options |= {key: task[key] for key in sorted(FLIGHT - {"window"}) if key in task}
    flight = nt.Flight(
        scene,
        graph,
        task["algorithm"],
        seed=task["seed"],
        run=task["run"],
        **options,
        **search_options(task),
    )
    plan_ms = _clock_plans(flight)
    result = flight.run()
    counted: dict[str, list[float]] = {
        "expanded": result.expanded.tolist(),
        "expanded_run": [int(result.expanded.sum())],
        "length": np.round(result.path_length, 6).tolist(),
        "found": [len(result.path_length) / max(len(result.expanded), 1)],
    }
    values: dict[str, Any] = {"counted": counted, "timed": timed_values(plan_ms, result.update_ms)}
    if not task.get("static_agent", False):
        counted["reached"] = [int(result.reached)]
        counted["travelled"] = [result.travelled] if result.reached else []
        counted["seconds"] = [result.seconds] if result.reached else []
        if not result.reached:
            values["why"] = result.reason
    return values


def _clock_plans(flight: nt.Flight) -> list[float]:
    """Return a list to which the flight appends the CPU time of each plan, in milliseconds.

    The flight itself measures elapsed time, which depends on the load of the machine.
    """
    plan, plan_ms = flight._pilot.plan, list[float]()

    def clocked(*arguments: Any) -> Any:
        started = time.thread_time()
        path = plan(*arguments)
        plan_ms.append(1e3 * (time.thread_time() - started))
        return path

    flight._pilot.plan = clocked  # type: ignore[method-assign, assignment]
    return plan_ms

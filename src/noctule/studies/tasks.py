"""Run one task; works in any process on any machine."""

import time
from functools import cache
from typing import Any

from noctule.graphs.grid.grid import Grid
from noctule.planning.planner import Planner
from noctule.studies.flight_tasks import fly
from noctule.studies.hunt_tasks import hunt
from noctule.studies.path_tasks import plan_paths
from noctule.studies.replan_tasks import replan
from noctule.worlds.generated import walls

KINDS = {"flights": fly, "replans": replan, "paths": plan_paths, "hunts": hunt}

Result = dict[str, Any]

ROUNDS = 5


def run_task(settings: dict[str, Any]) -> Result:
    """Run a task. In the result, `counted` depends only on the settings, `timed` on the machine."""
    result = KINDS[settings["kind"]](settings)
    cpu, clock = calibrate()
    result["timed"] |= {"calibration_ms": [cpu], "calibration_clock_ms": [clock]}
    return result


def calibrate() -> tuple[float, float]:
    """Return the minimum CPU time and the mean elapsed time of A* on C2, in milliseconds.

    C2 is the world of walls of `noctule bench`. If the elapsed time is much larger than the CPU
    time, the machine was busy.
    """
    planner, ends = _calibration_query()
    cpu_times, began = [], time.perf_counter()
    for _ in range(ROUNDS):
        started = time.thread_time()
        planner.plan(*ends)
        cpu_times.append(time.thread_time() - started)
    clock = (time.perf_counter() - began) / ROUNDS
    return round(1e3 * min(cpu_times), 4), round(1e3 * clock, 4)


@cache
def _calibration_query() -> tuple[Planner, tuple[Any, Any]]:
    case = walls()
    grid = Grid(case.blocked)
    s, t = case.pairs[0]
    planner, ends = Planner(grid, "a*"), (grid.centre(s), grid.centre(t))
    planner.plan(*ends)
    return planner, ends

"""One task: what a process, here or on another machine, is asked to do."""

import time
from functools import cache
from typing import Any

from noctule.graphs.grid.grid import Grid
from noctule.planning.planner import Planner
from noctule.studies.flight_tasks import fly
from noctule.studies.path_tasks import plan_paths
from noctule.studies.replan_tasks import replan
from noctule.worlds.generated import walls

KINDS = {"flights": fly, "replans": replan, "paths": plan_paths}

Result = dict[str, Any]

ROUNDS = 5


def run_task(settings: dict[str, Any]) -> Result:
    """Run a task: `counted` depends on its settings alone, `timed` on the machine, too."""
    result = KINDS[settings["kind"]](settings)
    cpu, clock = calibrate()
    result["timed"] |= {"calibration_ms": [cpu], "calibration_clock_ms": [clock]}
    return result


def calibrate() -> tuple[float, float]:
    """Milliseconds that A* takes now for the seeded walls of `noctule bench` (C2).

    CPU time, the least of some rounds; and time on the clock, the mean of them: where that is much
    more, the machine had other things to do.
    """
    planner, ends = _yardstick()
    least, began = float("inf"), time.perf_counter()
    for _ in range(ROUNDS):
        started = time.thread_time()
        planner.plan(*ends)
        least = min(least, time.thread_time() - started)
    clock = (time.perf_counter() - began) / ROUNDS
    return round(1e3 * least, 4), round(1e3 * clock, 4)


@cache
def _yardstick() -> tuple[Planner, tuple[Any, Any]]:
    case = walls()
    grid = Grid(case.blocked)
    s, t = case.pairs[0]
    planner, ends = Planner(grid, "a*"), (grid.centre(s), grid.centre(t))
    planner.plan(*ends)
    return planner, ends

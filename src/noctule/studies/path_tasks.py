"""Tasks of kind `paths`: single plans in a world that rests."""

import time
from typing import Any

import noctule as nt
from noctule.path import Path
from noctule.studies.task_options import search_options
from noctule.studies.task_worlds import Query, queries

ROUNDS = 3
PROVEN = 20  # paths of a task that are proven free: that takes longer than to find them


def plan_paths(task: dict[str, Any]) -> dict[str, dict[str, list[float]]]:
    """Plan each query, prove paths free, and time them: the least of some rounds, CPU time."""
    counted: dict[str, list[float]] = {name: [] for name in ("found", "length", "expanded")}
    counted |= {name: [] for name in ("sight_checks", "sight_walks", "verified")}
    timed: list[float] = []
    planner: nt.Planner | None = None
    asked = queries(task)
    apart = -(-len(asked) // PROVEN)
    for number, query in enumerate(asked):
        if planner is None or planner.grid is not query.grid:
            planner = nt.Planner(query.grid, task["algorithm"], **search_options(task))
        path = planner.plan(query.start, query.goal)  # compiles, and touches memory first
        counted["found"].append(int(path.found))
        if not path.found:
            continue
        final = nt.smooth(path, query.grid, task["smooth"]) if "smooth" in task else path
        counted["length"].append(final.length)
        counted["expanded"].append(path.expanded)
        counted["sight_checks"].append(path.sight_checks)
        counted["sight_walks"].append(path.sight_walks)
        if number % apart == 0:
            counted["verified"].append(int(nt.verify(final, query.grid)))
        _compare(counted, final, query, task)
        timed.append(_least_ms(planner, query, task))
    return {"counted": counted, "timed": {"plan_ms": timed}}


def _compare(
    counted: dict[str, list[float]], path: Path, query: Query, task: dict[str, Any]
) -> None:
    """Add what the task asks for beside the path itself."""
    if "smooth" not in task and query.published is None:
        banded = nt.smooth(path, query.grid, "rubber-band")
        counted.setdefault("smoothed", []).append(banded.length)
    reference = None
    if task.get("reference") == "shortest":
        reference = nt.plan(query.grid, query.start, query.goal, "visibility").length
    elif query.published is not None:
        reference = query.published
        if task.get("reference") == "published":
            fits = abs(path.length - query.published) <= query.tolerance
            counted.setdefault("optimal", []).append(int(fits))
    if reference:
        counted.setdefault("ratio", []).append(path.length / reference)


def _least_ms(planner: nt.Planner, query: Query, task: dict[str, Any]) -> float:
    least = float("inf")
    for _ in range(task.get("rounds", ROUNDS)):
        began = time.thread_time()
        path = planner.plan(query.start, query.goal)
        if "smooth" in task:
            nt.smooth(path, query.grid, task["smooth"])
        least = min(least, time.thread_time() - began)
    return round(1e3 * least, 4)

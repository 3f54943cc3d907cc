"""Tasks of kind `paths`: single plans in a static world."""

import time
from dataclasses import replace
from typing import Any

import noctule as nt
from noctule.path import Path
from noctule.studies.cost_worlds import least_cost, without_costs
from noctule.studies.task_options import search_options
from noctule.studies.task_worlds import Query, queries

ROUNDS = 3
VERIFIED_PATHS = 20  # paths per task that are verified, which takes longer than the search
COUNTED = ("found", "length", "expanded", "sight_checks", "sight_walks", "verified")


def plan_paths(task: dict[str, Any]) -> dict[str, dict[str, list[float]]]:
    """Plan each query, verify some paths, and measure the minimum CPU time of some rounds."""
    counted: dict[str, list[float]] = {name: [] for name in COUNTED}
    timed: list[float] = []
    planner: nt.Planner | None = None
    planned = queries(task)
    every = -(-len(planned) // VERIFIED_PATHS)
    for number, query in enumerate(planned):
        if task.get("ignore_costs"):
            blind = query._replace(grid=without_costs(query.grid))
            planner = nt.Planner(blind.grid, task["algorithm"], **search_options(task))
        else:
            blind, planner = query, _planner(planner, query, task)
        path = planner.plan(query.start, query.goal)  # warm-up: compiles and allocates
        counted["found"].append(int(path.found))
        if not path.found:
            continue
        final = nt.smooth(path, query.grid, task["smooth"]) if "smooth" in task else path
        final = replace(final, cell_cost=query.grid.cost_along(final.points))
        counted["length"].append(final.length)
        if query.grid.has_costs:
            counted.setdefault("cost", []).append(final.cost)
        for name in ("expanded", "sight_checks", "sight_walks"):
            counted[name].append(getattr(final, name))
        if number % every == 0:
            counted["verified"].append(int(nt.verify(final, query.grid)))
        _compare(counted, final, query, task)
        timed.append(_fastest_ms(planner, blind, task))
    return {"counted": counted, "timed": {"plan_ms": timed}}


def _planner(last: nt.Planner | None, query: Query, task: dict[str, Any]) -> nt.Planner:
    """Return the last planner; or a new one for another map or an incremental search."""
    if last is not None and last.graph is query.grid and not last.options.algorithm.keeps_search:
        return last
    return nt.Planner(query.grid, task["algorithm"], **search_options(task))


def _compare(
    counted: dict[str, list[float]], path: Path, query: Query, task: dict[str, Any]
) -> None:
    """Add comparisons of the path: its rubber-banded length and its ratio to the reference."""
    if "smooth" not in task and query.published is None and not query.grid.has_costs:
        banded = nt.smooth(path, query.grid, "rubber-band")
        counted.setdefault("smoothed", []).append(banded.length)
    reference = None
    if task.get("reference") == "shortest":
        reference = nt.plan(query.grid, query.start, query.goal, "visibility").length
    elif task.get("reference") == "subdivided":
        reference = least_cost(query.grid, query.start, query.goal)
    elif query.published is not None:
        reference = query.published
        if task.get("reference") == "published":
            fits = abs(path.length - query.published) <= query.tolerance
            counted.setdefault("optimal", []).append(int(fits))
    if reference:
        counted.setdefault("ratio", []).append(path.cost / reference)


def _fastest_ms(planner: nt.Planner, query: Query, task: dict[str, Any]) -> float:
    least = float("inf")
    for _ in range(task.get("rounds", ROUNDS)):
        planner = _planner(planner, query, task)
        started = time.thread_time()
        path = planner.plan(query.start, query.goal)
        if "smooth" in task:
            nt.smooth(path, query.grid, task["smooth"])
        least = min(least, time.thread_time() - started)
    return round(1e3 * least, 4)

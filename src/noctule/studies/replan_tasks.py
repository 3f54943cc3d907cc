"""Tasks of kind `replans`: a plan in every frame, while agent and bodies rest or move.

Queries lead from the centre of the agent's cell to the centre of the destination's, or back: a
search that begins at the destination is what the theses call a backwards directed one. An agent
that rests asks every algorithm the same; one that flies follows the paths of the algorithm that is
measured, which is what a search that remembers counts on.
"""

import time
from typing import Any

import numpy as np

import noctule as nt
from noctule.algorithms.anytime import FIRST_WEIGHT
from noctule.flight.corridor import Corridor, Point
from noctule.flight.flight import MOMENTS
from noctule.path import Path
from noctule.studies.definition import StudyError
from noctule.studies.task_options import scene_and_graph, search_options

PROVEN_EVERY = 20  # frames of which one path is proven free: that takes longer than the search
WARM = 20  # frames that compile, load, and touch memory first

COUNTED = ("found", "length", "expanded", "sight_checks", "restarted", "verified", "changed")


def replan(task: dict[str, Any]) -> dict[str, dict[str, list[float]]]:
    """Plan in every frame with one planner, which may remember."""
    _check(task)
    frames = task.get("frames", 600)
    _run(task, min(frames, WARM))
    return _run(task, frames)


def _check(task: dict[str, Any]) -> None:
    for key, allowed in (
        ("agent", ("rests", "flies")),
        ("bodies", ("move", "rest")),
        ("direction", ("forwards", "backwards")),
    ):
        if task.get(key, allowed[0]) not in allowed:
            raise StudyError(f"{key} is {task[key]!r}; allowed are {', '.join(allowed)}")
    if task.get("agent") == "flies" and task.get("bodies", "move") == "move":
        raise StudyError("agent flies while bodies move; that is what kind flights is for")


def _run(task: dict[str, Any], frames: int) -> dict[str, dict[str, list[float]]]:
    scene, graph = scene_and_graph(task)
    destination = scene.heading_for(task.get("destination"))
    start = float(np.random.default_rng([task["seed"], task["run"]]).uniform(0.0, MOMENTS))
    frame = task.get("frame", 1 / 60)
    graph.update(start)
    options = {"radius": scene.agent.radius, **search_options(task)}
    planner = nt.Planner(graph, task["algorithm"], **options)
    counted: dict[str, list[float]] = {name: [] for name in COUNTED}
    plan_ms, update_ms = [], []
    agent: Point = scene.agent.start
    planner.warm_up(_node(graph, agent), _node(graph, destination.at(start)))
    for number in range(frames):
        t = start + number * frame
        if task.get("bodies", "move") == "move":
            began = time.thread_time()
            counted["changed"].append(graph.update(t, agent))
            update_ms.append(1e3 * (time.thread_time() - began))
        ends = [_node(graph, agent), _node(graph, destination.at(t))]
        began = time.thread_time()
        path, expanded, restarted = _plan(task, planner, ends)
        plan_ms.append(1e3 * (time.thread_time() - began))
        counted["found"].append(int(path.found))
        counted["expanded"].append(expanded)
        counted["sight_checks"].append(path.sight_checks)
        counted["restarted"].append(int(restarted))
        if path.found:
            counted["length"].append(round(path.length, 9))
            if number % PROVEN_EVERY == 0:
                counted["verified"].append(int(nt.verify(path, graph)))
        if task.get("agent") == "flies":
            if not path.found or len(path.points) < 2:
                break
            agent = _flown(agent, path, task, scene.agent.speed * frame)
    counted["expanded_run"] = [sum(counted["expanded"])]
    counted["nodes"] = [_size(graph)]
    timed = {
        "plan_ms": np.round(plan_ms, 4).tolist(),
        "plan_ms_run": [round(sum(plan_ms), 4)],
        "peak_ms": [round(max(plan_ms[1:], default=0.0), 4)],
        "update_ms": np.round(update_ms, 4).tolist(),
    }
    return {"counted": counted, "timed": timed}


def _plan(task: dict[str, Any], planner: nt.Planner, ends: list[Any]) -> tuple[Path, int, bool]:
    """The path, expansions and whether it began anew; for `decrease`, of all steps together."""
    start, goal = ends if task.get("direction") != "backwards" else reversed(ends)
    if "decrease" not in task:
        path = planner.plan(start, goal)
        return path, path.expanded, path.restarted
    paths = list(planner.improve(start, goal, FIRST_WEIGHT, task["decrease"]))
    return paths[-1], sum(path.expanded for path in paths), any(p.restarted for p in paths)


def _size(graph: Any) -> int:
    """How many nodes a graph has: cells, used ones in a hybrid graph, or points."""
    if isinstance(graph, nt.Hybrid):
        return int(graph.counts["used"])
    return int(np.prod(graph.shape)) if isinstance(graph, nt.Grid) else len(graph)


def _node(graph: Any, point: Point) -> Any:
    """The centre of a point's cell; where there are no cells, the point itself."""
    return graph.centre(graph.cell_of(point)) if hasattr(graph, "cell_of") else point


def _flown(agent: Point, path: Path, task: dict[str, Any], distance: float) -> Point:
    """Where the agent is after a frame along its path."""
    points = path.points if task.get("direction") != "backwards" else path.points[::-1]
    corridor = Corridor([agent, *points[1:].tolist()])
    corridor.fly(distance)
    return corridor.position

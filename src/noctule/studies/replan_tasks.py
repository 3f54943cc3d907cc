"""Tasks of kind `replans`: a plan in every frame, with static or moving agent and bodies.

A query leads from the centre of the agent's cell to the centre of the goal's cell; with direction
`backwards` the other way round, as in the theses. If the agent rests, all algorithms get the same
queries. If it flies, it follows the paths of the measured algorithm.
"""

import time
from typing import Any

import numpy as np

import noctule as nt
from noctule.algorithms.incremental.anytime import FIRST_WEIGHT
from noctule.flight.corridor import Corridor, Point
from noctule.flight.flight import MOMENTS
from noctule.path import Path
from noctule.planning.search_options import SearchOptions
from noctule.studies.definition import StudyError
from noctule.studies.task_options import scene_and_graph, search_options, timed_values

VERIFY_EVERY = 20  # frames; only every 20th path is verified, which takes longer than the search
WARM_UP = 20  # frames before the measurement

CHOICES = {  # the first is the default
    "agent": ("rests", "flies"),
    "bodies": ("move", "rest"),
    "direction": ("forwards", "backwards"),
}
COUNTED = ("found", "length", "expanded", "sight_checks", "restarted", "verified", "changed")


def replan(task: dict[str, Any]) -> dict[str, dict[str, list[float]]]:
    """Plan in every frame with one planner, which may be incremental."""
    for key, (default, other) in CHOICES.items():
        if task.get(key, default) not in (default, other):
            raise StudyError(f"{key} is {task[key]!r}; allowed are {default}, {other}")
    if task.get("agent") == "flies" and task.get("bodies", "move") == "move":
        raise StudyError("agent flies while bodies move; use kind flights for that")
    frames = task.get("frames", 600)
    _run(task, min(frames, WARM_UP))
    return _run(task, frames)


def _run(task: dict[str, Any], frames: int) -> dict[str, dict[str, list[float]]]:
    scene, graph = scene_and_graph(task)
    destination = scene.destination_in_mode(task.get("destination"))
    start = float(np.random.default_rng([task["seed"], task["run"]]).uniform(0.0, MOMENTS))
    frame = task.get("frame", 1 / 60)
    graph.update(start)
    options: SearchOptions = {"radius": scene.agent.radius, **search_options(task)}
    planner = nt.Planner(graph, task["algorithm"], **options)
    counted: dict[str, list[float]] = {name: [] for name in COUNTED}
    plan_ms, update_ms = [], []
    agent: Point = scene.agent.start
    planner.warm_up(_node(graph, agent), _node(graph, destination.at(start)))
    for number in range(frames):
        t = start + number * frame
        if task.get("bodies", "move") == "move":
            started = time.thread_time()
            counted["changed"].append(graph.update(t, agent))
            update_ms.append(1e3 * (time.thread_time() - started))
        ends = [_node(graph, agent), _node(graph, destination.at(t))]
        started = time.thread_time()
        path, expanded, restarted = _plan(task, planner, ends)
        plan_ms.append(1e3 * (time.thread_time() - started))
        counted["found"].append(int(path.found))
        counted["expanded"].append(expanded)
        counted["sight_checks"].append(path.sight_checks)
        counted["restarted"].append(int(restarted))
        if path.found:
            counted["length"].append(round(path.length, 9))
            if number % VERIFY_EVERY == 0:
                counted["verified"].append(int(nt.verify(path, graph)))
        if task.get("agent") == "flies":
            if not path.found or len(path.points) < 2:
                break
            points = path.points if task.get("direction") != "backwards" else path.points[::-1]
            corridor = Corridor([agent, *points[1:].tolist()])
            corridor.fly(scene.agent.speed * frame)
            agent = corridor.position
    counted["expanded_run"] = [sum(counted["expanded"])]
    counted["nodes"] = [_size(graph)]
    return {"counted": counted, "timed": timed_values(plan_ms, update_ms)}


def _plan(task: dict[str, Any], planner: nt.Planner, ends: list[Any]) -> tuple[Path, int, bool]:
    """Return path, expansions and whether it restarted; with `decrease`, totals of all steps."""
    start, goal = ends if task.get("direction") != "backwards" else reversed(ends)
    if "decrease" not in task:
        path = planner.plan(start, goal)
        return path, path.expanded, path.restarted
    paths = list(planner.improve(start, goal, FIRST_WEIGHT, task["decrease"]))
    return paths[-1], sum(path.expanded for path in paths), any(p.restarted for p in paths)


def _size(graph: Any) -> int:
    """Return the number of nodes of a graph."""
    if isinstance(graph, nt.Hybrid):
        return int(graph.counts["used"])
    return int(np.prod(graph.shape)) if isinstance(graph, nt.Grid) else len(graph)


def _node(graph: Any, point: Point) -> Any:
    """Return the centre of a point's cell, or the point if the graph has no cells."""
    return graph.centre(graph.cell_of(point)) if hasattr(graph, "cell_of") else point

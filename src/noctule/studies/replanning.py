"""Tasks of kind `replans`: the same queries, frame after frame, to every algorithm.

The agent rests, or flies as A* would lead it; the algorithm that is measured has no say in that, so
all of them answer the same queries, and what they expand can be compared frame by frame. Queries
lead from the centre of the agent's cell to the centre of the destination's, or back: a search that
begins at the destination is what the theses call a backwards directed one.
"""

import time
from typing import Any, NamedTuple

import numpy as np

import noctule as nt
from noctule.flight.corridor import Corridor, Point
from noctule.flight.flights import MOMENTS
from noctule.path import Path
from noctule.searches.anytime import FIRST_WEIGHT
from noctule.studies.options import scene_and_graph, search_options
from noctule.studies.study_files import StudyError

PROVEN_EVERY = 20  # frames of which one path is proven free: that takes longer than the search


class Moment(NamedTuple):
    """A frame: when it is, and where agent and destination are."""

    time: float
    agent: Point
    destination: Point


def replan(task: dict[str, Any]) -> dict[str, dict[str, list[float]]]:
    """Answer all queries of a course with one planner, which may remember."""
    _check(task)
    scene, graph = scene_and_graph(task)
    options = {"radius": scene.agent.radius, **search_options(task)}
    course = _course(task, scene, graph)
    results = {}
    for moments in (course[:3], course):  # the first ones compile, load, and touch memory
        graph.update(course[0].time)
        planner = nt.Planner(graph, task["algorithm"], **options)
        results = _answer(task, graph, planner, moments)
    return results


def _check(task: dict[str, Any]) -> None:
    for key, allowed in (
        ("agent", ("rests", "flies")),
        ("bodies", ("move", "rest")),
        ("direction", ("forwards", "backwards")),
    ):
        if task.get(key, allowed[0]) not in allowed:
            raise StudyError(f"{key} is {task[key]!r}; allowed are {', '.join(allowed)}")


def _answer(
    task: dict[str, Any], graph: Any, planner: nt.Planner, course: list[Moment]
) -> dict[str, dict[str, list[float]]]:
    names = ("found", "length", "expanded", "restarted", "verified")
    counted: dict[str, list[float]] = {name: [] for name in (*names, "changed")}
    plan_ms, update_ms = [], []
    for number, moment in enumerate(course):
        began = time.thread_time()
        if task.get("bodies", "move") == "move":
            counted["changed"].append(graph.update(moment.time, moment.agent))
        updated = time.thread_time()
        ends = [_node(graph, moment.agent), _node(graph, moment.destination)]
        if task.get("direction") == "backwards":
            ends.reverse()
        asked = time.thread_time()
        path, expanded, restarted = _plan(task, planner, *ends)
        plan_ms.append(1e3 * (time.thread_time() - asked))
        update_ms.append(1e3 * (updated - began))
        counted["found"].append(int(path.found))
        counted["expanded"].append(expanded)
        counted["restarted"].append(int(restarted))
        if path.found:
            counted["length"].append(round(path.length, 9))
            if number % PROVEN_EVERY == 0:
                counted["verified"].append(int(nt.verify(path, graph)))
    counted["expanded_run"] = [sum(counted["expanded"])]
    timed = {
        "plan_ms": np.round(plan_ms, 4).tolist(),
        "plan_ms_run": [round(sum(plan_ms), 4)],
        "peak_ms": [round(max(plan_ms[1:], default=0.0), 4)],
        "update_ms": np.round(update_ms, 4).tolist(),
    }
    return {"counted": counted, "timed": timed}


def _plan(
    task: dict[str, Any], planner: nt.Planner, start: Any, goal: Any
) -> tuple[Path, int, bool]:
    """The path, expansions and whether it began anew; for `decrease`, of all steps together."""
    if "decrease" not in task:
        path = planner.plan(start, goal)
        return path, path.expanded, path.restarted
    paths = list(planner.improve(start, goal, FIRST_WEIGHT, task["decrease"]))
    return paths[-1], sum(path.expanded for path in paths), any(p.restarted for p in paths)


def _node(graph: Any, point: Point) -> Any:
    return graph.centre(graph.cell_of(point))


def _course(task: dict[str, Any], scene: nt.Scene, graph: Any) -> list[Moment]:
    """Where everything is, frame by frame."""
    start = float(np.random.default_rng([task["seed"], task["run"]]).uniform(0.0, MOMENTS))
    destination = scene.heading_for(task.get("destination"))
    frame, frames = task.get("frame", 1 / 60), task.get("frames", 600)
    times = [start + k * frame for k in range(frames)]
    if task.get("agent", "rests") == "rests":
        return [Moment(t, scene.agent.start, destination.at(t)) for t in times]
    if task.get("bodies", "move") == "rest":
        return _course_at_rest(scene, graph, destination, times, frame)
    options = {"start": start, "destination": task.get("destination"), "limit": frames * frame}
    flight = nt.Flight(scene, graph, "a*", frame=frame, record=True, **options)
    trace = flight.run().trace
    assert trace is not None, "it was asked for"
    rows = zip(trace.time, trace.agent, trace.destination, strict=True)
    return [Moment(float(t), tuple(a), tuple(b)) for t, a, b in rows]


def _course_at_rest(
    scene: nt.Scene, graph: Any, destination: Any, times: list[float], frame: float
) -> list[Moment]:
    """The agent flies along A*'s path through bodies that rest, until it is there."""
    graph.update(times[0])
    planner = nt.Planner(graph, "a*", radius=scene.agent.radius)
    agent: Any = scene.agent.start
    course = []
    for t in times:
        goal = destination.at(t)
        course.append(Moment(t, agent, goal))
        path = planner.plan(_node(graph, agent), _node(graph, goal))
        if not path.found or len(path.points) < 2:
            break
        corridor = Corridor([agent, *path.points[1:].tolist()])
        corridor.fly(scene.agent.speed * frame)
        agent = corridor.position
    return course

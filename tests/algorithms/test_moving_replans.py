"""Every search that runs on a graph of the test environment, replan after replan.

`--cases 10000` makes ten thousand plans, 9,000 of them on the hybrid graph: to verify a path among
bodies, not cells, takes a third of a second.
"""

import itertools

import numpy as np
import pytest

import noctule as nt

ROWS = [row for row in nt.algorithms() if not (row.corners_only or row.timed or row.name == "jps")]


@pytest.mark.parametrize(("kind", "share"), [(nt.Hybrid, 0.9), (nt.Waypoints, 0.1)])
def test_paths_are_free_at_their_moment(kind, share, cases):
    """The agent flies along the last path, the destination and all bodies move."""
    scene = nt.Scene.load("test-environment")
    graph, rng = kind(scene), np.random.default_rng(7)
    planners = [nt.Planner(graph, row.name, radius=scene.agent.radius) for row in ROWS]
    time, plans, found = 0.0, 0, 0
    place = np.array(scene.agent.start)
    while plans < share * cases:
        time += float(rng.uniform(0.02, 0.4))
        scene.move(time)
        graph.update()
        goal = scene.destination.at(time)
        lengths = {}
        for row, planner in zip(ROWS, planners, strict=True):
            path = planner.plan(place, goal)
            plans += 1
            if path.found:
                assert nt.verify(path, graph), (row.name, time, place)
                lengths[row.name] = path.length
                found += 1
        if kind is nt.Hybrid and "a*" in lengths:  # elsewhere the best end is found only nearly so
            assert lengths["a*"] <= lengths["dijkstra"] * (1 + 1e-6), (time, place)
        place = fly_on(path.points, 0.5) if path.found else np.array(scene.agent.start)
        if np.linalg.norm(place - goal) < 5.0 or rng.random() < 0.02:
            place = np.array(scene.agent.start)
    assert found > 0.9 * plans


def fly_on(points, distance):
    """The place on a path that is so far from its start."""
    for here, there in itertools.pairwise(points):
        length = float(np.linalg.norm(there - here))
        if length > distance:
            return here + (there - here) * distance / length
        distance -= length
    return points[-1]

"""Searches that remember, on graphs that follow moving bodies: as short as searching again."""

import math

import numpy as np
import pytest
from random_scenes import random_scene

import noctule as nt

REMEMBERING = [row.name for row in nt.algorithms() if row.keeps_search and row.optimal]

# Edges of any length are rounded to whole numbers of half a millionth of a cell.
ROUNDED = 1e-6


def check(path, shortest, graph, radius, what):
    """The path is free at its moment, and as short as that of a new search."""
    assert path.found == shortest.found, (what, path.reason, shortest.reason)
    if path.found:
        assert nt.verify(path, graph, radius=radius), what
        assert math.isclose(path.length, shortest.length, rel_tol=ROUNDED), what


def follow(graph, rng, steps, pause, radius, places, ends=None, patient=True):
    """Let all planners live through a story of moving bodies and ends; counts plans, repairs.

    `places` gives the points where paths may begin and end.
    """
    planners = {name: nt.Planner(graph, name, radius=radius) for name in REMEMBERING}
    for planner in planners.values():
        if patient:  # else a repair that takes long is given up for a restart
            planner._engines[0].limits = None
    fresh = nt.Planner(graph, "a*", radius=radius)
    time = float(rng.uniform(0, 60))
    plans = repaired = 0
    ends = list(rng.choice(places(), 2)) if ends is None else ends
    for step in range(steps):
        time += float(rng.exponential(pause))
        graph.update(time)
        around = places()
        for k in range(2):
            if step == 0 or rng.random() < 0.2:
                order = np.linalg.norm(around - ends[k], axis=1).argsort()
                ends[k] = around[order[int(rng.integers(min(20, len(order))))]]
        shortest = fresh.plan(*ends)
        for name, planner in planners.items():
            if rng.random() < 0.15:
                continue  # this planner sleeps, and has more to catch up with
            path = planner.plan(*ends)
            check(path, shortest, graph, radius, (graph, step, name))
            plans += 1
            repaired += path.expanded > 0 and not path.restarted
    return plans, repaired


def used_places(graph):
    """The centres of the cells that are nodes, blocked or not."""
    cells = graph.positions(np.argwhere(graph.kind))
    return lambda: cells


def test_repairs_on_hybrid_graphs(cases):
    plans = repaired = 0
    for seed in range(max(cases // 10, 30)):
        scene = random_scene(seed)
        graph = nt.Hybrid(scene)
        if not graph.counts["used"]:
            continue
        rng = np.random.default_rng(seed)
        radius = min(scene.agent.radius, graph.cell / 2)
        more = follow(graph, rng, 12, 0.2, radius, used_places(graph), patient=seed % 3 > 0)
        plans, repaired = plans + more[0], repaired + more[1]
    assert plans > 4 * cases
    assert repaired > cases / 6


def test_repairs_in_the_test_environment():
    graph = nt.Hybrid(nt.Scene.load("test-environment"), sample=0.14)
    rng = np.random.default_rng(1)
    ends = [graph.scene.agent.start, graph.scene.destination.at(0.0)]
    plans, repaired = follow(graph, rng, 50, 0.1, 0.45, used_places(graph), ends)
    assert plans > 200
    assert repaired > 60
    follow(graph, rng, 30, 1 / 60, 0.45, used_places(graph), ends, patient=False)


@pytest.mark.parametrize("algorithm", REMEMBERING)
def test_an_unexpected_body_makes_searches_begin_anew(algorithm):
    """It may shut long edges; when it is there, or gone, repairs go on as before."""
    agent, target = nt.Agent((1, 1, 1), 0.3), nt.Destination((10, 1, 1), 0.3)
    wall = nt.Body("wall", nt.Box((1, 4, 6)), (6, 2, 3))
    scene = nt.Scene(nt.Space((0, 0, 0), (12, 6, 6)), agent, target, [wall])
    graph = nt.Hybrid(scene)
    planner = nt.Planner(graph, algorithm, radius=0.3)
    ends = (1.5, 1.5, 1.5), (10.5, 1.5, 1.5)
    before = planner.plan(*ends)
    assert not planner.plan(*ends).restarted
    scene.add(nt.Body("crate", nt.Box((1, 1, 5.4)), (6, 4.6, 2.6)))
    graph.update()
    during = planner.plan(*ends)
    assert during.restarted
    assert nt.verify(during, graph)
    assert math.isclose(
        during.length, nt.plan(graph, *ends, "a*", radius=0.3).length, rel_tol=ROUNDED
    )
    assert not nt.verify(before, graph)
    scene.remove("crate")
    graph.update()
    after = planner.plan(*ends)
    assert after.restarted
    assert math.isclose(after.length, before.length, rel_tol=ROUNDED)
    assert not planner.plan(*ends).restarted

"""A space that follows: a window of cells that moves through an unbounded world."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import noctule as nt
from noctule.fleet.judge import FleetJudge
from noctule.worlds.motions import Way


def rocks(n, seed, low, high):
    """Return balls that fly to and fro in a box."""
    random = np.random.default_rng(seed)
    bodies = []
    for k in range(n):
        start = random.uniform(low, high)
        ends = [tuple(start), tuple(start + random.uniform(-6, 6, 3))]
        way = Way(ends, random.uniform(0.3, 1.5), "back")
        bodies.append(nt.Body(f"rock-{k}", nt.Ball(random.uniform(0.5, 1.5)), motion=way))
    return bodies


def test_cells_are_those_of_a_large_fixed_space():
    def centre(t):
        return (15 + 7.3 * t, 12 - 2.1 * t, 10.0)

    low, high = (0, -20, 0), (90, 30, 20)
    follows = nt.Scene(
        nt.Space((0, 0, 0), (30, 24, 20), follow=centre), bodies=rocks(60, 1, low, high)
    )
    fixed = nt.Scene(nt.Space((-20, -60, -10), (160, 120, 40)), bodies=rocks(60, 1, low, high))
    window, whole = nt.CellGrid(follows), nt.CellGrid(fixed)
    places = set()
    for t in np.arange(0.0, 10.0, 0.35).tolist():
        window.update(t)
        whole.update(t)
        first = np.round(window.origin - whole.origin).astype(int)
        part = tuple(slice(a, a + n) for a, n in zip(first, window.shape, strict=True))
        assert np.array_equal(window.blocked, whole.blocked[part])
        middle = window.origin + np.array(window.shape) / 2
        assert np.abs(middle - centre(t)).max() <= 20 / 8 + 1
        places.add(tuple(first))
    assert len(places) > 8


@pytest.mark.parametrize("algorithm", ["lazy-theta*", "aamt-d*-lite"])
def test_a_navigator_crosses_many_windows(algorithm):
    agent = SimpleNamespace(position=(10, 10, 10))
    space = nt.Space((0, 0, 0), (20, 20, 20), follow=agent)
    scene = nt.Scene(space, bodies=rocks(40, 2, (15, 0, 0), (100, 20, 20)))
    navigator = nt.Navigator(scene, "cells", algorithm, radius=0.4, speed=8.0)
    place, goal = (10.0, 10.0, 10.0), (110.0, 10.0, 10.0)
    for k in range(1500):
        agent.position = place
        step = navigator.step(k / 60, place, goal)
        assert step.path is None or nt.verify(step.path, navigator.graph)
        place = navigator.fly(place, step, 1 / 60)
        if math.dist(place, goal) < 1.0:
            break
    assert math.dist(place, goal) < 1.0


def test_hunters_in_a_window_that_follows_their_target():
    def target(t):
        return (20 + 3 * t, 20 + 4 * math.sin(t / 3), 10)

    bodies = rocks(40, 3, (0, 0, 0), (80, 40, 20))
    space = nt.Space((-10, 0, 0), (60, 40, 20), follow=lambda t: (target(t)[0], 20, 10))
    fleet = nt.Fleet(nt.Scene(space, bodies=bodies))
    hunters = [fleet.add((3, 5 + 8 * k, 10), speed=4.5) for k in range(4)]
    fleet.hunt(hunters, target, "chase")
    judge, radius = FleetJudge(fleet.graph), np.full(4, 0.45)
    for k in range(1200):
        before = fleet.graph.poses.copy()
        p = np.array([hunter.position for hunter in hunters])
        if k:
            fleet.fly()
        q = np.array([hunter.position for hunter in hunters])
        fleet.step(k / 60)
        judge.frame(k / 60, before, [0, 1, 2, 3], p, q, radius)
        if any(hunter.arrived for hunter in hunters):
            break
    assert k < 1199
    assert fleet.graph.origin[0] > -10
    assert not judge.contacts


def test_an_agent_that_is_left_behind_flies_after_the_window():
    space = nt.Space((0, 0, 0), (20, 20, 20), follow=lambda t: (10 + 10 * min(t, 3.0), 10, 10))
    fleet = nt.Fleet(nt.Scene(space))
    agent = fleet.add((2, 10, 10), goal=(60, 10, 10), speed=4.0)
    outside = 0
    for k in range(900):
        fleet.step(k / 60)
        outside += not fleet.graph.contains(agent.position)
        fleet.fly()
    assert outside > 60
    assert fleet.graph.contains(agent.position)


def test_what_a_space_cannot_follow():
    with pytest.raises(ValueError, match="follow is 'player'; expected a function of time"):
        nt.Space((0, 0, 0), (8, 8, 8), follow="player")
    with pytest.raises(ValueError, match="its space cannot follow"):
        nt.Hybrid(nt.Scene(nt.Space((0, 0, 0), (8, 8, 8), follow=lambda t: (t, 4, 4))))

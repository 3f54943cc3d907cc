"""Hunts: tactics, shared fields, and targets that go away."""

import math

import numpy as np
import pytest

import noctule as nt
from noctule.fleet.hunting import FORESIGHT, meeting_time, spread_over_sphere


def prey_in_circles(t):
    return (20 + 6 * math.cos(t / 4), 20 + 6 * math.sin(t / 4), 8)


def chase(fleet, hunters, seconds=30.0):
    """Fly until a hunter has caught the target; return when."""
    for k in range(round(seconds * 60)):
        fleet.step(k / 60)
        if any(hunter.arrived for hunter in hunters):
            return k / 60
        fleet.fly()
    return math.inf


def hunters_of(fleet, n=5):
    return [fleet.add((2 + 3 * k, 2, 8)) for k in range(n)]


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.parametrize("tactic", ["chase", "intercept", "surround"])
def test_tactics_catch_a_slower_target(tactic, share):
    rocks = [nt.Body(f"rock-{k}", nt.Ball(2.0), position=(8 + 6 * k, 10, 8)) for k in range(5)]
    fleet = nt.Fleet(nt.Scene(nt.Space((0, 0, 0), (40, 40, 16)), bodies=rocks))
    hunters = hunters_of(fleet)
    fleet.hunt(hunters, prey_in_circles, tactic, share)
    assert chase(fleet, hunters) < math.inf


def test_intercepting_is_faster_than_chasing():
    times = []
    for tactic in ("chase", "intercept"):
        fleet = nt.Fleet(nt.Scene(nt.Space((0, 0, 0), (60, 40, 8))))
        hunter = fleet.add((5, 5, 4), speed=4.0)
        fleet.hunt([hunter], lambda t: (5 + 3 * t, 20, 4), tactic)
        times.append(chase(fleet, [hunter]))
    assert times[1] < 0.8 * times[0]


def test_hunters_surround_before_they_close_in():
    fleet = nt.Fleet(nt.Scene(nt.Space((0, 0, 0), (40, 40, 16))))
    hunters, target = hunters_of(fleet), np.array((20, 20, 8.0))
    fleet.hunt(hunters, target, "surround")
    chase(fleet, hunters)
    ways = np.array([hunter.position for hunter in hunters]) - target
    assert np.linalg.norm(ways, axis=1).max() < 6.0  # the others are near as well,
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    assert (ways @ ways.T).min() < -0.3  # and on opposite sides


def test_the_same_walls_with_and_without_a_shared_field():
    wall = nt.Body("wall", nt.Box((2, 30, 30)), position=(10, 12, 8))
    fleet = nt.Fleet(nt.Scene(nt.Space((0, 0, 0), (20, 32, 16)), bodies=[wall]))
    hunters = [fleet.add((2, y, 8)) for y in (5, 10, 15)]
    fleet.hunt(hunters, (18, 5, 8), "chase", share=True)
    algorithms = set()
    for k in range(1200):
        fleet.step(k / 60)
        algorithms |= {hunter.path.algorithm for hunter in hunters if hunter.path is not None}
        fleet.fly()
        if all(math.dist(hunter.position, (18, 5, 8)) < 3.0 for hunter in hunters):
            break
    assert k < 1199
    assert "distance field" in algorithms


def test_a_hunt_ends():
    fleet = nt.Fleet(nt.Scene(nt.Space((0, 0, 0), (20, 20, 8))))
    prey, *hunters = (fleet.add((3 + 5 * k, 10, 4)) for k in range(3))
    fleet.hunt(hunters, prey, "intercept")
    fleet.step(0.0)
    hunters[0].goal = (1, 1, 1)
    fleet.step(1 / 60)
    assert hunters[0]._there == (1, 1, 1)
    fleet.remove(prey)
    assert fleet.step(2 / 60)[-1].reason == "its target is no longer there"
    fleet.remove(hunters[1])
    with pytest.raises(ValueError, match="no agent of this fleet"):
        fleet.hunt(hunters, (1, 1, 1))
    with pytest.raises(ValueError, match="tactic is 'ambush'; allowed are 'chase'"):
        fleet.hunt(hunters[:1], (1, 1, 1), "ambush")
    with pytest.raises(ValueError, match="target is None"):
        fleet.hunt(hunters[:1], None)


def test_when_an_agent_meets_a_target():
    random = np.random.default_rng(1)
    for _ in range(200):
        p, place, velocity = random.normal(size=(3, 3)) * (4, 4, 1)
        p, place, velocity = (tuple(v.tolist()) for v in (p, place, velocity))
        t = meeting_time(p, 4.0, place, velocity)
        if t < FORESIGHT and math.hypot(*velocity) < 4.0:
            there = [x + t * v for x, v in zip(place, velocity, strict=True)]
            assert math.dist(p, there) == pytest.approx(4.0 * t)
    assert meeting_time((0, 0, 0), 1.0, (2, 0, 0), (1, 0, 0)) == 2.0  # never: it is as fast


def test_sides_are_spread():
    sides = spread_over_sphere(8)
    assert np.linalg.norm(sides, axis=1) == pytest.approx(np.ones(8))
    assert (sides @ sides.T - 2 * np.eye(8)).max() < 0.6

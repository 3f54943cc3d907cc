"""Fleets: what a step does, goals of all kinds, fairness, and errors."""

import math

import numpy as np
import pytest

import noctule as nt
from noctule.fleet.flights import FleetFlight
from noctule.fleet.judge import pairs_that_touch
from noctule.fleet.scenarios import SCENARIOS


def empty(size=(20, 10, 10), bodies=()):
    return nt.Scene(nt.Space((0, 0, 0), size), bodies=bodies)


def fly(fleet, seconds, start=0.0):
    return FleetFlight(fleet, start, seconds).run()


def test_a_scene_needs_no_agent_and_no_destination():
    scene = empty()
    with pytest.raises(ValueError, match="has no agent of its own"):
        scene.agent  # noqa: B018
    with pytest.raises(ValueError, match="has no destination of its own"):
        scene.destination  # noqa: B018
    with pytest.raises(ValueError, match="of its own"):
        nt.Flight(scene, "cells", "a*")
    assert nt.Fleet(scene).step(0.0) == []


def test_agents_differ_in_size_speed_and_goal():
    fleet = nt.Fleet(empty())
    fast = fleet.add((1, 2, 5), (19, 2, 5), radius=0.3, speed=6.0)
    slow = fleet.add((1, 8, 5), (10, 8, 5), radius=0.9, speed=2.0)
    result = fly(fleet, 20.0)
    assert result.arrived == 2
    assert not result.contacts
    assert fast.position == pytest.approx((19, 2, 5), abs=0.1)
    assert math.dist(slow.position, (10, 8, 5)) <= 0.9


@pytest.mark.parametrize("kind", ["point", "function", "agent", "body"])
def test_goals_of_all_kinds(kind):
    rock = nt.Body("rock", nt.Ball(1.0), position=(16, 5, 5))
    fleet = nt.Fleet(empty(bodies=[rock]))
    goal = {"point": (12, 5, 5), "function": lambda t: (8 + t, 5, 5), "body": rock}.get(kind)
    if kind == "agent":
        goal = fleet.add((15, 8, 5), (17, 8, 5), speed=1.0)
    hunter = fleet.add((2, 5, 5), goal)
    for k in range(600):
        step = fleet.step(k / 60)[-1]
        if hunter.arrived:
            break
        fleet.fly()
    assert hunter.arrived
    assert step.velocity is not None
    assert nt.verify(hunter.path, fleet.graph, radius=0.45)


def test_a_goal_that_goes_away():
    rock = nt.Body("rock", nt.Ball(1.0), position=(16, 5, 5))
    scene = empty(bodies=[rock])
    fleet = nt.Fleet(scene)
    prey = fleet.add((15, 8, 5))
    hunters = [fleet.add((2, 5, 5), prey), fleet.add((2, 8, 5), rock)]
    fleet.step(0.0)
    fleet.remove(prey)
    scene.remove(rock)
    steps = fleet.step(1 / 60)
    assert [step.reason for step in steps] == ["its target is no longer there"] * 2
    assert [agent.step.path for agent in hunters] == [None, None]
    with pytest.raises(ValueError, match="is no agent of this fleet"):
        fleet.remove(prey)


def test_agents_that_overlap_separate():
    fleet = nt.Fleet(empty())
    for x in (5.0, 5.2, 5.4, 5.0):
        fleet.add((x, 5, 5))
    for k in range(120):
        fleet.step(k / 60)
        fleet.fly()
    p = np.array([agent.position for agent in fleet.agents])
    assert not pairs_that_touch(p, p, np.full(4, 0.45)).any()


def test_a_goal_inside_a_body_and_a_gap_too_narrow():
    wall = nt.Body("wall", nt.Box((2, 30, 30)), position=(10, 5, 5))
    fleet = nt.Fleet(empty(bodies=[wall]))
    inside, beyond = fleet.add((2, 3, 5), (10, 3, 5)), fleet.add((2, 7, 5), (18, 7, 5))
    result = fly(fleet, 8.0)
    assert not result.contacts
    assert inside.step.reason
    assert beyond.step.reason
    assert not beyond.arrived
    assert math.dist(inside.position, (10, 3, 5)) < 3.0  # as near as it gets


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"position": (30, 1, 1)}, "outside the space"),
        ({"radius": 0}, "radius is 0"),
        ({"speed": -1}, "speed is -1"),
        ({"goal": (1, 2)}, "goal has shape"),
        ({"radius": 8.0}, "of the space; at most 50 % is allowed"),
        ({"max_acceleration": 0}, "max_acceleration is 0"),
        ({"max_turn_rate": -5}, "max_turn_rate is -5"),
    ],
)
def test_bad_agents(values, message):
    with pytest.raises(ValueError, match=message):
        nt.Fleet(empty()).add(**{"position": (1, 1, 1)} | values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"graph": "waypoints"}, "a fleet works on cells and hybrid"),
        ({"algorithm": "safe-intervals"}, "does not plan in time"),
        ({"budget_ms": -1}, "budget_ms is -1"),
        ({"frame": 0}, "frame is 0"),
        ({"avoidance": "none"}, "avoidance is 'none'"),
    ],
)
def test_bad_fleets(values, message):
    with pytest.raises(ValueError, match=message):
        nt.Fleet(nt.Scene.load(), **values)


def test_the_same_calls_give_the_same_flight():
    first, second = (SCENARIOS["swap"](12, seed=3).run() for _ in range(2))
    assert np.array_equal(first.positions, second.positions)


@pytest.mark.parametrize("name", list(SCENARIOS))
def test_scenarios_without_contact(name):
    flight = SCENARIOS[name](8, seed=1)
    flight.fleet.warm_up()
    result = flight.run()
    assert not result.contacts
    assert result.arrived == (1 if name == "hunt" else 8)


def test_no_agent_waits_longer_than_twice_their_number():
    fleet = nt.Fleet(empty((40, 40, 20)), budget_ms=0.0)
    n = 12
    agents = [fleet.add((2 + 3 * k, 2, 10), (2 + 3 * k, 38, 10)) for k in range(n)]
    asked = dict.fromkeys(range(n), 0)
    random = np.random.default_rng(1)
    for k in range(300):
        for agent in agents:  # all of them ask, again and again
            if random.random() < 0.3 and not agent._asks:
                agent.goal = (2 + 3 * agent.number, *random.uniform(5, 15, 2))
                asked[agent.number] = k
        before = [agent._planned_at for agent in agents]
        fleet.step(k / 60)
        assert fleet._planning.planned == 1
        for agent, at in zip(agents, before, strict=True):
            if agent._planned_at != at:
                assert k - asked[agent.number] <= 2 * n
                asked[agent.number] = k
            elif agent._asks:
                assert k - asked[agent.number] <= 2 * n


def test_the_judge_sees_what_happens_between_two_frames():
    p = np.array([[0.0, 0, 0], [2.0, 0, 0], [0.0, 9, 0]])
    q = np.array([[2.0, 0, 0], [0.0, 0, 0], [0.0, 9, 0]])
    radius = np.array([0.4, 0.4, 0.4])
    assert np.argwhere(pairs_that_touch(p, q, radius)).tolist() == [[0, 1]]
    assert not pairs_that_touch(p, p, radius).any()


def gaps(*places):
    """Return bodies that fill a thick wall, but for gaps that one agent fits through."""
    low, bodies = 0.0, []
    for k, y in enumerate((*places, None)):
        high = 12.0 if y is None else y - 0.75
        size = (4.0, high - low, 4.0)
        bodies.append(nt.Body(f"wall-{k}", nt.Box(size), position=(10, (low + high) / 2, 1)))
        low = 0.0 if y is None else y + 0.75
    return bodies


def test_agents_that_meet_in_a_narrow_gap_take_another_one():
    scene = nt.Scene(nt.Space((0, 0, 0), (40, 24, 3), 0.5), bodies=gaps(3.25, 9.25))
    fleet = nt.Fleet(scene)
    fleet.add((4, 3.25, 0.75), (16, 3.25, 0.75), speed=2.0)
    fleet.add((16, 3.25, 0.75), (4, 3.25, 0.75), speed=2.0)
    result = fly(fleet, 60.0)
    assert not result.contacts
    assert result.arrived == 2


def test_plain_orca_does_not_plan():
    wall = nt.Body("wall", nt.Box((1, 8, 8)), position=(10, 5, 5))
    stopped = []
    for avoidance in ("checked", "orca"):
        fleet = nt.Fleet(empty(bodies=[wall]), avoidance=avoidance)
        fleet.add((2, 5, 5), (18, 5, 5))
        stopped.append(fly(fleet, 12.0).arrived)
    assert stopped == [1, 0]


@pytest.mark.parametrize("turn", [None, 90.0])
def test_acceleration_and_turns_are_limited(turn):
    rock = nt.Body("rock", nt.Ball(2.0), position=(15, 10, 5))
    fleet = nt.Fleet(empty((30, 20, 10), [rock]))
    agents = [
        fleet.add((2, y, 5), (28, 20 - y, 5), max_acceleration=6.0, max_turn_rate=turn)
        for y in (4, 8, 12, 16)
    ]
    before = {agent.number: np.zeros(3) for agent in agents}
    flight = FleetFlight(fleet, 0.0, 40.0)
    for each in flight.frames():
        result = each
        for agent in agents:
            old, new = before[agent.number], np.array(agent.velocity)
            assert np.linalg.norm(new - old) <= 6.0 / 60 * (1 + 1e-9)
            lengths = np.linalg.norm(old), np.linalg.norm(new)
            if turn is not None and min(lengths) > 0.2:
                cosine = np.clip(old @ new / (lengths[0] * lengths[1]), -1.0, 1.0)
                assert np.degrees(np.arccos(cosine)) <= turn / 60 + 1e-4
            before[agent.number] = new
    assert not result.contacts
    assert result.arrived == 4

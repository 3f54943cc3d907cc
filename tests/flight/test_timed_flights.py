"""Flights that plan in time: they wait, they meet, they notice surprises, and they all end."""

import copy
import math

import numpy as np
import pytest

import noctule as nt
from noctule.flight.corridor import TimedCorridor
from noctule.worlds.motions import Blink, Drift, Patrol, Way
from noctule.worlds.occupancy import timetable

NAME = "safe-intervals"


def room(*bodies, agent=(1.5, 2.5, 2.5), goal=(10.5, 2.5, 2.5), **more):
    space = nt.Space((0, 0, 0), (12, 5, 5))
    return nt.Scene(space, nt.Agent(agent, 0.4, 4.0), nt.Destination(goal, 0.4, **more), bodies)


def gate(half_period, present=True):
    held = (4.0, 0.0, 0.0), (9.0, 5.0, 5.0)
    return nt.Body(
        "gate", nt.Box((1, 5, 5)), (6.5, 2.5, 2.5), motion=Blink(half_period, present, held)
    )


@pytest.mark.parametrize("latency", [0, 1, 6])
def test_straight_flight(latency):
    result = nt.Flight(room(), algorithm=NAME, latency=latency).run()
    assert result.reached
    assert result.travelled == pytest.approx(9 - 0.8, abs=1e-6)
    assert result.seconds == pytest.approx((9 - 0.8 + 4 * latency / 60) / 4, abs=1e-6)


@pytest.mark.parametrize("graph", ["cells", "hybrid"])
@pytest.mark.parametrize("agent", [(1.5, 2.5, 2.5), (5.5, 2.5, 2.5)])
@pytest.mark.parametrize("start", [0.0, 1.9, 3.9])
def test_a_gate_that_waits_for_the_agent_to_leave(agent, start, graph):
    """Waiting beside it would keep it shut for ever: from inside its hold box the agent leaves."""
    scene = room(gate(2.0), agent=agent)
    result = nt.Flight(scene, graph, NAME, start=start, limit=20).run()
    assert result.reached, result.reason
    assert result.seconds < 8


def test_slips_through_while_a_slider_is_away():
    motion = Patrol([(6.5, 2.5, 2.5), (6.5, 7.5, 2.5)], 4.0)
    slider = nt.Body("slider", nt.Box((1, 5, 5)), (6.5, 2.5, 2.5), motion=motion)
    for start in np.linspace(0, 5, 11).tolist():
        result = nt.Flight(room(slider), algorithm=NAME, start=start, limit=30).run()
        assert result.reached, (start, result.reason)


@pytest.mark.parametrize("graph", ["cells", "hybrid"])
def test_flights_that_cannot_arrive_end(graph):
    flees = {"flee": Drift((9, 0, 0))}
    wall = nt.Body("wall", nt.Box((1, 5, 5)), (6.5, 2.5, 2.5))
    to_and_fro = Patrol([(6.5, 2.5, 2.5), (6.9, 2.5, 2.5)], 0.3, 0.0)
    never = nt.Body("never", nt.Box((2, 5, 5)), (6.5, 2.5, 2.5), motion=to_and_fro)
    for scene, reason in (
        (room(wall), "no path past the bodies that never move"),
        (room(never), "of which it waited"),
        (room(goal=(4.5, 2.5, 2.5), modes=flees, mode="flee"), "not there after"),
    ):
        result = nt.Flight(scene, graph, NAME, limit=4, start=0.0).run()
        assert not result.reached
        assert result.collided is None
        assert reason in result.reason
        assert result.frames == 240


def test_an_agent_shut_in_for_ever():
    sides = [
        nt.Body(f"wall-{k}", nt.Box((5, 1, 5) if k % 2 else (1, 5, 5)), position)
        for k, position in enumerate([(4.5, 2.5, 2.5), (2.5, 4.5, 2.5)])
    ]
    result = nt.Flight(room(*sides, agent=(1.5, 1.5, 1.5)), algorithm=NAME, limit=1).run()
    assert not result.reached
    assert "no path past the bodies that never move" in result.reason
    assert result.failed_plans == 10


def test_a_surprise_is_noticed_at_once():
    """A body that is placed into the way between two plans is seen in the next frame."""
    scene = room(nt.Body("crate", nt.Box((1, 1, 1)), (6.5, 0.5, 0.5)))
    flight = nt.Flight(scene, algorithm=NAME, start=0.0, every=60)
    steps = flight.frames()
    for _ in range(10):
        next(steps)
    scene["crate"].place((6.5, 2.5, 2.5))
    *_, result = steps
    assert result.reached, result.reason
    assert result.travelled > 8.3


def navigate(scene, graph, seconds, start=0.0, disturb=None, foresee=True):
    """Let a navigator lead an agent to the destination; the frames it takes, or what hit it."""
    agent, frame, kept = scene.agent.start, 1 / 60, 0
    near = scene.agent.radius + scene.destination.radius
    scene.move(start)
    with nt.Navigator(scene, graph, NAME) as navigator:
        for k in range(round(seconds / frame)):
            now = start + k * frame
            if disturb is not None:
                disturb(k, agent)
            goal = scene.destination.at(now)
            if math.dist(agent, goal) < near:
                return k, kept
            step = navigator.step(now, agent, scene.destination.at if foresee else goal)
            kept += step.kept
            if step.path is None:
                assert step.reason
                assert step.waypoint == agent
            elif not step.kept:
                assert nt.verify(step.path, scene), (k, now)
            agent = navigator.fly(agent, step, frame)
            hit = navigator.graph.body_on(agent, agent, scene.agent.radius)
            assert hit is None, (k, hit)
    return None, kept


def test_a_navigator_that_plans_in_time():
    fly = {"fly": Way([(10.5, 0.5, 2.5), (10.5, 4.5, 2.5)], 1.0, "back")}
    for foresee in (True, False):
        scene = room(gate(2.0), modes=fly, mode="fly")
        frames, kept = navigate(scene, "cells", 9.0, foresee=foresee)
        assert 2.0 < frames / 60 < 6.0  # the gate opens after two seconds
        assert kept > frames / 2
    wall = nt.Body("wall", nt.Box((1, 5, 5)), (6.5, 2.5, 2.5))
    assert navigate(room(wall), "cells", 1.0)[0] is None


def test_a_navigator_notices_a_surprise():
    """A crate falls into the way: the next step leads round it."""
    scene = room(nt.Body("crate", nt.Box((1, 1, 1)), (6.5, 0.5, 0.5)))

    def disturb(k, agent):
        if k == 31:
            scene["crate"].place((agent[0] + 2.0, 2.5, 2.5))

    frames, _ = navigate(scene, "hybrid", 5.0, disturb=disturb)
    assert frames is not None


@pytest.mark.parametrize("foresee", [True, False])
def test_a_moving_destination(foresee):
    modes = {"fly": Way([(10.5, 0.5, 2.5), (10.5, 4.5, 2.5)], 1.5, "back")}
    result = nt.Flight(room(modes=modes, mode="fly"), algorithm=NAME, foresee=foresee).run()
    assert result.reached
    assert result.travelled < 9.5


@pytest.mark.parametrize("late", [-0.2, 0.2])
def test_a_clock_that_is_wrong(late, monkeypatch):
    """Bodies are expected a fifth of a second too late or too early: cells are a margin, too."""
    right = timetable.Timetable._poses
    monkeypatch.setattr(
        timetable.Timetable, "_poses", lambda self, body: lambda t: right(self, body)(t - late)
    )
    scene = nt.Scene.load()
    grid = nt.CellGrid(scene)
    for run in range(2):
        result = nt.Flight(scene, grid, NAME, seed=7, run=run, timing=nt.Timing(margin=0.2)).run()
        assert result.reached, result.reason


def test_same_seed_same_flight():
    scene = nt.Scene.load()
    flights = [nt.Flight(scene, None, NAME, seed=5, run=run, limit=6) for run in (1, 0, 1)]
    first, _, again = (flight.run() for flight in flights)
    assert first.reason == again.reason
    assert first.travelled == again.travelled
    np.testing.assert_array_equal(first.expanded, again.expanded)
    np.testing.assert_array_equal(first.path_length, again.path_length)


def test_timed_corridor():
    corridor = TimedCorridor([(0, 0, 0), (4, 0, 0), (4, 0, 0), (4, 4, 0)], [1, 2, 3, 4], 4.0)
    assert corridor.ahead(2.0) == ([(2.0, 0.0, 0.0)], 0)
    assert corridor.ahead(9.0) == ([(4.0, 0.0, 0.0), (4.0, 0.0, 0.0), (4.0, 1.0, 0.0)], 2)
    flown, durations = copy.deepcopy(corridor).fly(2.0)
    assert (flown, durations) == ([(0.0, 0.0, 0.0), (2.0, 0.0, 0.0)], [2.0])
    flown, durations = copy.deepcopy(corridor).fly(9.0)
    assert (flown[1:], durations) == (corridor.ahead(9.0)[0], [4.0, 4.0, 1.0])
    corridor.fly(5.0)
    assert corridor.position == (4.0, 0.0, 0.0)
    assert copy.deepcopy(corridor).fly(4.0)[1] == [3.0, 1.0]
    corridor.fly(20.0)
    assert corridor.position == (4.0, 4.0, 0.0)
    flown, durations = corridor.fly(1.0)
    assert len(flown) - 1 == len(durations) == 1


def test_wrong_arguments():
    for every in (0, 1.5):
        with pytest.raises(ValueError, match="every is"):
            nt.Flight(room(), algorithm=NAME, every=every)

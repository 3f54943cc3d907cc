"""Motions, compared with the known turning points of the scene of the theses, and by themselves."""

import copy
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import noctule as nt
from noctule.worlds.many_poses import ManyPoses
from noctule.worlds.motions import Blink, Call, Drift, Patrol, Turn, Way

PUBLISHED = Path(__file__).with_name("published-environment.json")
HOME = ((1.0, 2.0, 3.0), (0.0, 0.0, 0.0, 1.0))


@pytest.mark.parametrize("year", ["2019", "2021"])
def test_patrols_turn_where_the_originals_do(year):
    facts = {body["name"]: body for body in json.loads(PUBLISHED.read_text())["obstacles"]}
    scene = nt.Scene.load(PUBLISHED, variant=None if year == "2019" else year)
    compared = 0
    for body in scene.bodies:
        if isinstance(body.motion, Patrol):
            cycle = facts[body.name]["motion"]["ideal_cycle"]
            turns, period = body.motion.turning_points(tuple(facts[body.name]["centre"]))
            assert period == pytest.approx(cycle[f"period_s_{year}"], abs=2e-4)
            for turn in turns:
                gaps = [math.dist(turn, other) for other in cycle[f"turns_{year}"]]
                assert min(gaps) < 2e-3
            compared += 1
    assert compared == 10


def test_frame_stepped_patrol_is_the_continuous_one_in_the_limit():
    targets = [(10.0, 2.0, 3.0), (1.0, 7.0, 3.0)]
    smooth = Patrol(targets, 2.0)
    for frame, most in ((1 / 10, 0.9), (1 / 1000, 0.02)):
        stepped = Patrol(targets, 2.0, frame=frame)
        gaps = [
            math.dist(smooth.pose(t, HOME)[0], stepped.pose(t, HOME)[0])
            for t in np.arange(0, 12, frame)
        ]
        assert max(gaps) < most


def test_stepped_patrol_by_hand():
    """Moves by 1 per frame; within 0.5 of a target it turns in the next frame."""
    patrol = Patrol([(5.3, 2.0, 3.0), (1.0, 2.0, 3.0)], 2.0, frame=0.5)
    places = [patrol.pose(0.5 * n, HOME)[0][0] for n in range(9)]
    assert places == pytest.approx([1, 2, 3, 4, 5, 4, 3, 2, 1])


def test_a_patrol_that_has_arrived_stays():
    patrol = Patrol([(1.2, 2.0, 3.0)], 1.0)
    assert patrol.pose(100.0, HOME)[0] == (1.0, 2.0, 3.0)
    far = Patrol([(9.0, 2.0, 3.0)], 2.0)
    assert far.pose(100.0, HOME)[0] == pytest.approx((8.5, 2.0, 3.0))


def test_turn_drift_and_way():
    place, turned = Turn((0, 0, 1), 8.0).pose(11.25, HOME)
    assert place == HOME[0]
    assert turned == pytest.approx((0, 0, math.sqrt(0.5), math.sqrt(0.5)))
    assert Drift((1, 0, -2)).pose(2.0, HOME)[0] == (3.0, 2.0, -1.0)
    points = [(0, 0, 0), (3, 0, 0), (3, 4, 0)]
    for then, at_20 in (("again", (0, 0, 0)), ("back", (0, 0, 0)), ("stay", (3, 4, 0))):
        way = Way(points, 1.0, then)
        assert way.pose(5.0, HOME)[0] == pytest.approx((3, 2, 0))
        assert way.pose(24.0 if then == "again" else 28.0, HOME)[0] == pytest.approx(at_20)


def test_a_gate_waits_for_the_agent_to_leave():
    gate = nt.Body("gate", nt.Box((1, 1, 1)), motion=Blink(2.0, True, ((-2,) * 3, (2,) * 3)))
    inside, outside = (0.0, 0.0, 1.5), (0.0, 0.0, 9.0)
    gate.move(0.0)
    seen = []
    for t, agent in ((1.9, inside), (2.1, inside), (4.2, inside), (4.5, outside), (6.4, outside)):
        gate.move(t, [agent])
        seen.append(gate.present)
    assert seen == [True, True, True, False, False]
    assert (gate.present_at(6.4), gate.present_at(6.6)) == (False, True)  # the timer began at 4.5
    gate.move(6.6, [outside])
    assert gate.present
    gate.move(3.0)  # without an agent: the plain schedule
    assert not gate.present


def test_each_of_several_agents_holds_a_gate():
    gate = nt.Body("gate", nt.Box((1, 1, 1)), motion=Blink(2.0, True, ((-2,) * 3, (2,) * 3)))
    scene = nt.Scene(nt.Space((-9, -9, -9), (18, 18, 18)), bodies=[gate])
    inside, outside = (0.0, 0.0, 1.5), (0.0, 0.0, 8.0)
    scene.move(0.0)
    scene.move(2.1, [outside, inside])
    assert gate.present
    scene.move(2.2, [outside, outside])
    assert not gate.present


def test_wrong_arguments():
    for make, message in (
        (lambda: Patrol([], 1.0), "targets are empty"),
        (lambda: Patrol([(0, 0, 0)], 0.0), "speed is 0.0; it must be a number above 0"),
        (lambda: Turn((0, 0, 0), 1.0), "length above 0"),
        (lambda: Turn((0, 0, 1), math.nan), "rate is nan"),
        (lambda: Way([(0, 0, 0)], 1.0), "a way has at least 2"),
        (lambda: Way([(0, 0, 0), (1, 1, 1)], 1.0, "round"), "allowed are 'again'"),
        (lambda: Blink(0.0), "half_period is 0.0"),
        (lambda: Blink(1.0, True, ((0, 0, 0), (1, 0, 1))), "the second must be the higher"),
        (lambda: Call(lambda t: None).pose(1.0, HOME), "returned None; expected a position"),
        (lambda: Call(lambda t: (t, math.nan, 0)).pose(1.0, HOME), "must be finite"),
        (lambda: Call(lambda t: ((1, 2, 3), (0, 0, 0, 0))).pose(1.0, HOME), "length above 0"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            make()


def test_poses_of_many_bodies_are_those_of_each():
    """Exactly equal, at times that advance, jump and go back; gates keep their own state."""
    rng = np.random.default_rng(4)
    motions = [
        Patrol([(1, 2, 3), (4, 4, 4)], 1.5),
        Patrol([(1, 2, 3)], 2.0),
        Patrol([(9, 2, 3), (4, 4, 4)], 1.5, frame=0.04),
        Way([(0, 0, 0), (1, 2, 3), (1, 2, 3)], 0.7, "back"),
        Way([(0, 0, 0), (3, 2, 3), (5, 5, 5)], 0.7, "again"),
        Way([(0, 0, 0), (3, 2, 3)], 0.7, "stay"),
        Drift((1, 0, -1), rate=20.0),
        Turn((1, 1, 0), 33.0),
        Blink(0.8),
        Call(lambda t: (t, 0.0, 1.0)),
    ]
    box, turned = nt.Box((1, 1, 1)), (0.0, 0.6, 0.0, 0.8)
    bodies = [
        nt.Body(str(i), box, rng.uniform(0, 5, 3), turned, motion=m) for i, m in enumerate(motions)
    ]
    many = ManyPoses(bodies)
    times = [0.0, 0.1, 0.2, 5.0, 4.9, -1.0, 300.0, 0.3, *rng.uniform(0, 60, 100).tolist()]
    for t in times:
        np.testing.assert_array_equal(many.at(t), [body.row_at(t) for body in bodies])
    scene = nt.Scene(nt.Space((0, 0, 0), (9, 9, 9)), nt.Agent((1, 1, 1)), nt.Destination((8, 8, 8)))
    for body in bodies:
        scene.add(body)
    for t in times:
        scene.move(t)
        expected = [body.row_at(t) for body in bodies]
        expected[8] = (*expected[8][:7], float(motions[8].present(t)))
        assert [body.row for body in bodies] == expected
        np.testing.assert_array_equal(scene.moving_poses, expected)
    bodies[0].motion = Turn((0, 0, 1), 10.0)
    scene.move(7.0)
    assert bodies[0].row == bodies[0].row_at(7.0)


def test_a_body_of_two_scenes_shows_what_moved_it_last():
    """Either scene moves it, or it is placed, copied or moved directly."""
    body = nt.Body("box", nt.Box((1, 1, 1)), (1, 1, 1), motion=Drift((1, 0, 0)))
    other = nt.Body("gate", nt.Box((1, 1, 1)), (5, 5, 5), motion=Blink(1.0))
    agent, goal = nt.Agent((1, 1, 1)), nt.Destination((8, 8, 8))
    one, two = (
        nt.Scene(nt.Space((0, 0, 0), (9, 9, 9)), agent, goal, bodies)
        for bodies in ([body, other], [body])
    )
    for k, scene in enumerate([one, two, one, one, two, two, one]):
        scene.move(float(k))
        assert body.position[0] == 1.0 + k
        assert body.row == body.row_at(k)
    twin = copy.deepcopy(one)
    one.move(2.5)
    assert (twin["box"].position[0], body.position[0]) == (7.0, 3.5)
    assert other.present == other.motion.present(2.5)
    body.move(3.0)
    assert body.position[0] == 4.0
    one.move(4.0)
    assert body.position[0] == 5.0
    one.remove(body)
    one.move(5.0)
    assert body.position[0] == 5.0
    two.move(6.0)
    body.place((2, 2, 2))
    two.move(7.0)
    assert body.row == (2, 2, 2, 0, 0, 0, 1, 1)

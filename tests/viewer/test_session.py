"""Sessions: flights that are changed and disturbed while they last, without a page."""

import math
from dataclasses import replace

import numpy as np
import pytest

import noctule as nt
from noctule.viewer.camera import Follower
from noctule.viewer.session import Session, Settings, prepare


@pytest.fixture
def session(course):
    return Session(prepare(Settings(course, seed=3)))


def fly(session, frames):
    for _ in range(frames):
        session.step()
    return session.frame


def is_free(session):
    """Whether the path is free of the bodies at their current poses."""
    path, graph = session.frame.path, session.world.graph
    legs = zip(path.points[:-1], path.points[1:], strict=True)
    return all(graph.body_on(p, q, path.radius) is None for p, q in legs)


def test_frames_follow_each_other(session):
    first = session.frame
    assert session.advance(0.4) == 24
    frame = session.frame
    assert frame.time == pytest.approx(first.time + 0.4)
    assert math.dist(first.agent, frame.agent) <= 0.5 * 0.4 + 1e-9  # it flies at 0.5 a second
    assert len(session.history) == len(session.trail) == 25


def test_an_update_after_a_long_pause_flies_few_frames(session):
    assert session.advance(60.0) < 60


def test_algorithm_and_graph_change_in_flight(session, course):
    fly(session, 60)
    before = session.frame
    session.change(prepare(Settings(course, algorithm="lazy-theta*", graph="cells", seed=3)))
    assert session.planner.options.algorithm.name == "lazy-theta*"
    assert math.dist(session.frame.agent, before.agent) < 0.02
    assert session.frame.time == pytest.approx(before.time, abs=0.05)
    np.testing.assert_allclose(session.frame.poses, before.poses, atol=0.05)
    assert fly(session, 3).path.algorithm == "lazy-theta*"
    assert is_free(session)


def test_another_seed_is_another_flight(session, course):
    before = session.frame.time
    session.change(prepare(Settings(course, seed=4)))
    assert session.frame.time != before
    assert session.frame.agent == session.world.scene.agent.start


def test_a_box_on_the_path_is_avoided(session, course):
    fly(session, 60)
    body = session.add_box()
    assert not is_free(session)
    fly(session, 3)
    assert session.frame.path.found
    assert is_free(session)
    assert any(described["name"] == body.name for described in session.about["bodies"])
    session.change(replace(prepare(Settings(course, algorithm="theta*", seed=3))))
    assert session.world.scene[body.name] is body  # it stays where it is
    session.remove_box(body.name)
    fly(session, 3)
    assert all(described["name"] != body.name for described in session.about["bodies"])


def test_an_incremental_search_repairs_its_path(course):
    session = Session(prepare(Settings(course, algorithm="mt-d*-lite", seed=3)))
    fly(session, 30)
    planner = session.planner
    session.add_box()
    fly(session, 3)
    assert session.planner is planner
    assert is_free(session)
    graph, frame = session.world.graph, session.frame
    ends = frame.path.points[0], frame.destination
    shortest = nt.plan(graph, *ends, "a*", radius=frame.path.radius)
    assert frame.path.length <= 1.05 * shortest.length  # the predicted cells have changed since


def test_wrong_boxes_are_refused(session):
    with pytest.raises(ValueError, match="too near to the agent"):
        session.add_box(session.frame.agent)
    with pytest.raises(ValueError, match="no box to remove"):
        session.remove_box()
    with pytest.raises(ValueError, match="no box 'wall'"):
        session.remove_box("wall")


def test_the_goal_is_moved_within_the_world(session):
    assert session.move_goal((100, 8, -3)) == pytest.approx((23.6, 8, 0.4))
    frame = fly(session, 3)
    assert frame.destination == pytest.approx((23.6, 8, 0.4))
    assert tuple(frame.path.points[-1]) == pytest.approx(frame.destination)
    session.restart()
    assert session.frame.destination == pytest.approx((23.6, 8, 0.4))
    session.release_goal()
    assert fly(session, 3).destination == (22.5, 13.5, 3.5)


def test_flights_end_and_are_counted(session):
    session.move_goal((2.8, 1.5, 4.5))
    for _ in range(600):
        session.step()
    assert (session.flown, session.reached) == (1, 1)
    assert session.result.reason == "reached the destination"
    assert not session.step()
    session.restart(session.run + 1)
    assert session.result is None
    assert session.run == 1


def test_incompatible_settings_are_refused(course):
    with pytest.raises(ValueError, match="jps jumps along rows"):
        prepare(Settings(course, graph="hybrid", algorithm="jps"))


def test_timed_plans_on_a_hybrid_graph(course):
    session = Session(prepare(Settings(course, graph="hybrid", algorithm="safe-intervals")))
    assert fly(session, 3).path.times is not None
    assert session.flight.planner.search_snapshot().expanded.ndim == 1


def test_a_following_camera_turns_to_a_free_direction():
    agent, reach = np.array([1.0, 2.0, 3.0]), [-99.0]

    def hidden(here, there):
        """Hidden except from positions far enough to the right."""
        return there[0] - here[0] < reach[0]

    follower = Follower(10.0, hidden)
    first = follower.camera_for(agent).position
    assert first[0] < agent[0]  # from the left
    reach[0] = 2.0
    places = [first] + [follower.camera_for(agent).position for _ in range(60)]
    assert not hidden(agent, np.array(places[-1]))
    assert max(map(math.dist, places[:-1], places[1:])) < 3.0  # no leaps
    assert all(math.dist(place, agent) == pytest.approx(10.0) for place in places)
    reach[0] = 99.0  # hidden from everywhere: the camera stays
    assert follower.camera_for(agent).position == pytest.approx(places[-1], abs=0.01)

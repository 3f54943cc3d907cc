"""Flights: they end, contact is what a dense look says, and the same seed is the same flight."""

import itertools
import math

import numpy as np
import pytest
from boundaries import PLACES, moved_scene
from random_scenes import distance_from, random_scene

import noctule as nt
from noctule.flight.corridor import Corridor
from noctule.flight.results import summarise
from noctule.flight.simulation import Plan, fly_many
from noctule.worlds.geometry.rotations import slerp
from noctule.worlds.motions import Blink, Drift, Patrol, Way


def room(*bodies, agent=(1.5, 2.5, 2.5), goal=(10.5, 2.5, 2.5), **more):
    space = nt.Space((0, 0, 0), (12, 5, 5))
    return nt.Scene(space, nt.Agent(agent, 0.4, 4.0), nt.Destination(goal, 0.4, **more), bodies)


def same(a, b):
    """Whether two results are equal in all but how long things took."""
    for name in ("reached", "collided", "reason", "started", "seconds", "travelled", "frames"):
        assert getattr(a, name) == getattr(b, name), name
    np.testing.assert_array_equal(a.expanded, b.expanded)
    np.testing.assert_array_equal(a.path_length, b.path_length)


def test_straight_flight():
    result = nt.Flight(room(), algorithm="theta*", seed=3).run()
    assert result.reached
    assert result.reason == "reached the destination"
    assert result.travelled == pytest.approx(9 - 0.8, abs=1e-9)
    assert result.seconds == pytest.approx((9 - 0.8) / 4 + 1 / 60, abs=1e-9)  # planned in one frame
    assert 0 <= result.started < 600


@pytest.mark.parametrize("latency", [0, 1, 5])
def test_latency_only_costs_time(latency):
    wall = nt.Body("wall", nt.Box((1, 3, 5)), (6, 1.5, 2.5))
    result = nt.Flight(room(wall), algorithm="theta*", latency=latency).run()
    assert result.reached
    assert result.seconds == pytest.approx(result.travelled / 4 + latency / 60, abs=1e-6)


def test_real_latency_ends():
    result = nt.Flight(room(), latency="real").run()
    assert result.reached


def test_agents_on_grid_paths_do_not_turn_back():
    """Plans of every frame, from wherever the agent is, lead on and not to the nearest node."""
    scene = nt.Scene.load()
    for body in scene.bodies:
        if body.moves:
            scene.remove(body)
    for algorithm in ("a*", "theta*", "lazy-theta*"):
        flight = nt.Flight(scene, algorithm=algorithm, destination="static")
        grid = flight.graph
        planned = nt.plan(grid, scene.agent.start, scene.destination.start, algorithm, radius=0.45)
        result = flight.run()
        assert result.reached
        assert result.travelled <= planned.length - 0.9 + 1e-6


def test_collision_is_told():
    def ram(t):
        return (6.0, 2.5 - 8 * (t - 1.2) if t < 1.5 else 0.1, 2.5)

    scene = room(nt.Body("ram", nt.Box((1, 1, 1)), motion=ram))
    result = nt.Flight(scene, algorithm="a*", prediction=False, start=0.0).run()
    assert not result.reached
    assert result.collided == "ram"
    assert result.reason.startswith("hit ram after ")


def test_start_inside_a_wall_and_no_way():
    scene = room(nt.Body("wall", nt.Box((1, 1, 1)), (1.5, 2.5, 2.5)))
    result = nt.Flight(scene).run()
    assert (result.reached, result.collided, result.frames) == (False, "wall", 0)
    assert result.reason == "starts inside wall"
    shut = room(nt.Body("wall", nt.Box((1, 5, 5)), (6, 2.5, 2.5)))
    result = nt.Flight(shut, limit=1.0).run()
    assert not result.reached
    assert result.collided is None
    assert result.reason.startswith("not there after 1 s; goal (10.5, 2.5, 2.5) cannot be reached")
    assert result.failed_plans == result.frames == 60


def test_a_gate_that_opens():
    gate = nt.Body("gate", nt.Box((1, 5, 5)), (6, 2.5, 2.5), motion=Blink(1.5))
    result = nt.Flight(room(gate), start=0.0).run()
    assert result.reached
    assert 1.5 < result.seconds < 4.5


def test_a_moving_destination():
    modes = {"flee": Way([(10.5, 2.5, 2.5), (10.5, 4.0, 2.5)], 1.0, "back")}
    scene = room(modes=modes, mode="flee")
    assert nt.Flight(scene).run().reached
    with pytest.raises(ValueError, match="destination mode is 'up'; this scene has flee"):
        nt.Flight(scene, destination="up")


def test_static_agent_plans_and_stays():
    result = nt.Flight(nt.Scene.load(), static_agent=True, limit=0.5, destination="static").run()
    assert (result.travelled, result.frames, len(result.plan_ms)) == (0.0, 30, 30)
    assert (result.path_length > 90).all()


def test_wrong_arguments():
    scene = room()
    for options, message in (
        ({"latency": -1}, "latency is -1"),
        ({"latency": "fast"}, "latency is 'fast'"),
        ({"frame": 0}, "frame is 0"),
        ({"limit": math.nan}, "limit is nan"),
        ({"graph": "dots"}, "graph is 'dots'; expected one of cells"),
        ({"graph": nt.CellGrid(room())}, "graph belongs to another scene"),
        ({"algorithm": "b*"}, "unknown algorithm 'b[*]'"),
        ({"start": -1}, "start is -1"),
    ):
        with pytest.raises(ValueError, match=message):
            nt.Flight(scene, **options)


def test_same_seed_same_flight():
    scene = nt.Scene.load()
    first = nt.Flight(scene, seed=5, run=2).run()
    other = nt.Flight(scene, seed=5, run=1).run()
    again = nt.Flight(nt.Scene.load(), seed=5, run=2).run()
    same(first, again)
    assert other.started != first.started


def test_fleet_order_and_processes():
    plan = Plan(algorithm="theta*", seed=4, flight={"limit": 0.2})
    one, two = list(fly_many(plan, 3)), list(fly_many(plan, 3, jobs=2))
    for a, b in zip(one, two, strict=True):
        same(a, b)
    summary = summarise(one)
    assert (summary["runs"], summary["reached"], summary["unfinished"]) == (3, 0, 3)
    assert summary["travelled"]["mean"] is None
    assert summary["plan_ms"]["p50"] > 0


def test_trace_comes_back(tmp_path):
    gate = nt.Body("gate", nt.Box((1, 5, 5)), (6, 2.5, 2.5), motion=Blink(1.5))
    slider = nt.Body("slider", nt.Ball(0.5), (3, 4, 4), motion=Patrol([(3, 1, 4), (3, 4, 4)], 2))
    result = nt.Flight(room(gate, slider), start=1.0, record=True).run()
    trace = result.trace
    assert len(trace.time) == len(trace.agent) == len(trace.paths) == result.frames + 1
    trace.save(tmp_path / "flight.npz")
    again = nt.Trace.load(tmp_path / "flight.npz")
    assert again.about.pop("version") == 1
    assert again.about == trace.about
    for name in ("time", "agent", "destination", "poses"):
        np.testing.assert_array_equal(getattr(again, name), getattr(trace, name))
    for a, b in zip(again.paths, trace.paths, strict=True):
        np.testing.assert_array_equal(a, b)
    flown = np.linalg.norm(np.diff(trace.agent, axis=0), axis=1)
    assert flown.max() <= 4 / 60 + 1e-9
    assert [body["name"] for body in trace.about["bodies"]] == ["gate", "slider"]


def test_what_is_no_trace(tmp_path):
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    (tmp_path / "text.npz").write_text("hello")
    for name in ("other.npz", "text.npz"):
        with pytest.raises(ValueError, match="expected a trace of a flight"):
            nt.Trace.load(tmp_path / name)


def least_clearance(scene, frame, after, steps=6):
    """The least distance of agent and bodies, and where they are nearest, by many looks."""
    least = math.inf
    for k in range(steps + 1):
        t = k / steps
        p = (1 - t) * np.array(frame.agent) + t * np.array(after.agent)
        for body, a, b in zip(scene.bodies, frame.poses, after.poses, strict=True):
            if a[7] and b[7]:
                row = (1 - t) * a + t * b
                if np.linalg.norm(row[:3] - p) > body.shape.reach + scene.agent.radius + 0.1:
                    continue
                row[3:7] = slerp(*a[3:7].tolist(), *b[3:7].tolist(), t)
                least = min(least, distance_from(body, row, p))
    return least


def check_flight(seed):
    """Fly through a random scene, and look at every frame again with slow code."""
    scene = random_scene(seed)
    algorithm = ("a*", "theta*", "lazy-theta*")[seed % 3]
    flight = nt.Flight(scene, nt.CellGrid(scene), algorithm, seed=seed, limit=2.5)
    frames = list(flight.frames())
    result = frames.pop()
    assert result.reached + (result.collided is not None) + ("not there" in result.reason) == 1
    straight = []  # frames without a corner in them: there the agent's way is known from its ends
    for k, (frame, after) in enumerate(itertools.pairwise(frames)):
        step = math.dist(frame.agent, after.agent)
        full = math.isclose(step, scene.agent.speed / 60, rel_tol=1e-9)
        if full or step == 0.0:
            straight.append(least_clearance(scene, frame, after))
            assert straight[-1] >= scene.agent.radius - 1e-6, (seed, k)
    return result, straight


def test_generated_scenes(cases):
    """No crash, no flight without an end, no contact that the exact check misses."""
    ends = [check_flight(seed)[0] for seed in range(max(cases // 10, 10))]
    assert any(result.reached for result in ends)
    assert any(result.collided for result in ends)


@pytest.mark.parametrize("radius", [0.0, 1e-9, 1e-3, 0.4])
def test_a_wall_that_sweeps_the_world_hits_an_agent_of_any_size(radius):
    """It fills the world across and does not turn: there is no way past it."""
    wall = nt.Body("wall", nt.Box((1, 5, 5)), (11, 2.5, 2.5), motion=Drift((-8.0, 0.0, 0.0)))
    scene = room(wall, goal=(4.5, 2.5, 2.5))
    scene.agent = nt.Agent((1.5, 2.5, 2.5), radius, 0.5)
    result = nt.Flight(scene, nt.CellGrid(scene), start=0.0, limit=5.0).run()
    assert result.collided == "wall"
    assert result.seconds < 1.2


@pytest.mark.parametrize("radius", [0.0, 0.45, 0.5])
@pytest.mark.parametrize("algorithm", ["a*", "theta*", "d*-lite", "safe-intervals"])
def test_flights_far_from_the_origin_end_alike(algorithm, radius):
    travelled = []
    for place in PLACES:
        scene = moved_scene(place, radius, still=False)
        flight = nt.Flight(scene, nt.CellGrid(scene), algorithm, start=1.0, limit=12.0)
        result = flight.run()
        assert result.reached, (place, result.reason)
        travelled.append(result.travelled / scene.space.cell)
    assert travelled == pytest.approx([travelled[0]] * len(travelled), rel=0.01)


def test_corridor():
    corridor = Corridor([(0, 0, 0), (0, 0, 0), (3, 0, 0), (3, 4, 0)])
    corridor.fly(0.0)
    assert corridor.position == (0.0, 0.0, 0.0)
    assert corridor.ahead(5.0) == ([(3.0, 0.0, 0.0), (3.0, 2.0, 0.0)], 1)
    corridor.fly(3.0)
    assert (corridor.position, corridor.corners) == ((3.0, 0.0, 0.0), [(3.0, 4.0, 0.0)])
    corridor.fly(100.0)
    assert (corridor.position, corridor.ahead(1.0)) == ((3.0, 4.0, 0.0), ([], 0))

"""The navigator: what it hands out is free, it keeps its budget, and faults surface."""

import math
import sys
import threading
import time

import numpy as np
import pytest

import noctule as nt
from noctule.flight.collision import CollisionCheck
from noctule.flight.corridor import Route, RouteChecker
from noctule.flight.worker import Background
from noctule.worlds.motions import Patrol


def room(*bodies, agent=(1.5, 2.5, 2.5), goal=(10.5, 2.5, 2.5)):
    space = nt.Space((0, 0, 0), (12, 5, 5))
    return nt.Scene(space, nt.Agent(agent, 0.4, 4.0), nt.Destination(goal, 0.4), bodies)


def chase(navigator, scene, goal, frames=600, budget_ms=None):
    """Fly frame by frame; returns the distance, or fails if anything is touched or not free."""
    graph, agent, flown = navigator.graph, scene.agent.start, 0.0
    check = CollisionCheck(scene.agent.radius, 0.8)
    scene.move(0.0)
    graph.update()
    for frame in range(frames):
        now = frame / 60
        step = navigator.step(now, agent, goal(now), budget_ms)
        if step.path is not None:
            assert nt.verify(step.path, graph)
            assert tuple(step.path.points[0]) == agent
        before, there = graph.poses.copy(), navigator.fly(agent, step, 1 / 60)
        graph.update(now + 1 / 60, there)
        ends = goal(now), goal(now + 1 / 60)
        verdict = check.frame(graph.bare, before, graph.poses, [agent, there], ends)
        flown += math.dist(agent, there)
        agent = there
        if verdict is not None:
            assert verdict.reached, scene.bodies[verdict.body]
            return flown
        if navigator._background is not None:
            navigator._background.wait(1.0)  # as if frames were longer: the result is the same
    raise AssertionError(f"not there; at {agent}, {step.reason}")


def moving_room():
    """A door that moves to and fro, and a wall with an opening behind it."""
    space = nt.Space((0, 0, 0), (12, 9, 5))
    to_and_fro = Patrol([(4, 6, 2.5), (4, 3, 2.5)], 0.6)
    door = nt.Body("door", nt.Box((1, 3, 5)), (4, 4, 2.5), motion=to_and_fro)
    wall = nt.Body("wall", nt.Box((1, 5, 5)), (8, 6.5, 2.5))
    agent, goal = nt.Agent((1.5, 4.5, 2.5), 0.4, 4.0), nt.Destination((10.5, 4.5, 2.5), 0.4)
    return nt.Scene(space, agent, goal, [door, wall])


@pytest.mark.parametrize("algorithm", ["a*", "theta*", "aamt-d*-lite"])
@pytest.mark.parametrize("background", [False, True])
def test_it_gets_there_and_touches_nothing(algorithm, background):
    scene = moving_room()
    with nt.Navigator(scene, "cells", algorithm, background=background) as navigator:
        assert chase(navigator, scene, lambda t: (10.5, 4.5 + math.sin(t), 2.5)) < 25
    assert threading.active_count() == 1 or "noctule" not in {t.name for t in threading.enumerate()}


def test_a_budget_is_kept():
    """Nothing is left to plan with: a beginning of a path, or a stop, but free and soon there."""
    scene = moving_room()
    with nt.Navigator(scene, "cells", "theta*") as navigator:
        assert chase(navigator, scene, lambda t: (10.5, 4.5, 2.5), 1200, budget_ms=0.0) < 40


def test_a_path_is_kept_until_a_new_one_is_worth_it():
    grid = nt.Grid(np.zeros((20, 20, 5), bool))
    with nt.Navigator(grid, algorithm="theta*") as navigator:
        first = navigator.step(0.0, (1, 10, 2), (19, 10, 2))
        assert not first.kept
        assert navigator.step(0.1, (1.4, 10, 2), (19, 10.1, 2)).kept
        grid.block([(10, y, z) for y in range(5, 16) for z in range(5)])
        detour = navigator.step(0.2, (1.8, 10, 2), (19, 10, 2))
        assert not detour.kept
        assert nt.verify(detour.path, grid)


def test_a_way_that_is_shut_is_said():
    grid = nt.Grid(np.zeros((8, 5, 5), bool))
    with nt.Navigator(grid, algorithm="aamt-d*-lite", nearest=False) as navigator:
        assert navigator.step(0.0, (0.5, 2.5, 2.5), (7.5, 2.5, 2.5)).reason == ""
        grid.block([(4, y, z) for y in range(5) for z in range(5)])
        step = navigator.step(0.1, (0.6, 2.5, 2.5), (7.5, 2.5, 2.5))
        assert "no way" in step.reason
        assert step.path is None or nt.verify(step.path, grid)


def test_bodies_that_a_game_places_are_avoided():
    """A box that comes at the agent with the speed of the agent, known by its places only."""
    box = nt.Body("box", nt.Box((1, 2, 2)), (11, 2.5, 2.5))
    scene = room(box, goal=(11.5, 4.5, 2.5))
    with nt.Navigator(scene, "cells", "theta*") as navigator:
        agent = (1.5, 2.5, 2.5)
        for frame in range(300):
            now = frame / 60
            box.place((max(11 - 3.5 * now, 1.0), 2.5, 2.5))
            step = navigator.step(now, agent, (11.5, 4.5, 2.5))
            agent = navigator.fly(agent, step, 1 / 60)
            assert navigator.graph.body_on(agent, agent, 0.4) is None
            if math.dist(agent, (11.5, 4.5, 2.5)) < 0.1:
                return
    raise AssertionError(agent)


def test_a_fault_on_the_thread_surfaces():
    scene = room()
    with nt.Navigator(scene, "cells", "a*", background=True) as navigator:
        navigator.planner.plan = None  # whatever goes wrong there
        navigator.step(0.0, (1.5, 2.5, 2.5), (10.5, 2.5, 2.5))
        navigator._background.wait(5.0)
        with pytest.raises(RuntimeError, match="background thread failed"):
            navigator.step(0.1, (1.5, 2.5, 2.5), (10.5, 2.5, 2.5))


def test_background_sets_the_switch_interval_until_it_is_closed():
    before = sys.getswitchinterval()
    with nt.Navigator(room(), "cells", "a*", background=True):
        assert sys.getswitchinterval() < before
    assert sys.getswitchinterval() == before
    with nt.Navigator(room(), "cells", "a*"):
        assert sys.getswitchinterval() == before


def test_background_works_one_by_one():
    begun = threading.Event()

    def slow(x):
        begun.set()
        time.sleep(0.05)
        return x + 1

    with Background(slow) as work:
        assert work.idle
        assert work.poll() is None
        work.post(1)
        begun.wait(5.0)
        assert not work.idle
        work.wait(5.0)
        assert (work.poll(), work.poll()) == (2, None)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"world": 3}, "world is 3; expected"),
        ({"world": nt.Grid(np.zeros((4, 4), bool))}, "expected a noctule.Scene or a 3-D"),
        ({"graph": "cubes"}, "graph is 'cubes'; expected"),
        ({"graph": "waypoints"}, "works on cells and hybrid"),
        ({"algorithm": "safe-intervals", "background": True}, "background=True is not supported"),
        ({"radius": -1}, "radius is -1"),
        ({"speed": 0}, "speed is 0"),
    ],
)
def test_bad_input(wrong, message):
    options = {"world": room(), "graph": None, "algorithm": "a*"} | wrong
    with pytest.raises(ValueError, match=message):
        nt.Navigator(options.pop("world"), options.pop("graph"), **options)


def test_bad_steps():
    with nt.Navigator(room(), "cells", "a*") as navigator:
        with pytest.raises(ValueError, match="agent"):
            navigator.step(0.0, (math.nan, 0, 0), (1, 1, 1))
        with pytest.raises(ValueError, match="budget_ms is -1"):
            navigator.step(0.0, (1.5, 2.5, 2.5), (1, 1, 1), budget_ms=-1)
    navigator = nt.Navigator(room(), "cells", "a*", nearest=False)
    with navigator, pytest.raises(ValueError, match="outside"):
        navigator.step(0.0, (1.5, 2.5, 2.5), (99, 1, 1))


def test_a_way_out_of_shunned_cells_is_judged_by_the_bodies():
    scene = nt.Scene.load("test-environment")
    graph, agent = nt.CellGrid(scene, safety=False), scene.agent
    cell = graph.number(np.array([graph.cell_of(agent.start)]))
    graph.set_predicted(cell)  # something is expected there, but nothing is there yet
    goal = scene.destination.at(scene.time)
    path = nt.plan(graph, agent.start, goal, "theta*", radius=agent.radius)
    assert path.found
    assert path.blocked_ends == (True, False)
    here = tuple(map(float, agent.start))
    route = RouteChecker(graph, agent.radius).checked(Route.along(path), here, goal)
    assert route is not None
    assert route.corners[0] != here
    assert nt.verify(route.as_path(np.array([here, *route.corners]), ""), graph)


@pytest.mark.parametrize("background", [False, True])
def test_a_goal_that_cannot_be_reached_is_hunted_as_near_as_possible(background):
    """Goals beside a rock, inside it, outside the space: the agent flies to the nearest point."""
    rock = nt.Body("rock", nt.Ball(3.0), (12, 8, 8))
    scene = nt.Scene(
        nt.Space((0, 0, 0), (24, 16, 16)),
        nt.Agent((2.5, 8.5, 8.5), 0.4, 6.0),
        nt.Destination((20, 8, 8), 0.4),
        [rock],
    )
    for goal in ((12.0, 8.0, 11.1), (12.0, 8.0, 8.0), (30.0, 8.0, 8.0)):
        agent, now = scene.agent.start, 0.0
        with nt.Navigator(scene, "cells", "aamt-d*-lite", background=background) as navigator:
            distances = []
            for _ in range(400):
                step = navigator.step(now, agent, goal)
                if step.path is not None:
                    assert nt.verify(step.path, navigator.graph)
                agent, now = navigator.fly(agent, step, 1 / 60), now + 1 / 60
                distances.append(math.dist(agent, goal))
            assert min(distances) == pytest.approx(distances[-1], abs=0.2)  # it stays there
            best = nt.plan(nt.CellGrid(scene), agent, goal, "a*", radius=0.4, nearest=True)
            assert distances[-1] <= best.goal_distance + 1.0
            assert step.path is not None
            assert step.path.found
            assert not step.path.reached_goal
            assert "cannot be reached" in step.reason

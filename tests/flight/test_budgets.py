"""Budgets with many bodies: the nearest first, all in turn, and what is left out is said."""

import math
import subprocess
import sys

import numpy as np
import pytest

import noctule as nt
from noctule.flight import prediction as predicting
from noctule.flight.prediction import SLICE, Prediction
from noctule.worlds.motions import Call, Drift, Patrol, Turn, Way, top_speed

AGENT = (20.0, 20.0, 20.0)
SPACE = nt.Space((0, 0, 0), (40, 40, 40))


def scene_of(bodies):
    return nt.Scene(SPACE, nt.Agent(AGENT, 0.4, 4.0), nt.Destination((38, 20, 20), 0.4), bodies)


def crowd(n, motion=None):
    """Bodies around the agent, each a little farther away than the one before."""
    rng = np.random.default_rng(3)
    ways = rng.normal(size=(n, 3))
    ways *= np.linspace(2.0, 7.0, n)[:, None] / np.linalg.norm(ways, axis=1)[:, None]
    places = (np.array(AGENT) + ways).tolist()
    return [
        nt.Body(f"ball-{i}", nt.Ball(0.3), place, motion=motion and motion(i, place))
        for i, place in enumerate(places)
    ]


def unforeseeable(_, place):
    """A motion of which only its poses are known."""
    return Call(lambda t: (place[0] + 0.5 * math.sin(t), place[1], place[2]))


MOTIONS = {
    "way": lambda i, place: Way([place, [p + 1.0 for p in place]], 1.0, "back"),
    "drift": lambda i, place: Drift((0.5, 0.0, 0.1 * (i % 3))),
    "function": unforeseeable,
}


def late_from(monkeypatch, calls):
    """Let the clock of predictions pass every deadline after being asked so many times."""
    asked = iter(range(1_000_000))
    monkeypatch.setattr(
        predicting, "perf_counter", lambda: 0.0 if next(asked) < calls else math.inf
    )


def place_all(scene, grid, prediction, frames=3):
    """Move all bodies by `place` for some frames, as a game does."""
    for frame in range(frames):
        now = frame / 60
        for i, body in enumerate(scene.bodies):
            x, y, z = body.position
            body.place((x + 0.01, y, z + 0.02 * (i % 2)))
        grid.update(now)
        prediction.observe()


@pytest.mark.parametrize("kind", ["placed", *MOTIONS])
def test_with_no_time_left_only_the_nearest_bodies_are_predicted(kind, monkeypatch):
    found = []
    for n in (5 * SLICE, SLICE):  # all, and only the nearest
        scene = scene_of(crowd(5 * SLICE, MOTIONS.get(kind))[:n])
        grid = nt.CellGrid(scene, safety=False)
        prediction = Prediction(grid, speed=4.0)
        if kind == "placed":
            place_all(scene, grid, prediction)
        late_from(monkeypatch, 0)
        assert prediction.look(AGENT, 1.0, deadline=1.0) > 0
        assert prediction.left_out == n - SLICE
        found.append(set(grid.predicted_cells.tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", ["placed", *MOTIONS])
def test_slices_find_what_one_look_finds(kind, monkeypatch):
    scene = scene_of(crowd(5 * SLICE, MOTIONS.get(kind)))
    grid = nt.CellGrid(scene, safety=False)
    prediction = Prediction(grid, speed=4.0)
    if kind == "placed":
        place_all(scene, grid, prediction)
    prediction.look(AGENT)
    at_once = sorted(grid.predicted_cells.tolist())
    late_from(monkeypatch, 1_000)
    prediction.look(AGENT, 1.0, deadline=1.0)
    assert prediction.left_out == 0
    assert sorted(grid.predicted_cells.tolist()) == at_once


@pytest.mark.parametrize("kind", ["placed", *MOTIONS])
def test_all_bodies_get_their_turn(kind, monkeypatch):
    """One more slice than the nearest in each look: after four looks all five slices are there."""
    scene = scene_of(crowd(5 * SLICE, MOTIONS.get(kind)))
    grid = nt.CellGrid(scene, safety=False)
    prediction = Prediction(grid, speed=4.0)
    if kind == "placed":
        place_all(scene, grid, prediction)
    prediction.look(AGENT)
    complete = set(grid.predicted_cells.tolist())
    prediction._slices.clear()  # as if there had been no such look
    counts = []
    for _ in range(4):
        late_from(monkeypatch, 1)
        prediction.observe()
        counts.append(prediction.look(AGENT, 1.0, deadline=1.0))
        assert prediction.left_out == 3 * SLICE
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    assert set(grid.predicted_cells.tolist()) == complete


def test_cells_do_not_stand_in_for_ever(monkeypatch):
    scene = scene_of(crowd(3 * SLICE, MOTIONS["function"]))
    grid = nt.CellGrid(scene, safety=False)
    prediction = Prediction(grid, speed=4.0)
    prediction.look(AGENT)
    late_from(monkeypatch, 0)
    grid.update(2 * predicting.KEEP)
    prediction.look(AGENT, 1.0, deadline=1.0)
    old = set(grid.predicted_cells.tolist())
    fresh = Prediction(grid, speed=4.0)
    fresh.look(AGENT, 1.0, deadline=1.0)
    assert old == set(grid.predicted_cells.tolist())


@pytest.mark.parametrize("kind", ["placed", "way"])
def test_steps_without_time_are_free_and_say_what_they_left_out(kind):
    """Through a crowd with no budget at all: what a step hands out is free of all bodies."""
    bodies = crowd(4 * SLICE, MOTIONS.get(kind))
    scene = scene_of(bodies)
    left = []
    with nt.Navigator(scene, "cells", "aamt-d*-lite") as navigator:
        agent = (2.5, 20.5, 20.5)
        for frame in range(240):
            now = frame / 30
            if kind == "placed":
                for i, body in enumerate(bodies):
                    x, y, z = body.home[0]
                    body.place((x + 0.02 * math.cos(now + i), y, z))
            step = navigator.step(now, agent, (38, 20, 20), budget_ms=0.0)
            left.append(step.left_out.predictions)
            if step.path is not None:
                assert nt.verify(step.path, navigator.graph)
                fresh = nt.CellGrid(scene, safety=navigator.graph.safety)
                fresh.update()
                assert (navigator.graph.poses == fresh.poses).all()
                for p, q in zip(step.path.points[:-1], step.path.points[1:], strict=True):
                    assert fresh.body_on(p, q, 0.4) is None
            agent = navigator.fly(agent, step, 1 / 30)
    assert max(left) > SLICE  # while it is among them
    assert left[0] == 0  # while it is far away


def test_a_step_with_time_leaves_nothing_out():
    with nt.Navigator(scene_of(crowd(40, MOTIONS["way"])), "cells", "a*") as navigator:
        step = navigator.step(0.0, AGENT, (38, 20, 20))
        assert step.left_out == (0, False)
        assert step.path.found


def test_a_plan_that_is_not_ready_is_said():
    """A maze that takes more than a slice of the search, and no time."""
    blocked = np.zeros((60, 60, 30), bool)
    for k in range(5, 55, 5):
        blocked[k] = True
        blocked[k, 0 if k % 10 else 59, 0] = False
    with nt.Navigator(nt.Grid(blocked), algorithm="a*") as navigator:
        step = navigator.step(0.0, (0.5, 0.5, 0.5), (59.5, 59.5, 29.5), budget_ms=0.0)
        assert step.left_out.plan
        assert nt.verify(step.path, navigator.graph)
        step = navigator.step(0.0, (0.5, 0.5, 0.5), (59.5, 59.5, 29.5))
        assert not step.left_out.plan
        assert step.path.found


def test_top_speeds_bound_motions():
    rng = np.random.default_rng(2)
    for _ in range(20):
        points = rng.uniform(0, 9, (3, 3)).tolist()
        home = tuple(points[0]), (0.0, 0.0, 0.0, 1.0)
        motions = [Way(points, 2.0, then) for then in ("again", "back", "stay")]
        motions += [Patrol(points[1:], 1.5), Drift((1, 2, 3), rate=9.0), Turn((0, 0, 1), 50)]
        for motion in motions:
            for t, dt in zip(rng.uniform(0, 30, 20), rng.uniform(0, 3, 20), strict=True):
                p, q = motion.pose(t, home)[0], motion.pose(t + dt, home)[0]
                assert math.dist(p, q) <= top_speed(motion) * dt + 1e-9
    assert top_speed(Patrol([(1, 2, 3)], 1.0, frame=0.5)) == math.inf
    assert top_speed(Call(lambda t: (t, 0, 0))) == math.inf


FRAMES = """
import noctule as nt
from noctule.core import linking
from noctule.worlds.motions import Drift

def compiled():
    return {{name: len(kernel.overloads) for name, kernel in linking.kernels.items()}}

scene = nt.Scene(nt.Space((0, 0, 0), (16, 9, 9)), nt.Agent((2.5, 4.5, 4.5), 0.4, 4.0),
                 nt.Destination((14.5, 4.5, 4.5), 0.4))
with nt.Navigator(scene, "cells", "{algorithm}") as navigator:
    before = compiled()
    scene.add(nt.Body("box", nt.Box((1, 2, 2)), (8, 4.5, 4.5)))
    scene.add(nt.Body("bar", nt.Box((1, 1, 2)), (5, 4.5, 4.5), motion=Drift((0.5, 0, 0))))
    agent = scene.agent.start
    for frame in range(90):
        scene["box"].place((8 - frame / 20, 4.5, 4.5))
        step = navigator.step(frame / 60, agent, (14.5, 4.5 + frame / 60, 4.5), 50)
        agent = navigator.fly(agent, step, 1 / 60)
    navigator.warm_up(agent, (14.5, 4.5, 4.5))
    new = [name for name, n in compiled().items() if n > before.get(name, 0)]
    print(len(before), *new)
"""


@pytest.mark.parametrize("algorithm", ["a*", "aamt-d*-lite"])
def test_no_step_compiles(algorithm):
    """Not even the first one with bodies, in a world that had none."""
    command = [sys.executable, "-c", FRAMES.format(algorithm=algorithm)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    count, *new = done.stdout.split()
    assert int(count) > 10
    assert not new, new

"""EscapeCheck: a way out of blocked cells must be free for as long as it is flown, not only now."""

import math

import numpy as np
import pytest
from random_scenes import distance_from, random_scene

import noctule as nt
from noctule.flight.forecast.escape_check import EscapeCheck
from noctule.flight.prediction import Prediction
from noctule.worlds.motions import Blink, Drift

RADIUS, SPEED = 0.4, 4.0


def room(*bodies):
    space = nt.Space((0, 0, 0), (20, 12, 12))
    return nt.Scene(space, nt.Agent((9, 6, 6), RADIUS, SPEED), nt.Destination((19, 6, 6)), bodies)


def is_free_by_dense_looks(scene, p, q, since, spare):
    """The same question, answered by a hundred looks with plain code."""
    lasts = math.dist(p, q) / SPEED
    for part in np.linspace(0.0, 1.0, 100):
        scene.move(since + part * lasts)
        here = (1 - part) * np.array(p) + part * np.array(q)
        if any(distance_from(b, b.row, here) < RADIUS + spare for b in scene.bodies):
            return False
    return True


def test_as_dense_looks_say():
    """A way with some room to spare is free; one that leads into a body is not.

    The room is what a body gets off its chords where it turns back between two looks.
    """
    rng = np.random.default_rng(5)
    seen = {True: 0, False: 0}
    for seed in range(40):
        scene = random_scene(seed)
        for gate in [body for body in scene.bodies if body.blinks]:
            scene.remove(gate)
        grid = nt.CellGrid(scene, safety=False)
        for body in [body for body in scene.bodies if body.moves]:
            since = float(rng.uniform(0, 3))
            scene.move(since)
            grid.update()
            p = body.position + rng.normal(0, 1.5, 3)
            q = p + rng.normal(0, 2, 3)
            free = EscapeCheck(grid, SPEED, RADIUS).is_free(tuple(p), tuple(q), since)
            wide, narrow = (is_free_by_dense_looks(scene, p, q, since, s) for s in (0.3, -0.3))
            assert free or not wide, (seed, body.name)
            assert narrow or not free, (seed, body.name)
            seen[free] += 1
    assert min(seen.values()) > 10


def test_a_body_that_comes_shuts_a_way_that_is_free_now():
    coming = nt.Body("bar", nt.Box((1, 4, 4)), (13, 6, 6), motion=Drift((-4, 0, 0)))
    scene = room(coming)
    grid = nt.CellGrid(scene, safety=False)
    scene.move(0.0)
    grid.update()
    check = EscapeCheck(grid, SPEED, RADIUS)
    assert grid.body_on((9, 6, 6), (11.9, 6, 6), RADIUS) is None
    assert not check.is_free((9, 6, 6), (11.9, 6, 6), 0.0)
    assert check.is_free((9, 6, 6), (9, 9, 6), 0.0)


def test_a_gate_that_comes_and_one_that_is_held():
    for hold_box, free in ((None, False), (((8, 5, 5), (10, 7, 7)), True)):
        gate = nt.Body("gate", nt.Box((1, 4, 4)), (11, 6, 6), motion=Blink(0.3, False, hold_box))
        scene = room(gate)
        grid = nt.CellGrid(scene, safety=False)
        assert EscapeCheck(grid, SPEED, RADIUS).is_free((9, 6, 6), (13, 6, 6), 0.0) == free


@pytest.mark.parametrize("algorithm", ["a*", "d*-lite", "theta*"])
def test_plans_leave_by_a_way_that_stays_free(algorithm):
    """A slider is about to shut the shortest way out of the cells that it will touch."""
    scene = nt.Scene.load("test-environment")
    grid = nt.CellGrid(scene, safety=False)
    now, start, goal = 29.69, (24.89, 44.86, -1.37), (57.1, 0.0, -1.7)
    scene.move(now)
    grid.update()
    planner = nt.Planner(grid, algorithm, radius=scene.agent.radius)
    prediction = Prediction(grid, SPEED)
    prediction.look(start)
    shut = planner.plan(start, goal, best_start=True)
    assert shut.blocked_ends[0]
    assert not prediction.escapes_in_time(*shut.points[:2].tolist(), now)
    path = prediction.plan(planner, start, goal)
    assert path.found
    assert path.blocked_ends[0]
    assert prediction.escapes_in_time(*path.points[:2].tolist(), now)


def test_a_destination_at_the_border_is_chased():
    """It is nearer to the border than the agent fits in: the agent flies to where it touches it."""
    scene = nt.Scene(
        nt.Space((0, 0, 0), (12, 5, 5)),
        nt.Agent((1.5, 2.5, 2.5), RADIUS, SPEED),
        nt.Destination((10.5, 2.5, 0.1), 0.4),
    )
    result = nt.Flight(scene, algorithm="a*").run()
    assert result.reached, result.reason
    assert result.failed_plans == 0

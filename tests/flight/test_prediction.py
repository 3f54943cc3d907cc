"""Prediction: what bodies will touch is blocked, near the agent only, and let go of again."""

import numpy as np
import pytest

import noctule as nt
from noctule.flight.prediction import Prediction
from noctule.worlds.motions import Blink, Drift, Turn


def scene_with(body):
    space = nt.Space((0, 0, 0), (40, 10, 10))
    return nt.Scene(space, nt.Agent((20, 5, 5)), nt.Destination((39, 5, 5)), [body])


def blocked_later(scene, seconds):
    """The cells that are blocked at some moment from now on, densely looked at."""
    found = np.zeros(scene.space.cells, bool)
    now = scene.time
    for t in np.arange(0.0, seconds + 1e-9, 0.01):
        scene.move(now + float(t))
        found |= nt.CellGrid(scene, safety=False).blocked
    scene.move(now)
    return found


@pytest.mark.parametrize("motion", [Drift((2, 0.5, 0), (0, 0, 1), 40), Turn((1, 1, 0), 60)])
def test_cells_ahead_are_blocked(motion):
    scene = scene_with(nt.Body("bar", nt.Box((1, 6, 1)), (19, 5, 5), motion=motion))
    grid = nt.CellGrid(scene, safety=False)
    prediction = Prediction(grid, speed=4.0)
    scene.move(0.3)
    grid.update()
    bare = grid.blocked
    count = prediction.look((20, 5, 5))
    later = blocked_later(scene, 1.0)
    assert count > 0
    assert (grid.blocked | ~later).all()  # nothing is missed
    assert grid.blocked.sum() < 1.6 * later.sum()  # and not much more is blocked
    prediction.look((20, 5, 5), 0.0)
    np.testing.assert_array_equal(grid.blocked, bare)


@pytest.mark.parametrize("motion", [Drift((2, 0.5, 0)), Turn((0, 0, 1), 30)])
def test_the_way_past_a_body_that_stays_in_its_plane_is_left_open(motion):
    """One cell above what slides or turns below it: an agent that may not fly there now never may.

    For it sees such a way only as long as it is too far away to look ahead there.
    """
    scene = scene_with(nt.Body("wall", nt.Box((6, 1, 9)), (20, 5, 4.5), motion=motion))
    grid = nt.CellGrid(scene, safety=False)
    assert Prediction(grid, speed=4.0).look((20, 5, 9.5)) > 0
    assert not grid.blocked[:, :, 9].any()


def test_only_near_the_agent():
    scene = scene_with(nt.Body("far", nt.Box((1, 6, 1)), (35, 5, 5), motion=Drift((1, 0, 0))))
    grid = nt.CellGrid(scene, safety=False)
    before = grid.blocked
    assert Prediction(grid, speed=4.0).look((20, 5, 5)) == 0
    np.testing.assert_array_equal(grid.blocked, before)


def test_the_grid_follows_bodies_through_shunned_cells():
    """A body leaves cells that are shunned, and comes into others: both are right afterwards."""
    scene = scene_with(nt.Body("box", nt.Box((2, 2, 2)), (18, 5, 5), motion=Drift((3, 0, 0))))
    grid = nt.CellGrid(scene, safety=False)
    prediction = Prediction(grid, speed=4.0)
    for frame in range(90):
        prediction.look((20, 5, 5), (1.0, 0.5, 0.0)[frame % 3])
        grid.update(frame / 30)
    prediction.look((20, 5, 5), 0.0)
    np.testing.assert_array_equal(grid.blocked, nt.CellGrid(scene, safety=False).blocked)


def test_gates_that_will_come():
    gate = nt.Body("gate", nt.Box((1, 9, 9)), (22, 5, 5), motion=Blink(2.0, present=False))
    scene = scene_with(gate)
    grid = nt.CellGrid(scene, safety=False)
    prediction = Prediction(grid, speed=4.0)
    scene.move(0.5)
    grid.update()
    assert not gate.present
    assert prediction.look((20, 5, 5)) == 0
    scene.move(1.5)
    grid.update()
    assert prediction.look((20, 5, 5)) > 50


def test_flights_with_prediction_arrive():
    """Through the theses' environment, without the safety boxes of bodies."""
    scene = nt.Scene.load()
    grid = nt.CellGrid(scene, safety=False)
    for run in range(2):
        result = nt.Flight(scene, grid, "a*", seed=5, run=run, prediction=True).run()
        assert result.reached, result.reason

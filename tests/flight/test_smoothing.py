"""Flights and navigators that pull their paths taut: free, shorter, and in time."""

import math

import numpy as np
import pytest
from boundaries import moved_scene
from taut_law import MAKE

import noctule as nt
from noctule.planning.replanning.smoothing import pulled_taut
from noctule.planning.smoothing import pull_taut

ALGORITHMS = ["a*", "theta*", "ara*", "d*", "aamt-d*-lite", "mt-d*-lite"]


def boxes():
    rng = np.random.default_rng(3)
    blocked = np.zeros((24, 24, 24), bool)
    for _ in range(60):
        low = rng.integers(2, 18, 3)
        blocked[tuple(slice(a, a + n) for a, n in zip(low, rng.integers(2, 6, 3), strict=True))] = 1
    return nt.Grid(blocked), ((0.5, 0.5, 0.5), (23.5, 23.5, 23.5))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_plans_of_all_algorithms_are_pulled_taut(algorithm):
    grid, ends = boxes()
    planner = nt.Planner(grid, algorithm, radius=0.4)
    path = planner.plan(*ends, best_start=True)
    taut = pulled_taut(path, planner)
    assert taut.length < path.length
    assert nt.verify(taut, grid)
    assert taut.points.tolist() == nt.smooth(path, grid, "taut").points.tolist()


def test_at_the_deadline_it_is_as_taut_as_it_is():
    """After the first slice: free, and no longer than before."""
    grid, ends = boxes()
    path = nt.plan(grid, *ends, "a*", radius=0.4)
    graph = grid.kernel_graph(0.4)
    early, some = pull_taut(grid, graph, path.points, 1e-6, deadline=-math.inf)
    late, all_of_them = pull_taut(grid, graph, path.points, 1e-6)
    in_slices, the_same = pull_taut(grid, graph, path.points, 1e-6, deadline=math.inf)
    assert some < all_of_them == the_same
    assert late.tolist() == in_slices.tolist()
    lengths = [np.linalg.norm(np.diff(p, axis=0), axis=1).sum() for p in (path.points, early, late)]
    assert lengths[0] > lengths[1] > lengths[2]
    assert nt.verify(early, grid, radius=0.4)


@pytest.mark.parametrize("graph", MAKE)
@pytest.mark.parametrize("prediction", [False, True])
def test_flights_arrive(graph, prediction):
    flown = moved_scene("near")
    world = MAKE[graph](flown)
    result = nt.Flight(flown, world, "a*", seed=1, prediction=prediction, smooth="taut").run()
    assert result.reached


def test_navigators_hand_out_free_paths():
    grid, ends = boxes()
    with nt.Navigator(grid, algorithm="a*", smooth="taut") as smooth:
        taut = smooth.step(0.0, *ends).path
        late = smooth.step(0.0, *ends, budget_ms=0.0).path
    with nt.Navigator(grid, algorithm="a*") as rough:
        bent = rough.step(0.0, *ends).path
    assert taut.length < bent.length
    assert nt.verify(taut, grid)
    assert late is None or nt.verify(late, grid)


def test_where_paths_cannot_be_pulled_taut():
    scene = nt.Scene.load("test-environment")
    with pytest.raises(ValueError, match="smooth is 'straight'; allowed are 'taut' and None"):
        nt.Flight(scene, smooth="straight")
    with pytest.raises(ValueError, match="safe-intervals smooths its paths in time"):
        nt.Flight(scene, algorithm="safe-intervals", smooth="taut")
    with pytest.raises(ValueError, match="safe-intervals smooths its paths in time"):
        nt.Navigator(scene, algorithm="safe-intervals", smooth="taut")

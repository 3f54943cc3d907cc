"""Graphs, planners, scenes and paths can be pickled and copied; a copy is independent."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from matrix_graphs import all_graphs, ends_and_radius, scene

import noctule as nt
from noctule.worlds.bodies import Body

GRAPHS = ("grid", "cells", "hybrid", "waypoints", "seen", "roads")
COPIES = {
    "pickled": lambda value: pickle.loads(pickle.dumps(value)),
    "deep": copy.deepcopy,
}
INCREMENTAL = [row.name for row in nt.algorithms() if row.incremental and not row.corners_only]


@pytest.fixture(params=GRAPHS)
def graph(request):
    return all_graphs()[GRAPHS.index(request.param)]


@pytest.fixture(params=COPIES)
def copied(request):
    return COPIES[request.param]


def found_by(planner):
    ends, _ = ends_and_radius(planner.graph)
    path = planner.plan(*ends)
    assert nt.verify(path, planner.graph)
    return path.found, path.points.tolist(), path.nodes.tolist()


def test_a_copy_finds_the_same_path(graph, copied):
    ends, radius = ends_and_radius(graph)
    other = copied(graph)
    assert type(other) is type(graph)
    assert found_by(nt.Planner(other, "a*", radius=radius)) == found_by(
        nt.Planner(graph, "a*", radius=radius)
    )
    if graph.tries_straight_line or graph.dimension == 2:
        assert other.line_of_sight(*ends, radius) == graph.line_of_sight(*ends, radius)


def test_a_copy_of_cells_is_independent(copied):
    grid = nt.Grid(np.zeros((6, 5, 4), bool), 0.5, (1, 2, 3), 18)
    grid.block((1, 1, 1))
    other = copied(grid)
    assert (other.blocked == grid.blocked).all()
    assert (other.cell, other.origin.tolist(), other.neighbours) == (0.5, [1, 2, 3], 18)
    other.block((2, 2, 2))
    grid.block((3, 3, 3))
    grid.free((1, 1, 1))
    assert np.argwhere(other.blocked).tolist() == [[1, 1, 1], [2, 2, 2]]
    assert np.argwhere(grid.blocked).tolist() == [[3, 3, 3]]


@pytest.mark.parametrize("kind", ["cells", "hybrid", "waypoints"])
def test_a_copy_follows_a_scene_of_its_own(kind, copied):
    graph, fresh = (all_graphs()[GRAPHS.index(kind)] for _ in range(2))
    graph.update(0.5)
    other = copied(graph)
    before = graph.blocked
    assert other.scene is not graph.scene
    for t in (0.5, 0.9, 1.3, 4.0):
        other.update(t)
        fresh.update(t)
        assert (other.blocked == fresh.blocked).all()
    assert (graph.blocked == before).all()
    assert graph.scene.time == 0.5
    graph.scene["wall"].place((2, 6, 3))
    graph.update()
    other.update()
    assert (graph.blocked != before).any()
    assert (other.blocked == fresh.blocked).all()


@pytest.mark.parametrize("algorithm", [row.name for row in nt.algorithms()])
def test_a_copy_of_a_planner_plans_alike(algorithm, copied):
    grid = all_graphs()[1] if algorithm == "safe-intervals" else all_graphs()[0]
    if algorithm == "jps":
        grid = nt.Grid(grid.blocked)
    ends, radius = ends_and_radius(grid)
    ends = [(x + 0.5, y + 0.5) for x, y in ends] if algorithm == "jps" else ends
    options = (
        {"radius": radius} if algorithm == "visibility" else {"radius": radius, "engine": "fast"}
    )
    planner = nt.Planner(grid, algorithm, **options)
    path = planner.plan(*ends)
    other = copied(planner)
    again = other.plan(*ends)
    assert (again.found, again.algorithm) == (path.found, path.algorithm)
    assert again.points.tolist() == path.points.tolist()
    assert other.graph is not grid


@pytest.mark.parametrize("algorithm", INCREMENTAL)
def test_a_copied_planner_repairs_on_its_own_grid(algorithm, copied):
    grid = nt.Grid(np.zeros((9, 8), bool))
    planner, ends = nt.Planner(grid, algorithm), ((0.5, 3.5), (8.5, 3.5))
    planner.plan(*ends)
    other = copied(planner)
    other.graph.block([(4, y) for y in range(7)])
    path = other.plan(*ends)
    assert nt.verify(path, other.graph)
    assert path.length > 9
    assert planner.plan(*ends).length == pytest.approx(8)
    other.graph.free([(4, 3)])
    path = other.plan(*ends)
    assert nt.verify(path, other.graph)
    assert path.length == pytest.approx(8)


def test_a_planner_and_its_grid_stay_together(copied):
    grid = nt.Grid(np.zeros((5, 5), bool))
    other_grid, other = copied((grid, nt.Planner(grid, "mt-d*-lite")))
    assert other.graph is other_grid


def test_a_copied_scene_is_independent(copied):
    here = scene()
    here.move(0.5)
    there = copied(here)
    assert there.poses().tolist() == here.poses().tolist()
    there.move(1.0)
    assert here.time == 0.5
    assert there["door"].position.tolist() != here["door"].position.tolist()


def test_a_scene_from_another_process_notices_changes(monkeypatch):
    """The version counter of that process is unrelated to ours."""
    here = scene()
    assert [body.name for body in here.moving] == ["door"]
    counted = Body.version
    there = pickle.loads(pickle.dumps(here))
    there["door"].place((6, 6, 1))
    monkeypatch.setattr(Body, "version", counted)
    assert there.moving == []


def test_paths_and_results_are_values(copied):
    grid = nt.Grid(np.zeros((5, 5), bool))
    path = nt.plan(grid, (0.5, 0.5), (4.5, 3.5), "a*")
    assert copied(path).to_dict() == path.to_dict()
    assert nt.verify(copied(path), copied(grid))


def test_planners_go_to_other_processes():
    planner = nt.Planner(nt.Grid(np.zeros((9, 9, 9), bool)), "a*")
    goals = [(8.5, 8.5, k + 0.5) for k in range(3)]
    with ProcessPoolExecutor(1) as pool:
        found = list(pool.map(planner.plan, [(0.5, 0.5, 0.5)] * 3, goals))
    assert [path.length for path in found] == [
        planner.plan((0.5, 0.5, 0.5), goal).length for goal in goals
    ]

"""Taut paths: free, never longer, and nothing left to pull, by a check that is not the kernel's.

`python -m pytest tests/planning/test_taut.py --cases 10000` tries that many worlds of every kind.
"""

import functools
import math

import numpy as np
import pytest
from boundaries import PLACES, moved_scene
from matrix_graphs import roads
from random_scenes import random_scene
from taut_law import MAKE, TOLERANCE, judge, law, random_ends, random_grid

import noctule as nt


def check(path, world, is_free, rng, tolerance=None):
    taut = nt.smooth(path, world, "taut", tolerance)
    assert (taut.found, taut.nodes.tolist()) == (path.found, path.nodes.tolist())
    assert nt.verify(taut, world)
    assert taut.bound >= 1.0
    if len(path.points):
        assert taut.length <= path.length * (1 + 1e-12)
        assert taut.points[[0, -1]].tolist() == path.points[[0, -1]].tolist()
        law(taut, is_free, rng, TOLERANCE * world.cell if tolerance is None else tolerance)
    again = nt.smooth(path, world, "taut", tolerance)
    assert again.points.tolist() == taut.points.tolist()
    return taut


def test_grids(cases):
    bent = 0
    for seed in range(cases):
        rng = np.random.default_rng([seed, 7])
        grid, radius = random_grid(rng)
        ends = random_ends(rng, grid, radius)
        path = nt.plan(grid, *ends, ("a*", "theta*")[seed % 2], radius=radius)
        tolerance = None if seed % 3 else float(rng.choice((1e-1, 1e-3))) * grid.cell
        bent += len(check(path, grid, judge(grid, radius), rng, tolerance).points) > 2
    assert bent > cases / 8


@pytest.mark.parametrize("graph", MAKE)
def test_graphs_of_scenes(graph, cases):
    found = 0
    for seed in range(cases // 10):
        rng = np.random.default_rng([seed, 8])
        scene = random_scene(seed, moving=graph == "hybrid")
        world = MAKE[graph](scene)
        radius = scene.agent.radius
        path = nt.plan(world, scene.agent.start, scene.destination.start, "a*", radius=radius)
        is_free = functools.partial(world.line_of_sight, radius=radius)
        found += check(path, world, is_free, rng).found
    assert found > cases / 50


@pytest.mark.parametrize("graph", MAKE)
@pytest.mark.parametrize("place", PLACES)
def test_far_from_the_origin(place, graph):
    scene = moved_scene(place)
    world, radius = MAKE[graph](scene), scene.agent.radius
    path = nt.plan(world, scene.agent.start, scene.destination.start, "a*", radius=radius)
    is_free = functools.partial(world.line_of_sight, radius=radius)
    taut = check(path, world, is_free, np.random.default_rng(1))
    assert taut.length < path.length


def test_a_function_of_sight():
    def below(x0, y0, z0, x1, y1, z1):  # lines must pass below 4, or end at the road
        return max(z0, z1) < 4

    graph = roads(below)
    path = nt.plan(graph, (1.5, 1.5, 1.5), (10.5, 1.5, 1.5), "a*")
    taut = check(path, graph, lambda p, q: below(*p, *q), np.random.default_rng(1))
    assert math.isclose(taut.length, 9.0)


def test_around_a_corner_exactly():
    """A point between corners touches the corner; a ball flies around it on an arc."""
    blocked = np.zeros((20, 20), bool)
    blocked[8:12, :12] = True
    for radius in (0.0, 1.0):
        grid = nt.Grid(blocked, nodes="corners")
        path = nt.plan(grid, (3.0, 5.0), (17.0, 5.0), "a*", radius=radius)
        taut = nt.smooth(path, grid, "taut", 1e-5)
        away = math.hypot(5, 7)
        arc = radius * (math.atan2(7, 5) + math.asin(radius / away))
        shortest = 2 * (math.sqrt(away**2 - radius**2) + arc) + 4.0
        assert nt.verify(taut, grid)
        assert shortest - 1e-8 < taut.length < shortest * (1 + 1e-5)
    assert len(taut.points) > 20


def test_a_bend_slides_along_an_edge():
    """Over a wall in space, the shortest path crosses the edges where its sum is least."""
    blocked = np.zeros((21, 30, 12), bool)
    blocked[10, :, :8] = True
    grid = nt.Grid(blocked, nodes="corners")
    path = nt.plan(grid, (0.0, 0.0, 2.0), (21.0, 30.0, 2.0), "a*")
    taut = nt.smooth(path, grid, "taut", 1e-4)
    unfolded = math.hypot(30.0, 2 * math.hypot(10.0, 6.0) + 1.0)
    assert math.isclose(taut.length, unfolded, rel_tol=1e-4)


def test_segments_past_bodies_stay():
    """The start lies in a blocked cell, beside the body."""
    wall = nt.Body("wall", nt.Box((1.0, 6.0, 6.0)), (4.7, 3.0, 3.0))
    agent, target = nt.Agent((5.5, 2.0, 3.0), 0.2), nt.Destination((1.0, 2.0, 3.0), 0.2)
    grid = nt.CellGrid(nt.Scene(nt.Space((0, 0, 0), (10, 10, 6)), agent, target, [wall]))
    path = nt.plan(grid, agent.start, target.start, "a*", radius=0.2)
    assert path.blocked_ends == (True, False)
    taut = check(path, grid, judge(grid, 0.2), np.random.default_rng(1))
    assert taut.points[:2].tolist() == path.points[:2].tolist()
    assert taut.length < path.length


def test_partial_and_missing_paths():
    blocked = np.zeros((20, 20), bool)
    blocked[10, 1:] = True
    grid = nt.Grid(blocked)
    part = nt.plan(grid, (0.5, 18.5), (19.5, 18.5), "a*", max_expanded=60)
    assert check(part, grid, judge(grid, 0.0), np.random.default_rng(1)).partial
    blocked[10] = True
    none = nt.plan(nt.Grid(blocked), (0.5, 18.5), (19.5, 18.5), "a*")
    assert nt.smooth(none, grid, "taut").reason == none.reason
    near = nt.plan(nt.Grid(blocked), (0.5, 18.5), (19.5, 8.5), "a*", nearest=True)
    assert check(near, nt.Grid(blocked), judge(nt.Grid(blocked), 0.0), np.random.default_rng(1))


def test_a_long_path_gets_room():
    """A ball around many pillars: a fine tolerance takes more corners than the cells."""
    blocked = np.zeros((150, 5), bool)
    blocked[3::6, :3] = blocked[6::6, 2:] = True
    grid = nt.Grid(blocked, cell=0.5)
    path = nt.plan(grid, grid.centre((0, 1)), grid.centre((149, 1)), "a*", radius=0.2)
    taut = nt.smooth(path, grid, "taut", 1e-6)
    assert len(taut.points) > len(path.points) + 256
    assert taut.length < nt.smooth(path, grid, "taut").length < path.length
    assert nt.verify(taut, grid)


@pytest.mark.parametrize(
    ("method", "tolerance", "says"),
    [
        ("taut", 0.0, "tolerance is 0.0; it must be a number of at least 5e-07"),
        ("taut", math.nan, "tolerance is nan"),
        ("greedy", 0.1, "tolerance is 0.1; it is of method 'taut', not 'greedy'"),
        ("tight", None, "method is 'tight'; allowed are 'rubber-band', 'greedy' and 'taut'"),
    ],
)
def test_bad_input(method, tolerance, says):
    grid = nt.Grid(np.zeros((5, 5), bool), cell=0.5)
    path = nt.plan(grid, (0.25, 0.25), (2.25, 1.25), "a*")
    with pytest.raises(ValueError, match=says):
        nt.smooth(path, grid, method, tolerance)

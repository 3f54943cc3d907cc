"""The graphs of a scene far from the origin of its coordinates are those near to it."""

import numpy as np
import pytest
from boundaries import PLACES, moved_scene
from random_scenes import random_scene

import noctule as nt

FAR = [place for place in PLACES if place != "near"]
MAKE = {
    "cells": nt.CellGrid,
    "past bodies": lambda scene: nt.CellGrid(scene, sight="bodies"),
    "hybrid": nt.Hybrid,
    "waypoints": lambda scene: nt.Waypoints(scene, 0.5 * scene.space.cell, 2.0 * scene.space.cell),
}


@pytest.mark.parametrize("place", FAR)
def test_the_same_cells_are_blocked(place):
    near, far = nt.CellGrid(moved_scene("near")), nt.CellGrid(moved_scene(place))
    assert (near.blocked == far.blocked).all()
    assert near.blocked[5, :9].all()
    assert not near.blocked[[4, 6], :9, 8:].any()  # faces on faces of cells do not block
    hybrids = [nt.Hybrid(moved_scene(where, still=False)) for where in ("near", place)]
    assert hybrids[0].counts == hybrids[1].counts


@pytest.mark.parametrize("graph", MAKE)
@pytest.mark.parametrize("radius", [0.0, 0.45, 0.5])
@pytest.mark.parametrize("place", FAR)
def test_the_same_paths_are_found_and_proved(place, radius, graph):
    length = {}
    for where in ("near", place):
        scene = moved_scene(where, radius)
        world, cell = MAKE[graph](scene), scene.space.cell
        for algorithm in ("a*", "theta*", "d*-lite"):
            ends = scene.agent.start, scene.destination.start
            path = nt.plan(world, *ends, algorithm, radius=radius * cell)
            assert path.found
            assert nt.verify(path, world)
            length.setdefault(algorithm, []).append(path.length / cell)
    for near, far in length.values():
        assert far == pytest.approx(near, abs=1e-6)


@pytest.mark.parametrize("place", PLACES)
def test_bodies_are_seen_as_they_are_proved(place):
    """An agent beside a wall, from a little too near to a little too far."""
    scene = moved_scene(place, 0.0)
    cell, resolution = scene.space.cell, scene.space.resolution
    low = np.array(scene.space.origin)
    for world in (nt.CellGrid(scene, sight="bodies"), nt.Waypoints(scene, cell, cell, radius=0.0)):
        for radius in (0.0, 0.4) if isinstance(world, nt.CellGrid) else (0.0,):
            for offset in (-1e-3, -30 * resolution, 0.0, 30 * resolution, 1e-3):
                x = 5.0 - radius - offset
                ends = low + np.array([(x, 1.5, 8.5), (x, 7.5, 9.5)]) * cell
                seen = world.line_of_sight(*ends, radius * cell)
                proved = nt.verify(ends, world, radius * cell)
                assert proved or not seen
                if offset:
                    assert seen == proved == (offset > 0)
                elif radius:
                    assert seen


def test_points_of_a_graph_are_kept_as_they_are():
    """Whatever their size: a path leads over the numbers that were given, and is proved."""
    rng = np.random.default_rng(4)
    for origin in (0.0, 5.5e6, -3e9):
        points = origin + rng.random((30, 3)) * 7
        roads = nt.Graph(points, [(i, i + 1) for i in range(29)])
        path = nt.plan(roads, points[3], points[20], "a*")
        assert path.points.tolist() == points[3:21].tolist()
        assert nt.verify(path, roads)
    for place in PLACES:
        origin, cell = PLACES[place]
        grid = nt.Grid(np.zeros((9, 9, 9), bool), cell, origin)
        points = grid.origin + rng.uniform(0.5, 8.5, (30, 3)) * cell
        roads = nt.Graph(points, [(i, i + 1) for i in range(29)], grid, radius=0.4 * cell)
        path = nt.plan(roads, points[3], points[20], "a*", radius=0.4 * cell)
        assert path.points.tolist() == points[3:21].tolist()
        assert nt.verify(path, roads)


@pytest.mark.parametrize("seed", range(20))
def test_random_scenes_far_away(seed):
    """Moved by a whole number of cells: what is blocked and what is found stays the same."""
    scene = random_scene(seed, moving=False)
    space = scene.space
    shift = np.array((3e5, 4.4e6, 100.0)) * space.cell
    bodies = [
        nt.Body(body.name, body.shape, body.position + shift, body.rotation)
        for body in scene.bodies
    ]
    moved = nt.Scene(
        nt.Space(tuple(space.origin + shift), space.cells, space.cell),
        nt.Agent(scene.agent.start + shift, scene.agent.radius),
        nt.Destination(scene.destination.start + shift, scene.destination.radius),
        bodies,
    )
    near = nt.CellGrid(scene, safety=False)
    far = nt.CellGrid(moved)
    assert (near.blocked == far.blocked).all()
    for grid, world in ((near, scene), (far, moved)):
        path = nt.plan(grid, world.agent.start, world.destination.start, "theta*")
        assert nt.verify(path, grid)
        if grid is near:
            expected = path
    assert path.found == expected.found

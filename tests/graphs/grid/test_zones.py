"""Zones of a scene: which cells they make cost what, while they move, come and go."""

import copy
import itertools
import math
import pickle

import numpy as np
import pytest
from random_scenes import random_motion, random_rotation, random_scene, random_shape

import noctule as nt


def random_zones(rng, space, count):
    size = np.array(space.cells) * space.cell

    def inside():
        return np.array(space.origin) + rng.random(3) * size

    return [
        nt.Zone(
            f"zone-{i}",
            random_shape(rng, float(size.min()) / 2),
            float(np.float32(rng.choice((1.5, 3.0, 20.0, 1e4)))),
            inside(),
            random_rotation(rng),
            random_motion(rng, inside),
        )
        for i in range(count)
    ]


def true_costs(scene, base):
    """What cells cost: bodies in place of the zones tell which cells these meet."""
    cost = base.copy()
    for zone in scene.zones:
        if zone.present:
            body = nt.Body("x", zone.shape, zone.position, zone.rotation)
            alone = nt.Scene(scene.space, scene.agent, scene.destination, [body])
            met = nt.CellGrid(alone).blocked
            cost[met] = np.maximum(cost[met], zone.cost)
    return cost


def test_cells_cost_what_zones_say(cases):
    """While zones move, are placed, added and removed, and costs are set beneath them."""
    dear = 0
    for seed in range(cases // 12):
        rng = np.random.default_rng([seed, 3])
        scene = random_scene(seed)
        for zone in random_zones(rng, scene.space, int(rng.integers(1, 4))):
            scene.add(zone)
        grid, base = nt.CellGrid(scene), np.ones(scene.space.cells, np.float32)
        for step in range(6):
            if rng.random() < 0.4:
                cells = rng.integers(0, grid.shape, (3, 3))
                base[tuple(cells.T)] = 6.0
                grid.set_cost(cells, 6.0)
            if rng.random() < 0.2 and scene.zones:
                scene.remove(scene.zones[0])
            if rng.random() < 0.2:
                (zone,) = random_zones(rng, scene.space, 1)
                zone.name = f"later-{step}"
                scene.add(zone)
            if rng.random() < 0.3 and scene.zones:
                scene.zones[-1].place(np.array(scene.space.origin) + rng.random(3) * 4)
            if rng.random() < 0.2 and scene.zones:
                scene.zones[-1].cost = 40.0
            version, before = grid.version, grid.cost
            changed = grid.update(float(rng.uniform(0, 9)))
            cost = np.ones(grid.shape) if grid.cost is None else grid.cost
            assert (cost == true_costs(scene, base)).all(), (seed, step)
            dear += int((cost > 1).sum())
            log = grid.changes_since(version)
            changed_cells = np.argwhere((1.0 if before is None else before) != cost)
            assert set(grid.number(changed_cells).tolist()) <= set(log.tolist())
            assert changed >= len(changed_cells)
    assert dear > 10 * cases


@pytest.mark.parametrize("algorithm", ["d*-lite", "mt-d*-lite", "aamt-d*-lite", "ad*"])
def test_planners_repair_when_zones_move(algorithm, cases):
    compared = 0
    for seed in range(cases // 20):
        rng = np.random.default_rng([seed, 4])
        scene = random_scene(seed)
        for zone in random_zones(rng, scene.space, 2):
            scene.add(zone)
        grid = nt.CellGrid(scene)
        planner = nt.Planner(grid, algorithm)
        for t in (0.0, 0.2, 0.4, 3.0):
            grid.update(t)
            ends = scene.agent.start, scene.destination.at(t)
            path, best = planner.plan(*ends), nt.plan(grid, *ends, "a*")
            assert path.found == best.found
            if path.found and not any(path.blocked_ends):
                assert nt.verify(path, grid)
                if algorithm == "aamt-d*-lite":
                    assert path.cost <= best.cost * 1.1 + 1e-9
                else:
                    assert math.isclose(path.cost, best.cost, rel_tol=1e-6, abs_tol=1e-9)
                compared += 1
    assert compared > cases // 20


def minefield(motion=None):
    """A room with a ball of mines between start and goal."""
    space = nt.Space((0, 0, 0), (30, 20, 8), 0.5)
    zone = nt.Zone("mines", nt.Ball(2.5), 30, (7.5, 5.0, 2.0), motion=motion)
    ends = nt.Agent((1.0, 5.0, 2.0), 0.2, 4.0), nt.Destination((14.0, 5.0, 2.0), 0.2)
    return nt.Scene(space, *ends, zones=[zone])


def distance_flown_inside(points, zone):
    """How much of a polyline lies in a ball."""
    inside = 0.0
    for p, q in itertools.pairwise(points):
        along = np.linspace(p, q, 200)
        near = np.linalg.norm(along - zone.position, axis=1) < zone.shape.radius
        inside += near.mean() * math.dist(p, q)
    return inside


@pytest.mark.parametrize("algorithm", ["a*", "theta*", "aamt-d*-lite"])
def test_flights_go_around_zones(algorithm):
    for motion in (None, lambda t: (7.5, 5.0 + math.sin(t), 2.0)):
        scene = minefield(motion)
        flight = nt.Flight(scene, "cells", algorithm, seed=1, record=True)
        result = flight.run()
        assert result.reached
        flown = result.trace.agent
        assert distance_flown_inside(flown, scene.zones[0]) < (0.01 if motion is None else 0.6)
        assert result.travelled > 13.2


def test_a_navigator_goes_around_zones():
    scene = minefield()
    agent, now, flown = scene.agent.start, 0.0, [scene.agent.start]
    with nt.Navigator(scene, "cells", "aamt-d*-lite") as navigator:
        for _ in range(300):
            step = navigator.step(now, agent, scene.destination.start)
            agent, now = navigator.fly(agent, step, 1 / 60), now + 1 / 60
            flown.append(agent)
            if math.dist(agent, scene.destination.start) < 0.3:
                break
    assert math.dist(agent, scene.destination.start) < 0.3
    assert distance_flown_inside(np.array(flown), scene.zones[0]) < 0.01


@pytest.mark.parametrize(
    "make",
    [nt.Hybrid, nt.Waypoints, lambda scene: nt.CellGrid(scene, sight="bodies")],
    ids=["hybrid", "waypoints", "bodies"],
)
def test_graphs_that_know_no_zones_say_so(make):
    with pytest.raises(ValueError, match=r"'scene' has zones that cost, .* use noctule.CellGrid"):
        make(minefield())


def test_zones_that_come_later_are_refused_too():
    scene = minefield()
    zone = scene.zones[0]
    scene.remove("mines")
    graph = nt.CellGrid(scene, sight="bodies")
    scene.add(zone)
    with pytest.raises(ValueError, match="has zones that cost"):
        graph.update()


@pytest.mark.parametrize("cost", [math.nan, -1, 0.99, 0, math.inf, 1e7, "dear", None, True])
def test_what_no_zone_can_cost(cost):
    with pytest.raises(ValueError, match=r"cost of zone 'mines' is .*; a zone costs from 1 to"):
        nt.Zone("mines", nt.Ball(1.0), cost)


def test_names_are_unique_among_bodies_and_zones():
    scene = minefield()
    with pytest.raises(ValueError, match="there is already a body 'mines'"):
        scene.add(nt.Body("mines", nt.Ball(1.0)))
    with pytest.raises(ValueError, match="there is no body 'wind'"):
        scene.remove("wind")
    assert repr(scene) == "Scene('scene', 0 bodies, 1 zones, time 0)"


def test_a_motion_that_raises_moves_nothing():
    scene = minefield()
    scene.zones[0].motion = nt.Body("x", nt.Ball(1), motion=lambda t: (t, math.nan, 0)).motion
    before = scene.zones[0].row
    with pytest.raises(ValueError, match="nan"):
        scene.move(2.0)
    assert (scene.time, scene.zones[0].row) == (0.0, before)


def test_copies_follow_their_own_zones():
    scene = minefield()
    grid = nt.CellGrid(scene)
    for other in (pickle.loads(pickle.dumps(grid)), copy.deepcopy(grid)):
        assert (other.cost == grid.cost).all()
        other.scene["mines"].place((3.0, 3.0, 2.0))
        assert other.update() > 0
        assert grid.update() == 0
        assert not (other.cost == grid.cost).all()
    snapshot = grid.snapshot_copy()
    scene["mines"].place((3.0, 3.0, 2.0))
    grid.update()
    assert not (snapshot.cost == grid.cost).all()
    snapshot.sync_from(grid)
    assert (snapshot.cost == grid.cost).all()


def test_a_scene_without_zones_has_no_costs():
    grid = nt.CellGrid(nt.Scene.load("test-environment"))
    grid.update(1.0)
    assert not grid.has_costs
    assert grid.cost is None

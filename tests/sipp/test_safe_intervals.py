"""Timed plans arrive as early as a plain Dijkstra search in time, and are free of moving bodies."""

import dataclasses
import functools
import itertools
import math
from fractions import Fraction

import naive
import numpy as np
import pytest
from random_scenes import corners_of, random_scene

import noctule as nt
from noctule.sipp.interception import constant_velocity
from noctule.worlds.motions import Blink, Way
from noctule.worlds.occupancy.timetable import BIN, Timetable

NAME = "safe-intervals"


def cube(cell):
    return nt.Body(f"wall-{cell}", nt.Box((1, 1, 1)), np.array(cell) + 0.5)


def world_of_cells(rng):
    """A small world with walls of whole cells, and cells that are busy in random time spans."""
    shape = tuple(rng.integers((3, 2, 1), (6, 5, 4)).tolist())
    walls = rng.random(shape) < 0.15
    s, t = (tuple(rng.integers(0, shape).tolist()) for _ in range(2))
    walls[s] = walls[t] = False
    bodies = [cube(tuple(cell)) for cell in np.argwhere(walls).tolist()]
    speed = float(rng.choice([1.0, 2.0, 4.0, 3.3]))
    agent = nt.Agent(np.array(s) + 0.5, 0.5, speed)
    target = nt.Destination(np.array(t) + 0.5)
    scene = nt.Scene(nt.Space((0, 0, 0), shape), agent, target, bodies)
    busy = {}
    for cell in itertools.product(*map(range, shape)):
        if rng.random() < 0.6 and not walls[cell]:
            starts = rng.integers(0, 30, int(rng.integers(1, 4)))
            spans = [range(k, min(k + int(rng.integers(1, 16)), 30)) for k in starts.tolist()]
            busy[cell] = set(itertools.chain(*spans))
    busy[s] = busy.get(s, set()) - set(range(4))
    return scene, walls, busy, s, t


def with_busy_cells(planner, busy):
    """Add busy cells to the timetable of a planner."""
    table = planner._timed.timetable
    update = table.update

    def with_busy_bins(*args):
        update(*args)
        table.words[:] = 0
        for cell, bins in busy.items():
            table.words[planner.graph.number(np.array([cell]))] = sum(1 << k for k in bins)

    table.update = with_busy_bins
    table.busy_cells = lambda: [np.flatnonzero(table.words)]


def test_as_early_as_a_search_of_all_moments(cases):
    found = waited = 0
    for seed in range(cases):
        rng = np.random.default_rng(seed)
        scene, walls, busy, s, t = world_of_cells(rng)
        neighbours = int(rng.choice([6, 18, 26]))
        margin = float(rng.choice([0.0, 0.05, 0.1]))
        grid = nt.CellGrid(scene, neighbours)
        planner = nt.Planner(grid, NAME, radius=0.5, timing=nt.Timing(margin=margin, smooth=False))
        with_busy_cells(planner, busy)
        path = planner.plan(scene.agent.start, scene.destination.start)
        pace = 1 / scene.agent.speed / BIN
        ways = naive.ways_of_cells(walls, neighbours)
        expected = naive.earliest_arrival(ways, busy, (s, t), 0.0, pace, margin / BIN)
        assert path.found == (expected is not None), (seed, path.reason)
        if path.found:
            found += 1
            assert math.isclose(path.times[-1], expected * BIN, abs_tol=1e-7), seed
            waited += path.times[-1] > path.length / scene.agent.speed + 1e-9
            smooth = nt.Planner(grid, NAME, radius=0.5, timing=nt.Timing(margin=margin))
            with_busy_cells(smooth, busy)
            shorter = smooth.plan(scene.agent.start, scene.destination.start)
            assert shorter.times[-1] <= path.times[-1] + 1e-9
            check_cells(shorter, walls, busy, scene)
    assert found > 0.6 * cases
    assert waited > 0.1 * cases


def sparse_world(rng):
    """The same with a hybrid graph; some busy cells are stray cells."""
    shape = tuple(rng.integers((6, 4, 2), (10, 7, 5)).tolist())
    walls, region = rng.random(shape) < 0.06, np.zeros(shape, bool)
    low = rng.integers(0, shape)
    region[tuple(slice(i, i + 3) for i in low.tolist())] = True
    bodies = [cube(tuple(cell)) for cell in np.argwhere(walls).tolist()]
    middle = np.array(shape) / 2
    agent, target = nt.Agent(middle, 0.5, float(rng.choice([2.0, 3.3]))), nt.Destination(middle)
    scene = nt.Scene(nt.Space((0, 0, 0), shape), agent, target, bodies)
    grid = nt.Hybrid(scene, region=region & ~walls)
    strays = rng.random(shape) < rng.choice([0.05, 0.2])
    busy = {}
    for cell in map(tuple, np.argwhere((region | strays) & ~walls).tolist()):
        starts = rng.integers(0, 30, int(rng.integers(1, 4)))
        spans = [range(k, min(k + int(rng.integers(1, 16)), 30)) for k in starts.tolist()]
        busy[cell] = set(itertools.chain(*spans))
    nodes = np.argwhere(grid.kind > 0)
    s, t = (tuple(nodes[rng.integers(len(nodes))].tolist()) for _ in range(2))
    busy[s] = busy.get(s, set()) - set(range(4))
    return scene, grid, walls, busy, s, t


def naive_ways(grid, walls, busy):
    """Steps between used cells, and the long edges."""
    of_cells = naive.ways_of_cells(walls, 26)
    ends = [tuple(map(tuple, grid.indices(edge).tolist())) for edge in grid._edges]

    def ways(cell):
        for way in of_cells(cell):
            if grid.kind[way[0]]:
                yield way
        for edge in ends:
            if cell in edge:
                other = edge[1 - edge.index(cell)]
                cells = list(naive.passed(cell, other, Fraction(1, 2), busy))
                yield other, math.dist(cell, other), cells

    return functools.cache(lambda cell: list(ways(cell)))


def test_as_early_on_a_hybrid_graph(cases):
    found = waited = went_far = 0
    cases = max(cases // 8, 40)
    for seed in range(cases):
        rng = np.random.default_rng(seed)
        scene, grid, walls, busy, s, t = sparse_world(rng)
        margin = float(rng.choice([0.0, 0.1]))
        planner = nt.Planner(grid, NAME, radius=0.5, timing=nt.Timing(margin=margin, smooth=False))
        planner._timed._all_cells = None  # no second search on all cells
        with_busy_cells(planner, busy)
        path = planner.plan(grid.centre(s), grid.centre(t))
        pace = 1 / scene.agent.speed / BIN
        ways = naive_ways(grid, walls, busy)
        expected = naive.earliest_arrival(ways, busy, (s, t), 0.0, pace, margin / BIN)
        assert path.found == (expected is not None), (seed, path.reason)
        if path.found:
            found += 1
            assert math.isclose(path.times[-1], expected * BIN, abs_tol=1e-5), seed
            waited += path.times[-1] > path.length / scene.agent.speed + 1e-9
            went_far += (np.abs(np.diff(path.nodes, axis=0)).max(axis=1, initial=0) > 1).any()
            check_cells(path, walls, busy, scene)
    assert found > 0.6 * cases
    assert waited > 0.1 * cases
    assert went_far > 0.15 * cases


def check_cells(path, walls, busy, scene):
    """Check at many moments that the cell of the agent's centre is free."""
    moments = np.random.default_rng(len(busy)).uniform(path.times[0], path.times[-1], 60)
    places = np.stack([np.interp(moments, path.times, axis) for axis in path.points.T], axis=1)
    for t, place in zip(moments.tolist(), places, strict=True):
        if (np.abs(place - np.round(place)) < 1e-6).any():
            continue  # on a face between cells
        cell = tuple(np.floor(place).astype(int).tolist())
        assert not walls[cell]
        assert math.floor(t / BIN) not in busy.get(cell, set())
    legs = np.linalg.norm(np.diff(path.points, axis=0), axis=1)
    assert (legs <= scene.agent.speed * np.diff(path.times) * (1 + 1e-9) + 1e-9).all()


def test_timetable_covers_what_moves(cases):
    looked = 0
    for seed in range(max(cases // 4, 40)):
        scene = random_scene(seed)
        rng = np.random.default_rng(seed)
        now = float(rng.uniform(0, 20))
        scene.move(now)
        table = Timetable(scene)
        table.update(now, now + 2.0)
        later = now + 0.37
        scene.move(later)
        table.update(later, later + 3.0)  # extends the bins of the first update
        fresh = Timetable(scene)
        fresh.update(later, later + 3.0)
        assert table.bins == fresh.bins
        seen = (1 << table.bins) - 1
        np.testing.assert_array_equal(table.words & seen, fresh.words & seen)
        grid = nt.CellGrid(scene)
        for body in scene.bodies:
            if not body.moves:
                continue
            for t in rng.uniform(later, later + 3.0, 30).tolist():
                position, rotation = body.pose(t)
                if not body.present_at(t):
                    continue
                corners = corners_of(body, np.array([*position, *rotation]))
                point = rng.dirichlet(np.full(len(corners), 0.3)) @ corners
                point = point + body.shape.radius * 0.57 * rng.uniform(-1, 1, 3)
                place = (point - grid.origin) / grid.cell
                if not ((place > 0) & (place < grid.shape)).all():
                    continue
                if (np.abs(place - np.round(place)) < 1e-6).any():
                    continue  # on a face of a cell: touching does not block
                cell = grid.number(np.floor(place).astype(np.int64)[None, :])[0]
                assert table.words[cell] >> (math.floor(t / BIN) - table.start) & 1, (seed, t)
                looked += 1
    assert looked > 1000


def test_generated_scenes_are_verified(cases):
    found = in_time = 0
    for seed in range(cases):
        scene = random_scene(seed)
        rng = np.random.default_rng(seed)
        scene.move(float(rng.uniform(0, 20)))
        grid = nt.Hybrid(scene) if seed % 4 == 0 else nt.CellGrid(scene)
        radius = scene.agent.radius
        planner = nt.Planner(
            grid, NAME, radius=radius, timing=nt.Timing(window=float(rng.choice([2.0, 5.0])))
        )
        path = planner.plan(scene.agent.start, scene.destination.at)
        if not path.found:
            assert path.reason
            continue
        found += 1
        legs = np.linalg.norm(np.diff(path.points, axis=0), axis=1)
        speed = scene.agent.speed * (1 + 1e-9)
        assert (legs <= speed * np.diff(path.times) + 1e-9).all(), seed
        assert path.foreseen >= scene.time + planner._timed.timing.window - 1e-9
        in_time += path.times[-1] <= path.foreseen
        broken = list(nt.violations(path, scene if seed % 2 else grid))
        assert not broken, (seed, broken)
    assert found > 0.4 * cases
    assert in_time > 0.15 * cases


def room(*bodies, agent=(1.5, 2.5, 2.5), goal=(10.5, 2.5, 2.5), speed=4.0, **more):
    space = nt.Space((0, 0, 0), (12, 5, 5))
    return nt.Scene(space, nt.Agent(agent, 0.4, speed), nt.Destination(goal, 0.4, **more), bodies)


def test_waits_for_a_gate_and_returns_times():
    gate = nt.Body("gate", nt.Box((1, 5, 5)), (6.5, 2.5, 2.5), motion=Blink(2.0))
    scene = room(gate)
    path = nt.plan(nt.CellGrid(scene), scene.agent.start, scene.destination.start, NAME, radius=0.4)
    assert path.found
    assert path.to_dict()["times"] == path.times.tolist()
    assert path.times[-1] > 2.0 + 4.5 / 4
    assert path.length == pytest.approx(9.0)
    assert nt.verify(path, scene)
    with pytest.raises(ValueError, match="path is one in time"):
        nt.smooth(path, nt.CellGrid(scene))
    hurried = dataclasses.replace(path, times=path.times - 0.5)
    assert [v.body for v in nt.violations(hurried, scene)] == ["gate"]


def test_forecast_of_placed_bodies():
    """A body that is placed repeatedly is extrapolated; a deviation is detected."""
    scene = room(nt.Body("seen", nt.Box((1, 1, 1)), (3.5, 2.5, 2.5)))
    table = Timetable(scene)
    table.update(0.0, 3.0)
    assert [body.name for body in table.walls] == ["seen"]
    grid = nt.CellGrid(scene)
    for frame in range(1, 4):
        scene["seen"].place((3.5 + frame * 0.2, 2.5, 2.5))
        table.update(frame * 0.1, frame * 0.1 + 3.0)
        ahead = grid.number(np.array([grid.cell_of((7.7, 2.5, 2.5))]))[0]
        assert (table.words[ahead] != 0) == (frame > 1)  # one that stood has no velocity
    assert table.walls == []
    for ahead in (0.0, 0.5, 1.0, 2.0):
        cell = grid.number(np.array([grid.cell_of((4.1 + 2 * ahead, 2.5, 2.5))]))[0]
        assert table.words[cell] >> round(ahead / BIN) & 1
    scene["seen"].place((4.3, 2.5, 2.5))
    assert not table.deviates_from_forecast(0.4)
    scene["seen"].place((4.3, 3.5, 2.5))
    assert [body.name for body in table.deviates_from_forecast(0.4)] == ["seen"]


def test_intercepts_a_moving_goal():
    modes = {"fly": Way([(10.5, 0.5, 2.5), (10.5, 4.5, 2.5)], 1.0, "back")}
    scene = room(modes=modes, mode="fly")
    grid = nt.CellGrid(scene)
    for goal in (
        scene.destination.at,
        constant_velocity(0.2, scene.destination.at(0.2), 0.0, scene.destination.at(0.0)),
    ):
        path = nt.Planner(grid, NAME, radius=0.4).plan(scene.agent.start, goal)
        assert len(path.points) == 2
        met = scene.destination.at(float(path.times[-1]))
        np.testing.assert_allclose(path.points[-1], met, atol=1e-6)


def test_a_goal_that_cannot_be_caught_is_followed():
    scene = room(speed=1.0)
    path = nt.Planner(nt.CellGrid(scene), NAME, radius=0.4).plan(
        scene.agent.start, lambda t: (3.5 + 2 * t, 2.5, 2.5)
    )
    assert path.found  # to where it has to stop: the end of the world
    assert path.points[-1][0] == pytest.approx(11.6)


def test_a_goal_that_is_expected_in_a_wall():
    """It is intercepted at its last reachable position."""
    scene = room(nt.Body("wall", nt.Box((1, 5, 5)), (6.5, 2.5, 2.5)), speed=2.0)
    planner = nt.Planner(nt.CellGrid(scene), NAME, radius=0.4)
    for speed in (0.9, 1.5):  # when the agent could be there it is in the wall, or behind it
        path = planner.plan(scene.agent.start, lambda t, v=speed: (4.5 + v * t, 2.5, 2.5))
        assert path.found, path.reason
        assert 4.5 <= path.points[-1][0] < 6.0
        assert nt.verify(path, scene)


def test_no_path_in_time():
    wall = nt.Body("wall", nt.Box((1, 5, 5)), (6.5, 2.5, 2.5))
    scene = room(wall)
    path = nt.plan(nt.CellGrid(scene), scene.agent.start, scene.destination.start, NAME, radius=0.4)
    assert not path.found
    assert path.reason == "no path past the bodies that never move"
    forth = Way([(-2.5, 2.5, 2.5), (4, 2.5, 2.5)], 3.0, "stay")
    ram = nt.Body("ram", nt.Box((4, 5, 5)), motion=forth)
    scene = room(wall, ram, agent=(1.5, 1.5, 1.5), goal=(5.5, 4.5, 4.5), speed=0.5)
    path = nt.plan(nt.CellGrid(scene), scene.agent.start, scene.destination.start, NAME, radius=0.4)
    assert not path.found
    assert "no collision-free path within" in path.reason


def test_wrong_arguments():
    scene = room()
    grid = nt.CellGrid(scene)
    for options, message in (
        ({"window": 60}, "window is 60; it must be at most 5 seconds"),
        ({"window": 0}, "window is 0"),
        ({"margin": -1}, "margin is -1"),
        ({"speed": 0}, "speed is 0"),
    ):
        with pytest.raises(ValueError, match=message):
            nt.Timing(**options)
    with pytest.raises(ValueError, match=r"radius is 0[.]9; safe-intervals allows at most half a"):
        nt.Planner(grid, NAME, radius=0.9)
    with pytest.raises(ValueError, match=r"timing is 3; expected a noctule.Timing"):
        nt.Planner(grid, NAME, timing=3)
    with pytest.raises(ValueError, match="safe-intervals needs a noctule"):
        nt.Planner(nt.Grid(np.zeros((3, 3, 3), bool)), NAME)
    with pytest.raises(ValueError, match=r"timing is Timing\(.*\); a[*] does not plan in time"):
        nt.Planner(grid, "a*", timing=nt.Timing())
    with pytest.raises(ValueError, match=r"a[*] does not plan in time"):
        nt.Planner(grid, "a*").plan((1, 1, 1), scene.destination.at)
    with pytest.raises(ValueError, match="at is -1"):
        nt.Planner(grid, NAME).plan((1, 1, 1), (2, 2, 2), at=-1)
    with pytest.raises(ValueError, match=r"weight is 2.0; safe-intervals allows 1.0 only"):
        nt.Planner(grid, NAME, weight=2)
    untimed = nt.plan(grid, (1, 1, 1), (2, 2, 2), "a*")
    with pytest.raises(ValueError, match="a path without times is checked on a grid"):
        nt.verify(untimed, scene)

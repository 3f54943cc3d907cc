"""The waypoint graph: the published count, free edges, and that it follows its bodies exactly."""

import itertools
import math

import numpy as np
import pytest
from random_scenes import random_scene

import noctule as nt
from noctule.algorithms.incremental import search as incremental
from noctule.worlds.motions import Drift

REMEMBERING = [row.name for row in nt.algorithms() if row.keeps_search and row.optimal]


@pytest.fixture(scope="module")
def scene():
    return nt.Scene.load("test-environment", "2019")


@pytest.fixture(scope="module")
def graph(scene):
    return nt.Waypoints(scene)


def one_body(*bodies, cells=(14, 12, 10)):
    agent, target = nt.Agent((1, 1, 1), 0.4), nt.Destination((12, 8, 8), 0.4)
    return nt.Scene(nt.Space((0, 0, 0), cells), agent, target, bodies)


def test_the_count_is_the_published_one(graph):
    assert len(graph) == 2062


def test_waypoints_of_a_box():
    box = nt.Body("box", nt.Box((6, 2, 2)), (7, 6, 5))
    graph = nt.Waypoints(one_body(box), margin=0.5, spacing=4.0)
    # 8 corners, one more on each of the 4 long edges and on each of the 6 diagonals
    assert len(graph) == 8 + 4 + 6
    low, high = np.array([7 - 3.5, 6 - 1.5, 5 - 1.5]), np.array([7 + 3.5, 6 + 1.5, 5 + 1.5])
    places = graph.positions(np.arange(len(graph)))
    np.testing.assert_allclose(places.min(axis=0), low)
    np.testing.assert_allclose(places.max(axis=0), high)
    assert not graph.blocked.any()
    ball = nt.Waypoints(one_body(nt.Body("ball", nt.Ball(1.0), (7, 6, 5))))
    assert len(ball) == 8
    assert len(nt.Waypoints(one_body())) == 0


def plain_edges(graph):
    """All edges, found by looking at everything, with the code of `verify`."""
    rig, near = graph._rig, graph.radius
    at = graph.positions(np.arange(len(graph)))

    def free(*ends):
        return nt.verify(np.array(ends), graph, radius=near)

    blocked = [not free(p, p) for p in at]
    found = {(i, j) for i, j in rig.edge.tolist() if free(at[i], at[j])}
    for i in range(len(graph)):
        if blocked[i]:
            continue
        others = [j for j in range(len(graph)) if not blocked[j] and rig.body[j] != rig.body[i]]
        others.sort(key=lambda j, i=i: (math.dist(at[i], at[j]), j))
        seen = (j for j in others if free(at[i], at[j]))
        found |= {(min(i, j), max(i, j)) for j in itertools.islice(seen, graph.indirect)}
    return blocked, found


def test_edges_are_those_of_looking_at_everything(cases):
    """After every move of the bodies; what has not changed is not looked at again."""
    compared = 0
    for seed in range(max(cases // 40, 7)):
        world = random_scene(seed)
        graph = nt.Waypoints(world, margin=world.agent.radius, spacing=6, indirect=1 + seed % 2)
        if not 0 < len(graph) < 90:
            continue
        for t in (0.0, 0.05, 0.4, 9.0):
            graph.update(t)
            blocked, edges = plain_edges(graph)
            assert graph.blocked.tolist() == blocked, (seed, t)
            assert set(map(tuple, graph.edges.tolist())) == edges, (seed, t)
            compared += len(edges)
    assert compared > 200


def test_updating_equals_making_anew(scene, graph):
    for t in (0.5, 0.6, 7.0, 31.0, 31.02):
        graph.update(t)
        fresh = nt.Waypoints(scene)
        np.testing.assert_allclose(fresh._at, graph._at, atol=1e-12)
        assert fresh.edges.tolist() == graph.edges.tolist()
        assert fresh.blocked.tolist() == graph.blocked.tolist()


def test_legs_of_a_polyline_are_judged_like_segments(scene, graph):
    """All at once is the same as one after the other."""
    rng = np.random.default_rng(5)
    low, high = np.array(scene.space.origin), np.array(scene.space.high)
    points = low + rng.random((40, 3)) * (high - low)
    kernel_graph = graph.kernel_graph(graph.radius)
    places = [graph.in_cells("point", point) for point in points]
    blocked = [
        i
        for i, (p, q) in enumerate(itertools.pairwise(places))
        if not graph.segment_is_free(kernel_graph, p, q)
    ]
    assert 0 < len(blocked) < 39
    assert graph.blocked_legs(kernel_graph, np.array(places)) == blocked


@pytest.mark.parametrize("algorithm", ["a*", "theta*", "lazy-theta*"])
def test_paths_are_free_of_bodies(scene, graph, algorithm):
    planner = nt.Planner(graph, algorithm, radius=0.45)
    lengths = []
    for t in np.arange(0, 40, 4.3).tolist():
        graph.update(t)
        path = planner.plan(scene.agent.start, scene.destination.at(t))
        assert path.found
        assert nt.verify(path, graph)
        lengths.append(path.length)
    assert 95 < np.mean(lengths) < 145  # published: 144 for A* with the nodes nearest the ends


def test_repairs_as_short_as_new_searches(cases, monkeypatch):
    """Repairs are made however much has changed, where else one would search again."""
    monkeypatch.setattr(incremental, "EXPANSIONS_PER_CHANGE", 0)
    plans = repaired = 0
    for seed in range(max(cases // 10, 30)):
        world = random_scene(seed)
        graph = nt.Waypoints(world, margin=world.agent.radius, spacing=2.0, indirect=2)
        if len(graph) < 20:
            continue
        rng = np.random.default_rng(seed)
        radius = graph.radius
        planners = {name: nt.Planner(graph, name, radius=radius) for name in REMEMBERING}
        fresh = nt.Planner(graph, "a*", radius=radius)
        s, t = rng.integers(0, len(graph), 2)
        for step in range(12):
            graph.update(0.05 * step)
            if rng.random() < 0.3:
                s, t = rng.integers(0, len(graph), 2)
            ends = graph.positions(np.array([s, t]))
            low, high = np.array(world.space.origin), np.array(world.space.high)
            if graph.blocked[[s, t]].any() or (ends < low).any() or (ends > high).any():
                continue
            shortest = fresh.plan(*ends)
            for name, planner in planners.items():
                if rng.random() < 0.15:
                    continue
                path = planner.plan(*ends)
                what = seed, step, name, path.reason, shortest.reason
                assert path.found == shortest.found, what
                if path.found:
                    assert nt.verify(path, graph), what
                    assert math.isclose(path.length, shortest.length, rel_tol=1e-5), what
                plans += 1
                repaired += path.expanded > 0 and not path.restarted
    assert plans > cases
    assert repaired > cases / 10


def test_bodies_that_come_and_go():
    walls = [nt.Body(f"wall-{i}", nt.Box((1, 9, 10)), (4 + 4 * i, 4.5, 5)) for i in range(2)]
    world = one_body(*walls)
    graph = nt.Waypoints(world)
    planner = nt.Planner(graph, "a*", radius=0.4)
    ends = (1, 1, 5), (12, 1, 5)
    before = planner.plan(*ends)
    world.remove("wall-1")
    graph.update()
    during = planner.plan(*ends)
    assert during.length < before.length
    assert nt.verify(during, graph)
    world.add(walls[1])
    graph.update()
    assert math.isclose(planner.plan(*ends).length, before.length)


def test_an_agent_in_a_safety_shape_finds_out():
    crate = nt.Body("crate", nt.Box((2, 2, 6)), (7, 6, 7), safety=[nt.Box((4, 4, 6.5))])
    wall = nt.Body("wall", nt.Box((1, 4, 6)), (2.5, 6, 7))
    post = nt.Body("post", nt.Box((1, 1, 1)), (11, 6, 7))
    graph = nt.Waypoints(one_body(crate, wall, post, cells=(14, 12, 14)))
    path = nt.plan(graph, (8.6, 6, 7), (1, 6, 7), "a*", radius=0.4)
    assert path.blocked_ends == (True, False), path.reason
    assert nt.verify(path, graph)
    assert (
        "too near to body 'crate'" in nt.plan(graph, (7, 6, 7), (1, 1, 5), "a*", radius=0.4).reason
    )
    point = nt.Waypoints(graph.scene, radius=0.0)
    assert "too near to body 'crate'" in nt.plan(point, (7, 6, 7), (1, 1, 5), "a*").reason


def test_a_flight_on_waypoints(scene, graph):
    result = nt.Flight(scene, graph, "theta*", start=0.0, limit=0.5).run()
    assert result.frames == 30
    assert result.path_length.min() > 90


def test_an_agent_flies_on_to_a_waypoint_that_has_moved():
    """Else a search that remembers begins at the nearest one in every frame: often one behind."""
    box = nt.Body("box", nt.Box((6, 2, 2)), (7, 6, 5), motion=Drift((0, 0.6, 0)))
    graph = nt.Waypoints(one_body(box))
    planner = nt.Planner(graph, "d*-lite", radius=0.4)
    start, goal = (7, 2, 5), (7, 11, 5)
    seen, _ = graph.entries(graph.kernel_graph(0.4), graph.in_cells("start", start))
    corner = graph.positions(seen)[-1]  # the farthest of them
    graph.update(0.1)
    path = planner.plan(start, goal, best_start=True, towards=corner)
    np.testing.assert_allclose(path.points[1], np.add(corner, (0, 0.06, 0)))
    assert not np.allclose(planner.plan(start, goal, best_start=True).points[1], path.points[1])
    graph.update(3.0)  # farther than a waypoint gets from plan to plan
    assert graph.node_towards(graph.in_cells("corner", corner))[0] is None


def test_wrong_arguments(scene, graph):
    with pytest.raises(ValueError, match=r"margin is 0\.1; it must be at least .* radius, 0\.45"):
        nt.Waypoints(scene, margin=0.1)
    with pytest.raises(ValueError, match="spacing is 0; it must be a number above 0"):
        nt.Waypoints(scene, spacing=0)
    with pytest.raises(ValueError, match=r"indirect is 1\.5; it must be a whole number"):
        nt.Waypoints(scene, indirect=1.5)
    with pytest.raises(ValueError, match="scene is a str; expected"):
        nt.Waypoints("test-environment")
    with pytest.raises(ValueError, match=r"radius is 0\.6; .* made for 0\.45"):
        nt.Planner(graph, "a*", radius=0.6)
    with pytest.raises(ValueError, match=r"start \(99, 0, 0\) lies outside the world"):
        nt.plan(graph, (99, 0, 0), (0, 0, 0), "a*")
    with pytest.raises(ValueError, match="jps jumps along rows of cells"):
        nt.Planner(graph, "jps")


def test_what_would_change_nothing_is_refused():
    graph = nt.Waypoints(one_body(nt.Body("ball", nt.Ball(1.0), (7, 6, 5))))
    with pytest.raises(ValueError, match="read-only"):
        graph.blocked[0] = True

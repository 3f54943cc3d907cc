"""The hybrid graph: the published counts, edges that are free, and no way that gets lost."""

import itertools
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from random_scenes import random_scene

import noctule as nt
from noctule.algorithms.a_star import AStar
from noctule.algorithms.best_first import BestFirst
from noctule.algorithms.endpoint import Endpoint
from noctule.core.status import EXHAUSTED
from noctule.flight.simulation import baked
from noctule.graphs.heuristics import ZERO
from noctule.graphs.hybrid.hybrid import BRIDGE, DYNAMIC, NEIGHBOUR
from noctule.graphs.hybrid.masks import layers_to
from noctule.sipp.distance_fields import NO_NODE


@pytest.fixture(scope="module")
def scene():
    return nt.Scene.load("test-environment")


@pytest.fixture(scope="module")
def hybrid(scene):
    return nt.Hybrid(scene)


def calm(hybrid):
    """The cells that are never blocked, as the bake has it."""
    return hybrid._calm.reshape([n + 2 for n in hybrid.shape])[1:-1, 1:-1, 1:-1]


def test_counts_are_those_published(scene):
    assert nt.Hybrid(scene, sample=0.14).counts == {
        "used": 21259,
        "static": 1616,
        "dynamic": 13696,
        "dynamic_neighbour": 6396,
        "static_only": 1167,
        "bridge": 0,
    }


def test_the_default_bake_misses_nothing(scene, hybrid):
    """Whatever is blocked at any frame of ten minutes was expected to be."""
    grid = nt.CellGrid(scene)
    walls = calm(hybrid) | (hybrid.kind & DYNAMIC > 0)
    for frame in range(0, 36000, 7):
        grid.update(frame / 60)
        assert not (grid._occupancy.blocked & calm(hybrid)).any()
    assert walls.sum() == 57344 - 11871


def test_dynamic_cells_have_a_layer_around_them(hybrid):
    dynamic = hybrid.kind & DYNAMIC > 0
    walls = ~calm(hybrid) & ~dynamic
    shape = np.array(dynamic.shape)
    for cell in np.argwhere(dynamic)[::50]:
        for step in itertools.product((-1, 0, 1), repeat=3):
            near = cell + step
            if (near >= 0).all() and (near < shape).all() and not walls[tuple(near)]:
                assert hybrid.kind[tuple(near)] & (DYNAMIC | NEIGHBOUR)


def test_every_long_edge_is_free(hybrid, cases):
    """With every cell blocked that ever is, for the widest agent; all with `--cases 3000`."""
    ever = nt.Grid(~calm(hybrid), origin=hybrid.origin)
    ends = hybrid.positions(hybrid.indices(hybrid._edges.reshape(-1))).reshape(-1, 2, 3)
    for line in ends[:: max(1, len(ends) // (9 * cases))]:
        assert nt.verify(line, ever, radius=0.5)


@pytest.mark.parametrize("algorithm", ["a*", "theta*", "lazy-theta*"])
def test_paths_are_free_at_their_moment(scene, hybrid, algorithm):
    cells = nt.CellGrid(scene)
    planners = [nt.Planner(graph, algorithm, radius=0.45) for graph in (hybrid, cells)]
    for t in np.arange(0, 40, 2.3):
        hybrid.update(float(t))
        cells.update()
        goal = scene.destination.at(float(t))
        ours, theirs = (planner.plan(scene.agent.start, goal) for planner in planners)
        assert ours.found == theirs.found
        assert nt.verify(ours, hybrid)
        assert nt.verify(ours, cells)
        assert ours.length < 1.05 * theirs.length
        assert ours.expanded < theirs.expanded


def test_no_way_of_the_cells_is_lost(cases):
    """In random scenes, between random cells: the hybrid graph has a path where cells have one."""
    compared = 0
    for seed in range(max(cases // 6, 30)):
        world = random_scene(seed)
        hybrid, cells = nt.Hybrid(world), nt.CellGrid(world)
        rng = np.random.default_rng(seed)
        for _ in range(4):
            time = float(rng.uniform(0, 30))
            hybrid.update(time)
            cells.update()
            free = np.argwhere(~cells.blocked)
            if len(free) < 2:
                continue
            a, b = (cells.centre(cell) for cell in rng.choice(free, 2))
            path, known = nt.plan(hybrid, a, b, "a*"), nt.plan(cells, a, b, "a*")
            assert path.found == known.found, (seed, path.reason)
            assert nt.verify(path, hybrid)
            compared += path.found
    assert compared > 50


def walled_scene(*bodies):
    agent, target = nt.Agent((1, 1, 1), 0.3), nt.Destination((10, 4, 4), 0.3)
    return nt.Scene(nt.Space((0, 0, 0), (12, 6, 6)), agent, target, bodies)


def test_scenes_without_one_or_the_other():
    empty = nt.Hybrid(walled_scene())
    assert empty.counts["used"] == 0
    path = nt.plan(empty, (1, 1, 1), (10, 4, 4), "a*", radius=0.3)
    assert path.found
    assert len(path.points) == 2
    assert nt.plan(empty, (1, 1, 1), (1, 1, 1), "a*", radius=0.3).length == 0.0
    wall = nt.Body("wall", nt.Box((1, 4, 6)), (6, 2, 3))
    static = nt.Hybrid(walled_scene(wall))
    assert static.counts["dynamic"] == 0
    assert nt.plan(static, (1, 1, 1), (10, 1, 1), "a*", radius=0.3).found
    whirl = nt.Body("whirl", nt.Box((1, 4, 1)), (6, 3, 3), motion=lambda t: (6, 3 + t % 2, 3))
    moving = nt.Hybrid(walled_scene(whirl))
    assert moving.counts["static"] == 0
    assert moving.counts["dynamic"] > 0
    huge = nt.Body("huge", nt.Box((100, 100, 100)), (6, 3, 3))
    full = nt.Hybrid(walled_scene(huge))
    assert full.counts["used"] == 0
    assert nt.plan(full, (1, 1, 1), (10, 4, 4), "a*").reason == (
        "start (1, 1, 1) lies in blocked cell (1, 1, 1)"
    )


def test_the_fast_search_equals_the_plain_one(cases):
    """A* that leaves out moves finds what the loop of the papers finds."""
    compared = 0
    for seed in range(cases // 10):
        world = random_scene(seed)
        graph = nt.Hybrid(world)
        if graph.counts["used"] < 2:
            continue
        rng = np.random.default_rng(seed)
        fast, plain = nt.Planner(graph, "a*"), nt.Planner(graph, "a*")
        plain._engines = plain._engines[-1:]
        assert len(fast._engines) == 2
        nodes = graph.positions(np.argwhere(graph.kind))
        for t in (0.0, 3.3):
            graph.update(t)
            for _ in range(4):
                ends = rng.choice(nodes, 2)
                ours, theirs = fast.plan(*ends), plain.plan(*ends)
                assert ours.found == theirs.found, seed
                assert nt.verify(ours, graph)
                if ours.found:
                    assert math.isclose(ours.length, theirs.length, rel_tol=1e-6), seed
                    compared += ours.expanded > 0
    assert compared > cases / 10


OPTIMAL = [row.name for row in nt.algorithms() if row.optimal and not row.corners_only]
OPTIMAL.remove("jps")


def shortest_over_all_entries(planner, start, goal):
    """The length of the best path, by Dijkstra's algorithm, over any nodes that the ends see."""
    graph, plain = planner.graph, BestFirst(planner._run.graph, AStar(1.0, ZERO))
    ends = [graph.in_cells("end", end) for end in (start, goal)]
    here, there = (graph.entries(planner._run.graph, end) for end in ends)
    if not len(here[0]) or not len(there[0]):
        return math.inf
    tree = plain.new_memory(graph.node_count)
    nowhere = Endpoint(np.array([NO_NODE]), np.zeros(1))
    assert plain.search(tree, Endpoint(*here), nowhere, 10**9, False)[0] == EXHAUSTED
    closed = tree.generation[there[0]] == tree.stats[0].generation + 1
    return float((np.where(closed, tree.g[there[0]], math.inf) + there[1]).min()) * graph.cell


def test_paths_come_and_go_by_the_best_of_the_nodes_seen(cases):
    """Between places that are no nodes; also among bodies that nobody expected."""
    compared = 0
    for seed in range(cases // 6):
        world = random_scene(seed)
        graph = nt.Hybrid(world)
        rng = np.random.default_rng(seed)
        low, high = np.array(world.space.origin), np.array(world.space.high)
        if seed % 3 == 0:
            size = 0.2 * (high - low)
            world.add(nt.Body("stray", nt.Box(size), rng.uniform(low + size, high - size)))
        planners = [nt.Planner(graph, name, radius=0.1) for name in OPTIMAL]
        planners.append(nt.Planner(graph, "a*", radius=0.1, engine="reference"))
        for t in (0.0, 3.3):
            graph.update(t)
            for _ in range(4):
                start, goal = rng.uniform(low, high, (2, 3))
                best = shortest_over_all_entries(planners[0], start, goal)
                for path in (planner.plan(start, goal) for planner in planners):
                    if path.found and len(path.points) > 2 and path.blocked_ends == (False, False):
                        assert nt.verify(path, graph)
                        assert math.isclose(path.length, best, rel_tol=1e-6), seed
                        compared += 1
    assert compared > cases / 6


def test_a_body_where_none_was_expected_shuts_long_edges():
    wall = nt.Body("wall", nt.Box((1, 4, 6)), (6, 2, 3))
    world = walled_scene(wall)
    hybrid = nt.Hybrid(world)
    planner = nt.Planner(hybrid, "theta*", radius=0.3)
    ends = (1.5, 1.5, 1.5), (10.5, 1.5, 1.5)
    before = planner.plan(*ends)
    world.add(nt.Body("crate", nt.Box((1, 1, 5.4)), (6, 4.6, 2.6)))
    hybrid.update()
    path = planner.plan(*ends)
    assert nt.verify(path, hybrid)
    assert not nt.verify(before, hybrid)
    with_region = nt.Hybrid(walled_scene(wall), region=np.ones((12, 6, 6), bool))
    assert with_region.counts["dynamic"] == 12 * 6 * 6 - 4 * 6 * 2


def test_bridges_connect_a_winding_way():
    """A tunnel that turns twice, seen from neither end, and cells in it that see no edge."""
    blocks = [
        nt.Body(f"block-{i}", nt.Box((1, 1, 1)), np.array(cell) + 0.5)
        for i, cell in enumerate(np.ndindex(12, 6, 6))
        if not (cell[1:] == (0, 0) or (cell[0] == 11 and cell[2] == 0) or cell[0:2] == (11, 5))
    ]
    hybrid = nt.Hybrid(walled_scene())
    for block in blocks:
        hybrid.scene.add(block)
    hybrid = nt.Hybrid(hybrid.scene)
    path = nt.plan(hybrid, (0.5, 0.5, 0.5), (11.5, 5.5, 5.5), "a*", radius=0.3)
    assert path.found
    assert nt.verify(path, hybrid)
    assert hybrid.kind[hybrid.kind > 0].min() >= 1
    assert hybrid.counts["bridge"] == int((hybrid.kind & BRIDGE > 0).sum())


def test_bake_comes_back(scene, hybrid, tmp_path):
    file = tmp_path / "bake.npz"
    hybrid.save(file)
    again = nt.Hybrid(scene, bake=file)
    assert again.counts == hybrid.counts
    np.testing.assert_array_equal(again._edges, hybrid._edges)
    with pytest.raises(ValueError, match="a bake of another scene, or with other options"):
        nt.Hybrid(scene, safety=False, bake=file)
    with pytest.raises(ValueError, match="a bake of another scene"):
        nt.Hybrid(walled_scene(), bake=file)
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(ValueError, match="expected a bake of a hybrid graph"):
        nt.Hybrid(scene, bake=file)


def test_a_broken_bake_in_the_cache_is_made_anew(monkeypatch, tmp_path):
    monkeypatch.setattr("noctule.flight.simulation.user_folder", lambda: tmp_path)
    world = walled_scene(nt.Body("wall", nt.Box((1, 4, 6)), (6, 2, 3)))
    first = baked(world)
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"broken")
    assert baked(world).counts == first.counts
    assert baked(world).counts == first.counts
    assert [f.name for f in tmp_path.iterdir()] == [file.name]


def test_wrong_arguments(scene, hybrid):
    with pytest.raises(ValueError, match="sample is 0"):
        nt.Hybrid(scene, sample=0)
    with pytest.raises(ValueError, match="region has shape"):
        nt.Hybrid(scene, region=np.zeros((2, 2, 2), bool))
    with pytest.raises(ValueError, match=r"radius is 0\.7; on a hybrid graph it is at most 0\.5"):
        nt.Planner(hybrid, "a*", radius=0.7)


def test_flight_on_the_hybrid_graph(scene, hybrid):
    result = nt.Flight(scene, hybrid, "a*", seed=2).run()
    assert result.reached


def test_layers_are_counted_to_the_nearest_cell():
    rng = np.random.default_rng(0)
    cells = rng.random((9, 8, 7)) < 0.01
    cells[2, 3, 4] = True
    places, chosen = np.indices(cells.shape).reshape(3, -1).T, np.argwhere(cells)
    gaps = np.abs(places[:, None] - chosen[None]).max(axis=2).min(axis=1)
    assert np.array_equal(layers_to(cells).ravel(), gaps)
    assert not layers_to(np.zeros((3, 3, 3), bool)).any()


def test_the_nearest_node_is_the_first_of_those_seen():
    scene = nt.Scene.load("test-environment")
    rng = np.random.default_rng(1)
    for world in (nt.CellGrid(scene), nt.Hybrid(scene, sample=0.5)):
        graph = world.kernel_graph(0.45)
        for place in rng.uniform(1, np.array(world.shape) - 1, (40, 3)):
            nodes, distances = world.entries(graph, tuple(place))
            nearest = world.entries(graph, tuple(place), nearest=True)
            assert nearest[0].tolist() == nodes[:1].tolist()
            assert nearest[1].tolist() == distances[:1].tolist()


CODE = """
import noctule as nt
wall = nt.Body("wall", nt.Box((1, 5, 4)), (6, 2, 3))
door = nt.Body("door", nt.Box((1, 1, 1)), (4, 4, 4), motion=lambda t: (4, 3 + t % 2, 4))
agent, target = nt.Agent((1.5, 1.5, 3.5), 0.3), nt.Destination((10.5, 1.5, 3.5), 0.3)
scene = nt.Scene(nt.Space((0, 0, 0), (12, 7, 6)), agent, target, [wall, door])
graph = nt.Hybrid(scene)
for name in ("d*-lite", "ad*", "mt-d*-lite", "aamt-d*-lite"):
    planner = nt.Planner(graph, name, radius=0.3)
    for t in (0.0, 0.5, 1.0):
        graph.update(t)
        print(name, planner.plan((1.5 + t, 1.5, 3.5), target.start).length)
"""


def test_numbers_of_edges_fit(hybrid):
    """Sets of moves take 27 bits; the number of long edges is in the bits above them."""
    graph = hybrid.kernel_graph()
    assert np.diff(graph.first).max() >= 16  # too many for 32 bits
    assert graph.first.dtype == graph.moves.dtype == np.int64


def test_interpreted_equals_compiled():
    outputs = [
        subprocess.run(
            [sys.executable, "-c", CODE],
            env={**os.environ, "NUMBA_DISABLE_JIT": switch},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for switch in ("0", "1")
    ]
    assert outputs[0] == outputs[1]

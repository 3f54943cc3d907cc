"""Cells that cost: the integral along segments, and searches that minimise it."""

import math
import pickle
from fractions import Fraction

import naive
import numpy as np
import pytest
from strategies import NEIGHBOURHOODS, random_world

import noctule as nt
from noctule.graphs.protocol import next_edge, segment_cost

ALONG_EDGES = ["dijkstra", "a*", "ara*", "d*", "d*-lite", "ad*", "basic-mt-d*-lite", "mt-d*-lite"]
ANY_ANGLE = ["theta*", "theta*-fast", "lazy-theta*", "aamt-d*-lite", "aamt-d*-lite-fast", "taut"]
NO_COSTS = ["jps", "visibility", "safe-intervals"]


def world_with_costs(seed, longest=7, nodes=None):
    """World number `seed` with costs: equal ones, zones, or one for every cell."""
    blocked, neighbours, s, t = random_world(seed, longest)
    rng = np.random.default_rng(seed + 10**6)
    cost = np.ones(blocked.shape)
    kind = rng.integers(0, 3)
    if kind == 1:
        for _ in range(3):
            low = rng.integers(0, blocked.shape)
            box = tuple(slice(a, a + n) for a, n in zip(low, rng.integers(1, 5, 3), strict=False))
            cost[box] = rng.choice((2, 5, 50))
    elif kind == 2:
        cost = np.round(rng.uniform(1, 16, blocked.shape), 2)
    nodes = nodes or str(rng.choice(("centres", "corners")))
    return nt.Grid(blocked, neighbours=neighbours, nodes=nodes, cost=cost), s, t


def test_segments_cost_their_integral(cases):
    """Centres, corners, quarters of cells and anything between; both ways to the last bit."""
    compared = 0
    for seed in range(cases // 6):
        grid, *_ = world_with_costs(seed)
        rng = np.random.default_rng(seed)
        size = np.array(grid.shape)
        for _ in range(60):
            parts = int(rng.choice((1, 2, 4, 1000003)))
            ends = [rng.integers(0, parts * size + 1) for _ in range(2)]
            if rng.random() < 0.3:  # in a plane, or along an axis
                k = rng.integers(0, grid.dimension)
                ends[1][k:] = ends[0][k:]
            p, q = (end / parts for end in ends)
            true = naive.mean_cost(
                grid.blocked, grid.cost, *([Fraction(float(v)) for v in end] for end in (p, q))
            )
            there = grid.cost_along(np.array([p, q]))
            assert math.isclose(there, float(true) * math.dist(p, q), rel_tol=1e-12, abs_tol=1e-15)
            assert there == grid.cost_along(np.array([q, p]))
            compared += 1
    assert compared >= 10 * cases


def test_an_edge_costs_as_much_as_its_segment():
    for seed in range(40):
        grid, *_ = world_with_costs(seed)
        graph = grid.kernel_graph()
        twin = naive.Graph(grid.blocked, grid.neighbours, grid.nodes, cost=grid.cost)
        for node in np.ndindex(*(n + (grid.nodes == "corners") for n in grid.shape)):
            s = int(grid.number(np.array([node]))[0])
            left, found = edges_of(graph, s), {}
            while left:
                t, c, left = next_edge(graph, s, left)
                assert c == segment_cost(graph, s, t) == segment_cost(graph, t, s)
                found[tuple(grid.indices(np.array([t]))[0].tolist())] = c
            if twin.corners or not grid.blocked[node]:
                true = dict(twin.neighbours(node))
                assert found.keys() == true.keys()
                assert all(math.isclose(found[t], true[t], rel_tol=1e-12) for t in true)


def edges_of(graph, s):
    from noctule.graphs.protocol import edges

    return edges(graph, s)


@pytest.mark.parametrize("algorithm", ALONG_EDGES)
def test_cheapest_paths_along_edges(algorithm, cases):
    found = 0
    for seed in range(cases // 5):
        grid, s, t = world_with_costs(seed)
        twin = naive.Graph(grid.blocked, grid.neighbours, grid.nodes, cost=grid.cost)
        shift = 0.5 if grid.nodes == "centres" else 0.0
        path = nt.plan(grid, np.array(s) + shift, np.array(t) + shift, algorithm)
        true = twin.distances(s).get(t)
        assert path.found == (true is not None), seed
        if path.found:
            assert nt.verify(path, grid), seed
            assert math.isclose(path.cost, true, rel_tol=1e-6, abs_tol=1e-12), seed
            assert path.bound == 1.0
            found += 1
    assert found > cases // 10


@pytest.mark.parametrize("algorithm", ANY_ANGLE)
def test_any_angle_paths_cost_less_on_average(algorithm, cases):
    ratios = []
    for seed in range(cases // 3):
        grid, s, t = world_with_costs(seed, longest=12)
        rng = np.random.default_rng(seed)
        shift = 0.5 if grid.nodes == "centres" else 0.0
        ends = [np.array(end) + shift for end in (s, t)]
        if rng.random() < 0.3:
            ends = [np.clip(e + rng.uniform(-0.4, 0.4, len(e)), 0, grid.shape) for e in ends]
        path, along_edges = nt.plan(grid, *ends, algorithm), nt.plan(grid, *ends, "a*")
        assert path.found == along_edges.found, seed
        if path.found and path.length > 0:
            assert nt.verify(path, grid), seed
            assert path.cost <= path.bound * math.dist(*ends) * (1 + 1e-9)
            ratios.append(path.cost / along_edges.cost)
    assert len(ratios) > cases // 8
    assert max(ratios) < 1.05
    assert np.mean(ratios) < 0.99


@pytest.mark.parametrize("radius", [0.3, 0.7])
def test_agents_of_any_size(radius):
    """A ball pays for where its centre is."""
    found = 0
    for seed in range(40):
        grid, *_ = world_with_costs(seed, longest=8, nodes="centres")
        twin = naive.Graph(grid.blocked, grid.neighbours, radius=radius, cost=grid.cost)
        usable = [tuple(c) for c in np.argwhere(~grid.blocked).tolist() if twin.sees(c, c)]
        if not usable:
            continue
        s, t = usable[0], usable[-1]
        path = nt.plan(grid, grid.centre(s), grid.centre(t), "a*", radius=radius)
        true = twin.distances(s).get(t)
        assert path.found == (true is not None)
        if path.found and path.length > 0:
            assert nt.verify(path, grid)
            assert math.isclose(path.cost, true, rel_tol=1e-6, abs_tol=1e-12)
            found += 1
    assert found > 5


@pytest.mark.parametrize("method", ["rubber-band", "greedy", "taut"])
def test_smoothing_never_makes_a_path_dearer(method, cases):
    shorter = 0
    for seed in range(cases // 5):
        grid, s, t = world_with_costs(seed, longest=12)
        shift = 0.5 if grid.nodes == "centres" else 0.0
        radius = (0.0, 0.4, 0.9)[seed % 3] if shift else 0.0
        path = nt.plan(grid, np.array(s) + shift, np.array(t) + shift, "a*", radius=radius)
        smooth = nt.smooth(path, grid, method)
        assert nt.verify(smooth, grid)
        assert smooth.found == path.found
        assert smooth.cost <= path.cost * (1 + 1e-9)
        shorter += smooth.cost < path.cost * (1 - 1e-6)
    assert shorter > cases // 60


def test_taut_paths_are_never_dearer_than_along_edges(cases):
    """And on average cheaper than those of Theta*, whose bends lie on nodes."""
    ratios = []
    for seed in range(cases // 5):
        grid, s, t = world_with_costs(seed, longest=14, nodes="centres")
        ends = grid.centre(s), grid.centre(t)
        taut, along, theta = (nt.plan(grid, *ends, name) for name in ("taut", "a*", "theta*"))
        assert taut.found == along.found
        assert taut.cost <= along.cost * (1 + 1e-9)
        again = nt.smooth(taut, grid, "taut")
        assert again.cost <= taut.cost * (1 + 1e-9)
        if taut.found and taut.length > 0:
            ratios.append(taut.cost / theta.cost)
    assert len(ratios) > cases // 10
    assert np.mean(ratios) < 0.99


def test_taut_paths_bend_at_the_borders_of_zones():
    """Across a strip of cells that cost more, the path goes more steeply, as light does."""
    grid = nt.Grid(np.zeros((40, 30), bool))
    grid.set_cost([(x, y) for x in range(15, 25) for y in range(30)], 3.0)
    ends = (0.5, 5.0), (39.5, 25.0)
    path = nt.plan(grid, *ends, "taut")
    straight = grid.cost_along(np.array(ends))
    # The sines of the angles across both borders are as 3 to 1; y is what is gained in the strip.
    outside, inside = 29.0, 10.0
    low, high = 0.0, 20.0
    for _ in range(60):
        y = (low + high) / 2
        sine_in, sine_out = y / math.hypot(y, inside), (20 - y) / math.hypot(20 - y, outside)
        low, high = (y, high) if 3 * sine_in < sine_out else (low, y)
    best = 3 * math.hypot(y, inside) + math.hypot(20 - y, outside)
    assert best <= path.cost < best + 0.03
    assert path.cost < straight - 1.0


def test_a_mine_is_avoided():
    grid = nt.Grid(np.zeros((21, 11), bool))
    grid.set_cost([(x, y) for x in range(8, 13) for y in range(3, 8)], 50.0)
    ends = (0.5, 5.5), (20.5, 5.5)
    for algorithm in ("a*", "theta*", "lazy-theta*", "d*-lite", "aamt-d*-lite"):
        path = nt.plan(grid, *ends, algorithm)
        assert math.isclose(path.cost, path.length), algorithm  # not through a single mine
        assert 20 < path.length < 23.4
    straight = nt.plan(nt.Grid(np.zeros((21, 11), bool)), *ends, "a*")
    assert straight.length == 20
    assert grid.cost_along(straight.points) == pytest.approx(15 + 5 * 50)


def test_costs_change_between_plans():
    grid = nt.Grid(np.zeros((9, 9, 3), bool), cell=0.5)
    planner = nt.Planner(grid, "a*")
    ends = grid.centre((0, 4, 1)), grid.centre((8, 4, 1))
    assert planner.plan(*ends).cost == 4.0
    assert not grid.has_costs
    assert grid.cost is None
    grid.set_cost((4, 4, 1), 7.0)
    detour = planner.plan(*ends)
    assert 4.0 < detour.cost < 5.0
    assert detour.cost == pytest.approx(detour.length)
    grid.set_cost([(4, 4, 1)], [1.0])
    assert planner.plan(*ends).cost == 4.0


def test_infinite_costs_block():
    cost = np.ones((5, 5))
    cost[2, :4] = np.inf
    grid = nt.Grid(np.zeros((5, 5), bool), cost=cost)
    assert grid.blocked.sum() == 4
    assert grid.cost.max() == 1.0
    grid.set_cost((2, 4), np.inf)
    assert not nt.plan(grid, (0.5, 0.5), (4.5, 0.5), "a*").found
    grid.set_cost((2, 4), 3.0)  # still blocked
    assert not nt.plan(grid, (0.5, 0.5), (4.5, 0.5), "a*").found
    grid.free((2, 4))
    assert (
        nt.plan(grid, (0.5, 0.5), (4.5, 0.5), "a*").cost
        > nt.plan(grid, (0.5, 0.5), (1.5, 0.5), "a*").cost
    )


def test_verify_checks_the_cost():
    from dataclasses import replace

    grid, *_ = world_with_costs(2)
    grid = nt.Grid(np.zeros((6, 6), bool), cost=np.full((6, 6), 2.0))
    path = nt.plan(grid, (0.5, 0.5), (5.5, 3.5), "theta*")
    assert nt.verify(path, grid)
    wrong = replace(path, cell_cost=path.cost * 1.001)
    assert not nt.verify(wrong, grid)
    assert "cost" in str(next(nt.violations(wrong, grid)))
    grid.set_cost((3, 2), 9.0)
    assert not nt.verify(path, grid)


@pytest.mark.parametrize("algorithm", NO_COSTS)
def test_searches_that_know_no_costs_say_so(algorithm):
    nodes = "corners" if algorithm == "visibility" else "centres"
    grid = nt.Grid(np.zeros((4, 4), bool), nodes=nodes, cost=np.full((4, 4), 2.0))
    with pytest.raises(ValueError, match=r"has costs: use (a\*|theta\*)"):
        nt.Planner(grid, algorithm)


def test_a_planner_that_knows_no_costs_says_so_when_they_come():
    grid = nt.Grid(np.zeros((4, 4, 4), bool))
    planner = nt.Planner(grid, "jps")
    assert planner.plan((0.5, 0.5, 0.5), (3.5, 3.5, 3.5)).found
    grid.set_cost((1, 1, 1), 2.0)
    with pytest.raises(ValueError, match="jps jumps over cells"):
        planner.plan((0.5, 0.5, 0.5), (3.5, 3.5, 3.5))


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        (np.ones((3, 4)), r"cost has shape \(3, 4\); expected \(4, 4\)"),
        (np.full((4, 4), np.nan), r"cost of cell \(0, 0\) is nan"),
        (np.full((4, 4), 0.5), r"cost of cell \(0, 0\) is 0.5; a cell costs from 1"),
        (np.full((4, 4), -np.inf), "is -inf"),
        (np.full((4, 4), 1e7), "is 1e[+]07"),
        ("dear", "cost is 'dear'; expected numbers"),
    ],
)
def test_what_is_no_cost(cost, message):
    with pytest.raises(ValueError, match=message):
        nt.Grid(np.zeros((4, 4), bool), cost=cost)


def test_what_cannot_be_set():
    grid = nt.Grid(np.zeros((4, 4), bool))
    with pytest.raises(ValueError, match=r"value is 0.5; a cell costs from 1"):
        grid.set_cost((1, 1), 0.5)
    with pytest.raises(ValueError, match=r"value has shape \(3,\); expected one number, or 2"):
        grid.set_cost([(1, 1), (2, 2)], [1, 2, 3])
    with pytest.raises(ValueError, match=r"cell \(9, 9\) lies outside"):
        grid.set_cost((9, 9), 2)
    assert not grid.has_costs
    scene = nt.Scene.load("test-environment")
    with pytest.raises(ValueError, match="cannot have costs"):
        nt.CellGrid(scene, sight="bodies").set_cost((1, 1, 1), 2.0)


def test_costs_among_bodies():
    scene = nt.Scene.load("test-environment")
    grid = nt.CellGrid(scene)
    ends = scene.agent.start, scene.destination.at(0.0)
    planner = nt.Planner(grid, "mt-d*-lite", radius=0.4)
    before = planner.plan(*ends)
    assert before.cost == before.length
    middle = before.nodes[len(before.nodes) // 2]
    box = np.stack(np.meshgrid(*[np.arange(i - 2, i + 3) for i in middle]), -1).reshape(-1, 3)
    grid.set_cost(np.clip(box, 0, np.array(grid.shape) - 1), 5.0)
    for t in (0.0, 0.3, 0.6):
        grid.update(t)
        path = planner.plan(ends[0], scene.destination.at(t))
        assert path.found
        assert nt.verify(path, grid)
        cheapest = nt.plan(grid, ends[0], scene.destination.at(t), "a*", radius=0.4)
        assert math.isclose(path.cost, cheapest.cost, rel_tol=1e-6)


@pytest.mark.parametrize("shape", [(40, 50), (20, 30, 40)])
def test_costs_take_four_bytes_a_cell(shape):
    plain = nt.Grid(np.zeros(shape, bool))
    assert plain._cost is None
    grid = nt.Grid(np.zeros(shape, bool), cost=np.ones(shape))
    assert grid._cost.nbytes == 4 * np.prod(np.array(shape) + 2)


def test_copies_have_their_own_costs():
    grid = nt.Grid(np.zeros((5, 5), bool), cost=np.full((5, 5), 2.0))
    copy = pickle.loads(pickle.dumps(grid))
    snapshot = grid.snapshot_copy()
    grid.set_cost((1, 1), 9.0)
    assert copy.cost[1, 1] == snapshot.cost[1, 1] == 2.0
    snapshot.sync_from(grid)
    assert snapshot.cost[1, 1] == 9.0
    copy.set_cost((2, 2), 5.0)
    assert grid.cost[2, 2] == 2.0


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("neighbours", [4, 6])
def test_worlds_far_away_and_in_other_units(dimension, neighbours):
    """Costs are integrals over world units."""
    if (dimension == 2) != (neighbours == 4):
        neighbours = max(NEIGHBOURHOODS[dimension])
    rng = np.random.default_rng(3)
    cost = rng.uniform(1, 5, (6,) * dimension)
    grid = nt.Grid(cost < 1.4, 0.25, [1e6] * dimension, neighbours, cost=cost)
    unit = nt.Grid(cost < 1.4, neighbours=neighbours, cost=cost)
    free = np.argwhere(~grid.blocked)
    for algorithm in ("a*", "theta*"):
        path = nt.plan(grid, grid.centre(free[0]), grid.centre(free[-1]), algorithm)
        same = nt.plan(unit, unit.centre(free[0]), unit.centre(free[-1]), algorithm)
        assert path.found == same.found
        assert nt.verify(path, grid)
        assert math.isclose(path.cost, 0.25 * same.cost, rel_tol=1e-9)

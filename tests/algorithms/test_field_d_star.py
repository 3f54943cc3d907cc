"""Field D*: free paths, true interpolation, near the optimum, and repairs equal to new searches."""

import heapq
import itertools
import math

import numpy as np
import pytest

import noctule as nt
from noctule.algorithms.field.interpolation import over_edge, over_face

INF = math.inf


def world(seed, dimension=None):
    """World number `seed`: a grid with nodes at corners, with costs or without, and two corners."""
    rng = np.random.default_rng(seed)
    d = dimension or int(rng.integers(2, 4))
    shape = tuple(rng.integers(3, 14 if d == 2 else 7, d))
    blocked = rng.random(shape) < rng.choice((0.0, 0.1, 0.25))
    cost = None
    if rng.random() < 0.7:
        cost = rng.choice((1.0, 1.0, 2.5, 16.0), shape)
    grid = nt.Grid(blocked, nodes="corners", cost=cost)
    return grid, *rng.integers(0, np.array(shape) + 1, (2, d))


def test_paths_are_free_and_cheaper_than_along_edges(cases):
    ratios = []
    for seed in range(cases // 3):
        grid, s, t = world(seed)
        path, along = nt.plan(grid, s, t, "field-d*"), nt.plan(grid, s, t, "a*")
        assert path.found == along.found, seed
        if path.found and along.cost > 0:
            assert nt.verify(path, grid), seed
            assert path.bound == pytest.approx(path.cost / math.dist(s, t))
            ratios.append(path.cost / along.cost)
    assert len(ratios) > cases // 6
    assert max(ratios) < 1.02
    assert np.mean(ratios) < 0.985


def test_start_and_goal_need_not_be_corners(cases):
    found = 0
    for seed in range(cases // 10):
        grid, *ends = world(seed)
        rng = np.random.default_rng(seed)
        ends = [np.clip(e + rng.uniform(-0.5, 0.5, len(e)), 0, grid.shape) for e in ends]
        path, along = nt.plan(grid, *ends, "field-d*"), nt.plan(grid, *ends, "a*")
        assert path.found == along.found
        if path.found:
            assert nt.verify(path, grid), seed
            assert np.allclose(path.points[[0, -1]], ends, atol=1e-12)
            found += 1
    assert found > cases // 30


def test_the_minimum_over_an_edge_is_true():
    """ComputeCost() for the cells on both sides of s s1, against all points of their far edges."""
    rng = np.random.default_rng(1)
    part = np.linspace(0, 1, 2001)

    def ways(c, b, g1, g2):
        """To s1, to a point of the edge, or along s s1 first."""
        yield min(c, b) + g1
        if c < INF:
            yield (c * np.hypot(1, part) + g1 + (g2 - g1) * part).min()
        if c < INF and b < INF:
            yield (b * part + c * np.hypot(1 - part, 1) + g2).min()

    for _ in range(300):
        c, b = rng.choice((1.0, 2.0, 5.0, INF), 2)
        g1, g2, mirrored = rng.uniform(0, 4, 3)
        found = min(over_edge(c, b, g1, g2), over_edge(b, c, g1, mirrored))
        true = min(*ways(c, b, g1, g2), *ways(b, c, g1, mirrored))
        assert found == pytest.approx(true, rel=1e-6)
        assert found > min(g1, g2, mirrored)


def test_the_minimum_over_a_face_is_true():
    rng = np.random.default_rng(2)
    x, y = np.meshgrid(*[np.linspace(0, 1, 301)] * 2, indexing="ij")
    for _ in range(300):
        c = rng.choice((1.0, 3.0))
        g00, g10, g01, g11 = rng.uniform(0, 2 * c, 4)
        low = g00 + (g10 - g00) * x + (g11 - g10) * y
        high = g00 + (g01 - g00) * y + (g11 - g01) * x
        true = (c * np.sqrt(1 + x * x + y * y) + np.where(y <= x, low, high)).min()
        assert over_face(c, g00, g10, g01, g11) == pytest.approx(true, rel=1e-4)
    assert over_face(1.0, INF, INF, INF, 2.0) == pytest.approx(2.0 + math.sqrt(3))
    assert over_face(1.0, INF, 2.0, INF, INF) == pytest.approx(2.0 + math.sqrt(2))
    assert over_face(1.0, INF, INF, INF, INF) == INF


def optimum(grid, s, t, parts):
    """The cheapest path over `parts` points of every edge, straight through cells from one side to
    another: Dijkstra's algorithm on what finely subdivides the plane.
    """
    cells = np.argwhere(~grid.blocked)
    cost = np.ones(grid.shape) if grid.cost is None else grid.cost
    graph = {}
    for i, j in cells.tolist():
        points = []
        for k in range(parts):
            points += [(i * parts + k, j * parts), (i * parts, j * parts + k)]
            points += [((i + 1) * parts, j * parts + k), (i * parts + k, (j + 1) * parts)]
        points.append(((i + 1) * parts, (j + 1) * parts))
        points = sorted(set(points))
        for p, q in itertools.combinations(points, 2):
            c = float(cost[i, j]) * math.dist(p, q) / parts
            graph.setdefault(p, []).append((q, c))
            graph.setdefault(q, []).append((p, c))
    start, goal = (tuple((parts * np.asarray(end)).tolist()) for end in (s, t))
    best, queue = {}, [(0.0, start)]
    while queue:
        g, p = heapq.heappop(queue)
        if p in best:
            continue
        best[p] = g
        if p == goal:
            return g
        for q, c in graph.get(p, ()):
            if q not in best:
                heapq.heappush(queue, (g + c, q))
    return INF


def zones(seed, size):
    rng = np.random.default_rng(seed)
    cost = np.ones((size, size))
    for _ in range(8):
        a, b = rng.integers(0, size, 2)
        m, n = rng.integers(2, 7, 2)
        cost[a : a + m, b : b + n] = rng.uniform(2, 16)
    return nt.Grid(rng.random((size, size)) < 0.05, nodes="corners", cost=cost)


def test_paths_in_the_plane_are_near_the_optimum():
    errors = []
    for seed in range(6):
        grid = zones(seed, 18)
        for s, t in [((0, 0), (18, 14)), ((18, 2), (1, 17))]:
            path = nt.plan(grid, s, t, "field-d*")
            true = optimum(grid, s, t, 6)
            assert path.found == (true < INF)
            if path.found:
                errors.append(path.cost / true - 1)
    assert len(errors) > 6
    assert min(errors) > -0.01  # what subdivides is an upper bound itself
    assert np.mean(errors) < 0.01
    assert max(errors) < 0.04


def change(grid, rng, ends):
    """Change cells, costs and the start."""
    cells = rng.integers(0, grid.shape, (int(rng.integers(1, 4)), grid.dimension))
    kind = rng.integers(0, 3)
    if kind == 0 and grid.has_costs:
        grid.set_cost(cells, rng.choice((1.0, 4.0, 9.0), len(cells)))
    elif kind == 1:
        grid.free(cells)
    else:
        grid.block(cells)
    if rng.random() < 0.3:
        ends[0] = np.clip(ends[0] + rng.integers(-1, 2, grid.dimension), 0, grid.shape)
    if rng.random() < 0.05:
        ends[1] = rng.integers(0, np.array(grid.shape) + 1)


@pytest.mark.parametrize("engine", ["fast", "reference"])
def test_repairs_equal_new_searches(engine, cases):
    """Costs of paths; and of all nodes that both have settled, to the last bit."""
    repaired = compared = 0
    for seed in range(cases // 15 if engine == "fast" else 8):
        grid, *ends = world(seed)
        rng = np.random.default_rng(seed)
        planner = nt.Planner(grid, "field-d*", engine=engine)
        for step in range(12):
            path = planner.plan(*ends)
            other = nt.Planner(grid, "field-d*", engine=engine)
            fresh = other.plan(*ends)
            assert path.found == fresh.found, (seed, step)
            repaired += path.expanded > 0 and not path.restarted
            if path.found and path.expanded and fresh.expanded:
                assert nt.verify(path, grid), (seed, step)
                assert path.cost == pytest.approx(fresh.cost, rel=1e-6), (seed, step)
                compared += compare_values(grid, planner, other)
            change(grid, rng, ends)
    assert repaired > 10
    assert compared > 1000


def compare_values(grid, repaired, fresh):
    """Compare g of nodes with keys below that of the start; return how many there are."""
    ours, theirs = (planner._replanner.memory for planner in (repaired, fresh))
    count = 0
    start = int(theirs.target.nodes[0])
    bound = theirs.search.rhs[start]
    assert ours.search.rhs[start] == bound
    here = grid.indices(np.array([start]))[0]
    for s in np.flatnonzero(theirs.search.generation == theirs.stats[0].generation).tolist():
        h = math.dist(here, grid.indices(np.array([s]))[0]) / math.sqrt(grid.dimension)
        if theirs.search.g[s] + h * 2151016 < bound:
            assert ours.search.g[s] == theirs.search.g[s]
            count += 1
    return count


@pytest.mark.parametrize("shape", [(6, 6), (5, 5, 5)])
def test_an_empty_world_is_crossed_almost_straight(shape):
    grid = nt.Grid(np.zeros(shape, bool), nodes="corners")
    ends = np.zeros(len(shape)), np.array(shape) - np.arange(len(shape))
    path = nt.plan(grid, *ends, "field-d*")
    assert math.dist(*ends) <= path.length < 1.01 * math.dist(*ends)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nodes": "centres"}, "field-d[*] needs a world with nodes at corners"),
        ({"nodes": "corners", "neighbours": 4}, "field-d[*] needs 8 neighbours in the plane"),
    ],
)
def test_worlds_that_it_does_not_understand(options, message):
    with pytest.raises(ValueError, match=message):
        nt.Planner(nt.Grid(np.zeros((4, 4), bool), **options), "field-d*")


@pytest.mark.parametrize(("option", "value"), [("radius", 0.3), ("weight", 2.0)])
def test_options_that_it_does_not_have(option, value):
    grid = nt.Grid(np.zeros((4, 4), bool), nodes="corners")
    with pytest.raises(ValueError, match=f"{option} is {value}; field-d"):
        nt.Planner(grid, "field-d*", **{option: value})

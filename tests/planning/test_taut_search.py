"""The algorithm `taut`: free and taut paths on every graph, within every limit, on every day."""

import math

import numpy as np
import pytest
from boundaries import moved_scene
from taut_law import MAKE, TOLERANCE, judge, law, random_ends, random_grid

import noctule as nt
from noctule.core.jit import INF


def boxes(seed=3, side=40, count=150):
    rng = np.random.default_rng(seed)
    blocked = np.zeros((side,) * 3, bool)
    for _ in range(count):
        low = rng.integers(3, side - 10, 3)
        blocked[tuple(slice(a, a + n) for a, n in zip(low, rng.integers(3, 9, 3), strict=True))] = 1
    return nt.Grid(blocked), [(0.5, 0.5, 0.5), (side - 0.5,) * 3]


def maze():
    blocked = np.zeros((160, 40, 8), bool)
    blocked[4::8, :36] = blocked[8::8, 4:] = True
    return nt.Grid(blocked), [(0.5, 0.5, 0.5), (159.5, 39.5, 7.5)]


def test_free_and_taut(cases):
    """As long as there is any path; `python -m pytest ... --cases 10000` tries many worlds."""
    found = 0
    for seed in range(cases // 2):
        rng = np.random.default_rng([seed, 9])
        grid, radius = random_grid(rng)
        ends = random_ends(rng, grid, radius)
        engine = ("fast", "reference")[seed % 5 == 0]
        path = nt.plan(grid, *ends, "taut", radius=radius, engine=engine)
        shortest = nt.plan(grid, *ends, "a*", radius=radius)
        assert path.found == shortest.found
        assert nt.verify(path, grid)
        if not path.found:
            continue
        found += 1
        law(path, judge(grid, radius), rng, TOLERANCE * grid.cell)
        assert path.length <= 1.1 * shortest.length + 1e-9
        straight = max(math.dist(*ends), 1e-12)
        assert path.bound == pytest.approx(max(path.length / straight, 1.0), rel=1e-6)
    assert found > cases / 6


def test_shorter_than_theta_star():
    for grid, ends in (boxes(), maze()):
        theta, taut = (nt.plan(grid, *ends, name, radius=0.4) for name in ("theta*", "taut"))
        assert taut.length < theta.length
        assert taut.engine.endswith(", taut")


def test_a_maze_is_searched_along_edges():
    grid, ends = maze()
    assert nt.plan(grid, *ends, "taut").engine == "jump points, taut"
    assert nt.plan(grid, *ends, "taut", engine="reference").engine == "reference, taut"


def test_lower_weights_are_tried_where_they_promise_more():
    grid, ends = boxes()
    path, greedy = (nt.plan(grid, *ends, "taut", radius=0.4, weight=w) for w in (1.0, 1.5))
    assert path.found
    assert greedy.found
    assert path.length <= greedy.length
    assert path.expanded > greedy.expanded > 0


def test_a_straight_line_needs_no_search():
    grid = nt.Grid(np.zeros((9, 9, 9), bool))
    path = nt.plan(grid, (0.2, 0.5, 0.7), (8.5, 4.5, 2.2), "taut")
    assert (len(path.points), path.expanded, path.bound) == (2, 0, 1.0)


def test_many_plans_are_single_plans():
    grid, _ = boxes()
    rng = np.random.default_rng(1)
    pairs = [rng.random((2, 3)) * 40 for _ in range(12)]
    many = nt.plan_many(grid, pairs, "taut", threads=2, radius=0.3)
    for pair, path in zip(pairs, many, strict=True):
        alone = nt.plan(grid, *pair, "taut", radius=0.3)
        assert (alone.found, alone.points.tolist()) == (path.found, path.points.tolist())
        assert alone.expanded == path.expanded


@pytest.mark.parametrize("most", [1, 7, 50, 300, 1000, 5000])
def test_few_expansions(most):
    for grid, ends in (boxes(), maze()):
        path = nt.plan(grid, *ends, "taut", max_expanded=most)
        assert path.expanded <= most
        assert path.found or path.partial
        assert nt.verify(path, grid)
        assert path.found or path.reason.startswith(f"stopped at the limit of {most} expansions")
        assert math.isinf(path.bound) != path.found


def test_little_time():
    grid, ends = boxes()
    planner = nt.Planner(grid, "taut")
    planner.warm_up(*ends)
    for limit in (0.0, 1e-4, 10.0):
        path = planner.plan(*ends, time_limit=limit)
        assert nt.verify(path, grid)
        assert path.seconds < limit + 0.5
    assert path.found
    assert path.length == planner.plan(*ends).length


def test_no_way():
    blocked = np.zeros((20, 20), bool)
    blocked[10] = True
    grid = nt.Grid(blocked)
    path = nt.plan(grid, (0.5, 0.5), (19.5, 5.5), "taut")
    assert not path.found
    assert len(path.points) == 0
    assert (path.length, path.bound) == (INF, INF)
    assert path.reason.startswith("there is no way")
    near = nt.plan(grid, (0.5, 0.5), (19.5, 5.5), "taut", nearest=True)
    assert near.found
    assert not near.reached_goal
    assert nt.verify(near, grid)


def test_options_of_the_search_along_edges():
    grid, ends = boxes()
    coarse, equal = (nt.plan(grid, *ends, "taut", **{name: value}) for name, value in OPTIONS)
    along = nt.plan(grid, *ends, "a*")
    for path in (coarse, equal):
        assert path.found
        assert nt.verify(path, grid)
        assert path.length < along.length
    with pytest.raises(ValueError, match="hierarchical is True"):
        nt.plan(nt.Grid(np.zeros((5, 5), bool), nodes="corners"), (0, 0), (5, 5), hierarchical=True)


OPTIONS = (("hierarchical", True), ("cost", "steps"))


@pytest.mark.parametrize("graph", MAKE)
def test_flights_plan_with_it(graph):
    """An agent that replans names the corner that it flies to."""
    flown = moved_scene("near")
    world = MAKE[graph](flown)
    result = nt.Flight(flown, world, "taut", seed=1).run()
    assert result.reached
    planner = nt.Planner(world, "taut", radius=0.45)
    ends = flown.agent.start, flown.destination.start
    path = planner.plan(*ends, best_start=True, towards=ends[0])
    assert path.found
    assert nt.verify(path, world)


def test_it_is_the_default():
    grid, ends = boxes()
    assert nt.plan(grid, *ends).algorithm == nt.Planner(grid).plan(*ends).algorithm == "taut"
    assert nt.plan_many(grid, [ends])[0].algorithm == "taut"


def test_the_default_where_it_cannot_serve():
    """A heuristic that overestimates for it; but an algorithm that was named is not replaced."""
    grid, ends = boxes()
    assert nt.plan(grid, *ends, heuristic="voxel").algorithm == "a*"
    with pytest.raises(ValueError, match="heuristic 'voxel' may overestimate for taut"):
        nt.plan(grid, *ends, "taut", heuristic="voxel")
    for name in (None, "taut", "a*"):
        with pytest.raises(ValueError, match="radius is -1"):
            nt.plan(grid, *ends, name, radius=-1)


def test_equal_steps_and_costs_that_come_later():
    grid = nt.Grid(np.zeros((9, 9), bool))
    ends = (0.5, 4.5), (8.5, 4.5)
    steps = nt.Planner(grid, cost="steps")
    assert steps.plan(*ends).cost == 8.0
    grid.set_cost([(4, y) for y in range(2, 9)], 50.0)
    with pytest.raises(ValueError, match="equal steps know no costs of cells"):
        steps.plan(*ends)


def test_costs_that_come_later():
    """The next plan takes them in, and goes around them."""
    grid = nt.Grid(np.zeros((9, 9), bool))
    ends = (0.5, 4.5), (8.5, 4.5)
    planner = nt.Planner(grid)
    assert planner.plan(*ends).cost == 8.0
    grid.set_cost([(4, y) for y in range(2, 9)], 50.0)
    path = planner.plan(*ends)
    assert path.algorithm == "taut"
    assert 8.0 < path.cost < nt.plan(grid, *ends, "a*").cost < 20
    assert nt.verify(path, grid)
    assert planner.plan_many([ends])[0].cost == path.cost


def test_equal_steps_of_many_plans_are_pulled_taut():
    grid, _ = boxes()
    pairs = [(grid.centre((0, 0, 0)), grid.centre((39, k, 39))) for k in range(0, 40, 9)]
    for pair, path in zip(pairs, nt.plan_many(grid, pairs, "taut", cost="steps"), strict=True):
        assert path.points.tolist() == nt.plan(grid, *pair, "taut", cost="steps").points.tolist()

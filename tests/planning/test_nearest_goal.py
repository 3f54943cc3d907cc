"""Goals that cannot be reached: the path to the reachable free point nearest to them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noctule as nt

NAMES = [
    "a*",
    "jps",
    "theta*",
    "lazy-theta*",
    "ara*",
    "d*",
    "d*-lite",
    "mt-d*-lite",
    "aamt-d*-lite",
]


def reachable_cells(grid, start, radius):
    """All cells that a plain flood over steps between cells reaches."""
    reached, waiting = {start}, [start]
    while waiting:
        cell = waiting.pop()
        for move in np.ndindex(*(3,) * grid.dimension):
            other = tuple(int(c + m - 1) for c, m in zip(cell, move, strict=True))
            inside = all(0 <= c < n for c, n in zip(other, grid.shape, strict=True))
            if other in reached or not inside:
                continue
            if grid.line_of_sight(grid.centre(cell), grid.centre(other), radius):
                reached.add(other)
                waiting.append(other)
    return np.array(sorted(reached))


@st.composite
def worlds(draw):
    dimension = draw(st.sampled_from([2, 3]))
    side = draw(st.integers(3, 9 if dimension == 2 else 6))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    blocked = rng.random((side,) * dimension) < draw(st.floats(0.1, 0.6))
    start = tuple(int(n) for n in rng.integers(side, size=dimension))
    blocked[start] = False
    goal = rng.uniform(-2, side + 2, dimension)
    return nt.Grid(blocked), start, goal


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25)
@given(world=worlds(), radius=st.sampled_from([0.0, 0.4]))
def test_the_path_ends_at_least_as_near_as_the_nearest_reachable_cell(name, world, radius):
    grid, start, goal = world
    path = nt.plan(grid, grid.centre(start), goal, name, radius=radius, nearest=True)
    assert path.found
    assert nt.verify(path, grid)
    cells = reachable_cells(grid, start, radius)
    nearest = np.linalg.norm(cells + 0.5 - goal, axis=1).min()
    assert math.dist(path.points[0], grid.centre(start)) < 1e-9
    missing = math.dist(path.points[-1], goal)
    assert missing <= nearest + 1e-9
    assert path.reached_goal == (missing < 1e-9)
    assert math.isclose(path.goal_distance, missing, abs_tol=1e-9)
    plain = None
    if all(0 <= v <= n for v, n in zip(goal, grid.shape, strict=True)):
        plain = nt.plan(grid, grid.centre(start), goal, name, radius=radius)
        assert path.reached_goal == plain.found
        if plain.found:
            assert path.length == plain.length
            assert path.reason == ""
    if not path.reached_goal:
        assert "cannot be reached" in path.reason


def test_a_goal_in_a_rock_is_approached_to_its_face():
    blocked = np.zeros((20, 9, 9), bool)
    blocked[10:, 2:7, 2:7] = True
    grid = nt.Grid(blocked)
    path = nt.plan(grid, (1.5, 4.5, 4.5), (11.5, 4.5, 4.5), "a*", radius=0.4, nearest=True)
    assert path.found
    assert not path.reached_goal
    assert np.allclose(path.points[-1], (9.6, 4.5, 4.5), atol=2e-3)
    assert math.isclose(path.goal_distance, 1.9, abs_tol=2e-3)
    assert path.reason.startswith("goal (11.5, 4.5, 4.5) cannot be reached; the path ends 1.9")
    assert path.to_dict()["reached_goal"] is False


def test_a_goal_behind_walls_is_approached_from_outside():
    blocked = np.zeros((15, 15), bool)
    blocked[5:10, 5:10] = True
    blocked[7, 7] = False
    for name in NAMES:
        planner = nt.Planner(nt.Grid(blocked), name, nearest=True)
        for goal in ((7.5, 7.5), (7.2, 7.9)):
            path = planner.plan((0.5, 7.5), goal)
            assert path.found
            assert not path.reached_goal
            assert 1.9 < path.goal_distance < 3.2
            assert nt.verify(path, planner.graph)


def test_goal_tolerance_refuses_paths_that_end_farther_away():
    blocked = np.zeros((20, 9), bool)
    blocked[10:, 2:7] = True
    grid = nt.Grid(blocked)
    ends = (1.5, 4.5), (12.5, 4.5)
    assert nt.plan(grid, *ends, "a*", goal_tolerance=3).found
    path = nt.plan(grid, *ends, "a*", goal_tolerance=2)
    assert not path.found
    assert len(path.points) == 0
    assert path.reason == "goal (12.5, 4.5) cannot be reached, and no point within 2 of it"
    with pytest.raises(ValueError, match="goal_tolerance is -1; it must be a number of at least 0"):
        nt.plan(grid, *ends, "a*", goal_tolerance=-1)


def test_a_start_inside_something_is_left_first():
    blocked = np.zeros((12, 9, 9), bool)
    blocked[:4] = True
    grid = nt.Grid(blocked)
    path = nt.plan(grid, (3.3, 4.5, 4.5), (10.5, 4.5, 4.5), "a*", radius=0.4, nearest=True)
    assert path.reached_goal
    assert path.blocked_ends == (True, False)
    assert path.reason.startswith("start (3.3, 4.5, 4.5) is not free")
    assert np.allclose(path.points[1], (4.5, 4.5, 4.5))
    assert [found.segment for found in nt.violations(path, grid)][:1] == [0]
    assert nt.verify(path.points[1:], grid, radius=0.4)
    assert math.isclose(path.length, 7.2)


def test_nothing_changes_for_worlds_without_a_way_or_a_free_node():
    shut = nt.Grid(np.ones((4, 4), bool))
    path = nt.plan(shut, (0.5, 0.5), (3.5, 3.5), "a*", nearest=True)
    assert not path.found
    assert path.reason
    with pytest.raises(ValueError, match="goal is"):
        nt.plan(shut, (0.5, 0.5), (math.nan, 3.5), "a*", nearest=True)
    with pytest.raises(ValueError, match="nearest is True; visibility allows False only"):
        nt.Planner(nt.Grid(np.zeros((4, 4), bool), nodes="corners"), "visibility", nearest=True)


@pytest.mark.parametrize("graph", [nt.CellGrid, nt.Hybrid, nt.Waypoints])
def test_goals_inside_bodies_and_outside_the_space(graph):
    ball = nt.Body("ball", nt.Ball(2.0), (6, 6, 6))
    agent, target = nt.Agent((1.5, 6, 6), 0.4, 4.0), nt.Destination((10, 6, 6), 0.4)
    scene = nt.Scene(nt.Space((0, 0, 0), (12, 12, 12)), agent, target, [ball])
    world = graph(scene)
    for name in ("a*", "theta*", "aamt-d*-lite"):
        planner = nt.Planner(world, name, radius=0.4, nearest=True)
        for goal in ((6, 6, 6.5), (20, 6, 6), (6, -5, 6)):
            path = planner.plan((1.5, 6, 6), goal)
            assert path.found
            assert not path.reached_goal
            assert nt.verify(path, world)
            assert path.goal_distance < 10
        assert planner.plan((1.5, 6, 6), (10.2, 6.1, 6)).reached_goal


def test_graphs_of_points():
    points = [(0, 0), (1, 0), (2, 0), (5, 5)]
    path = nt.plan(nt.Graph(points, [(0, 1), (1, 2)]), (0, 0), (5, 5), "a*", nearest=True)
    assert np.allclose(path.points[-1], (2, 0))
    assert not path.reached_goal


def test_batches_and_budgets():
    blocked = np.zeros((20, 9), bool)
    blocked[10:, 2:7] = True
    grid = nt.Grid(blocked)
    pairs = [((1.5, 4.5), (12.5, 4.5)), ((1.5, 4.5), (8.5, 4.5))]
    paths = nt.plan_many(grid, pairs, "a*", nearest=True)
    assert [path.reached_goal for path in paths] == [False, True]
    assert all(path.found for path in paths)
    rng = np.random.default_rng(5)
    large = nt.Grid(rng.random((40, 40, 40)) < 0.3)
    large.free([(0, 0, 0)])
    late = nt.Planner(large, "a*", nearest=True).plan((0.5, 0.5, 0.5), (45, 45, 45), time_limit=0.0)
    assert not late.reached_goal

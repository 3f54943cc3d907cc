"""`DistanceField`: equal to a plain Dijkstra after every change, whatever changes."""

import heapq
import itertools
import math

import numpy as np
import pytest

import noctule as nt

MOVES = [m for m in itertools.product((-1, 0, 1), repeat=3) if any(m)]


def dijkstra(blocked, goals):
    """Return the distance of every cell; a move needs all cells of its box."""
    distance = np.full(blocked.shape, np.inf)
    queue = [(0.0, goal) for goal in goals if not blocked[goal]]
    for _, goal in queue:
        distance[goal] = 0.0
    heapq.heapify(queue)
    while queue:
        d, cell = heapq.heappop(queue)
        if d > distance[cell]:
            continue
        for move in MOVES:
            to = tuple(a + b for a, b in zip(cell, move, strict=True))
            if not all(0 <= i < n for i, n in zip(to, blocked.shape, strict=True)):
                continue
            box = tuple(slice(min(a, b), max(a, b) + 1) for a, b in zip(cell, to, strict=True))
            if blocked[box].any():
                continue
            far = d + math.sqrt(sum(map(abs, move)))
            if far < distance[to] - 1e-12:
                distance[to] = far
                heapq.heappush(queue, (far, to))
    return distance


def cells_of(goals):
    return [tuple(np.floor(goal).astype(int).tolist()) for goal in goals]


def test_equal_to_dijkstra_after_each_of_2000_changes():
    random = np.random.default_rng(1)
    shape = (6, 5, 4)
    grid = nt.Grid(random.random(shape) < 0.25)
    field = nt.DistanceField(grid, (0.5, 0.5, 0.5))
    repaired = 0
    for _ in range(2000):
        kind = random.integers(4)
        cells = random.integers(0, shape, (random.integers(1, 4), 3))
        if kind == 0:
            grid.block(cells)
        elif kind == 1:
            grid.free(cells)
        elif kind == 2:
            field.goals = cells + 0.5
        else:  # one goal is added or removed
            field.goals = np.concatenate((field.goals[random.integers(2) :], cells[:1] + 0.5))[-4:]
        assert field.update()
        repaired += not field._was_fresh
        expected = dijkstra(grid.blocked, cells_of(field.goals))
        assert field.distances() == pytest.approx(expected, rel=1e-5)
    assert repaired > 500


def test_it_follows_the_bodies_of_a_scene():
    scene = nt.Scene.load("test-environment")
    grid = nt.CellGrid(scene)
    goal = scene.destination.start
    field = nt.DistanceField(grid, goal)
    work = []
    for frame in range(1, 9):
        grid.update(frame / 60)
        field.update()
        fresh = nt.DistanceField(grid, goal)
        assert np.array_equal(field.distances(), fresh.distances())
        work.append((field.expanded, fresh.expanded))
    repairs, searches = np.sum(work, axis=0)
    assert repairs < 0.7 * searches


def test_part_by_part_and_only_as_far_as_needed():
    grid = nt.Grid(np.zeros((20, 20, 20), bool))
    near, far = (3.5, 0.5, 0.5), (19.5, 19.5, 19.5)
    field = nt.DistanceField(grid, (0.5, 0.5, 0.5))
    field.goals = (5.5, 0.5, 0.5)
    assert field.update(until=[near])
    few = field.expanded
    assert few < 1000
    assert field.distance(near) == 2.0
    parts = 0
    while not field.update(until=[far], limit=500):
        parts += 1
        assert field.expanded <= 500
    assert parts > 5
    fresh = nt.DistanceField(grid, (5.5, 0.5, 0.5))
    field.update()
    assert np.array_equal(field.distances(), fresh.distances())


def test_paths_are_free_and_as_long_as_the_distance():
    random = np.random.default_rng(2)
    grid = nt.Grid(random.random((12, 12, 12)) < 0.2)
    free = np.argwhere(~grid.blocked)
    goals = free[:3] + 0.5
    field = nt.DistanceField(grid, goals)
    lengths = []
    for cell in free[:: len(free) // 40]:
        point = cell + random.uniform(0.2, 0.8, 3)
        corners = field.path(point)
        if corners is None:
            assert field.distance(point) == np.inf
            assert field.direction(point) is None
            continue
        assert np.array_equal(corners[0], point)
        assert any(np.array_equal(corners[-1], goal) for goal in goals)
        steps = np.linalg.norm(np.diff(corners, axis=0), axis=1)
        assert steps.sum() == pytest.approx(field.distance(point), rel=1e-5)
        ways = corners[1:][steps > 0] - corners[:-1][steps > 0]
        assert field.direction(point) == pytest.approx(ways[0] / np.linalg.norm(ways[0]))
        graph = grid.kernel_graph()
        assert not grid.blocked_legs(graph, grid.all_in_cells("corner", corners))
        lengths.append(steps.sum())
    assert len(lengths) > 20


def test_goals_where_the_agent_cannot_be():
    grid = nt.Grid(np.zeros((5, 5, 5), bool))
    grid.block((2, 2, 2))
    field = nt.DistanceField(grid, (2.5, 2.5, 2.5))
    assert field.distance((0.5, 0.5, 0.5)) == np.inf
    field.goals = [(2.5, 2.5, 2.5), (4.5, 0.5, 0.5)]
    field.update()
    assert field.distance((0.5, 0.5, 0.5)) == 4.0
    with pytest.raises(ValueError, match="expected rows of 3 finite numbers"):
        field.goals = (1, 2)
    with pytest.raises(ValueError, match="goal"):
        field.goals = (9, 9, 9)
    with pytest.raises(ValueError, match="expected a noctule"):
        nt.DistanceField(np.zeros((2, 2, 2)), (0.5, 0.5, 0.5))

"""Paths and repairs in generated worlds of any origin, size of cells and radius of the agent.

They are compared with Dijkstra's algorithm on the graph that follows from the definition: a step is
free where no blocked cell comes nearer to it than the radius.
"""

import functools
import heapq
import itertools
import math

import numpy as np
from strategies import random_world

import noctule as nt

WIDEST = 3.0  # radius in cells
TOLERANCE = 2e-6  # in cells; more than the resolution of the farthest origin here
ORIGINS = (0.0, 1.0, -3.3, 1e3, 5.5e6, 1e9, -1e9)  # in cells
CELLS = (1.0, 0.1, 0.01, 64.0, 1e-6)
OFFSETS = (0.0, 1e-3, -1e-3, 1e-5, -1e-5)
SPATIAL = [row for row in nt.algorithms() if not (row.timed or row.corners_only)]
REMEMBERING = [row for row in SPATIAL if row.incremental]
AXES = {4: 1, 8: 2, 6: 1, 18: 2, 26: 3}


@functools.cache
def distances_to_step(step):
    """Return the cells near a step from the centre of cell 0, and how far they are from it."""
    reach = math.ceil(WIDEST) + 1
    cells = np.array(list(itertools.product(range(-reach, reach + 1), repeat=len(step))))
    low, high = np.zeros(len(cells)), np.ones(len(cells))

    def gaps(t):
        points = 0.5 + t[:, None] * np.array(step, float)
        return np.linalg.norm(points - np.clip(points, cells, cells + 1), axis=1)

    for _ in range(100):  # the distance is a convex function of the place on the segment
        first, second = low + (high - low) / 3, high - (high - low) / 3
        nearer = gaps(first) < gaps(second)
        low, high = np.where(nearer, low, first), np.where(nearer, second, high)
    return cells, np.minimum.reduce([gaps(low), gaps(np.zeros_like(low)), gaps(np.ones_like(low))])


class Twin:
    """The search graph of a grid: which steps are free, for a ball of a radius in cells."""

    def __init__(self, blocked, neighbours, radius):
        self.shape = blocked.shape
        margin = math.ceil(WIDEST) + 1
        padded = np.pad(blocked, margin, constant_values=True)
        self.free = {}
        for step in itertools.product((-1, 0, 1), repeat=blocked.ndim):
            if sum(map(abs, step)) > AXES[neighbours]:
                continue
            cells, distances = distances_to_step(step)
            near = cells[distances < max(radius - TOLERANCE, 1e-9)]
            hit = np.zeros(blocked.shape, bool)
            for cell in near:
                first = cell + margin
                part = tuple(slice(a, a + n) for a, n in zip(first, blocked.shape, strict=True))
                hit |= padded[part]
            self.free[step] = ~hit

    def distance(self, start, goal):
        """Return the length of the shortest path, in cells; None without one."""
        still = (0,) * len(self.shape)
        if not self.free[still][start] or not self.free[still][goal]:
            return None
        best, queue = set(), [(0.0, start)]
        while queue:
            g, s = heapq.heappop(queue)
            if s == goal:
                return g
            if s in best:
                continue
            best.add(s)
            for step, free in self.free.items():
                if step != still and free[s]:
                    t = tuple(i + d for i, d in zip(s, step, strict=True))
                    if t not in best:
                        heapq.heappush(queue, (g + math.hypot(*step), t))
        return None


def some_radius(rng):
    """Return a radius in cells: any, none, or one that all but touches a cell somewhere."""
    kind = rng.integers(4)
    if kind == 0:
        return 0.0
    if kind == 1:
        return float(rng.uniform(0, WIDEST))
    if kind == 2:
        return float(rng.choice((1e-6, 1e-3, 0.25, 0.45, 0.5)))
    step = tuple(int(d) for d in rng.integers(-1, 2, 3))
    _, distances = distances_to_step(step)
    critical = distances[(distances > 0.1) & (distances < WIDEST - 0.01)]
    return float(rng.choice(critical) + rng.choice(OFFSETS))


def some_grid(seed):
    """Return a grid anywhere, with what it is made of, two of its cells and a radius."""
    rng = np.random.default_rng([seed, 1])
    blocked, neighbours, s, t = random_world(seed, longest=9)
    radius = some_radius(rng)
    if radius > 1:  # room for a wide agent
        blocked = np.pad(blocked, int(radius), constant_values=False)
        s, t = (tuple(i + int(radius) for i in end) for end in (s, t))
    cell = float(rng.choice(CELLS))
    origin = [float(rng.choice(ORIGINS) * cell) for _ in blocked.shape]
    grid = nt.Grid(blocked, cell=cell, origin=origin, neighbours=neighbours)
    return rng, grid, blocked.copy(), neighbours, s, t, radius


def check(path, grid, radius, true, algorithm, what):
    """Check a path against the length of the shortest one, in cells."""
    assert path.found == (true is not None), (what, path.reason, true)
    if not path.found:
        return
    assert nt.verify(path, grid, radius * grid.cell), what
    length = path.length / grid.cell
    slack = 1e-9 + 100 * grid.resolution
    assert length <= path.bound * true + slack, (what, length, true)
    if algorithm.optimal and not algorithm.any_angle:
        assert math.isclose(length, true, abs_tol=slack), (what, length, true)


def test_paths(cases):
    """Many of them: `pytest --cases 20000 tests/fuzz/test_searches.py -k paths`."""
    found = 0
    for seed in range(cases // 4):
        _, grid, blocked, neighbours, s, t, radius = some_grid(seed)
        true = Twin(blocked, neighbours, radius).distance(s, t)
        found += true is not None
        for algorithm in SPATIAL:
            what = seed, algorithm.name, radius
            ends = grid.centre(s), grid.centre(t)
            engine = ("fast", "reference")[seed % 2]
            path = nt.plan(grid, *ends, algorithm.name, radius=radius * grid.cell, engine=engine)
            check(path, grid, radius, true, algorithm, what)
    assert found > cases / 20


def test_repairs(cases):
    """Cells are blocked and freed, both ends move, and each search repairs what it knows."""
    repaired = 0
    for seed in range(cases // 10):
        rng, grid, blocked, neighbours, s, t, radius = some_grid(seed)
        planners = [nt.Planner(grid, row.name, radius=radius * grid.cell) for row in REMEMBERING]
        path = nt.plan(grid, grid.centre(s), grid.centre(t), "a*", radius=radius * grid.cell)
        for step in range(10):
            true = Twin(blocked, neighbours, radius).distance(s, t)
            for algorithm, planner in zip(REMEMBERING, planners, strict=True):
                if rng.random() < 0.1:  # it misses a change
                    continue
                path = planner.plan(grid.centre(s), grid.centre(t))
                check(path, grid, radius, true, algorithm, (seed, step, algorithm.name, radius))
                repaired += path.found and not path.restarted
            for change, value in ((grid.block, True), (grid.free, False)):
                cells = rng.integers(0, blocked.shape, (int(rng.integers(0, 5)), blocked.ndim))
                change(cells)
                blocked[tuple(cells.T)] = value
            if path.found and rng.random() < 0.7:  # the agent flies on
                s = tuple(path.nodes[min(2, len(path.nodes) - 1)].tolist())
            elif rng.random() < 0.4:
                s = tuple(int(i) for i in rng.integers(0, blocked.shape))
            if rng.random() < 0.3:
                t = tuple(int(i) for i in rng.integers(0, blocked.shape))
    assert repaired > cases / 10

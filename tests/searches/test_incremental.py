"""Searches that remember against searches that do not, after every change of anything."""

import math

import numpy as np
import pytest
from strategies import NEIGHBOURHOODS

import noctule as nt

REMEMBERING = [row.name for row in nt.algorithms() if row.incremental or row.anytime]
RADII = {"centres": (0.0, 0.0, 0.4, 0.8), "corners": (0.0, 0.0, 0.0, 0.3)}


class Story:
    """A world in which cells, start and goal change at random, step by step."""

    def __init__(self, seed, neighbours=None):
        rng = self.rng = np.random.default_rng(seed)
        d = int(rng.integers(2, 4)) if neighbours is None else 2 if neighbours in (4, 8) else 3
        shape = tuple(int(n) for n in rng.integers(3, 11 if d == 2 else 7, d))
        blocked = rng.random(shape) < rng.choice((0.0, 0.1, 0.25, 0.4))
        nodes = str(rng.choice(("centres", "centres", "corners")))
        self.radius = float(rng.choice(RADII[nodes]))
        self.weight = float(rng.choice((1.0, 1.0, 1.3, 2.5)))
        neighbours = neighbours or int(rng.choice(NEIGHBOURHOODS[d]))
        self.grid = nt.Grid(blocked, neighbours=neighbours, nodes=nodes)
        self.most = np.array(shape) - (1 if nodes == "centres" else 0)
        self.shift = 0.5 if nodes == "centres" else 0.0
        self.ends = [rng.integers(0, self.most + 1) for _ in range(2)]
        self.path = None

    def step(self):
        """Change something, often several things at once; return start and goal."""
        rng, grid = self.rng, self.grid
        if rng.random() < 0.7:
            cells = rng.integers(0, grid.shape, (int(rng.integers(1, 5)), len(grid.shape)))
            grid.block(cells)
        if rng.random() < 0.7:
            solid = np.argwhere(grid.blocked)
            if len(solid):
                grid.free(solid[rng.integers(0, len(solid), int(rng.integers(1, 5)))])
        if rng.random() < 0.5:  # on along the path, as an agent would
            if self.path is not None and len(self.path.nodes) > 1 and rng.random() < 0.7:
                self.ends[0] = self.path.nodes[min(int(rng.integers(1, 3)), len(self.path.nodes) - 1)]
            else:
                self.ends[0] = self.near(self.ends[0])
        if rng.random() < 0.5:
            self.ends[1] = self.near(self.ends[1])
        if rng.random() < 0.03:
            self.ends[int(rng.integers(2))] = rng.integers(0, self.most + 1)
        places = [np.asarray(end) + self.shift for end in self.ends]
        if rng.random() < 0.1:  # not a node
            places = [np.clip(p + rng.uniform(-0.4, 0.4, len(p)), 0, grid.shape) for p in places]
        return places

    def near(self, node):
        return np.clip(node + self.rng.integers(-1, 2, len(node)), 0, self.most)


def check(path, shortest, story, planner, what):
    assert path.found == shortest.found, (what, path.reason, shortest.reason)
    if not path.found:
        assert path.reason, what
        return
    assert nt.verify(path, story.grid, radius=story.radius), what
    assert math.isclose(path.length, nt.path.polyline_length(path.points)), what
    weight = planner.options.weight
    if weight == 1.0 or path.bound == 1.0:
        assert math.isclose(path.length, shortest.length, rel_tol=1e-9), what
    assert path.bound <= weight, what
    if len(shortest.points) == len(shortest.nodes):  # else the ends add to both lengths
        assert path.length <= path.bound * shortest.length * (1 + 1e-9), what


def follow(seed, steps, names=REMEMBERING, neighbours=None):
    story = Story(seed, neighbours)
    options = {"radius": story.radius}
    planners = {n: nt.Planner(story.grid, n, weight=story.weight, **options) for n in names}
    fresh = nt.Planner(story.grid, "a*", **options)
    repaired = 0
    for step in range(steps):
        start, goal = story.step()
        shortest = fresh.plan(start, goal)
        for name, planner in planners.items():
            if story.rng.random() < 0.15:
                continue  # this planner sleeps, and has more to catch up with
            path = planner.plan(start, goal)
            check(path, shortest, story, planner, (seed, step, name))
            repaired += path.expanded > 0 and not path.restarted
            story.path = path if path.found else story.path
    return repaired


@pytest.mark.parametrize("neighbours", [4, 8, 6, 18, 26])
def test_repaired_paths_are_as_good_as_new_ones(neighbours, cases):
    """At least 10,000 plans in the normal run; `--cases 100000` tries a few million."""
    repaired = sum(follow(1000 * neighbours + seed, 20, neighbours=neighbours) for seed in range(cases // 15))
    assert repaired > cases

"""Searches that remember against searches that do not, while cells get cheaper, dearer, blocked."""

import math

import numpy as np
import pytest

import noctule as nt

ROWS = [row for row in nt.algorithms() if row.keeps_search and not row.corners_only]
ALONG_EDGES = [row.name for row in ROWS if not row.any_angle]
AT_ANY_ANGLE = [row.name for row in ROWS if row.any_angle]
INCREMENTAL = [row.name for row in ROWS if row.incremental]


class World:
    """A grid in which costs, cells, start and goal change at random."""

    def __init__(self, seed):
        rng = self.rng = np.random.default_rng(seed)
        flat = rng.random() < 0.5
        shape = tuple(rng.integers(4, 12 if flat else 8, 2 if flat else 3))
        corners = rng.random() < 0.3
        self.radius = 0.0 if corners else float(rng.choice((0.0, 0.4, 0.7)))
        self.weight = float(rng.choice((1.0, 1.0, 1.3, 2.5)))
        self.grid = nt.Grid(
            rng.random(shape) < rng.choice((0.0, 0.1, 0.2, 0.3)),
            neighbours=int(rng.choice((4, 8) if flat else (6, 18, 26))),
            nodes="corners" if corners else "centres",
            cost=np.where(rng.random(shape) < 0.5, 1.0, np.round(rng.uniform(1, 9, shape))),
        )
        self.shift = 0.0 if corners else 0.5
        self.ends = [rng.integers(0, shape) for _ in range(2)]

    def change(self):
        """Change something; return start and goal."""
        rng, grid = self.rng, self.grid
        few = int(rng.integers(1, 5)), grid.dimension
        if rng.random() < 0.8:
            cells = rng.integers(0, grid.shape, few)
            grid.set_cost(cells, rng.choice((1.0, 1.5, 4.0, 20.0), few[0]))
        if rng.random() < 0.3:  # a zone
            low = rng.integers(0, grid.shape)
            box = [np.arange(a, min(a + 3, n)) for a, n in zip(low, grid.shape, strict=True)]
            cells = np.stack(np.meshgrid(*box, indexing="ij"), -1).reshape(-1, len(low))
            grid.set_cost(cells, float(rng.choice((1.0, 3.0, 12.0))))
        if rng.random() < 0.4:
            grid.block(rng.integers(0, grid.shape, few))
            solid = np.argwhere(grid.blocked)
            grid.free(solid[rng.integers(0, len(solid), few[0])])
        for i, often in ((0, 0.5), (1, 0.4)):
            if rng.random() < often:
                step = rng.integers(-1, 2, grid.dimension)
                self.ends[i] = np.clip(self.ends[i] + step, 0, np.array(grid.shape) - 1)
        if rng.random() < 0.8:
            grid.free(np.array(self.ends))
        return [end + self.shift for end in self.ends]


def test_repairs_along_edges_are_as_good_as_new_searches(cases):
    """With `--cases 5000`, some 5,000 changes."""
    changes = repaired = 0
    for seed in range(cases // 20):
        world = World(seed)
        options = {"radius": world.radius}
        planners = {
            n: nt.Planner(world.grid, n, weight=world.weight, **options) for n in ALONG_EDGES
        }
        fresh = nt.Planner(world.grid, "a*", **options)
        for step in range(20):
            start, goal = world.change()
            changes += 1
            cheapest = fresh.plan(start, goal)
            for name, planner in planners.items():
                if world.rng.random() < 0.15:
                    continue  # this planner has more to catch up with
                path, what = planner.plan(start, goal), (seed, step, name)
                assert path.found == cheapest.found, what
                repaired += path.expanded > 0 and not path.restarted
                if not path.found:
                    continue
                assert nt.verify(path, world.grid, radius=world.radius), what
                assert path.bound <= world.weight, what
                if len(path.points) == len(path.nodes) or world.weight == 1.0:
                    most = path.bound * cheapest.cost
                    assert path.cost <= most * (1 + 1e-6) + 1e-9, what
                    assert path.cost >= cheapest.cost * (1 - 1e-6) - 1e-9, what
    assert changes >= cases - 20
    assert repaired > cases


@pytest.mark.parametrize("algorithm", AT_ANY_ANGLE)
def test_repairs_at_any_angle_cost_no_more_than_new_searches(algorithm, cases):
    """Neither is optimal: single paths differ, and on average hardly."""
    ratios, repaired = [], 0
    for seed in range(cases // 20):
        world = World(seed)
        options = {"radius": world.radius}
        planner = nt.Planner(world.grid, algorithm, **options)
        for step in range(20):
            start, goal = world.change()
            path = planner.plan(start, goal)
            fresh = nt.plan(world.grid, start, goal, algorithm, **options)
            assert path.found == fresh.found, (seed, step)
            repaired += path.expanded > 0 and not path.restarted
            if path.found and fresh.cost > 0:
                assert nt.verify(path, world.grid, radius=world.radius), (seed, step)
                ratios.append(path.cost / fresh.cost)
    assert repaired > cases // 4
    assert len(ratios) > cases // 4
    assert np.mean(ratios) < 1.005
    assert max(ratios) < 1.15


@pytest.mark.parametrize("algorithm", INCREMENTAL)
def test_a_cheaper_cell_draws_the_path_and_a_dearer_one_drives_it_off(algorithm):
    grid = nt.Grid(np.zeros((15, 9), bool), cost=np.full((15, 9), 4.0))
    planner = nt.Planner(grid, algorithm)
    ends = grid.centre((0, 4)), grid.centre((14, 4))
    assert math.isclose(planner.plan(*ends).cost, 56.0)
    row = [(x, 6) for x in range(15)]
    grid.set_cost(row, 1.0)
    cheap = planner.plan(*ends)
    assert cheap.cost < 40
    assert not cheap.restarted or algorithm == "ara*"
    grid.set_cost(row[5:8], 9.0)
    assert cheap.cost < planner.plan(*ends).cost < 56.0
    grid.set_cost(row, 4.0)
    assert math.isclose(planner.plan(*ends).cost, 56.0)

"""Searches that remember against searches that do not, while cells get cheaper, dearer, blocked."""

import math

import numpy as np
import pytest
from test_any_angle_repairs import REPAIRING
from test_incremental import ALL, INCREMENTAL, Story

import noctule as nt


class CostStory(Story):
    """A world in which costs change at random, too."""

    def __init__(self, seed, neighbours=None):
        super().__init__(seed, neighbours)
        rng = self.rng
        grid = self.grid
        cost = np.where(rng.random(grid.shape) < 0.5, 1.0, np.round(rng.uniform(1, 9, grid.shape)))
        self.grid = nt.Grid(grid.blocked, neighbours=grid.neighbours, nodes=grid.nodes, cost=cost)

    def step(self):
        rng, grid = self.rng, self.grid
        places = super().step()
        if rng.random() < 0.8:
            cells = rng.integers(0, grid.shape, (int(rng.integers(1, 5)), len(grid.shape)))
            grid.set_cost(cells, rng.choice((1.0, 1.5, 4.0, 20.0), len(cells)))
        if rng.random() < 0.3:  # a zone
            low = rng.integers(0, grid.shape)
            box = [np.arange(a, min(a + 3, n)) for a, n in zip(low, grid.shape, strict=True)]
            cells = np.stack(np.meshgrid(*box, indexing="ij"), -1).reshape(-1, len(low))
            grid.set_cost(cells, float(rng.choice((1.0, 3.0, 12.0))))
        return places


def test_repairs_along_edges_are_as_good_as_new_searches(cases):
    """With `--cases 5000`, some 5,000 changes."""
    changes = repaired = 0
    for seed in range(cases // 20):
        story = CostStory(seed)
        options = {"radius": story.radius}
        planners = {n: nt.Planner(story.grid, n, weight=story.weight, **options) for n in ALL}
        fresh = nt.Planner(story.grid, "a*", **options)
        for step in range(20):
            start, goal = story.step()
            changes += 1
            cheapest = fresh.plan(start, goal)
            for name, planner in planners.items():
                if story.rng.random() < 0.15:
                    continue  # this planner has more to catch up with
                path, what = planner.plan(start, goal), (seed, step, name)
                assert path.found == cheapest.found, what
                repaired += path.expanded > 0 and not path.restarted
                if not path.found:
                    continue
                assert nt.verify(path, story.grid, radius=story.radius), what
                assert path.bound <= story.weight, what
                if len(path.points) == len(path.nodes) or story.weight == 1.0:
                    most = path.bound * cheapest.cost
                    assert path.cost <= most * (1 + 1e-6) + 1e-9, what
                    assert path.cost >= cheapest.cost * (1 - 1e-6) - 1e-9, what
                story.path = path
    assert changes >= cases - 20
    assert repaired > cases


@pytest.mark.parametrize("algorithm", REPAIRING)
def test_repairs_at_any_angle_cost_no_more_than_new_searches(algorithm, cases):
    """Neither is optimal: single paths differ, and on average hardly."""
    ratios, repaired = [], 0
    for seed in range(cases // 20):
        story = CostStory(seed)
        options = {"radius": story.radius}
        planner = nt.Planner(story.grid, algorithm, **options)
        for step in range(20):
            start, goal = story.step()
            path, fresh = planner.plan(start, goal), nt.plan(story.grid, start, goal, algorithm)
            if story.radius > 0.0:
                fresh = nt.plan(story.grid, start, goal, algorithm, **options)
            assert path.found == fresh.found, (seed, step)
            repaired += path.expanded > 0 and not path.restarted
            if path.found and fresh.cost > 0:
                assert nt.verify(path, story.grid, radius=story.radius), (seed, step)
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

"""AP Theta*: no path through a solid, though no line of sight is checked, and hardly any longer."""

import numpy as np
import pytest

import noctule as nt


def test_paths_are_free_and_as_short_as_those_of_theta_star(cases):
    ratios = []
    for seed in range(cases):
        rng = np.random.default_rng(seed)
        shape = rng.integers(4, 24, 2)
        blocked = rng.random(shape) < rng.choice((0.0, 0.05, 0.1, 0.2, 0.3, 0.45))
        neighbours = int(rng.choice((8, 8, 4)))
        grid = nt.Grid(blocked, nodes="corners", neighbours=neighbours)
        s, t = rng.integers(0, shape + 1, (2, 2))
        path = nt.plan(grid, s, t, "ap-theta*")
        theta = nt.plan(grid, s, t, "theta*", engine="reference")
        assert path.found == theta.found, seed
        assert path.sight_walks <= 1  # from start to goal, before the search
        if path.found and theta.length > 0:
            assert nt.verify(path, grid), seed
            ratios.append(path.length / theta.length)
    assert len(ratios) > cases // 3
    assert abs(np.mean(ratios) - 1) < 0.002
    assert max(ratios) < 1.05


def test_boxes_and_walls(cases):
    ratios = []
    for seed in range(cases // 6):
        rng = np.random.default_rng(seed)
        blocked = np.zeros((30, 30), bool)
        for a, b in rng.integers(0, 28, (12, 2)):
            m, n = rng.integers(1, 9, 2)
            blocked[a : a + m, b : b + n] = True
        grid = nt.Grid(blocked, nodes="corners")
        s, t = rng.integers(0, 31, (2, 2))
        path, true = nt.plan(grid, s, t, "ap-theta*"), nt.plan(grid, s, t, "visibility")
        assert path.found == true.found, seed
        if path.found and true.length > 0:
            assert nt.verify(path, grid), seed
            ratios.append(path.length / true.length)
    assert len(ratios) > cases // 30
    assert min(ratios) > 1 - 1e-9
    assert np.mean(ratios) < 1.01


def test_cells_with_costs():
    rng = np.random.default_rng(4)
    ratios = []
    for _ in range(20):
        cost = np.where(rng.random((14, 14)) < 0.7, 1.0, 6.0)
        grid = nt.Grid(rng.random((14, 14)) < 0.1, nodes="corners", cost=cost)
        path, along = (
            nt.plan(grid, (0, 0), (14, 11), "ap-theta*"),
            nt.plan(grid, (0, 0), (14, 11), "a*"),
        )
        assert path.found == along.found
        if path.found:
            assert nt.verify(path, grid)
            ratios.append(path.cost / along.cost)
    assert len(ratios) > 10
    assert np.mean(ratios) < 1


def test_space_is_declined_with_a_reason():
    grid = nt.Grid(np.zeros((4, 4, 4), bool), nodes="corners")
    with pytest.raises(ValueError, match=r"polygons on a sphere.* use theta"):
        nt.Planner(grid, "ap-theta*")
    with pytest.raises(ValueError, match="nodes at corners"):
        nt.Planner(nt.Grid(np.zeros((4, 4), bool)), "ap-theta*")

"""Shells around cells that cost, without a browser."""

import numpy as np

import noctule as nt
from noctule.viewer.cost_layers import SHELLS, add_costs


class Scene:
    """Keeps the meshes that it is given."""

    def __init__(self):
        self.meshes = []

    def add_mesh_simple(self, name, vertices, faces, **style):
        self.meshes.append((name, vertices, faces, style))
        return name


def shells(grid):
    scene = Scene()
    names = add_costs(scene, grid, np.append(grid.origin, 0.0)[:3])
    assert names == [name for name, *_ in scene.meshes]
    assert all(style["opacity"] < 0.3 for *_, style in scene.meshes)
    return [vertices for _, vertices, *_ in scene.meshes]


def test_cells_that_cost_the_same_have_no_shell():
    assert shells(nt.Grid(np.zeros((4, 4, 4), bool))) == []
    assert shells(nt.Grid(np.zeros((4, 4), bool), cost=np.ones((4, 4)))) == []


def test_the_dearest_cells_lie_in_the_most_shells():
    cost = np.ones((20, 10, 6))
    cost[4:16, 2:8, 1:5] = 4.0
    cost[8:12, 4:6, 2:4] = 100.0
    blocked = np.zeros(cost.shape, bool)
    blocked[0, 0, 0] = True
    cost[0, 0, 0] = 1e5  # what a blocked cell would cost is not shown
    outer, inner = shells(nt.Grid(blocked, cell=0.5, origin=(1, 2, 3), cost=cost))
    assert outer.min(axis=0).tolist() == [3, 3, 3.5]
    assert outer.max(axis=0).tolist() == [9, 6, 5.5]
    assert inner.min(axis=0).tolist() == [5, 4, 4]
    assert inner.max(axis=0).tolist() == [7, 5, 5]


def test_there_are_a_few_shells_also_where_each_cell_has_its_own_cost():
    cost = np.random.default_rng(1).uniform(1, 16, (12, 12))
    assert 2 <= len(shells(nt.Grid(np.zeros((12, 12), bool), cost=cost))) <= SHELLS

"""`plan_many` on clients: the same paths as here."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import noctule as nt


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(2)
    grid = nt.Grid(rng.random((9, 8, 7)) < 0.2, cell=0.5)
    free = np.argwhere(~grid.blocked)
    cells = free[rng.integers(0, len(free), (30, 2))]
    return grid, [(grid.centre(a), grid.centre(b)) for a, b in cells.tolist()]


def same(paths, others):
    assert [p.algorithm for p in paths] == [p.algorithm for p in others]
    for path, other in zip(paths, others, strict=True):
        assert path.found == other.found
        np.testing.assert_array_equal(path.points, other.points)
        assert path.expanded == other.expanded


def test_an_executor(world):
    grid, pairs = world
    here = nt.plan_many(grid, pairs, "theta*", radius=0.1)
    with ThreadPoolExecutor(2) as client:
        there = nt.plan_many(grid, iter(pairs), "theta*", radius=0.1, client=client)
    same(there, here)
    assert all(path.world is grid for path in there)
    assert nt.plan_many(grid, [], client=client) == []


def test_processes(world):
    grid, pairs = world
    with ProcessPoolExecutor(1, get_context("spawn")) as client:
        same(
            nt.plan_many(grid, pairs[:6], "a*", client=client), nt.plan_many(grid, pairs[:6], "a*")
        )


def test_a_dask_cluster(world):
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    grid, pairs = world
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        same(nt.plan_many(grid, pairs, "a*", client=client), nt.plan_many(grid, pairs, "a*"))


def test_wrong_input(world):
    grid, pairs = world
    with pytest.raises(ValueError, match="client is 3; expected a dask"):
        nt.plan_many(grid, pairs, client=3)
    with ThreadPoolExecutor(1) as client, pytest.raises(ValueError, match="radius is -1"):
        nt.plan_many(grid, pairs, radius=-1, client=client)

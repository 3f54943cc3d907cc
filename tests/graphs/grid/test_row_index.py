"""Blocks that are open, against their definition."""

import numpy as np

import noctule as nt


def open_blocks(blocked):
    """Whether each block of 8 x 8 x 8 cells and all cells around it are free; outside, none is."""
    sides = [-(-n // 8) for n in blocked.shape]
    around = np.ones([8 * n + 2 for n in sides], bool)
    around[tuple(slice(1, n + 1) for n in blocked.shape)] = blocked
    boxes = np.lib.stride_tricks.sliding_window_view(around, (10, 10, 10))[::8, ::8, ::8]
    return ~boxes.any(axis=(3, 4, 5))


def test_blocks_are_open_if_all_cells_in_and_around_them_are_free():
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(60):
        blocked = rng.random(rng.integers(1, 45, 3)) < rng.choice((0, 3e-4, 3e-3))
        grid = nt.Grid(blocked)
        assert np.array_equal(grid.row_ages.open, open_blocks(blocked))
        found += grid.row_ages.open.sum()
        for _ in range(3):
            cell = tuple(rng.integers(0, blocked.shape))
            grid.block(cell)
            blocked[cell] = True
            assert np.array_equal(grid.row_ages.open, open_blocks(blocked))
        grid.free(cell)
        assert not (grid.row_ages.open & ~open_blocks(grid.blocked)).any()
    assert found > 100

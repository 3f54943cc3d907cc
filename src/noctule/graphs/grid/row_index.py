"""Rows of cells along the three axes: when each of them last changed, and which blocks are free.

Caches of data made from rows compare ages to see whether they are out of date: a change of cells
costs a few writes, however many caches there are. Where a block of cells and all cells around it
are free, no row has to be scanned.
"""

from typing import NamedTuple

import numpy as np

from noctule.core.intrinsics import at
from noctule.core.jit import kernel

X, Y, Z = range(3)

SIDE = 3  # of a block: 2^3 cells
ALL_FREE = 0x0707070707070707  # eight bytes of `free3`


class RowAges(NamedTuple):
    """For each row the age of the world when a cell in or beside it last changed."""

    world: np.ndarray  # one number: the age of the world, incremented by every change
    changed: np.ndarray
    first: np.ndarray  # the first row of each axis in `changed`
    width: int  # of the world along y, and ..
    height: int  # .. along z, its border included
    open: np.ndarray  # for each block whether it and all cells around it were always free


def new_row_ages(free3: np.ndarray) -> RowAges:
    """Return the ages of a new world, given as three bits a cell, with its border."""
    nx, ny, nz = free3.shape
    counts = np.array([ny * nz, nx * nz, nx * ny])
    changed = np.zeros(counts.sum(), np.int32)
    blocks = tuple(((n - 3) >> SIDE) + 1 for n in free3.shape)
    ages = RowAges(
        np.ones(1, np.int32),
        changed,
        np.cumsum(counts) - counts,
        ny,
        nz,
        np.zeros(blocks, np.bool_),
    )
    find_open(ages.open, free3.reshape(-1), ny * nz, nz)
    return ages


@kernel
def find_open(open_, free3, sx, sy):
    """Find the blocks that are free with all cells around them."""
    for i, j, k in np.ndindex(open_.shape):
        first = (i << SIDE) * sx + (j << SIDE) * sy + (k << SIDE) + 1  # of those around the block
        size = (1 << SIDE) + 2
        if first + (size - 1) * (sx + sy) + 8 > len(free3):
            continue  # beyond the border
        every, column = ALL_FREE, 0
        while every == ALL_FREE and column < size * size:
            every &= eight_cells(free3, first + column // size * sx + column % size * sy)
            column += 1
        open_[i, j, k] = every == ALL_FREE


@kernel
def eight_cells(free3, s):
    """Return eight cells from `s` on along z, a byte each; zero outside the array."""
    cells = 0
    if s >= 0 and s + 8 <= len(free3):  # one read, when compiled
        for j in range(8):
            cells |= np.int64(free3[at(s + j)]) << 8 * j
    else:
        for j in range(max(-s, 0), min(len(free3) - s, 8)):
            cells |= np.int64(free3[at(s + j)]) << 8 * j
    return cells


@kernel
def row_through(ages, axis, x, y, z):
    """Return the row along `axis` through a cell; coordinates count from the border."""
    if axis == X:
        return ages.first[X] + y * ages.height + z
    if axis == Y:
        return ages.first[Y] + x * ages.height + z
    return ages.first[Z] + x * ages.width + y


@kernel
def note_changes(ages, cells):
    """Mark the rows through and beside these cells as changed."""
    ages.world[0] += 1
    for cell in cells:
        column, z = cell // ages.height, cell % ages.height
        x, y = column // ages.width, column % ages.width
        for i in range(-1, 2):
            for j in range(-1, 2):
                ages.changed[row_through(ages, X, x, y + i, z + j)] = ages.world[0]
                ages.changed[row_through(ages, Y, x + i, y, z + j)] = ages.world[0]
                ages.changed[row_through(ages, Z, x + i, y + j, z)] = ages.world[0]
        close_blocks(ages.open, x - 1, y - 1, z - 1)


@kernel
def close_blocks(open_, x, y, z):
    """Mark the blocks in or beside which a changed cell lies as not open."""
    nx, ny, nz = open_.shape
    for i in range(max(x - 1 >> SIDE, 0), min(x + 1 >> SIDE, nx - 1) + 1):
        for j in range(max(y - 1 >> SIDE, 0), min(y + 1 >> SIDE, ny - 1) + 1):
            for k in range(max(z - 1 >> SIDE, 0), min(z + 1 >> SIDE, nz - 1) + 1):
                open_[i, j, k] = False

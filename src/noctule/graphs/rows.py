"""The rows of cells along the three axes, and when each of them last changed.

Whoever keeps something that is made from a row compares ages to see whether it is out of date:
a change of cells costs a few writes, however many keep something.
"""

from typing import NamedTuple

import numpy as np

from noctule.kernels import kernel

X, Y, Z = range(3)


class RowAges(NamedTuple):
    """For each row the age of the world when a cell of it, or beside it, last changed."""

    world: np.ndarray  # one number: the age of the world, which grows with every change
    changed: np.ndarray
    first: np.ndarray  # the first row of each axis in `changed`
    width: int  # of the world along y, and ..
    height: int  # .. along z, its border included


def new_row_ages(padded: tuple[int, ...]) -> RowAges:
    """The ages of a new world of this size, its border included."""
    nx, ny, nz = padded
    counts = np.array([ny * nz, nx * nz, nx * ny])
    changed = np.zeros(counts.sum(), np.int32)
    return RowAges(np.ones(1, np.int32), changed, np.cumsum(counts) - counts, ny, nz)


@kernel
def row_through(ages, axis, x, y, z):
    """The number of the row along `axis` through a cell; coordinates count from the border."""
    if axis == X:
        return ages.first[X] + y * ages.height + z
    if axis == Y:
        return ages.first[Y] + x * ages.height + z
    return ages.first[Z] + x * ages.width + y


@kernel
def note_changes(ages, cells):
    """The rows through these cells and beside them have changed."""
    ages.world[0] += 1
    for cell in cells:
        column, z = cell // ages.height, cell % ages.height
        x, y = column // ages.width, column % ages.width
        for i in range(-1, 2):
            for j in range(-1, 2):
                ages.changed[row_through(ages, X, x, y + i, z + j)] = ages.world[0]
                ages.changed[row_through(ages, Y, x + i, y, z + j)] = ages.world[0]
                ages.changed[row_through(ages, Z, x + i, y + j, z)] = ages.world[0]

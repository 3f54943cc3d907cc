"""Where a straight run of jump point search ends: three bitmaps for the rows of each axis.

A run along a row goes on until a cell is blocked, or is a *jump point*: a cell where a move other
than straight on is worth trying (`pruning`). For the rule that a move needs its whole box free, and
a run that comes from cell p to the next cell t, that is where

* a cell beside t is free and the one beside p is not, or
* a cell diagonally beside t is free, the one at p is not, and the move from t that goes on and to
  that side is legal.

A row is 32 cells to a word: blocked cells, jump points going up, jump points going down. A row is
made when a run first asks for it, and again when a cell of it or beside it has changed since; so
a short query on a large map makes few rows, and a change costs next to nothing.
"""

from typing import NamedTuple

import numpy as np

from noctule.graphs.cells import Lattice
from noctule.graphs.rows import X, Y, row_through
from noctule.kernels import highest_bit, kernel, lowest_bit

# The nine cells across a row: bit 3 j + k, with j and k from 0 to 2 along the two other axes.
CENTRE, SIDES, CORNERS = 0o020, 0o252, 0o505


class Rows(NamedTuple):
    """The bitmaps that one search memory has made; rows are numbered as in `RowAges`."""

    bits: np.ndarray  # three words for every 32 cells of a row: blocked, jump up, jump down
    made: np.ndarray  # the age of the world when a row was made; 0 if it never was
    words: np.ndarray  # how many words a row along each axis has
    first: np.ndarray  # where row 0 would begin, had all rows the words of this axis


def new_rows(lattice: Lattice) -> Rows:
    """Reserve memory for all rows; those that no search asks for cost nothing."""
    first_row, total = lattice.rows.first, len(lattice.rows.changed)
    counts = np.diff(np.append(first_row, total))
    words = 3 * ((np.array([lattice.nx, lattice.ny, lattice.nz]) + 2 + 31) // 32)
    sizes = counts * words
    first_word = np.cumsum(sizes) - sizes
    return Rows(
        np.zeros(sizes.sum(), np.uint32),
        np.zeros(total, np.int32),
        words,
        first_word - first_row * words,
    )


@kernel
def run_length(rows, lattice, axis, up, x, y, z):
    """How many cells a run from (x, y, z) goes until it meets a jump point.

    Where it meets a blocked cell first, the number of cells until that, as a negative number.
    """
    ages = lattice.rows
    row = row_through(ages, lattice.sx, lattice.sy, axis, x + 1, y + 1, z + 1)
    base = rows.first[axis] + row * rows.words[axis]
    i = 1 + (x if axis == X else y if axis == Y else z)
    if rows.made[row] <= ages.changed[row]:
        make_row(rows, lattice, axis, base, x, y, z)
        rows.made[row] = ages.world[0] + 1
    return run_up(rows.bits, base, i) if up else run_down(rows.bits, base, i)


@kernel
def run_up(bits, base, i):
    """`run_length` from cell `i` of the row whose words begin at `base`."""
    word = i >> 5
    mask = -2 << (i & 31)  # the cells after i
    while True:
        blocked, jump = np.int64(bits[base + 3 * word]), np.int64(bits[base + 3 * word + 1])
        stops = (blocked | jump) & mask
        if stops != 0:
            bit = lowest_bit(stops)
            steps = 32 * word + bit - i
            return -steps if blocked >> bit & 1 else steps
        word += 1
        mask = -1


@kernel
def run_down(bits, base, i):
    """`run_length` against the axis."""
    word = i >> 5
    mask = (1 << (i & 31)) - 1  # the cells before i
    while True:
        blocked, jump = np.int64(bits[base + 3 * word]), np.int64(bits[base + 3 * word + 2])
        stops = (blocked | jump) & mask
        if stops != 0:
            bit = highest_bit(stops)
            steps = i - 32 * word - bit
            return -steps if blocked >> bit & 1 else steps
        word -= 1
        mask = -1


@kernel
def make_row(rows, lattice, axis, base, x, y, z):
    """Fill in the words of the row along `axis` through a cell, from the cells across it."""
    sx, sy = lattice.sx, lattice.sy
    s = (x + 1) * sx + (y + 1) * sy + z + 1
    step = sx if axis == X else sy if axis == Y else 1
    n = lattice.nx if axis == X else lattice.ny if axis == Y else lattice.nz
    s -= step * (x if axis == X else y if axis == Y else z)  # the first cell of the row
    blocked, jump_up, jump_down = 1, 0, 0  # the border before it is blocked
    before, here = 0, cells_across(lattice, axis, s)
    for i in range(1, n + 2):
        if i & 31 == 0:
            store(rows.bits, base + 3 * (i >> 5) - 3, blocked, jump_up, jump_down)
            blocked = jump_up = jump_down = 0
        s += step
        after = cells_across(lattice, axis, s) if i < n else 0
        if here & CENTRE == 0:
            blocked |= 1 << (i & 31)
        else:
            jump_up |= opens(before, here, after) << (i & 31)
            jump_down |= opens(after, here, before) << (i & 31)
        before, here = here, after
    store(rows.bits, base + 3 * ((n + 1) >> 5), blocked, jump_up, jump_down)


@kernel
def store(bits, word, blocked, jump_up, jump_down):
    """Write the three words of 32 cells."""
    bits[word] = blocked
    bits[word + 1] = jump_up
    bits[word + 2] = jump_down


@kernel
def opens(before, here, after):
    """1 if a run from `before` to `here` has more to try there than to go on to `after`, else 0."""
    if here & ~before & SIDES != 0:
        return 1
    return 1 if squares(here) & squares(after) & ~before & CORNERS != 0 else 0


@kernel
def squares(cells):
    """The corners of nine cells that are free together with their sides and the centre."""
    middle = cells & 0o222
    cells &= middle | middle << 1 | middle >> 1
    middle = cells & 0o070
    return cells & (middle | middle << 3 | middle >> 3)


@kernel
def cells_across(lattice, axis, s):
    """The nine cells across a row at cell `s`, one bit each if free."""
    free3, sx, sy = lattice.free3, lattice.sx, lattice.sy
    if axis == X or axis == Y:
        beside = sy if axis == X else sx
        low, middle, high = free3[s - beside], free3[s], free3[s + beside]
        return np.int64(low) | np.int64(middle) << 3 | np.int64(high) << 6
    cells = 0
    for i in range(3):
        for j in range(3):
            cell = free3[s + (i - 1) * sx + (j - 1) * sy]
            cells |= (np.int64(cell) >> 1 & 1) << (3 * i + j)
    return cells

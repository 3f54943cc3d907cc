"""Where a straight run of jump point search ends: three bitmaps for the rows of each axis.

A run along a row goes on until a cell is blocked, or is a *jump point*: a cell where a move other
than straight on is worth trying (`pruning`). For the rule that a move needs its whole box free, and
a run that comes from cell p to the next cell t, that is where

* a cell beside t is free and the one beside p is not, or
* a cell diagonally beside t is free, the one at p is not, and the move from t that goes on and to
  that side is legal.

A row is 62 cells to a word: free cells, those of them where a run up the axis goes on, and the same
down the axis. Words that were never made are zero: then the cell next to a run's first would be
blocked, which cannot be, for the move to it is legal. So a row is made when a run first asks for
it; a change of cells makes the words of the rows beside it zero again.
"""

from typing import NamedTuple

import numpy as np

from noctule.graphs.cells import Lattice
from noctule.graphs.rows import RowAges, X, Y, Z, row_through
from noctule.kernels import at, highest_bit, kernel, lowest_bit

# The nine cells across a row: bit 3 j + k, with j and k from 0 to 2 along the two other axes.
CENTRE, SIDES, CORNERS = 0o020, 0o252, 0o505

CELLS = 62  # of a row in one word: no arithmetic meets the sign
ALL = (1 << CELLS) - 1

TOGETHER = 16  # rows are made at once


class Rows(NamedTuple):
    """The bitmaps that one search memory has made; rows are numbered as in `RowAges`."""

    bits: np.ndarray  # three words for every 62 cells of a row: free, runs up, runs down
    words: np.ndarray  # how many words a row along each axis has
    first: np.ndarray  # where row 0 would begin, had all rows the words of this axis
    age: np.ndarray  # one number: that of the world for which the bitmaps are valid
    ages: RowAges  # of the grid


def new_rows(lattice: Lattice, ages: RowAges) -> Rows:
    """Reserve memory for all rows; those that no search asks for cost nothing."""
    first_row, total = ages.first, len(ages.changed)
    counts = np.diff(np.append(first_row, total))
    sides = np.array([lattice.nx, lattice.ny, lattice.nz]) + 2
    words = 3 * (-(-sides // CELLS))
    sizes = counts * words
    first = np.cumsum(sizes) - sizes - first_row * words
    return Rows(np.zeros(sizes.sum(), np.int64), words, first, np.zeros(1, np.int64), ages)


@kernel
def forget_changed_rows(rows):
    """Make the words zero of all rows that have changed since this was last called."""
    ages = rows.ages
    axis = 0
    for row in range(len(ages.changed)):
        while axis < Z and row >= ages.first[axis + 1]:
            axis += 1
        if ages.changed[row] > rows.age[0]:
            base = rows.first[axis] + row * rows.words[axis]
            rows.bits[base : base + rows.words[axis]] = 0
    rows.age[0] = ages.world[0]


@kernel
def first_word(rows, axis, x, y, z):
    """Where the words of the row along `axis` through a cell begin."""
    row = row_through(rows.ages, axis, x + 1, y + 1, z + 1)
    return rows.first[axis] + row * rows.words[axis]


@kernel
def run_length(rows, lattice, axis, up, x, y, z):
    """How many cells a run from (x, y, z) goes until it meets a jump point.

    Where it meets a blocked cell first, the number of cells until that, as a negative number. The
    cell next to the first must be free.
    """
    base = first_word(rows, axis, x, y, z)
    i = 1 + (x if axis == X else y if axis == Y else z)
    n = run_up(rows.bits, base, i) if up else run_down(rows.bits, base, i)
    if n == -1:
        make_rows(rows, lattice, axis, x, y, z)
        n = run_up(rows.bits, base, i) if up else run_down(rows.bits, base, i)
    return n


@kernel
def run_up(bits, base, i):
    """`run_length` from cell `i` of the row whose words begin at `base`."""
    word, bit = (i + 1) // CELLS, (i + 1) % CELLS
    stops = ~bits[at(base + 3 * word + 1)] & (ALL << bit & ALL)
    while stops == 0:
        word += 1
        stops = ~bits[at(base + 3 * word + 1)] & ALL
    bit = lowest_bit(stops)
    steps = CELLS * word + bit - i
    return steps if bits[at(base + 3 * word)] >> bit & 1 else -steps


@kernel
def run_down(bits, base, i):
    """`run_length` against the axis."""
    word, bit = (i - 1) // CELLS, (i - 1) % CELLS
    stops = ~bits[at(base + 3 * word + 2)] & ((2 << bit) - 1)
    while stops == 0:
        word -= 1
        stops = ~bits[at(base + 3 * word + 2)] & ALL
    bit = highest_bit(stops)
    steps = i - CELLS * word - bit
    return steps if bits[at(base + 3 * word)] >> bit & 1 else -steps


@kernel
def make_rows(rows, lattice, axis, x, y, z):
    """Make the row along `axis` through a cell, and those beside it that come nearly for free.

    Rows that lie beside each other along z share every line of the cache.
    """
    low, high = z, z + 1
    if axis != Z:
        low = z - z % TOGETHER
        high = min(low + TOGETHER, lattice.nz)
    for beside in range(low, high):
        base = first_word(rows, axis, x, y, beside)
        if beside == z or rows.bits[base] == 0:
            make_row(rows, lattice, axis, base, x, y, beside)


@kernel
def make_row(rows, lattice, axis, base, x, y, z):
    """Fill in the words of the row along `axis` through a cell, from the cells across it."""
    sx, sy = lattice.sx, lattice.sy
    s = (x + 1) * sx + (y + 1) * sy + z + 1
    step = sx if axis == X else sy if axis == Y else 1
    n = lattice.nx if axis == X else lattice.ny if axis == Y else lattice.nz
    s -= step * (x if axis == X else y if axis == Y else z)  # the first cell of the row
    free = up = down = 0
    word, bit = base, 1
    before, here = 0, cells_across(lattice, axis, s)
    square_before, square_here = 0, squares(here)
    for i in range(1, n + 1):
        s += step
        after = cells_across(lattice, axis, s) if i < n else 0
        square_after = squares(after)
        if here & CENTRE != 0:
            free |= 1 << bit
            up |= runs_on(before, here, square_here & square_after) << bit
            down |= runs_on(after, here, square_here & square_before) << bit
        before, here = here, after
        square_before, square_here = square_here, square_after
        bit += 1
        if bit == CELLS or i == n:
            rows.bits[word], rows.bits[word + 1], rows.bits[word + 2] = free, up, down
            free = up = down = bit = 0
            word += 3


@kernel
def runs_on(before, here, legal):
    """1 if a run from `before` to `here` has no more to try there than to go on, else 0.

    Of the corners in `legal`, the moves that go on and to that side are legal.
    """
    return 0 if ((here & SIDES) | (legal & CORNERS)) & ~before != 0 else 1


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
    if axis != Z:
        beside = sy if axis == X else sx
        low, middle, high = free3[s - beside], free3[s], free3[s + beside]
        return np.int64(low) | np.int64(middle) << 3 | np.int64(high) << 6
    cells = 0
    for i in range(3):
        for j in range(3):
            cell = free3[s + (i - 1) * sx + (j - 1) * sy]
            cells |= (np.int64(cell) >> 1 & 1) << (3 * i + j)
    return cells

"""Where a straight run of jump point search ends: three bitmaps for the rows of each axis.

A run along a row goes on until a cell is blocked, or is a *jump point*: a cell where a move other
than straight on is worth trying (`pruning`). For the rule that a move needs its whole box free, and
a run that comes from cell p to the next cell t, that is where

* a cell beside t is free and the one beside p is not, or
* a cell diagonally beside t is free, the one at p is not, and the move from t that goes on and to
  that side is legal.

Every row has two bitmaps, one for each way to run along it, both in the order in which a run comes
to the cells: the same few instructions find the end of a run in all six directions. For every 64
cells there are two words: those where a run goes on, and, next to it, those that are free. Words
that were never made are zero: then the cell next to a run's first would be blocked, which cannot
be, for the move to it is legal. So a row is made when a run first asks for it; a change of cells
makes the words of the rows beside it zero again. The words of a row lie side by side, so that what
a search makes lies on few pages of memory.
"""

from typing import NamedTuple

import numpy as np

from noctule.graphs.cells import Lattice
from noctule.graphs.rows import RowAges, X, Y, Z
from noctule.kernels import at, kernel, lowest_bit
from noctule.reserve import reserve

# The nine cells across a row: bit 3 j + k, with j and k from 0 to 2 along the two other axes.
CENTRE, SIDES, CORNERS = 0o020, 0o252, 0o505

DOWN, UP = (4, 10, 12), (22, 16, 14)  # the moves along each axis

WORD = 6  # holds 2^6 cells
LAST = (1 << WORD) - 1
BIT = np.array([1 << i for i in range(LAST)] + [-(1 << LAST)])  # the last one is the sign

TOGETHER = 16  # rows are made at once

# What `way` holds for a move: where the words begin of the row through cell (0, 0, 0), and how much
# farther those of the next rows along x, y and z; the same from pair to pair of words of a row; the
# place of that cell in its row, in the order of a run; and how it changes along x, y and z.
FIRST, NEXT_X, NEXT_Y, NEXT_Z, NEXT_WORD, PLACE, ALONG_X, ALONG_Y, ALONG_Z = range(9)


class Rows(NamedTuple):
    """The bitmaps that one search memory has made."""

    bits: np.ndarray
    way: np.ndarray  # where the bits are for a run by each of the 27 moves
    words: np.ndarray  # how many words a row along each axis has
    age: np.ndarray  # one number: that of the world for which the bitmaps are valid
    ages: RowAges  # of the grid


def new_rows(lattice: Lattice, ages: RowAges) -> Rows:
    """Reserve memory for all rows; those that no search asks for cost nothing."""
    counts = np.diff(np.append(ages.first, len(ages.changed)))
    sides = np.array([lattice.nx, lattice.ny, lattice.nz]) + 2
    words = -(-sides // (LAST + 1))
    next_row = ((0, ages.height, 1), (ages.height, 0, 1), (ages.width, 1, 0))
    way = np.zeros((27, 9), np.int64)
    size = 0
    for axis in (X, Y, Z):
        for k, sign in ((DOWN[axis], -1), (UP[axis], 1)):
            row = 2 * int(words[axis])
            way[k, FIRST] = 2 * size + row * sum(next_row[axis])  # past the border
            way[k, NEXT_X : NEXT_Z + 1] = row * np.array(next_row[axis])
            way[k, NEXT_WORD] = 2
            way[k, PLACE] = 1 if sign > 0 else sides[axis] - 2
            way[k, ALONG_X + axis] = sign
            size += int(counts[axis] * words[axis])
    return Rows(reserve(2 * size, np.int64), way, words, np.zeros(1, np.int64), ages)


@kernel
def forget_changed_rows(rows):
    """Make the words zero of all rows that have changed since this was last called."""
    ages, way = rows.ages, rows.way
    for axis in range(3):
        low = ages.first[axis]
        high = ages.first[axis + 1] if axis < Z else len(ages.changed)
        for k in (DOWN[axis], UP[axis]):
            first = way[k, FIRST] - way[k, NEXT_X] - way[k, NEXT_Y] - way[k, NEXT_Z]
            for row in range(low, high):
                if ages.changed[row] > rows.age[0]:
                    for i in range(rows.words[axis]):
                        where = first + 2 * ((row - low) * rows.words[axis] + i)
                        rows.bits[where] = rows.bits[where + 1] = 0
    rows.age[0] = ages.world[0]


@kernel
def first_word(rows, k, x, y, z):
    """Where the words begin of the row through a cell, for a run by move `k`."""
    way, k = rows.way, at(k)
    return way[k, FIRST] + way[k, NEXT_X] * x + way[k, NEXT_Y] * y + way[k, NEXT_Z] * z


@kernel
def place_in_row(rows, k, x, y, z):
    """How many cells of its row, the border's first, a run by move `k` passes before this one."""
    way, k = rows.way, at(k)
    return way[k, PLACE] + way[k, ALONG_X] * x + way[k, ALONG_Y] * y + way[k, ALONG_Z] * z


@kernel
def run_length(rows, lattice, k, x, y, z):
    """How many straight moves `k` from (x, y, z) lead to a jump point.

    Where a blocked cell comes first, the number of moves to that, as a negative number. The cell
    next to the first must be free.
    """
    while True:
        n = run(rows, k, x, y, z)
        if n != -1:
            return n
        make_rows(rows, lattice, k, x, y, z)


@kernel
def run(rows, k, x, y, z):
    """`run_length` as far as the rows have been made."""
    bits, next_word = rows.bits, rows.way[at(k), NEXT_WORD]
    place = place_in_row(rows, k, x, y, z)
    i = (place + 1) >> WORD
    where = first_word(rows, k, x, y, z) + i * next_word
    ends = ~bits[at(where)] & -(1 << (place + 1 & LAST))
    while ends == 0:
        i += 1
        where += next_word
        ends = ~bits[at(where)]
    cell = lowest_bit(ends)
    n = (i << WORD) + cell - place
    return n if bits[at(where + 1)] >> cell & 1 else -n


@kernel
def make_rows(rows, lattice, k, x, y, z):
    """Make the row through a cell for move `k`, and those beside it that come nearly for free.

    Rows that lie beside each other along z share every line of the cache.
    """
    axis = X if k == DOWN[X] or k == UP[X] else Y if k == DOWN[Y] or k == UP[Y] else Z
    low, high = z, z + 1
    if axis != Z:
        low = z - z % TOGETHER
        high = min(low + TOGETHER, lattice.nz)
    for beside in range(low, high):
        if beside == z or not is_made(rows, axis, x, y, beside):
            make_row(rows, lattice, axis, x, y, beside)


@kernel
def is_made(rows, axis, x, y, z):
    """Whether the row along `axis` through a cell has been made, or has no free cell."""
    where = first_word(rows, UP[axis], x, y, z)
    for i in range(rows.words[axis]):
        if rows.bits[where + 1 + i * rows.way[UP[axis], NEXT_WORD]] != 0:
            return True
    return False


@kernel
def make_row(rows, lattice, axis, x, y, z):
    """Fill in the words of the row along `axis` through a cell, from the cells across it."""
    sx, sy = lattice.sx, lattice.sy
    s = (x + 1) * sx + (y + 1) * sy + z + 1
    step = sx if axis == X else sy if axis == Y else 1
    n = lattice.nx if axis == X else lattice.ny if axis == Y else lattice.nz
    s -= step * (x if axis == X else y if axis == Y else z)  # the first cell of the row
    down, up = first_word(rows, DOWN[axis], x, y, z), first_word(rows, UP[axis], x, y, z)
    next_word = rows.way[UP[axis], NEXT_WORD]
    before, here = 0, cells_across(lattice, axis, s)
    square_before, square_here = 0, squares(here)
    for i in range(1, n + 1):
        s += step
        after = cells_across(lattice, axis, s) if i < n else 0
        square_after = squares(after)
        if here & CENTRE != 0:
            runs_up = runs_on(before, here, square_here & square_after)
            runs_down = runs_on(after, here, square_here & square_before)
            note_free(rows, up + (i >> WORD) * next_word, i & LAST, runs_up)
            j = n + 1 - i
            note_free(rows, down + (j >> WORD) * next_word, j & LAST, runs_down)
        before, here = here, after
        square_before, square_here = square_here, square_after


@kernel
def note_free(rows, where, cell, goes_on):
    """Note in a pair of words that a cell is free, and whether a run goes on there."""
    rows.bits[where + 1] |= BIT[cell]
    if goes_on:
        rows.bits[where] |= BIT[cell]


@kernel
def runs_on(before, here, legal):
    """Whether a run from `before` to `here` has no more to try there than to go on.

    Of the corners in `legal`, the moves that go on and to that side are legal.
    """
    return ((here & SIDES) | (legal & CORNERS)) & ~before == 0


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

"""Bitmaps of rows: find the end of a straight run of jump point search 64 cells at a time.

A run along a row continues until a cell is blocked or is a *jump point*: a cell where a move other
than straight on is not pruned (`pruning`). For a move that needs its whole box free, and a run from
cell p to the next cell t, that is where

* a cell beside t is free and the one beside p is not, or
* a cell diagonally beside t is free, the one at p is not, and the move from t that goes on and to
  that side is legal.

Every row has two bitmaps, one for each direction, both in the order in which a run passes the
cells: the same few instructions find the end of a run in all six directions. Every 64 cells have
two words: cells where a run continues and, next to it, cells that are free. They are computed when
a run first reaches them, eight cells at a time, and without reading any cell where a block is known
to be free (`row_index`); a change of cells resets all words of the rows beside it. The words of a
row are adjacent, so a search touches few pages of memory.
"""

from typing import NamedTuple

import numpy as np

from noctule.core.intrinsics import at, lowest_bit, prefetch
from noctule.core.jit import kernel, kernel_cold
from noctule.core.memory import reserve
from noctule.graphs.grid.lattice import Lattice
from noctule.graphs.grid.move_sets import move_costs
from noctule.graphs.grid.row_index import SIDE, RowAges, X, Y, Z, eight_cells

DOWN, UP = (4, 10, 12), (22, 16, 14)  # moves along each axis

WORD = 6  # holds 2^6 cells
LAST = (1 << WORD) - 1

# A word of free cells that is zero has not been computed. If none is free, the last one is set: a
# run that reaches such a word never gets beyond its first cell.
ALL_BLOCKED = -(1 << LAST)

# Columns of `layout`: index of the first word of the row through cell (0, 0, 0), and offsets of the
# next rows along x, y and z; place of that cell in its row, in the order of a run, and its change
# along x, y and z.
FIRST, NEXT_X, NEXT_Y, NEXT_Z, PLACE, ALONG_X, ALONG_Y, ALONG_Z = range(8)

# Eight cells in a number, a byte each, whose lowest bits are those of `free3`.
ONES, TWOS, FIVES = 0x0101010101010101, 0x0202020202020202, 0x0505050505050505

# A product with these collects the lowest bits of eight bytes in the highest byte, in order or
# reversed.
PACK, PACK_REVERSED = 0x0102040810204080, 0x8040201008040201 - (1 << 64)


class Rows(NamedTuple):
    """The bitmaps of one search memory."""

    bits: np.ndarray
    layout: np.ndarray  # where the bits are for a run by each of the 27 moves
    beyond: np.ndarray  # [d, k]: offset of the bits for a run by k after another move d
    words: np.ndarray  # number of words of a row along each axis
    age: np.ndarray  # one number: the age of the world for which the bitmaps are valid
    ages: RowAges  # of the grid


def new_rows(lattice: Lattice, ages: RowAges) -> Rows:
    """Reserve memory for all rows; untouched ones cost nothing."""
    counts = np.diff(np.append(ages.first, len(ages.changed)))
    sides = np.array([lattice.nx, lattice.ny, lattice.nz]) + 2
    words = -(-sides // (LAST + 1))
    next_row = ((0, ages.height, 1), (ages.height, 0, 1), (ages.width, 1, 0))
    layout = np.zeros((27, 8), np.int64)
    size = 0
    for axis in (X, Y, Z):
        for k, sign in ((DOWN[axis], -1), (UP[axis], 1)):
            row = 2 * int(words[axis])
            layout[k, FIRST] = 2 * size + row * sum(next_row[axis])  # past the border
            layout[k, NEXT_X : NEXT_Z + 1] = row * np.array(next_row[axis])
            layout[k, PLACE] = 1 if sign > 0 else sides[axis] - 2
            layout[k, ALONG_X + axis] = sign
            size += int(counts[axis] * words[axis])
    bits, steps = reserve(2 * size, np.int64), move_costs()[1]
    beyond = steps @ layout[:, NEXT_X : NEXT_Z + 1].T
    return Rows(bits, layout, beyond, words, np.zeros(1, np.int64), ages)


@kernel
def forget_changed_rows(rows):
    """Reset the words of all rows that have changed since the last call."""
    ages, layout = rows.ages, rows.layout
    for axis in range(3):
        low = ages.first[axis]
        high = ages.first[axis + 1] if axis < Z else len(ages.changed)
        for k in (DOWN[axis], UP[axis]):
            first = layout[k, FIRST] - layout[k, NEXT_X] - layout[k, NEXT_Y] - layout[k, NEXT_Z]
            for row in range(low, high):
                if ages.changed[row] > rows.age[0]:
                    for i in range(rows.words[axis]):
                        where = first + 2 * ((row - low) * rows.words[axis] + i)
                        rows.bits[where] = rows.bits[where + 1] = 0
    rows.age[0] = ages.world[0]


@kernel
def first_word(rows, k, x, y, z):
    """Return the index of the first word of the row through a cell, for a run by move `k`."""
    layout, k = rows.layout, at(k)
    return layout[k, FIRST] + layout[k, NEXT_X] * x + layout[k, NEXT_Y] * y + layout[k, NEXT_Z] * z


@kernel
def place_in_row(rows, k, x, y, z):
    """Return how many cells of the row, the border's first, a run by move `k` passes before."""
    layout, k = rows.layout, at(k)
    return (
        layout[k, PLACE] + layout[k, ALONG_X] * x + layout[k, ALONG_Y] * y + layout[k, ALONG_Z] * z
    )


@kernel
def run_length(rows, lattice, d, k, x, y, z):
    """Return how many straight moves `k` from (x, y, z), reached by `d`, lead to a jump point.

    If a blocked cell comes first, return minus the number of moves to that. The cell next to the
    first must be free.
    """
    bits = rows.bits
    place = place_in_row(rows, k, x, y, z)
    i = (place + 1) >> WORD
    where = first_word(rows, k, x, y, z) + 2 * i
    prefetch(bits, where + rows.beyond[at(d), at(k)])  # probably, move d follows again
    ahead = -(1 << (place + 1 & LAST))
    while True:
        ends = ~bits[at(where)] & ahead
        if ends == 0:
            i, where, ahead = i + 1, where + 2, -1
            continue
        cell = lowest_bit(ends)
        free = bits[at(where + 1)]
        if free == 0:
            compute_words(rows, lattice, k, i, x, y, z)
            continue
        n = (i << WORD) + cell - place
        return n if free >> cell & 1 else -n


@kernel_cold
def compute_words(rows, lattice, k, i, x, y, z):
    """Compute word `i`, for move `k`, of the row through a cell, and of rows computed with it."""
    if k == DOWN[Z] or k == UP[Z]:
        compute_words_along_z(rows, lattice, k, i, x, y)
    else:
        compute_words_across_z(rows, lattice, k, i, x, y, z - z % 8)


@kernel
def compute_words_across_z(rows, lattice, k, i, x, y, z):
    """Compute words of the eight rows from `z` on, with a byte of every number for each."""
    along_x = k == DOWN[X] or k == UP[X]
    n = lattice.nx if along_x else lattice.ny
    beside = lattice.sy if along_x else lattice.sx
    step = lattice.offset[at(k)]
    first = place_in_row(rows, k, x, y, z)
    s = (x + 1) * lattice.sx + (y + 1) * lattice.sy + z + 1 - first * step  # first cell of the row
    where, next_row = first_word(rows, k, x, y, z) + 2 * i, rows.layout[at(k), NEXT_Z]
    many = min(8, lattice.nz - z)
    for j in range(many):
        rows.bits[where + j * next_row] = rows.bits[where + j * next_row + 1] = 0
    for place in range(i << WORD, min((i + 1) << WORD, n + 1), 8):
        go_on = free = -1
        if not is_open(rows, k, place - first, x, y, z):
            go_on, free = eight_places(lattice, s, step, beside, place, n)
        for j in range(many):
            set_bits(rows.bits, where + j * next_row, place & LAST, go_on >> 8 * j, free >> 8 * j)
    for j in range(many):
        if rows.bits[where + j * next_row + 1] == 0:
            rows.bits[where + j * next_row + 1] = ALL_BLOCKED


@kernel
def is_open(rows, k, moves, x, y, z):
    """Return whether the blocks at the cell `moves` from (x, y, z), and 7 further, are free."""
    open_, layout = rows.ages.open, rows.layout
    nx, ny, _ = open_.shape
    for n in (moves, moves + 7):
        i, j = x + n * layout[at(k), ALONG_X] >> SIDE, y + n * layout[at(k), ALONG_Y] >> SIDE
        if not (0 <= i < nx and 0 <= j < ny and open_[i, j, z >> SIDE]):
            return False
    return True


@kernel
def eight_places(lattice, s, step, beside, first, n):
    """Return where runs continue and what is free, at eight places of eight rows from `s`."""
    left0, middle0, right0 = cells_across(lattice, s, step, beside, first - 1, n)
    left, middle, right = cells_across(lattice, s, step, beside, first, n)
    left_square, right_square = squares(left, middle), squares(right, middle)
    go_on = free = 0
    for place in range(first, first + 8):
        left1, middle1, right1 = cells_across(lattice, s, step, beside, place + 1, n)
        left_square1, right_square1 = squares(left1, middle1), squares(right1, middle1)
        tries = (left & TWOS | left_square & left_square1 & FIVES) & ~left0
        tries |= (right & TWOS | right_square & right_square1 & FIVES) & ~right0
        tries |= middle & FIVES & ~middle0
        here = middle >> 1 & ONES
        free |= here << (place & 7)
        go_on |= (here & ~(tries | tries >> 1 | tries >> 2)) << (place & 7)
        left0, middle0, right0 = left, middle, right
        left, middle, right = left1, middle1, right1
        left_square, right_square = left_square1, right_square1
    return go_on, free


@kernel
def cells_across(lattice, s, step, beside, place, n):
    """Return eight cells, one of each row, between those on both sides; none past the border."""
    if place < 1 or place > n:
        return 0, 0, 0
    free3, s = lattice.free3, s + place * step
    return eight_cells(free3, s - beside), eight_cells(free3, s), eight_cells(free3, s + beside)


@kernel
def squares(side, middle):
    """Return the corners of a side that are free together with their neighbours and the centre."""
    return side & (side >> 1 & ONES) * 7 & middle & (middle >> 1 & ONES) * 7


@kernel
def compute_words_along_z(rows, lattice, k, i, x, y):
    """Compute words of one row, with a byte of every number for each of eight cells on it."""
    free3, sx, sy, n = lattice.free3, lattice.sx, lattice.sy, lattice.nz
    up = k == UP[Z]
    before, after = (0, 2) if up else (2, 0)
    pack = PACK if up else PACK_REVERSED
    where = first_word(rows, k, x, y, 0) + 2 * i
    rows.bits[where] = rows.bits[where + 1] = 0
    for place in range(i << WORD, min((i + 1) << WORD, n + 1), 8):
        s = (x + 1) * sx + (y + 1) * sy + (place if up else n - 6 - place)
        centre = eight_cells(free3, s)
        tries = 0
        for across in (sx, -sx):
            side = eight_cells(free3, s + across)
            tries |= side >> 1 & ~(side >> before)
            for aside in (sy, -sy):
                corner = eight_cells(free3, s + across + aside)
                square = corner & side & eight_cells(free3, s + aside) & centre
                tries |= square >> 1 & square >> after & ~(corner >> before)
        for aside in (sy, -sy):
            side = eight_cells(free3, s + aside)
            tries |= side >> 1 & ~(side >> before)
        free = centre >> 1 & ONES
        on_row = (1 << min(n + 1 - place, 8)) - 1
        go_on = ((free & ~tries) * pack >> 56) & on_row
        set_bits(rows.bits, where, place & LAST, go_on, (free * pack >> 56) & on_row)
    if rows.bits[where + 1] == 0:
        rows.bits[where + 1] = ALL_BLOCKED


@kernel
def set_bits(bits, where, cell, go_on, free):
    """Set eight cells, that at `cell` among them, in a pair of words: a bit each in two bytes."""
    go_on, free = go_on & 255, free & 255
    byte = cell >> 3
    if byte == 7:  # the highest bit of a word is its sign
        go_on, free = go_on - (go_on >> 7 << 8), free - (free >> 7 << 8)
    bits[where] |= go_on << 8 * byte
    bits[where + 1] |= free << 8 * byte

"""A bit per cell and time bin, set while a body is in the cell; shifted as time passes."""

from typing import NamedTuple

import numpy as np

from noctule.core.jit import kernel
from noctule.worlds.occupancy.voxelize import Growth, rasterise


class Words(NamedTuple):
    """A word per cell of a grid with a border, and the list of cells whose word is not 0."""

    word: np.ndarray  # bit k is set if the cell is busy in bin k
    touched: np.ndarray  # cells whose word is not 0
    size: np.ndarray  # length of that list


def new_words(n: int) -> Words:
    """Return words for `n` cells, all zero."""
    return Words(np.zeros(n, np.int64), np.empty(n, np.int64), np.zeros(1, np.int64))


@kernel
def set_bits(words, cell, bits):
    """Set bits in the word of a cell."""
    if words.word[cell] == 0:
        words.touched[words.size[0]] = cell
        words.size[0] += 1
    words.word[cell] |= bits


@kernel
def mark_bins(solids, poses, grown, cells, rows, scratch, words, first):
    """Set the bits of all cells that solids meet, each grown by `grown` cells.

    `poses[k, j]` is sample j of bin `first + k`.
    """
    for k in range(poses.shape[0]):
        for j in range(poses.shape[1]):
            for i in range(len(solids.body)):
                body = solids.body[i]
                margin = grown[k, body]
                growth = Growth(margin, margin, margin, margin)
                rasterise(solids, i, poses[k, j, body], cells, rows, scratch, growth)
                mark_rows(cells, rows, i, words, 1 << (first + k))


@kernel
def mark_rows(cells, rows, i, words, bits):
    """Set `bits` in all cells of the rows that solid `i` meets."""
    x0, y0, nx, ny, _, _ = rows.new_frame[i]
    row = rows.first[i]
    for x in range(x0, x0 + nx):
        for y in range(y0, y0 + ny):
            base = ((x + 1) * (cells.ny + 2) + y + 1) * (cells.nz + 2) + 1
            for z in range(rows.new_span[row, 0], rows.new_span[row, 1]):
                set_bits(words, base + z, bits)
            row += 1


@kernel
def shift(words, by):
    """Shift all words so that bit `by` becomes bit 0."""
    kept = 0
    for k in range(words.size[0]):
        cell = words.touched[k]
        words.word[cell] >>= by
        if words.word[cell] != 0:
            words.touched[kept] = cell
            kept += 1
    words.size[0] = kept

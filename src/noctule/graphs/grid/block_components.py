"""A coarse level of a world of cells: blocks of 8 x 8 x 8 cells, and their connected components.

A block has eight words, one for each x, with bit 8 y + z for each cell. A *part* is a set of free
cells in a block that are connected by faces within it. As every move needs its whole box free, two
cells are connected exactly if their parts are, from face to face.
"""

from typing import NamedTuple

import numpy as np

from noctule.core.intrinsics import at
from noctule.core.jit import kernel
from noctule.graphs.grid.changed_nodes import set_cell
from noctule.graphs.grid.lattice import coordinates

SIDE = 8
ONE, ROW = np.uint64(1), np.uint64(SIDE)
NONE = np.uint64(0)
LOWEST_Z = np.uint64(0x0101010101010101)
HIGHEST_Z = np.uint64(0x8080808080808080)
LAST_Z, LAST_Y = np.uint64(SIDE - 1), np.uint64(SIDE * (SIDE - 1))


class Blocks(NamedTuple):
    """The parts of all blocks; those of block b are numbers first[b] to first[b + 1] - 1."""

    ny: int  # how many blocks there are along y and z
    nz: int
    first: np.ndarray
    cells: np.ndarray  # of each part: its eight words
    centre: np.ndarray  # of each part: the mean of its cells, in cells


@kernel
def load(lattice, x0, y0, z0, free):
    """Read the free cells of the block with this first cell."""
    for i in range(SIDE):
        word = NONE
        if x0 + i < lattice.nx:
            for j in range(min(SIDE, lattice.ny - y0)):
                s = (x0 + i + 1) * lattice.sx + (y0 + j + 1) * lattice.sy + z0 + 1
                for k in range(min(SIDE, lattice.nz - z0)):
                    if lattice.free3[at(s + k)] & 2:
                        word |= ONE << np.uint64(SIDE * j + k)
        free[i] = word


@kernel
def flood(free, part):
    """Grow a part of a block over all free cells that are connected to it."""
    growing = True
    while growing:
        growing = False
        for step in range(2 * SIDE):  # forwards, then backwards
            i = step if step < SIDE else 2 * SIDE - 1 - step
            word = part[i]
            more = word | ((word & ~HIGHEST_Z) << ONE) | ((word & ~LOWEST_Z) >> ONE)
            more |= (word << ROW) | (word >> ROW)
            if i > 0:
                more |= part[i - 1]
            if i < SIDE - 1:
                more |= part[i + 1]
            more &= free[i]
            if more != word:
                part[i] = more
                growing = True


@kernel
def find_parts(lattice, blocks, free, part):
    """Find the parts of all blocks; write as many as there is room for, return how many."""
    n = b = 0
    for x0 in range(0, lattice.nx, SIDE):
        for y0 in range(0, lattice.ny, SIDE):
            for z0 in range(0, lattice.nz, SIDE):
                blocks.first[b] = n
                b += 1
                load(lattice, x0, y0, z0, free)
                for i in range(SIDE):
                    while free[i] != NONE:
                        part[:] = NONE
                        part[i] = free[i] & (~free[i] + ONE)  # its lowest bit
                        flood(free, part)
                        if n < len(blocks.cells):
                            note_part(blocks, n, part, x0, y0, z0)
                        n += 1
                        for j in range(SIDE):
                            free[j] &= ~part[j]
    blocks.first[b] = n
    return n


@kernel
def note_part(blocks, n, part, x0, y0, z0):
    """Write part `n`, of a block with this first cell."""
    count = x = y = z = 0
    for i in range(SIDE):
        blocks.cells[n, i] = part[i]
        word = part[i]
        for bit in range(SIDE * SIDE if word != NONE else 0):
            if (word >> np.uint64(bit)) & ONE != NONE:
                count, x, y, z = count + 1, x + i, y + bit // SIDE, z + bit % SIDE
    blocks.centre[n, 0] = x0 + x / count + 0.5
    blocks.centre[n, 1] = y0 + y / count + 0.5
    blocks.centre[n, 2] = z0 + z / count + 0.5


@kernel
def touch(blocks, a, b, axis):
    """Whether part `a` has a face in common with part `b` of the next block along an axis."""
    cells = blocks.cells
    if axis == 0:
        return cells[a, SIDE - 1] & cells[b, 0] != NONE
    for i in range(SIDE):
        word = cells[a, i]
        faces = word >> LAST_Y if axis == 1 else (word >> LAST_Z) & LOWEST_Z
        if faces & cells[b, i] != NONE:
            return True
    return False


@kernel
def find_edges(blocks, edges):
    """Find the pairs of parts that touch; write as many as there is room for, return how many."""
    n, in_layer = 0, blocks.ny * blocks.nz
    for b in range(len(blocks.first) - 1):
        y, z = b // blocks.nz % blocks.ny, b % blocks.nz
        for axis in range(3):
            c = b + (in_layer if axis == 0 else blocks.nz if axis == 1 else 1)
            last = c >= len(blocks.first) - 1 if axis == 0 else y == blocks.ny - 1
            if (axis < 2 and last) or (axis == 2 and z == blocks.nz - 1):
                continue
            for p in range(blocks.first[b], blocks.first[b + 1]):
                for q in range(blocks.first[c], blocks.first[c + 1]):
                    if touch(blocks, p, q, axis):
                        if n < len(edges):
                            edges[n, 0], edges[n, 1] = p, q
                        n += 1
    return n


@kernel
def part_with(lattice, blocks, s):
    """Return the part that cell `s` belongs to; -1 if it is blocked."""
    x, y, z = coordinates(lattice, s)
    b = (x // SIDE * blocks.ny + y // SIDE) * blocks.nz + z // SIDE
    bit = np.uint64(SIDE * (y % SIDE) + z % SIDE)
    for part in range(blocks.first[b], blocks.first[b + 1]):
        if (blocks.cells[part, x % SIDE] >> bit) & ONE != NONE:
            return part
    return -1


@kernel
def carve(lattice, blocks, parts, free, room):
    """Make the cells of some parts free, or blocked, in another world, `room`."""
    for part in parts:
        b = np.searchsorted(blocks.first, part, side="right") - 1
        x0 = b // (blocks.ny * blocks.nz) * SIDE
        y0, z0 = b // blocks.nz % blocks.ny * SIDE, b % blocks.nz * SIDE
        for i in range(SIDE):
            word = blocks.cells[part, i]
            row = (x0 + i + 1) * lattice.sx + (y0 + 1) * lattice.sy + z0 + 1
            for bit in range(SIDE * SIDE if word != NONE else 0):
                if (word >> np.uint64(bit)) & ONE != NONE:
                    s = row + bit // SIDE * lattice.sy + bit % SIDE
                    set_cell(room, s, free, lattice.flat)

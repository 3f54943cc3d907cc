"""A coarse level of a world of cells: blocks of 8 x 8 x 8 cells, and their connected components.

A block has eight words, one for each x, with bit 8 y + z for each cell. A *part* is a set of free
cells in a block that are connected by faces within it. As every move needs its whole box free, two
cells are connected exactly if their parts are, from face to face.

`Blocks` is a graph of its own, whose nodes are parts. Nothing is stored about its edges, so a
changed cell costs no more than to find the parts of its block again.
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.core.intrinsics import at
from noctule.core.jit import kernel
from noctule.graphs.grid.changed_nodes import set_cell
from noctule.graphs.grid.lattice import coordinates
from noctule.graphs.heuristics import lattice_estimate
from noctule.graphs.protocol import distance, edges, estimate, next_edge

SIDE = 8
MOST = 256  # parts of a block: every other cell is free
ONE, ROW = np.uint64(1), np.uint64(SIDE)
NONE = np.uint64(0)
LOWEST_Z = np.uint64(0x0101010101010101)
HIGHEST_Z = np.uint64(0x8080808080808080)
LAST_Z, LAST_Y = np.uint64(SIDE - 1), np.uint64(SIDE * (SIDE - 1))


class Blocks(NamedTuple):
    """The parts of all blocks; those of block b are numbers first[b] to first[b] + total[b] - 1."""

    nx: int  # how many blocks there are along each axis
    ny: int
    nz: int
    first: np.ndarray
    total: np.ndarray
    room: np.ndarray  # for how many parts there is room from first[b] on
    block: np.ndarray  # of each part
    cells: np.ndarray  # of each part: its eight words
    centre: np.ndarray  # of each part: the mean of its cells, in cells


def new_blocks(nx: int, ny: int, nz: int, parts: int) -> Blocks:
    """Reserve memory for blocks, of which nothing is known yet, and so many parts."""
    first, total, room = (np.zeros(nx * ny * nz, np.int64) for _ in range(3))
    cells, centre = np.empty((parts, SIDE), np.uint64), np.empty((parts, 3))
    return Blocks(nx, ny, nz, first, total, room, np.empty(parts, np.int64), cells, centre)


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
def find_parts(lattice, blocks, which, used, free, part):
    """Find the parts of some blocks; return the number of the first part that is not used then.

    A block with more parts than it has room for gets the numbers from `used` on.
    """
    for b in which:
        x0 = b // (blocks.ny * blocks.nz) * SIDE
        y0, z0 = b // blocks.nz % blocks.ny * SIDE, b % blocks.nz * SIDE
        n, begin = 0, used  # they are found beyond all others
        load(lattice, x0, y0, z0, free)
        for i in range(SIDE):
            while free[i] != NONE:
                part[:] = NONE
                part[i] = free[i] & (~free[i] + ONE)  # its lowest bit
                flood(free, part)
                note_part(blocks, begin + n, part, x0, y0, z0)
                n += 1
                for j in range(SIDE):
                    free[j] &= ~part[j]
        if n <= blocks.room[b]:
            for k in range(n):
                copy_part(blocks, begin + k, blocks.first[b] + k)
        else:
            blocks.first[b], blocks.room[b] = begin, n if blocks.room[b] == 0 else 2 * n
            for k in range(blocks.room[b]):
                blocks.block[begin + k] = b
            used += blocks.room[b]
        blocks.total[b] = n
    return used


@kernel
def copy_part(blocks, a, b):
    """Make part `b` the same as part `a`, which is of the same block."""
    for i in range(SIDE):
        blocks.cells[b, i] = blocks.cells[a, i]
    for axis in range(3):
        blocks.centre[b, axis] = blocks.centre[a, axis]


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
def next_state(blocks, s, state):
    """Return the first edge of part `s` from `state` on, 0 if there is none.

    An edge is the number of a direction times `MOST`, and which part of the block there, plus 1.
    """
    b = blocks.block[s]
    x, y, z = b // (blocks.ny * blocks.nz), b // blocks.nz % blocks.ny, b % blocks.nz
    for way in range((state - 1) // MOST, 6):
        axis, ahead = way >> 1, way & 1
        at, n = (x, blocks.nx) if axis == 0 else (y, blocks.ny) if axis == 1 else (z, blocks.nz)
        if at == n - 1 if ahead else at == 0:
            continue
        far = blocks.ny * blocks.nz if axis == 0 else blocks.nz if axis == 1 else 1
        c = b + far if ahead else b - far
        for k in range(max(state - 1 - way * MOST, 0), blocks.total[c]):
            t = blocks.first[c] + k
            if touch(blocks, s, t, axis) if ahead else touch(blocks, t, s, axis):
                return way * MOST + k + 1
    return 0


@edges.register
def _(graph: Blocks, s):
    return next_state(graph, s, 1)


@next_edge.register
def _(graph: Blocks, s, edges):
    way, k = (edges - 1) // MOST, (edges - 1) % MOST
    axis, b = way >> 1, graph.block[s]
    far = graph.ny * graph.nz if axis == 0 else graph.nz if axis == 1 else 1
    t = graph.first[b + far if way & 1 else b - far] + k
    return t, distance(graph, s, t), next_state(graph, s, edges + 1)


@distance.register
def _(graph: Blocks, s, t):
    at = graph.centre
    dx, dy, dz = at[t, 0] - at[s, 0], at[t, 1] - at[s, 1], at[t, 2] - at[s, 2]
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@estimate.register
def _(graph: Blocks, heuristic, s, t):
    at = graph.centre
    return lattice_estimate(
        heuristic, at[t, 0] - at[s, 0], at[t, 1] - at[s, 1], at[t, 2] - at[s, 2]
    )


@kernel
def part_with(lattice, blocks, s):
    """Return the part that cell `s` belongs to; -1 if it is blocked."""
    x, y, z = coordinates(lattice, s)
    b = (x // SIDE * blocks.ny + y // SIDE) * blocks.nz + z // SIDE
    bit = np.uint64(SIDE * (y % SIDE) + z % SIDE)
    for part in range(blocks.first[b], blocks.first[b] + blocks.total[b]):
        if (blocks.cells[part, x % SIDE] >> bit) & ONE != NONE:
            return part
    return -1


@kernel
def carve(lattice, blocks, which, cells, free, room):
    """Make parts, given by their blocks and cells, free or blocked in another world, `room`."""
    for n in range(len(which)):
        b = which[n]
        x0 = b // (blocks.ny * blocks.nz) * SIDE
        y0, z0 = b // blocks.nz % blocks.ny * SIDE, b % blocks.nz * SIDE
        for i in range(SIDE):
            word = cells[n, i]
            row = (x0 + i + 1) * lattice.sx + (y0 + 1) * lattice.sy + z0 + 1
            for bit in range(SIDE * SIDE if word != NONE else 0):
                if (word >> np.uint64(bit)) & ONE != NONE:
                    s = row + bit // SIDE * lattice.sy + bit % SIDE
                    set_cell(room, s, free, lattice.flat)


@kernel
def blocks_of(lattice, blocks, cells, found):
    """Write the blocks that hold these cells; -1 for cells of the border."""
    for n in range(len(cells)):
        x, y, z = coordinates(lattice, cells[n])
        inside = 0 <= x < lattice.nx and 0 <= y < lattice.ny and 0 <= z < lattice.nz
        b = (x // SIDE * blocks.ny + y // SIDE) * blocks.nz + z // SIDE
        found[n] = b if inside else -1

"""`Room`: the cells at whose centre a ball wider than a cell may be, kept up to date.

For every cell the number of solid cells is counted that are too near to its centre: the ball may be
there where it is zero. To block or free a cell changes the counts around it by one, whatever else
is there, so a change costs as much as a ball has cells.

The distance from a centre to a cube is exact in whole numbers. Along an axis it is |2d| - 1 half
cells where the cells are d apart, or none in the same cell; its square is the sum over the axes.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import kernel
from noctule.core.memory import reserve
from noctule.graphs.grid.changed_nodes import set_cell
from noctule.graphs.grid.lattice import Lattice
from noctule.graphs.grid.move_sets import move_costs
from noctule.graphs.grid.wide_cells import Squeezes, WideCells
from noctule.graphs.sight.ball import TIE, too_near
from noctule.graphs.sight.point import clear_of_border
from noctule.graphs.sight.wide_ball import ALL, Suspects

MANY = (1 << 16) - 1  # cells that may be too near to one place: more need larger counters
ROWS_AT_ONCE = 16
REBUILD = 64  # where one cell in so many changes, counting again is faster


class Counted(NamedTuple):
    """How the cells of a world are counted: as an array without border, of three axes.

    A world in the plane is one layer of it: its rows then run along y, not across the plane.
    """

    first: int  # number of the first cell
    step_a: int  # difference in number of one step along each axis
    step_b: int
    step_c: int
    flat: int


@kernel
def add_up_rows(count, free3, counted, sums, pad):
    """Write for each row how many solid cells come before each place, `pad` places later."""
    na, nb, nc = count.shape
    length = nc + 2 * pad + 1
    for a in range(na):
        for b in range(nb):
            row = sums[a, b * length : (b + 1) * length]
            s, n = counted.first + a * counted.step_a + b * counted.step_b, 0
            for c in range(nc):
                n += 1 - (free3[s + c * counted.step_c] >> 1 & 1)
                row[c + pad + 1] = n
            for c in range(length - pad, length):
                row[c] = n


@kernel
def count_border(count, lattice):
    """Start with one where the border of the world is too near, and with zero elsewhere."""
    na, nb, nc = count.shape
    for a in range(na):
        clear_a = lattice.flat == 1 or is_clear(a, na, lattice.reach)
        for b in range(nb):
            clear_b = clear_a and is_clear(b, nb, lattice.reach)
            for c in range(nc):
                count[a, b, c] = 0 if clear_b and is_clear(c, nc, lattice.reach) else 1


@kernel
def is_clear(i, n, reach):
    """Whether the centre of cell `i` of `n` along an axis keeps `reach` from the border."""
    return clear_of_border(2 * i + 1, 2 * i + 1, n, reach)


@kernel
def count_solids(count, rows, sums, pad, block):
    """Add the solid cells in the rows around each cell, each row given by two steps and a reach.

    This is done for blocks of rows, which lie behind each other in `sums`.
    """
    na, nb, nc = count.shape
    n, length = len(block), nc + 2 * pad + 1
    for a in range(na):
        for b in range(0, nb, n // length):
            block[:] = 0
            last = min(b + n // length, nb)
            for i in range(len(rows)):
                x, y, reach = a + rows[i, 0], rows[i, 1], rows[i, 2]
                low, high = max(b + y, 0), min(last + y, nb)
                if 0 <= x < na and low < high:
                    first, past = low * length + pad, high * length - pad - 1
                    end = (high - y - b) * length - 2 * pad - 1
                    there = block[(low - y - b) * length : end]
                    add_difference(
                        there,
                        sums[x, first + reach + 1 : past + reach + 1],
                        sums[x, first - reach :],
                    )
            for y in range(b, last):
                for c in range(nc):
                    count[a, y, c] += block[(y - b) * length + c]


@kernel
def add_difference(total, more, less):
    """Add the difference of two arrays to a third."""
    for i in range(len(total)):
        total[i] += more[i] - less[i]


@kernel
def open_room(count, counted, room):
    """Make the cells free in `room` that nothing is too near to."""
    na, nb, nc = count.shape
    for a in range(na):
        for b in range(nb):
            row = counted.first + a * counted.step_a + b * counted.step_b
            for c in range(nc):
                if count[a, b, c] == 0:
                    set_cell(room, row + c * counted.step_c, True, counted.flat)


@kernel
def count_changes(count, counted, rows, room, cells, free3):
    """Count cells that have become solid or free, as they are in `free3` now."""
    na, nb, nc = count.shape
    for cell in cells:
        solid, s = free3[cell] & 2 == 0, cell - counted.first
        a, b = s // counted.step_a, s % counted.step_a // counted.step_b
        c = s % counted.step_b // counted.step_c
        for i in range(len(rows)):
            x, y, reach = a + rows[i, 0], b + rows[i, 1], rows[i, 2]
            if x < 0 or y < 0 or x >= na or y >= nb:
                continue
            row = counted.first + x * counted.step_a + y * counted.step_b
            for z in range(max(c - reach, 0), min(c + reach + 1, nc)):
                before = count[x, y, z]
                count[x, y, z] = before + 1 if solid else before - 1
                if before == (0 if solid else 1):
                    set_cell(room, row + z * counted.step_c, not solid, counted.flat)


def rows_too_near(limit: float, flat: bool) -> NDArray[np.int32]:
    """Return the rows of cells that are nearer to a centre than `limit`, a squared distance."""
    far = math.floor(math.sqrt(limit) / 2) + 1
    steps = np.arange(-far, far + 1)
    gap = np.maximum(2 * np.abs(steps) - 1, 0) ** 2
    near = gap[:, None] + gap[None, :] < limit
    if flat:
        near &= steps[:, None] == 0
    a, b = np.nonzero(near)
    reach = [(gap[far:] < limit - gap[i] - gap[j]).sum() - 1 for i, j in zip(a, b, strict=True)]
    return np.stack([steps[a], steps[b], np.array(reach, np.int64)], axis=1).astype(np.int32)


@kernel
def find_squeezes(lattice, moves, steps, limit, far, first, cells):
    """Find the cells that are too near to a move, though not to its ends; return how many."""
    n = 0
    for k in range(27):
        first[k] = n
        dx, dy, dz = 2 * steps[k, 0], 2 * steps[k, 1], 2 * steps[k, 2]
        if moves >> k & 1 == 0:
            continue
        for x in range(-far, far + 1):
            for y in range(-far, far + 1):
                for z in range(-far, far + 1) if not lattice.flat else range(1):
                    low = 2 * x - 1, 2 * y - 1, 2 * z - 1
                    if (
                        too_near(0, 0, 0, dx, dy, dz, *low, limit)
                        and not too_near(0, 0, 0, 0, 0, 0, *low, limit)
                        and not too_near(dx, dy, dz, 0, 0, 0, *low, limit)
                    ):
                        if n < len(cells):
                            cells[n] = x * lattice.sx + y * lattice.sy + z
                        n += 1
    first[27] = n
    return n


def squeezes_of(lattice: Lattice, limit: float) -> Squeezes:
    """Return the cells that a move needs free besides those that its ends need."""
    far = math.floor(lattice.reach / 2) + 2
    first, cells = np.empty(28, np.int32), np.empty(0, np.int32)
    steps = move_costs()[1]
    while True:
        n = find_squeezes(lattice, lattice.moves, steps, limit, far, first, cells)
        if n <= len(cells):
            return Squeezes(first, cells[:n])
        cells = np.empty(n, np.int32)


def suspects_of(lattice: Lattice, limit: float) -> Suspects:
    """Find the cells that are too near to some centres of a span, but not to all."""
    far = math.floor(lattice.reach / 2) + 1
    steps = np.arange(-far, far + 2)
    low, middle, high = (np.maximum(np.abs(2 * steps - i) - 1, 0) ** 2 for i in range(3))
    centres = _too_near_to([low, high], limit, lattice.flat)
    halves = [np.minimum(low, middle), np.minimum(middle, high)]
    octants = _too_near_to(halves, limit, lattice.flat)
    some = np.nonzero((centres > 0) & (centres < ALL))
    kinds, kind, size = np.unique(centres[some], return_inverse=True, return_counts=True)
    step = np.stack(some, axis=1)[np.argsort(kind, kind="stable")] - far
    if lattice.flat:
        step[:, 2] = 0
    near = np.zeros(len(kinds), np.int64)
    np.bitwise_or.at(near, kind, octants[some])
    far_from = kinds & np.arange(ALL + 1)[:, None] == 0
    rooms, groups = np.nonzero(far_from)
    return Suspects(
        octants=np.bitwise_or.reduce(np.where(far_from, near, 0), axis=1),
        since=np.searchsorted(rooms, np.arange(ALL + 2)).astype(np.int32),
        groups=groups.astype(np.int32),
        centres=kinds,
        first=np.append(0, np.cumsum(size)).astype(np.int32),
        cell=(step @ np.array([lattice.sx, lattice.sy, 1])).astype(np.int32),
        step=step.astype(np.int32),
    )


def _too_near_to(squared: list[NDArray[np.int64]], limit: float, flat: int) -> NDArray[np.int64]:
    """Return for each step which of eight places are too near, given distances along an axis."""
    across = [np.zeros(1, np.int64)] * 2 if flat else squared
    n = len(squared[0])
    near = np.zeros((n, n, len(across[0])), np.int64)
    for bit, (i, j, k) in enumerate(np.ndindex(2, 2, 2)):
        total = squared[i][:, None, None] + squared[j][:, None] + across[k]
        near |= (total < limit).astype(np.int64) << bit
    return near


class Room:
    """Where a ball of one radius may be, in a world of cells.

    Attributes
    ----------
    graph : WideCells
        What kernels search; its arrays follow the world.
    """

    def __init__(self, lattice: Lattice) -> None:
        limit = lattice.reach * lattice.reach * TIE
        self._lattice, self._free3 = lattice, lattice.free3
        self._rows = rows_too_near(limit, bool(lattice.flat))
        self._counted, size = counted_cells(lattice)
        too_near = int((2 * self._rows[:, 2] + 1).sum())
        self._count = np.empty(size, np.uint16 if too_near < MANY else np.uint32)
        self._room = reserve(len(lattice.free3), np.uint8)
        squeezes = squeezes_of(lattice, limit)
        suspects = suspects_of(lattice, limit)
        room = lattice._replace(free3=self._room)
        self.graph = WideCells(room, lattice.free3, squeezes, suspects)
        self._count_all()

    def _count_all(self) -> None:
        pad = int(self._rows[:, 2].max())
        na, nb, nc = self._count.shape
        length = nc + 2 * pad + 1
        sums = np.zeros((na, nb * length), self._count.dtype)
        block = np.empty(min(ROWS_AT_ONCE, nb) * length, self._count.dtype)
        count_border(self._count, self._lattice)
        add_up_rows(self._count, self._free3, self._counted, sums, pad)
        count_solids(self._count, self._rows, sums, pad, block)
        self._room[:] = 0
        open_room(self._count, self._counted, self._room)

    def follow(self, cells: NDArray[np.int32] | None) -> None:
        """Take in that these cells have changed; None if nobody knows which."""
        if cells is None or len(cells) * REBUILD > self._count.size:
            self._count_all()
        else:
            arrays = self._count, self._counted, self._rows, self._room
            count_changes(*arrays, cells, self._free3)


def counted_cells(lattice: Lattice) -> tuple[Counted, tuple[int, int, int]]:
    """Return how cells are counted, and the shape of the counts."""
    first = lattice.sx + lattice.sy + 1
    if lattice.flat:
        shape = 1, lattice.nx, lattice.ny
        return Counted(first, len(lattice.free3), lattice.sx, lattice.sy, 1), shape
    shape = lattice.nx, lattice.ny, lattice.nz
    return Counted(first, lattice.sx, lattice.sy, 1, 0), shape

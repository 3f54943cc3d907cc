"""Cells blocked by the bodies of a scene, updated while they move.

Each cell counts the solids that meet it. When a solid moves, its new rows of cells (see `voxelize`)
are compared with its old ones, and only the cells that differ are counted.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import bind, kernel
from noctule.worlds.geometry.solids import Solids
from noctule.worlds.occupancy.voxelize import (
    Cells,
    Growth,
    Rows,
    Scratch,
    cells_of,
    rasterise,
)
from noctule.worlds.space import Space


class Count(NamedTuple):
    """Number of solids per cell, and the cells visited in the current update."""

    solids: np.ndarray  # per cell: number of solids that meet it
    blocked: np.ndarray  # per cell: whether that number is above 0
    marked: np.ndarray  # per cell: whether it is in `touched`
    touched: np.ndarray  # cells whose count changed in this update
    changed: np.ndarray  # freed cells from the front, blocked ones from the back


@kernel
def count_difference(cells, first, frame, span, other_frame, other_span, count, n, by):
    """Add `by` to the count of the cells that are in the first set of rows and not in the other.

    Both sets are rows of one solid and start at index `first`. Returns the length of
    `count.touched`, which was `n`.
    """
    x0, y0, nx, ny, _, _ = frame
    other_x0, other_y0, other_nx, other_ny, _, _ = other_frame
    for x in range(x0, x0 + nx):
        for y in range(y0, y0 + ny):
            row = first + (x - x0) * ny + y - y0
            low, high = span[row, 0], span[row, 1]
            other_low, other_high = high, high
            if other_x0 <= x < other_x0 + other_nx and other_y0 <= y < other_y0 + other_ny:
                row = first + (x - other_x0) * other_ny + y - other_y0
                other_low, other_high = other_span[row, 0], other_span[row, 1]
            if low == other_low and high == other_high:
                continue
            for z in range(low, high):
                if z < other_low or z >= other_high:
                    cell = (x * cells.ny + y) * cells.nz + z
                    count.solids[cell] += by
                    if not count.marked[cell]:
                        count.marked[cell] = True
                        count.touched[n] = cell
                        n += 1
    return n


@kernel
def update_rows(cells, rows, i, count, n):
    """Count the cells that solid `i` left and entered; copy the new spans over the old ones.

    Returns the length of `count.touched`, which was `n`.
    """
    first, old, new = rows.first[i], rows.old_frame[i], rows.new_frame[i]
    n = count_difference(cells, first, old, rows.old_span, new, rows.new_span, count, n, -1)
    n = count_difference(cells, first, new, rows.new_span, old, rows.old_span, count, n, 1)
    for k in range(6):
        old[k] = new[k]
    for k in range(first, first + new[2] * new[3]):
        rows.old_span[k, 0] = rows.new_span[k, 0]
        rows.old_span[k, 1] = rows.new_span[k, 1]
    return n


@kernel
def number(cells, cell):
    """Return the number of a cell in a grid with a border of one cell."""
    row, z = cell // cells.nz, cell % cells.nz
    x, y = row // cells.ny, row % cells.ny
    return ((x + 1) * (cells.ny + 2) + y + 1) * (cells.nz + 2) + z + 1


@kernel
def move_solids(solids, which, poses, cells, rows, count, scratch, grown):
    """Move solids to new poses; return the numbers of freed and of blocked cells.

    Writes the freed cells to the front of `count.changed`, the blocked ones to its back.
    """
    touched = 0
    for i in which:
        if rasterise(solids, i, poses[solids.body[i]], cells, rows, scratch, grown):
            touched = update_rows(cells, rows, i, count, touched)
    freed, blocked = 0, len(count.changed)
    for k in range(touched):
        cell = count.touched[k]
        count.marked[cell] = False
        now = count.solids[cell] > 0
        if now and not count.blocked[cell]:
            blocked -= 1
            count.changed[blocked] = number(cells, cell)
        elif count.blocked[cell] and not now:
            count.changed[freed] = number(cells, cell)
            freed += 1
        count.blocked[cell] = now
    return freed, len(count.changed) - blocked


@kernel
def cells_near(solids, which, poses, grown, cells, rows, scratch, place, reach, marked, found):
    """Write to `found` the cells within `reach` of `place` that solids meet; return their number.

    Each solid has its own pose and growth. `place` and `reach` are in cells. Cells are numbered as
    in a grid with a border. `marked` is all False before and after.
    """
    n = 0
    for k in range(len(which)):
        i = which[k]
        growth = Growth(grown[k, 0], grown[k, 1], grown[k, 2], grown[k, 3])
        rasterise(solids, i, poses[k], cells, rows, scratch, growth)
        x0, y0, nx, ny, _, _ = rows.new_frame[i]
        for x in range(x0, x0 + nx):
            for y in range(y0, y0 + ny):
                row = rows.first[i] + (x - x0) * ny + y - y0
                across = (x + 0.5 - place[0]) ** 2 + (y + 0.5 - place[1]) ** 2
                for z in range(rows.new_span[row, 0], rows.new_span[row, 1]):
                    if across + (z + 0.5 - place[2]) ** 2 > reach * reach:
                        continue
                    cell = number(cells, (x * cells.ny + y) * cells.nz + z)
                    if not marked[cell]:
                        marked[cell] = True
                        found[n] = cell
                        n += 1
    for k in range(n):
        marked[found[k]] = False
    return n


class Occupancy:
    """The cells of a space that solids meet.

    Parameters
    ----------
    space : Space
        The space and its cells.
    near : float
        Cells up to this distance (world units) from a solid count as well.

    Attributes
    ----------
    blocked : bool array
        Whether each cell is blocked, after the last update.
    """

    def __init__(
        self,
        space: Space,
        near: float = 0.0,
    ) -> None:
        shape, self._cells = space.cells, cells_of(space)
        self._near = near
        self.blocked = np.zeros(shape, np.bool_)
        self._prepare(np.zeros(math.prod(shape), np.int32))
        self._rows = rows_for(np.empty(0), self._cells)
        self._scratch = Scratch(np.empty((1, 3)), np.empty((1, 5)))

    def _prepare(self, solids: NDArray[np.int32]) -> None:
        n, marked = len(solids), np.zeros(len(solids), np.bool_)
        numbers = np.empty(n, np.int64), np.empty(n, np.int64)
        self._count = Count(solids, self.blocked.reshape(-1), marked, *numbers)
        self._move_solids = bind(move_solids)

    def __getstate__(self) -> tuple[dict[str, Any], NDArray[np.int32]]:
        own = ("_count", "_move_solids")  # rebuilt by `_prepare`
        return {k: v for k, v in vars(self).items() if k not in own}, self._count.solids

    def __setstate__(self, state: tuple[dict[str, Any], NDArray[np.int32]]) -> None:
        vars(self).update(state[0])
        self._prepare(state[1])

    def replace_solids(self, solids: Solids, same: NDArray[np.int64]) -> None:
        """Replace the solids; solid i was solid `same[i]` before, or is new if that is -1.

        Old solids that are removed must already be absent.
        """
        old = self._rows
        self._rows = rows = rows_for(solids.reach + self._near, self._cells)
        for i, j in enumerate(same.tolist()):
            if j >= 0:
                n = int(old.old_frame[j, 2] * old.old_frame[j, 3])
                rows.old_frame[i] = old.old_frame[j]
                a, b = rows.first[i], old.first[j]
                rows.old_span[a : a + n] = old.old_span[b : b + n]
        self._scratch = scratch_for(solids)

    def update(
        self, solids: Solids, which: NDArray[np.int64], poses: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Move the solids `which`; return the freed and the blocked cells.

        Cells are numbered as in `Grid`, with a border of one cell.
        """
        near = self._near / self._cells.size
        freed, blocked = self._move_solids(
            solids,
            which,
            poses,
            self._cells,
            self._rows,
            self._count,
            self._scratch,
            Growth(near, near, near, near),
        )
        changed = self._count.changed
        return changed[:freed].copy(), changed[len(changed) - blocked :].copy()


def scratch_for(solids: Solids) -> Scratch:
    """Allocate memory for the corners and axes of the largest of these solids."""
    corners = np.diff(solids.first_vertex).max(initial=1)
    axes = np.diff(solids.first_normal) + 3 * np.diff(solids.first_edge)
    return Scratch(np.empty((corners, 3)), np.empty((axes.max(initial=1), 5)))


def rows_for(reach: NDArray[np.float64], cells: Cells) -> Rows:
    """Allocate the rows that solids of these reaches (world units) can meet at any pose."""
    widest = np.ceil(2 * reach / cells.size).astype(np.int64) + 5  # solids may grow by a cell
    sizes = np.minimum(widest, cells.nx) * np.minimum(widest, cells.ny)
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    spans = [np.zeros((first[-1], 2), np.int32) for _ in range(2)]
    frames = [np.zeros((len(reach), 6), np.int64) for _ in range(2)]
    return Rows(first, frames[0], spans[0], frames[1], spans[1])

"""Which cells the bodies of a scene block, kept up to date while they move.

Each cell counts the solids that meet it. When a solid moves, the rows of cells that it meets now
(see `rasters`) are compared with those that it met before, and only the differences are counted.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import bind, kernel
from noctule.worlds.geometry.solids import Solids
from noctule.worlds.occupancy.voxelize import Cells, Growth, Rows, Scratch, rasterise


class Count(NamedTuple):
    """How many solids meet each cell, and which cells were touched in this update."""

    solids: np.ndarray
    blocked: np.ndarray
    marked: np.ndarray
    touched: np.ndarray
    changed: np.ndarray


@kernel
def add(count, n, cell, by):
    """Count one solid more or less in a cell, and note that it was touched."""
    count.solids[cell] += by
    if not count.marked[cell]:
        count.marked[cell] = True
        count.touched[n] = cell
        n += 1
    return n


@kernel
def compare(cells, rows, i, count, n):
    """Count the cells that solid `i` left and entered; returns how many cells were touched."""
    first = rows.first[i]
    ax, ay, anx, any_, _, _ = rows.old_frame[i]
    bx, by, bnx, bny, _, _ = rows.new_frame[i]
    for x in range(ax, ax + anx):
        for y in range(ay, ay + any_):
            row = first + (x - ax) * any_ + y - ay
            a0, a1 = rows.old_span[row, 0], rows.old_span[row, 1]
            b0, b1 = a1, a1
            if bx <= x < bx + bnx and by <= y < by + bny:
                row = first + (x - bx) * bny + y - by
                b0, b1 = rows.new_span[row, 0], rows.new_span[row, 1]
            if a0 == b0 and a1 == b1:
                continue
            base = (x * cells.ny + y) * cells.nz
            for z in range(a0, a1):
                if z < b0 or z >= b1:
                    n = add(count, n, base + z, -1)
    for x in range(bx, bx + bnx):
        for y in range(by, by + bny):
            row = first + (x - bx) * bny + y - by
            b0, b1 = rows.new_span[row, 0], rows.new_span[row, 1]
            a0, a1 = b1, b1
            if ax <= x < ax + anx and ay <= y < ay + any_:
                row = first + (x - ax) * any_ + y - ay
                a0, a1 = rows.old_span[row, 0], rows.old_span[row, 1]
            if a0 == b0 and a1 == b1:
                continue
            base = (x * cells.ny + y) * cells.nz
            for z in range(b0, b1):
                if z < a0 or z >= a1:
                    n = add(count, n, base + z, 1)
    return n


@kernel
def keep(rows, i):
    """What was new becomes old."""
    first = rows.first[i]
    n = rows.new_frame[i, 2] * rows.new_frame[i, 3]
    for k in range(6):
        rows.old_frame[i, k] = rows.new_frame[i, k]
    for k in range(first, first + n):
        rows.old_span[k, 0] = rows.new_span[k, 0]
        rows.old_span[k, 1] = rows.new_span[k, 1]


@kernel
def number(cells, cell):
    """The number of a cell in a grid with a border of one cell around all."""
    row, z = cell // cells.nz, cell % cells.nz
    x, y = row // cells.ny, row % cells.ny
    return ((x + 1) * (cells.ny + 2) + y + 1) * (cells.nz + 2) + z + 1


@kernel
def move_solids(solids, which, poses, cells, rows, count, scratch, grown):
    """Take solids to their new poses; returns how many cells changed, the freed ones first.

    `count.changed` has them: the freed cells from the front, the blocked ones from the back.
    """
    touched = 0
    for i in which:
        if rasterise(solids, i, poses[solids.body[i]], cells, rows, scratch, grown):
            touched = compare(cells, rows, i, count, touched)
            keep(rows, i)
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


class Occupancy:
    """The cells of a space that solids meet.

    With `near`, cells count that are so near to a solid, too.

    Attributes
    ----------
    blocked : bool array
        Which cells are blocked, as of the last update.
    """

    def __init__(
        self,
        shape: tuple[int, int, int],
        cell: float,
        origin: tuple[float, float, float],
        near: float = 0.0,
    ) -> None:
        self._cells = Cells(*shape, cell, *origin)
        self._near = near
        n = math.prod(shape)
        self.blocked = np.zeros(shape, np.bool_)
        self._count = Count(
            np.zeros(n, np.int32),
            self.blocked.reshape(-1),
            np.zeros(n, np.bool_),
            np.empty(n, np.int64),
            np.empty(n, np.int64),
        )
        self._rows = rows_for(np.empty(0), self._cells)
        self._move_solids = bind(move_solids)
        self._scratch = Scratch(np.empty((1, 3)), np.empty((1, 5)))

    def hold(self, solids: Solids, same: NDArray[np.int64]) -> None:
        """Take other solids; `same[i]` says which of the old ones solid i is, or -1.

        Old solids that are not among the new must be absent by then.
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
        """Move some solids; returns the cells that got freed and blocked.

        These are numbers in a grid with a border of one cell around all, as `Grid` has it.
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
    """Room for the corners and axes of any of these solids."""
    corners = np.diff(solids.first_vertex).max(initial=1)
    axes = np.diff(solids.first_normal) + 3 * np.diff(solids.first_edge)
    return Scratch(np.empty((corners, 3)), np.empty((axes.max(initial=1), 5)))


def rows_for(reach: NDArray[np.float64], cells: Cells) -> Rows:
    """Room for the rows that solids of this reach can meet at any pose."""
    widest = np.ceil(2 * reach / cells.size).astype(np.int64) + 5  # one may grow by a cell
    sizes = np.minimum(widest, cells.nx) * np.minimum(widest, cells.ny)
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    spans = [np.zeros((first[-1], 2), np.int32) for _ in range(2)]
    frames = [np.zeros((len(reach), 6), np.int64) for _ in range(2)]
    return Rows(first, frames[0], spans[0], frames[1], spans[1])

"""Which cells bodies are about to touch near a place."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import kernel
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.worlds.bodies import Row
from noctule.worlds.geometry.solids import Solids
from noctule.worlds.occupancy.occupancy import number, rows_for, scratch_for
from noctule.worlds.occupancy.swept_cells import Ways
from noctule.worlds.occupancy.voxelize import Cells, Growth, rasterise

# The number of a body, a pose, and how far from there it may be: along each axis, and in all.
Expected = tuple[int, Row, Ways]


@kernel
def mark_near(solids, i, pose, cells, rows, scratch, grown, place, reach, marked, found, n):
    """Add the cells that a solid meets at a pose, and that are near a place; returns how many."""
    rasterise(solids, i, pose, cells, rows, scratch, grown)
    first = rows.first[i]
    x0, y0, nx, ny, _, _ = rows.new_frame[i]
    for x in range(x0, x0 + nx):
        for y in range(y0, y0 + ny):
            row = first + (x - x0) * ny + y - y0
            across = (x + 0.5 - place[0]) ** 2 + (y + 0.5 - place[1]) ** 2
            for z in range(rows.new_span[row, 0], rows.new_span[row, 1]):
                if across + (z + 0.5 - place[2]) ** 2 > reach * reach:
                    continue
                cell = number(cells, (x * cells.ny + y) * cells.nz + z)
                if not marked[cell]:
                    marked[cell] = True
                    found[n] = cell
                    n += 1
    return n


@kernel
def cells_met(solids, which, poses, grown, cells, rows, scratch, place, reach, marked, found):
    """The cells near a place that solids meet, each at its pose and grown by so much."""
    n = 0
    for k in range(len(which)):
        i, pose = which[k], poses[k]
        near = Growth(grown[k, 0], grown[k, 1], grown[k, 2], grown[k, 3])
        n = mark_near(solids, i, pose, cells, rows, scratch, near, place, reach, marked, found, n)
    for k in range(n):
        marked[found[k]] = False
    return n


class PredictedCells:
    """Finds the cells of a grid that its bodies touch on their way through given poses."""

    def __init__(self, grid: CellGrid) -> None:
        self._grid = grid
        space = grid.scene.space
        self._cells = Cells(*space.cells, space.cell, *space.origin)
        self._marked = np.zeros(grid.node_count, np.bool_)
        self._found = np.empty(grid.node_count, np.int64)
        self._solids: Solids | None = None

    def near(
        self, place: Sequence[float], reach: float, poses: Sequence[Expected]
    ) -> NDArray[np.int64]:
        """Numbers of the cells up to `reach` from a place (both in cells) that bodies meet.

        `poses` says where to expect bodies, known by their numbers in the scene.
        """
        grid = self._grid
        if self._solids is not grid.solids:  # other bodies
            self._solids = grid.solids
            self._rows = rows_for(grid.solids.reach + self._cells.size, self._cells)
            self._scratch = scratch_for(grid.solids)
        each = [(i, row, off) for body, row, off in poses for i in grid.parts[body]]
        if not each:
            return self._found[:0].copy()
        n = cells_met(
            grid.solids,
            np.array([i for i, _, _ in each], np.int64),
            np.array([row for _, row, _ in each]),
            np.minimum(np.array([off for _, _, off in each]) / grid.cell, 1.0),
            self._cells,
            self._rows,
            self._scratch,
            tuple(map(float, place)),
            float(reach),
            self._marked,
            self._found,
        )
        return self._found[:n].copy()

"""Which cell of a map a click meets, and which of some points."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid.grid import Grid

Array = NDArray[np.float64]
Cell = tuple[int, ...]

STEP = 0.05  # cells between two samples along a ray
NEAR = 0.03  # of the distance to the camera: how far a click may miss a point


class Hit(NamedTuple):
    """Cells along a ray."""

    solid: Cell | None  # the first blocked cell
    free: Cell | None  # the free cell in front of it; on a 2D map, the free cell that was met


def cells_on_ray(grid: Grid, eye: Any, ray: Any) -> Hit:
    """Return the first blocked cell on a ray through the map, and the free cell before it."""
    origin = np.append(grid.origin, [0.0] * (3 - grid.dimension))
    start = (np.asarray(eye, float) - origin) / grid.cell
    ahead = np.asarray(ray, float) / np.linalg.norm(ray)
    shape = np.array((*grid.shape, 1)[:3])
    with np.errstate(divide="ignore", invalid="ignore"):
        sides = np.stack([(0 - start) / ahead, (shape - start) / ahead])
    enters = float(np.nanmax(sides.min(axis=0)))
    leaves = float(np.nanmin(sides.max(axis=0)))
    if leaves <= max(enters, 0.0):
        return Hit(None, None)
    along = np.arange(max(enters, 0.0) + 1e-6, leaves, STEP)
    cells = np.floor(start + along[:, None] * ahead).astype(int).clip(0, shape - 1)
    if grid.flat:
        middle = tuple(cells[len(cells) // 2, :2].tolist())
        return Hit(middle, None) if grid.blocked[middle] else Hit(None, middle)
    blocked = grid.blocked[tuple(cells.T)]
    if not blocked.any():
        return Hit(None, None)
    k = int(np.argmax(blocked))
    before = [tuple(cell) for cell in cells[:k].tolist()]
    return Hit(tuple(cells[k].tolist()), before[-1] if before else None)


def nearest_point(points: Array, eye: Any, ray: Any) -> int | None:
    """Return which point a ray meets, the one nearest to the camera; None if it misses all."""
    if not len(points):
        return None
    ahead = np.asarray(ray, float) / np.linalg.norm(ray)
    away = points - np.asarray(eye, float)
    depth = away @ ahead
    gap = np.linalg.norm(away - depth[:, None] * ahead, axis=1)
    share = np.where(depth > 0, gap / np.maximum(depth, 1e-9), np.inf)
    best = int(np.argmin(share))
    return best if share[best] < NEAR else None

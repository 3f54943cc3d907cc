"""`merged_faces`: the surface of blocked cells, merged to few large rectangles."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.pictures.angled import box_sums

MAX_FACES = 60_000  # rectangles that can be drawn without a graphics card
MAX_CELLS = 16_000_000

Cells = NDArray[np.bool_]


class Faces(NamedTuple):
    """Rectangles as a mesh."""

    corners: NDArray[np.float32]  # (4 n, 3), in cells
    triangles: NDArray[np.uint32]  # (2 n, 3), rows of `corners`

    @property
    def number(self) -> int:
        """Number of rectangles."""
        return len(self.corners) // 4


def merged_faces(blocked: Cells) -> Faces:
    """Return the faces of blocked cells next to free cells or the border, merged to rectangles.

    >>> import numpy as np
    >>> merged_faces(np.ones((5, 4, 3), dtype=bool)).number
    6
    """
    found = [_faces_along(blocked, axis, ahead) for axis in range(3) for ahead in (False, True)]
    corners = np.concatenate(found).reshape(-1, 3).astype(np.float32)
    first = 4 * np.arange(len(corners) // 4)[:, None]
    triangles = np.concatenate([first + np.array([0, 1, 2]), first + np.array([0, 2, 3])])
    return Faces(corners, triangles.astype(np.uint32))


def _faces_along(blocked: Cells, axis: int, ahead: bool) -> NDArray[np.int64]:
    """Return rectangles (n, 4, 3) that face along (`ahead`) or against an axis, anticlockwise."""
    cells = np.moveaxis(blocked, axis, 0)
    bare = cells.copy()
    if ahead:
        bare[:-1] &= ~cells[1:]
    else:
        bare[1:] &= ~cells[:-1]
    layer, u0, v0, u1, v1 = _rectangles(bare)
    corner = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    u = np.where(corner[:, 0], u1[:, None], u0[:, None])
    v = np.where(corner[:, 1], v1[:, None], v0[:, None])
    at = np.repeat((layer + ahead)[:, None], 4, axis=1)
    points = np.stack([at, u, v], axis=-1)
    if ahead == (axis == 1):  # moving `axis` to the front reverses the orientation for y
        points = points[:, ::-1]
    return np.insert(points[..., 1:], axis, points[..., 0], axis=-1)


def _rectangles(cells: Cells) -> tuple[NDArray[np.int64], ...]:
    """Cover the cells of each layer by rectangles; return layers and low and high corners.

    Runs along the last axis are merged with equal runs in the rows before them.
    """
    padded = np.pad(cells, ((0, 0), (0, 0), (1, 1))).astype(np.int8)
    change = np.diff(padded, axis=2)
    layer, row, start = np.nonzero(change == 1)
    stop = np.nonzero(change == -1)[2]
    order = np.lexsort((row, stop, start, layer))
    layer, row, start, stop = runs = np.stack([layer, row, start, stop])[:, order]
    joins = (np.diff(runs) == np.array([[0], [1], [0], [0]])).all(axis=0)
    first = np.flatnonzero(np.append(True, ~joins)[: len(row)])
    last = np.append(first, len(row))[1:] - 1
    return layer[first], row[first], start[first], row[last] + 1, stop[first]


def drawable_faces(blocked: Cells) -> tuple[Faces, int]:
    """Return at most `MAX_FACES` faces, and the scale by which cells were downsampled."""
    scale = max(1, math.ceil((blocked.size / MAX_CELLS) ** (1 / 3)))
    while True:
        faces = merged_faces(blocked if scale == 1 else joined(blocked, scale))
        if faces.number <= MAX_FACES:
            return faces, scale
        scale += 1


def joined(blocked: Cells, scale: int) -> Cells:
    """Downsample cells; a box of cells is blocked if its share of blocked cells is above average.

    So thin walls in an empty world remain, and gaps in a crowded one.
    """
    share = box_sums(blocked.view(np.uint8), scale) / scale**3
    solid: NDArray[np.bool_] = (share > 0) & (share >= blocked.mean())
    return solid

"""`merged_faces`: the surface of blocked cells as few large rectangles."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_FACES = 60_000  # triangles are twice as many; more is slow without a graphics card
MOST_CELLS = 16_000_000  # of which faces are looked for

Cells = NDArray[np.bool_]


class Faces(NamedTuple):
    """Rectangles as a mesh, in cells: corners (4 n, 3), triangles (2 n, 3)."""

    corners: NDArray[np.float32]
    triangles: NDArray[np.uint32]

    @property
    def number(self) -> int:
        """How many rectangles there are."""
        return len(self.corners) // 4


def merged_faces(blocked: Cells) -> Faces:
    """The faces between blocked and free cells, and at the border, joined to rectangles.

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
    """Rectangles (n, 4, 3) that look along an axis, or against it, seen counter-clockwise."""
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
    # The axes stay in order once `axis` was taken to the front, but for y, where they turn round.
    if ahead == (axis == 1):
        points = points[:, ::-1]
    others = [k for k in range(3) if k != axis]
    placed = np.empty_like(points)
    placed[..., [axis, *others]] = points
    return placed


def _rectangles(cells: Cells) -> tuple[NDArray[np.int64], ...]:
    """Rectangles in layers that cover the cells: layer, low and high ends along both sides.

    Runs along the last axis are joined with equal runs in the rows before them.
    """
    padded = np.pad(cells, ((0, 0), (0, 0), (1, 1))).astype(np.int8)
    change = np.diff(padded, axis=2)
    layer, row, start = np.nonzero(change == 1)
    stop = np.nonzero(change == -1)[2]
    order = np.lexsort((row, stop, start, layer))
    layer, row, start, stop = layer[order], row[order], start[order], stop[order]
    goes_on = np.zeros(len(row), bool)
    goes_on[1:] = (
        (layer[1:] == layer[:-1])
        & (start[1:] == start[:-1])
        & (stop[1:] == stop[:-1])
        & (row[1:] == row[:-1] + 1)
    )
    first = np.flatnonzero(~goes_on)
    last = np.append(first[1:], len(row)) - 1 if len(first) else first
    return layer[first], row[first], start[first], row[last] + 1, stop[first]


def drawable_faces(blocked: Cells) -> tuple[Faces, int]:
    """Faces few enough to be drawn, and how many cells a side were joined for that."""
    scale = max(1, math.ceil((blocked.size / MOST_CELLS) ** (1 / 3)))
    while True:
        faces = merged_faces(blocked if scale == 1 else joined(blocked, scale))
        if faces.number <= MOST_FACES:
            return faces, scale
        scale += 1


def joined(blocked: Cells, scale: int) -> Cells:
    """Cells joined to larger ones, blocked where more of them are than on average.

    So thin walls in an empty world remain, and gaps in a crowded one.
    """
    padded = np.pad(blocked, [(0, -n % scale) for n in blocked.shape])
    shape = [m for n in padded.shape for m in (n // scale, scale)]
    share = padded.reshape(shape).sum(axis=(1, 3, 5), dtype=np.int32) / scale**3
    return (share > 0) & (share >= blocked.mean())

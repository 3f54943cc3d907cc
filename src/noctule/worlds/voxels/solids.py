"""Arrays of solid cells from meshes, points and heights."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noctule.core.validation import at_least, finite_point, positive
from noctule.files import MAX_CELLS
from noctule.worlds.resolution import FINEST
from noctule.worlds.voxels.balls import MOST, count_points
from noctule.worlds.voxels.frame import Array, Frame, box_of, checked_shape, frame_around
from noctule.worlds.voxels.inside import count_crossings, mark_inside, open_edges
from noctule.worlds.voxels.surface import AXES, mark_surface


class Voxels(NamedTuple):
    """Cells that a file or a solid makes blocked."""

    blocked: NDArray[np.bool_]
    cell: float
    origin: Array | None = None
    cost: Array | None = None


def voxels_of_mesh(
    vertices: ArrayLike,
    faces: ArrayLike,
    cell: float | None,
    *,
    solid: bool = False,
    margin: float = 0.0,
    bounds: ArrayLike | None = None,
    max_cells: int = MAX_CELLS,
) -> Voxels:
    """Return the cells that the surface of a mesh meets; with `solid`, the inside, too."""
    points = np.asarray(vertices, np.float64)
    low, high = box_of("vertices", points)
    triangles = _checked_faces(faces, len(points))
    frame = frame_around(low, high, cell, max_cells, margin, bounds)
    blocked = np.zeros(frame.shape, bool)
    places = frame.in_cells(points)
    mark_surface(places, triangles, not solid, np.empty((AXES, 5)), blocked)
    if solid:
        _fill(places, triangles, frame, blocked)
    return Voxels(blocked, frame.cell, frame.origin)


def _checked_faces(faces: ArrayLike, n: int) -> NDArray[np.int64]:
    triangles = np.asarray(faces)
    if triangles.ndim != 2 or triangles.shape[1] != 3 or triangles.dtype.kind not in "iu":
        raise ValueError(
            f"faces have shape {triangles.shape} and type {triangles.dtype}; "
            f"expected rows of three numbers of vertices"
        )
    if not len(triangles):
        raise ValueError("faces: there are none; for points alone use Grid.from_points")
    if triangles.min() < 0 or triangles.max() >= n:
        raise ValueError(
            f"faces name vertices {triangles.min()} to {triangles.max()}; there are 0 to {n - 1}"
        )
    return np.ascontiguousarray(triangles, np.int64)


def _fill(
    places: Array, triangles: NDArray[np.int64], frame: Frame, blocked: NDArray[np.bool_]
) -> None:
    lonely = open_edges(places, triangles)
    if lonely:
        raise ValueError(
            f"solid=True needs a closed mesh; {lonely:,} edges of its triangles have no other "
            f"triangle beside them in the same sense. Without solid, its surface is solid"
        )
    nx, ny, nz = frame.shape
    change = np.zeros((nx, ny, nz + 1), np.int16)
    count_crossings(places, triangles, change)
    if mark_inside(change, blocked):
        raise ValueError("solid=True: the inside cannot be told from the outside of this mesh")


def voxels_of_points(
    points: ArrayLike,
    cell: float | None,
    *,
    min_points: int = 1,
    point_radius: float = 0.0,
    margin: float = 0.0,
    bounds: ArrayLike | None = None,
    max_cells: int = MAX_CELLS,
) -> Voxels:
    """Return the cells that hold enough points, or that enough balls around them meet."""
    cloud = np.asarray(points, np.float64)
    low, high = box_of("points", cloud)
    if not isinstance(min_points, int | np.integer) or not 1 <= min_points <= MOST:
        raise ValueError(f"min_points is {min_points!r}; allowed are 1 to {MOST}")
    reach = at_least(0, "point_radius", point_radius)
    frame = frame_around(low - reach, high + reach, cell, max_cells, margin, bounds, ends=True)
    counts = np.zeros(frame.shape, np.uint8)
    count_points(frame.in_cells(cloud), reach / frame.cell, counts)
    return Voxels(counts >= min_points, frame.cell, frame.origin)


def voxels_of_heights(
    heights: ArrayLike,
    pixel: float,
    cell: float | None = None,
    *,
    origin: ArrayLike | None = None,
    height: float | None = None,
    max_cells: int = MAX_CELLS,
) -> Voxels:
    """Return the cells that meet the ground below a height for each square of side `pixel`.

    `heights` is indexed [x, y]; NaN means nothing is known, and the whole column is solid.
    """
    array = np.asarray(heights)
    if array.ndim != 2 or array.size == 0 or array.dtype.kind not in "iuf":
        raise ValueError(f"heights have shape {array.shape}; expected numbers in 2 dimensions")
    ground = np.asarray(array, np.float64)
    known = np.isfinite(ground)
    if not known.any():
        raise ValueError("heights: none of them is a finite number")
    pixel = positive("pixel", pixel)
    cell = pixel if cell is None else positive("cell", cell)
    floor, top = float(ground[known].min()), float(ground[known].max())
    base = math.floor(floor / cell) * cell
    above = top + 10 * cell if height is None else height
    if not above > top:
        raise ValueError(f"height is {height}; the highest ground is at {top:g}")
    corner = finite_point("origin", (0.0, 0.0) if origin is None else origin, 2)
    low = np.array([*corner, base])
    high = np.array([*(corner + np.array(ground.shape) * pixel), above])
    sides = np.ceil((high - low) / cell - FINEST)
    shape = checked_shape(sides.tolist(), cell, max_cells, low, high)
    levels = (ground - base) / cell
    levels[~known] = math.inf
    columns = _highest_in_cells(levels, pixel / cell, shape[:2])
    return Voxels(np.arange(shape[2]) < columns[:, :, None] - FINEST, cell, low)


def _highest_in_cells(levels: Array, ratio: float, shape: tuple[int, ...]) -> Array:
    """Return for each column of cells the highest of the pixels that overlap it."""
    for axis, n in enumerate(shape):
        count = levels.shape[axis]
        first = np.floor(np.arange(n) / ratio + FINEST).astype(int)
        last = np.ceil(np.arange(1, n + 1) / ratio - FINEST).astype(int) - 1
        first, last = np.minimum(first, count - 1), np.minimum(last, count - 1)
        highest = np.take(levels, first, axis)
        for step in range(1, int((last - first).max()) + 1):
            highest = np.maximum(highest, np.take(levels, np.minimum(first + step, last), axis))
        levels = highest
    return levels

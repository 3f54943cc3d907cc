"""Cells that a convex solid meets, as one interval per row of cells.

A cell is blocked if its open cube meets the open volume of a solid. By the separating axis theorem,
a polyhedron and a cube are disjoint exactly if their projections onto some axis are: an axis of the
cube, the normal of a face, or the cross product of an edge and an axis of the cube. Along a row of
cells, the cells that one axis does not separate form an interval. The intersection of all intervals
gives the cells of the row that the solid meets, without a test of single cells.
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.core.jit import kernel
from noctule.worlds.geometry.rotations import rotate
from noctule.worlds.geometry.solids import PRESENT
from noctule.worlds.space import Space

LEVEL = 1e-13  # a unit vector with |z| below this counts as perpendicular to the rows


class Cells(NamedTuple):
    """The cells of a space."""

    nx: int
    ny: int
    nz: int
    size: float  # of a cell, in world units
    x: float  # low corner of the first cell, in world units
    y: float
    z: float
    touch: float  # in cells; an overlap up to this depth does not block a cell


def cells_of(space: Space) -> Cells:
    """Return the cells of a space."""
    return Cells(*space.cells, space.cell, *space.origin, space.resolution)


class Rows(NamedTuple):
    """Rows of cells along z that each solid meets, before and after it moves.

    The rows of solid i form a rectangle in x and y. If all rows have the same span, columns 4 and 5
    of the frame hold it, else 0 and -1.
    """

    first: np.ndarray  # per solid: index of its first row in the spans
    old_frame: np.ndarray  # per solid: first x, first y, number of rows along x and y, common span
    old_span: np.ndarray  # per row: first z, and one past the last z
    new_frame: np.ndarray
    new_span: np.ndarray


class Growth(NamedTuple):
    """Margin by which a solid is grown, in cells.

    A body that moves or turns in a plane is grown in that plane only, so that cells above and below
    it stay free.
    """

    x: float
    y: float
    z: float
    any: float  # in any direction; the smaller of the two margins applies


class Scratch(NamedTuple):
    """Memory for one solid."""

    corner: np.ndarray  # in cells
    axis: np.ndarray  # a vector, and the open interval for the centre of a cell (see `add_axis`)


@kernel
def transform_corners(solids, i, pose, cells, corner):
    """Write the corners of solid `i` at a pose, in cells; return their number."""
    low, high = solids.first_vertex[i], solids.first_vertex[i + 1]
    for k in range(low, high):
        x, y, z = rotate(
            pose[3],
            pose[4],
            pose[5],
            pose[6],
            solids.vertex[k, 0],
            solids.vertex[k, 1],
            solids.vertex[k, 2],
        )
        corner[k - low, 0] = (x + (pose[0] - cells.x)) / cells.size
        corner[k - low, 1] = (y + (pose[1] - cells.y)) / cells.size
        corner[k - low, 2] = (z + (pose[2] - cells.z)) / cells.size
    return high - low


@kernel
def add_axis(scratch, n, corners, x, y, z, grown, touch):
    """Add a separating axis unless it is zero; return the number of axes.

    The vector is scaled to z = 1. If it is perpendicular to the rows, z is 0 and the axis accepts
    or rejects whole rows.
    """
    length = math.sqrt(x * x + y * y + z * z)
    if length < 1e-9:
        return n
    if z < 0.0:
        length = -length
    x, y, z = x / length, y / length, z / length
    if z < LEVEL:
        z = 0.0
    low, high = math.inf, -math.inf
    for k in range(corners):
        d = x * scratch.corner[k, 0] + y * scratch.corner[k, 1] + z * scratch.corner[k, 2]
        low, high = min(low, d), max(high, d)
    half = 0.5 * (abs(x) + abs(y) + abs(z)) - touch
    half += min(grown.any, grown.x * abs(x) + grown.y * abs(y) + grown.z * abs(z))
    steep = z if z > 0.0 else 1.0
    axis = scratch.axis[n]
    axis[0], axis[1], axis[2] = x / steep, y / steep, z / steep
    axis[3], axis[4] = (low - half) / steep, (high + half) / steep
    return n + 1


@kernel
def find_axes(solids, i, pose, corners, scratch, grown, touch):
    """Write all axes that may separate solid `i` from a cell, except the axes of the cell.

    Returns their number.
    """
    normals = solids.first_normal[i + 1] - solids.first_normal[i]
    edges = solids.first_edge[i + 1] - solids.first_edge[i]
    n = 0
    for k in range(normals + 3 * edges):
        if k < normals:
            v = solids.normal[solids.first_normal[i] + k]
        else:
            v = solids.edge[solids.first_edge[i] + (k - normals) // 3]
        x, y, z = rotate(pose[3], pose[4], pose[5], pose[6], v[0], v[1], v[2])
        if max(abs(x), abs(y), abs(z)) >= 1.0 - 1e-15:
            continue  # parallel to an axis of the cell
        if k >= normals:  # cross product with an axis of the cell
            axis = (k - normals) % 3
            if axis == 0:
                x, y, z = 0.0, z, -y
            elif axis == 1:
                x, y, z = -z, 0.0, x
            else:
                x, y, z = y, -x, 0.0
        n = add_axis(scratch, n, corners, x, y, z, grown, touch)
    return n


@kernel
def first_above(bound, most):
    """Return the lowest index of a cell whose centre is above `bound`, in [0, most]."""
    return int(min(max(math.floor(bound - 0.5) + 1.0, 0.0), most))


@kernel
def end_below(bound, most):
    """Return one past the highest index of a cell whose centre is below `bound`, in [0, most]."""
    return int(min(max(math.ceil(bound - 0.5), 0.0), most))


@kernel
def rasterise(solids, i, pose, cells, rows, scratch, grown):
    """Write the rows of cells that solid `i` meets at this pose to `rows.new_frame` and `new_span`.

    Returns whether they may differ from the old rows; if not, the spans are not written. The growth
    is conservative: a few more cells may be included at the edges of the solid.
    """
    frame, first = rows.new_frame[i], rows.first[i]
    frame[:] = 0
    if pose[PRESENT] == 0.0:
        return has_new_frame(rows, i)
    corners = transform_corners(solids, i, pose, cells, scratch.corner)
    is_ball = solids.radius[i] > 0.0
    r = solids.radius[i] / cells.size
    half = 0.5 - cells.touch
    x_low, x_high, y_low, y_high, z_low, z_high = bounds(scratch.corner, corners, r, grown)
    x0, x1 = first_above(x_low - half, cells.nx), end_below(x_high + half, cells.nx)
    y0, y1 = first_above(y_low - half, cells.ny), end_below(y_high + half, cells.ny)
    z0, z1 = first_above(z_low - half, cells.nz), end_below(z_high + half, cells.nz)
    if x0 >= x1 or y0 >= y1 or z0 >= z1:
        return has_new_frame(rows, i)
    frame[0], frame[1], frame[2], frame[3] = x0, y0, x1 - x0, y1 - y0
    axes = 0 if is_ball else find_axes(solids, i, pose, corners, scratch, grown, cells.touch)
    if axes == 0 and not is_ball:
        frame[4], frame[5] = z0, z1
        if not has_new_frame(rows, i):
            return False
    else:
        frame[5] = -1
    row = first
    for x in range(x0, x1):
        for y in range(y0, y1):
            if is_ball:
                low, high = row_in_ball(scratch.corner, r + grown.any - cells.touch, x, y, z0, z1)
            else:
                low, high = row_in_polyhedron(scratch.axis, axes, x, y, z0, z1)
            rows.new_span[row, 0], rows.new_span[row, 1] = low, max(low, high)
            row += 1
    return True


@kernel
def has_new_frame(rows, i):
    """Whether the new frame of solid `i` differs from the old one."""
    new, old = rows.new_frame[i], rows.old_frame[i]
    same = new[0] == old[0] and new[1] == old[1] and new[2] == old[2]
    return not (same and new[3] == old[3] and new[4] == old[4] and new[5] == old[5])


@kernel
def bounds(corner, n, r, grown):
    """Return the bounding box of `n` balls of radius `r` at the corners, grown."""
    x_low, x_high = corner[0, 0], corner[0, 0]
    y_low, y_high = corner[0, 1], corner[0, 1]
    z_low, z_high = corner[0, 2], corner[0, 2]
    for k in range(1, n):
        x_low, x_high = min(x_low, corner[k, 0]), max(x_high, corner[k, 0])
        y_low, y_high = min(y_low, corner[k, 1]), max(y_high, corner[k, 1])
        z_low, z_high = min(z_low, corner[k, 2]), max(z_high, corner[k, 2])
    rx, ry, rz = r + grown.x, r + grown.y, r + grown.z
    return x_low - rx, x_high + rx, y_low - ry, y_high + ry, z_low - rz, z_high + rz


@kernel
def row_in_polyhedron(axis, axes, x, y, low, high):
    """Return the interval of cells of row (x, y), within [low, high), that no axis separates."""
    above, below = float(low), float(high)  # bounds of the centres of these cells
    for k in range(axes):
        along = axis[k, 0] * (x + 0.5) + axis[k, 1] * (y + 0.5)
        if axis[k, 2] > 0.0:
            above, below = max(above, axis[k, 3] - along), min(below, axis[k, 4] - along)
        elif axis[k, 3] >= along or axis[k, 4] <= along:
            return low, low
    return max(low, first_above(above, high)), min(high, end_below(below, high))


@kernel
def row_in_ball(centre, r, x, y, low, high):
    """Return the interval of cells of row (x, y) that are nearer to `centre` than `r`."""
    dx = max(x - centre[0, 0], centre[0, 0] - x - 1.0, 0.0)
    dy = max(y - centre[0, 1], centre[0, 1] - y - 1.0, 0.0)
    left = r * r - dx * dx - dy * dy
    if left <= 0.0:
        return low, low
    reach = math.sqrt(left) + 0.5
    z = centre[0, 2]
    return max(low, first_above(z - reach, high)), min(high, end_below(z + reach, high))

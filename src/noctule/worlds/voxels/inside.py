"""Cells inside closed meshes, by winding numbers along rows of cells.

A line through the centres of a row of cells crosses the surface; each crossing changes the winding
number by one. A centre is inside where that number is not zero, however parts of the mesh overlap.
A line that meets an edge or a corner is moved aside by less than any number: first along x, and by
the square of that along y. So each crossing belongs to exactly one triangle.
"""

import math

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import kernel


def open_edges(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> int:
    """Return how many directed edges of triangles have no partner in the other direction.

    Vertices at the same place count as one. A mesh is closed if there are none.
    """
    _, number = np.unique(vertices, axis=0, return_inverse=True)
    corners = number.reshape(-1)[faces]
    start = corners.reshape(-1)
    end = np.roll(corners, -1, axis=1).reshape(-1)
    edges = start != end
    low, high = np.minimum(start, end)[edges], np.maximum(start, end)[edges]
    _, pair = np.unique(low * len(vertices) + high, return_inverse=True)
    balance = np.bincount(pair.reshape(-1), weights=np.where(start < end, 1, -1)[edges])
    return int(np.abs(balance).sum())


@kernel
def count_crossings(vertices, faces, change):
    """Add to `change[x, y, k]` how the winding number changes before the centre of cell k."""
    nx, ny, above = change.shape
    for f in range(len(faces)):
        p, q, r = faces[f, 0], faces[f, 1], faces[f, 2]
        ax, ay, az = vertices[p, 0], vertices[p, 1], vertices[p, 2]
        bx, by, bz = vertices[q, 0], vertices[q, 1], vertices[q, 2]
        cx, cy, cz = vertices[r, 0], vertices[r, 1], vertices[r, 2]
        ux, uy, uz = bx - ax, by - ay, bz - az
        vx, vy, vz = cx - ax, cy - ay, cz - az
        normal = ux * vy - uy * vx
        if normal == 0.0:
            continue
        i0 = int(max(math.ceil(min(ax, bx, cx) - 0.5), 0))
        i1 = int(min(math.floor(max(ax, bx, cx) - 0.5), nx - 1))
        j0 = int(max(math.ceil(min(ay, by, cy) - 0.5), 0))
        j1 = int(min(math.floor(max(ay, by, cy) - 0.5), ny - 1))
        for i in range(i0, i1 + 1):
            for j in range(j0, j1 + 1):
                x, y = i + 0.5, j + 0.5
                side = side_of(ax, ay, bx, by, x, y)
                if side != side_of(bx, by, cx, cy, x, y) or side != side_of(cx, cy, ax, ay, x, y):
                    continue
                nx_, ny_ = uy * vz - uz * vy, uz * vx - ux * vz
                z = az - (nx_ * (x - ax) + ny_ * (y - ay)) / normal
                k = int(min(max(math.ceil(z - 0.5), 0), above - 1))
                change[i, j, k] -= side


@kernel
def side_of(ax, ay, bx, by, x, y):
    """Return 1 if a point lies to the left of the line from a to b, else -1; opposite from b to
    a."""
    sign = 1
    if (bx, by) < (ax, ay):  # the same numbers in the same order for both triangles at an edge
        ax, ay, bx, by, sign = bx, by, ax, ay, -1
    side = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
    if side == 0.0:
        side = ay - by if ay != by else bx - ax
    return sign if side > 0.0 else -sign


@kernel
def mark_inside(change, blocked):
    """Mark the cells whose centre is inside; return how many rows end inside, which is wrong."""
    nx, ny, nz = blocked.shape
    wrong = 0
    for i in range(nx):
        for j in range(ny):
            winding = 0
            for k in range(nz):
                winding += change[i, j, k]
                if winding != 0:
                    blocked[i, j, k] = True
            wrong += winding + change[i, j, nz] != 0
    return wrong

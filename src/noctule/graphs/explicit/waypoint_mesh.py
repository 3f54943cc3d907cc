"""Waypoints around one body, in its own frame: off its corners, along its edges, and their edges.

Krafft (2019), 4.2.2. The mesh of a body is its triangles, so waypoints lie on the diagonals of
the faces of a box, too.
"""

import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.worlds.convex_hull import outward
from noctule.worlds.shapes import Ball, Box, Shape

Array = NDArray[np.float64]
Edge = tuple[int, int]


class Mesh(NamedTuple):
    """The waypoints of a body and the edges between them, in the frame of the body."""

    points: Array
    edges: NDArray[np.int64]


def waypoints_around(
    shape: Shape, margin: float, spacing: float, sees: Callable[[Array, Array], bool]
) -> Mesh:
    """Return the waypoints of a shape; `sees` decides whether the shape leaves a line free.

    Parameters
    ----------
    margin : float
        Distance of a waypoint from each of the three faces at the corner of a box.
    spacing : float
        Largest distance between waypoints on an edge.
    """
    if isinstance(shape, Ball):  # without corners: take those of the box around it
        shape = Box((2 * shape.radius,) * 3)
    corners = _off_corners(shape, margin)
    points = list(corners)
    lists: list[list[int]] = []  # the waypoints along each edge of the mesh, in order
    for i, j in _edges(shape):
        pieces = math.ceil(math.dist(corners[i], corners[j]) / spacing)
        between = list(range(len(points), len(points) + pieces - 1))
        points += [corners[i] + (corners[j] - corners[i]) * k / pieces for k in range(1, pieces)]
        lists.append([i, *between, j])
    pairs = {(a, b) for line in lists for a, b in itertools.pairwise(line)}
    places = np.array(points)
    pairs |= _across(places, lists, sees)
    ordered = sorted((min(pair), max(pair)) for pair in pairs)
    edges = np.unique(np.array(ordered, np.int64).reshape(-1, 2), axis=0)
    return Mesh(places, edges)


def box_around(points: Array, shapes: list[Shape]) -> tuple[Array, Array]:
    """Return the low and the high corner of the box around points and shapes."""
    low = [points.min(axis=0), *(shape.vertices.min(axis=0) - shape.radius for shape in shapes)]
    high = [points.max(axis=0), *(shape.vertices.max(axis=0) + shape.radius for shape in shapes)]
    return np.min(low, axis=0), np.max(high, axis=0)


def _off_corners(shape: Shape, margin: float) -> Array:
    """Return each corner, moved along the sum of the normals of the faces that meet there."""
    normals = outward(shape.vertices[shape.triangles])
    found = []
    for i, corner in enumerate(shape.vertices):
        around = normals[(shape.triangles == i).any(axis=1)]
        total = np.unique(np.round(around, 6), axis=0).sum(axis=0)  # each face once
        found.append(corner + math.sqrt(3.0) * margin * total / np.linalg.norm(total))
    return np.array(found)


def _edges(shape: Shape) -> list[Edge]:
    """Return the edges of all triangles, each once."""
    found = set()
    for i, j, k in shape.triangles.tolist():
        found |= {(min(a, b), max(a, b)) for a, b in ((i, j), (j, k), (k, i))}
    return sorted(found)


def _across(
    points: Array, lists: list[list[int]], sees: Callable[[Array, Array], bool]
) -> set[Edge]:
    """Join each waypoint between two corners to the nearest it sees on an edge that meets its own.

    Edges meet at the corner that is nearer to the waypoint.
    """
    found = set()
    for line in lists:
        for k, s in enumerate(line[1:-1], 1):
            corner = line[0] if 2 * k <= len(line) - 1 else line[-1]
            others = {t for other in lists if corner in other and other is not line for t in other}
            nearest = sorted(others - {corner}, key=lambda t: (math.dist(points[s], points[t]), t))
            for t in nearest:
                if sees(points[s], points[t]):
                    found.add((min(s, t), max(s, t)))
                    break
    return found

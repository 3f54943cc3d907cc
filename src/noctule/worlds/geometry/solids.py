"""Many convex shapes packed into arrays for kernels.

A solid belongs to a body and moves with it. The pose of body b is row b of an array with 8 columns:
position, rotation (quaternion x, y, z, w), and 1 if the body is present, else 0.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from noctule.worlds.shapes import Shape

PRESENT = 7  # column of a pose: 1 if the body is present, else 0


class Solids(NamedTuple):
    """Concatenated shapes; solid i has the vertices `first_vertex[i]` to `first_vertex[i + 1]`, ...

    Lengths are in world units, vectors in the coordinates of the body.
    """

    vertex: np.ndarray
    triangle: np.ndarray  # rows of `vertex`
    normal: np.ndarray
    edge: np.ndarray
    first_vertex: np.ndarray
    first_triangle: np.ndarray
    first_normal: np.ndarray
    first_edge: np.ndarray
    radius: np.ndarray  # per solid: radius of a ball; 0 for a polyhedron
    reach: np.ndarray  # per solid: largest distance of a point from the origin of the body
    body: np.ndarray  # per solid: row of its pose
    low: np.ndarray  # per solid: corners of its bounding box
    high: np.ndarray
    is_box: np.ndarray  # per solid: whether it fills its bounding box


def pack(shapes: Sequence[tuple[int, Shape]]) -> Solids:
    """Pack pairs of body index and shape into arrays."""

    def joined(parts: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        counts = [len(part) for part in parts]
        rows = np.concatenate([np.empty((0, 3), parts[0].dtype if parts else float), *parts])
        return rows, np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)

    def corners(choose: Callable[..., np.ndarray], sign: float) -> np.ndarray:
        rows = [choose(shape.vertices, axis=0) + sign * shape.radius for _, shape in shapes]
        return np.array(rows, np.float64).reshape(-1, 3)

    low, high = corners(np.min, -1.0), corners(np.max, 1.0)
    vertex, first_vertex = joined([shape.vertices for _, shape in shapes])
    triangle, first_triangle = joined([shape.triangles for _, shape in shapes])
    for i in range(len(shapes)):
        triangle[first_triangle[i] : first_triangle[i + 1]] += first_vertex[i]
    normal, first_normal = joined([shape.normals for _, shape in shapes])
    edge, first_edge = joined([shape.edges for _, shape in shapes])
    return Solids(
        vertex,
        triangle.astype(np.int64),
        normal,
        edge,
        first_vertex,
        first_triangle,
        first_normal,
        first_edge,
        np.array([shape.radius for _, shape in shapes], np.float64),
        np.array([shape.reach for _, shape in shapes], np.float64),
        np.array([body for body, _ in shapes], np.int64),
        low,
        high,
        np.array([fills(shape, low[i], high[i]) for i, (_, shape) in enumerate(shapes)], np.bool_),
    )


def fills(shape: Shape, low: np.ndarray, high: np.ndarray) -> bool:
    """Whether a shape is the box between two corners: its eight vertices are the box's corners."""
    v = shape.vertices
    return len(v) == 8 and bool(((v == low) | (v == high)).all())

"""The convex hull of points in space."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

THIN = 1e-9  # part of the size; thinner point sets count as flat


def convex_hull(points: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return the corners (n, 3) of the hull, and outward triangles (m, 3) of corner indices.

    Incremental: for each point outside the hull, the triangles visible from it are replaced by
    triangles between the point and their boundary. Raises ValueError if the points lie in a plane.
    """
    points = np.unique(points, axis=0)
    size = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    corners = _tetrahedron(points, THIN * size)
    a, b, c, d = corners
    triangles = np.array([(a, b, c), (a, d, b), (b, d, c), (c, d, a)])
    normals = outward(points[triangles])
    # Far points first: then points on edges and faces lie outside of no triangle.
    far = np.argsort(-np.linalg.norm(points - points[corners].mean(axis=0), axis=1), kind="stable")
    for p in far.tolist():
        visible = _heights(points[p], points[triangles[:, 0]], normals) > THIN * size
        if p in corners or not visible.any():
            continue
        edges = {edge for triangle in triangles[visible].tolist() for edge in _edges_of(*triangle)}
        added = np.array([(i, j, p) for i, j in sorted(edges) if (j, i) not in edges])
        triangles = np.concatenate([triangles[~visible], added])
        normals = np.concatenate([normals[~visible], outward(points[added])])
    for point in points:
        if _heights(point, points[triangles[:, 0]], normals).max() > 100 * THIN * size:
            raise ValueError("the convex hull of the vertices can't be computed: they are too flat")
    used = np.unique(triangles)
    return points[used], np.searchsorted(used, triangles)


def _tetrahedron(points: Array, thin: float) -> list[int]:
    """Return the indices of four points that are far from coplanar, oriented outwards."""
    if len(points) < 4:
        raise ValueError(f"{len(points)} different vertices; a body has at least 4")
    a = int(points.sum(axis=1).argmin())
    b = int(np.linalg.norm(points - points[a], axis=1).argmax())
    line = (points[b] - points[a]) / np.linalg.norm(points[b] - points[a])
    c = int(np.linalg.norm(np.cross(points - points[a], line), axis=1).argmax())
    normal = np.cross(points[b] - points[a], points[c] - points[a])
    if np.linalg.norm(normal) <= thin * np.linalg.norm(points[b] - points[a]):
        raise ValueError("the vertices lie on a line; a body has a volume")
    heights = (points - points[a]) @ (normal / np.linalg.norm(normal))
    d = int(np.abs(heights).argmax())
    if abs(heights[d]) <= thin:
        raise ValueError("the vertices lie in a plane; a body has a volume")
    return [a, b, c, d] if heights[d] < 0 else [a, c, b, d]


def _edges_of(i: int, j: int, k: int) -> list[tuple[int, int]]:
    return [(i, j), (j, k), (k, i)]


def _heights(point: Array, corner: Array, normal: Array) -> Array:
    """Return the signed distance of a point from planes, each given by a point and a normal."""
    distances: NDArray[np.float64] = ((point - corner) * normal).sum(axis=1)
    return distances


def outward(corner: Array) -> Array:
    """Return the unit normals of triangles, given by their corners (m, 3, 3)."""
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    return normal / np.where(length > 0, length, 1.0)


def without_parallels(vectors: Array) -> Array:
    """Return unit vectors without duplicates and opposites."""
    kept: list[Array] = []
    while len(vectors):
        kept.append(vectors[0])
        vectors = vectors[np.linalg.norm(np.cross(vectors[0], vectors), axis=1) > 1e-9]
    return np.array(kept).reshape(-1, 3)

"""The convex hull of points in space."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

THIN = 1e-9  # what is thinner than this part of its size is flat


def convex_hull(points: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return the corners (n, 3) of the hull, and triangles (m, 3) of them that face outwards.

    Grows a tetrahedron point by point: the triangles that see a point give way to those between
    it and the rim of what it sees. Raises ValueError if the points lie in a plane.
    """
    points = np.unique(points, axis=0)
    size = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    corners = _tetrahedron(points, THIN * size)
    a, b, c, d = corners
    triangles = np.array([(a, b, c), (a, d, b), (b, d, c), (c, d, a)])
    normals = outward(points[triangles])
    # Far points first: points on edges and faces are then seen by nothing when their turn comes.
    far = np.argsort(-np.linalg.norm(points - points[corners].mean(axis=0), axis=1), kind="stable")
    for p in far.tolist():
        seen = _heights(points[p], points[triangles[:, 0]], normals) > THIN * size
        if p in corners or not seen.any():
            continue
        rim = {edge for triangle in triangles[seen].tolist() for edge in _edges_of(*triangle)}
        added = np.array([(i, j, p) for i, j in sorted(rim) if (j, i) not in rim])
        triangles = np.concatenate([triangles[~seen], added])
        normals = np.concatenate([normals[~seen], outward(points[added])])
    for point in points:
        if _heights(point, points[triangles[:, 0]], normals).max() > 100 * THIN * size:
            raise ValueError("the convex hull of the vertices can't be found: they are too flat")
    used = np.unique(triangles)
    return points[used], np.searchsorted(used, triangles)


def _tetrahedron(points: Array, thin: float) -> list[int]:
    """Four points that are far from lying in a plane, oriented as `convex_hull` needs them."""
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
    """Return the signed distance of a point from planes, each given by a point of it."""
    heights: NDArray[np.float64] = ((point - corner) * normal).sum(axis=1)
    return heights


def outward(corner: Array) -> Array:
    """Unit normals of triangles, given by their corners (m, 3, 3)."""
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    return normal / np.where(length > 0, length, 1.0)


def without_parallels(vectors: Array) -> Array:
    """Return unit vectors, each direction once up to its sign."""
    kept: list[Array] = []
    while len(vectors):
        kept.append(vectors[0])
        vectors = vectors[np.linalg.norm(np.cross(vectors[0], vectors), axis=1) > 1e-9]
    return np.array(kept).reshape(-1, 3)

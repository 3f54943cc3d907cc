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
    triangles = [(a, b, c), (a, d, b), (b, d, c), (c, d, a)]
    # Far points first: points on edges and faces are then seen by nothing when their turn comes.
    far = np.argsort(-np.linalg.norm(points - points[corners].mean(axis=0), axis=1), kind="stable")
    for p in far.tolist():
        if p in corners:
            continue
        seen = {
            triangle
            for triangle, height in zip(triangles, _heights(points, triangles, p), strict=True)
            if height > THIN * size
        }
        rim = {(i, j) for t in seen for i, j in _edges_of(t)}
        triangles = [t for t in triangles if t not in seen]
        triangles += [(i, j, p) for i, j in sorted(rim) if (j, i) not in rim]
    for p in range(len(points)):
        if _heights(points, triangles, p).max() > 100 * THIN * size:
            raise ValueError("the convex hull of the vertices can't be found: they are too flat")
    used = np.unique(triangles)
    return points[used], np.searchsorted(used, np.array(triangles))


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


def _edges_of(triangle: tuple[int, int, int]) -> list[tuple[int, int]]:
    i, j, k = triangle
    return [(i, j), (j, k), (k, i)]


def _heights(points: Array, triangles: list[tuple[int, int, int]], p: int) -> Array:
    """Return the signed distance of a point from the plane of each triangle."""
    corner = points[np.array(triangles)]
    normal = outward(corner)
    return ((points[p] - corner[:, 0]) * normal).sum(axis=1)


def outward(corner: Array) -> Array:
    """Unit normals of triangles, given by their corners (m, 3, 3)."""
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    return normal / np.where(length > 0, length, 1.0)


def without_parallels(vectors: Array) -> Array:
    """Return unit vectors, each direction once up to its sign."""
    kept: list[Array] = []
    for v in vectors:
        if all(np.linalg.norm(np.cross(v, other)) > 1e-9 for other in kept):
            kept.append(v)
    return np.array(kept).reshape(-1, 3)

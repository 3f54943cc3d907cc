"""Signed distance of a segment from a convex body, computed without the search kernels.

The distance is the width of the widest slab between two parallel planes that separates the segment
from the body. A negative distance is the penetration depth. Each plane direction gives a lower
bound, so a segment is accepted only if the planes found really separate it from the body.

If the two are apart, the planes are perpendicular to the line between their nearest points, found
by Wolfe's method ("Finding the nearest point in a polytope", 1976). If they touch or overlap, the
candidate directions are the face normals and the cross products of the segment with the edges.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.worlds.scene import Scene
from noctule.worlds.shapes import Shape
from noctule.worlds.space import Space

Array = NDArray[np.float64]

TOUCHING = 1e-6  # part of the size; below it, the direction between nearest points is inexact


def slack(space: Space) -> float:
    """Return the tolerance for rounding errors, in world units."""
    return 10 * space.resolution * space.cell


def bodies_near(
    scene: Scene, ends: Array, radius: float, safety: bool
) -> Iterator[tuple[str, float]]:
    """Yield name and distance of each body that is nearer to a segment than `radius`.

    With `safety`, the safety shapes of bodies count as well.
    """
    for body in scene.bodies:
        for shape in (body.shape, *(body.safety if safety else ())) if body.present else ():
            gap = signed_distance(shape, body.position, body.rotation, ends)
            if gap < radius - slack(scene.space):
                yield body.name, gap


def signed_distance(shape: Shape, position: Any, rotation: Any, ends: Array) -> float:
    """Return the signed distance of a posed shape from a segment or, with one end, from a point.

    A negative result is minus the length of the shortest translation that separates them.
    """
    turn = rotation_matrix(rotation)
    offsets = np.asarray(position, np.float64) - ends  # subtract first: both may be large numbers
    differences = (shape.vertices @ turn.T + offsets[:, None]).reshape(-1, 3)
    nearest = nearest_to_origin(differences)
    gap = float(np.linalg.norm(nearest))
    if len(shape.vertices) == 1:
        return gap - shape.radius
    if gap > 0:
        gap = float((differences @ (nearest / gap)).min())
    if gap <= TOUCHING * np.abs(differences).max():
        across = np.cross(shape.edges, (ends[-1] - ends[0]) @ turn)
        axes = np.concatenate([shape.normals, across]) @ turn.T
        lengths = np.linalg.norm(axes, axis=1)
        heights = differences @ (axes[lengths > 0] / lengths[lengths > 0, None]).T
        gap = max(gap, float(heights.min(axis=0).max()), float(-heights.max(axis=0).min()))
    return gap


def is_in_space(points: Array, scene: Scene, margin: float) -> bool:
    """Whether all points are finite and at least `margin` inside the space of a scene."""
    low, high = np.array(scene.space.origin) + margin, np.array(scene.space.high) - margin
    return bool(
        points.ndim == 2
        and points.shape[1] == 3
        and np.isfinite(points).all()
        and (points >= low).all()
        and (points <= high).all()
    )


def rotation_matrix(quaternion: Any) -> Array:
    """Return the 3 x 3 matrix of a unit quaternion (x, y, z, w)."""
    x, y, z, w = quaternion
    across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    matrix: NDArray[np.float64] = np.eye(3) + 2 * w * across + 2 * across @ across
    return matrix


def nearest_to_origin(points: Array) -> Array:
    """Return the point of the convex hull of points that is nearest to the origin."""
    size = float(np.abs(points).max(initial=1e-300))
    fine = 1e-14 * size
    chosen = [int(np.linalg.norm(points, axis=1).argmin())]
    weights = np.ones(1)
    for _ in range(1000):
        x = weights @ points[chosen]
        best = int((points @ x).argmin())
        far = float(np.linalg.norm(x))
        if far <= fine or x @ x - points[best] @ x <= fine * far or best in chosen:
            break
        chosen.append(best)
        weights = np.append(weights, 0.0)
        while True:  # move towards the nearest point of the affine hull, drop points of weight 0
            flat = _affine_weights(points[chosen])
            if (flat > 1e-12).all():
                weights = flat
                break
            falling = flat <= 1e-12
            step = (weights[falling] / np.maximum(weights[falling] - flat[falling], 1e-300)).min()
            weights = np.maximum((1 - step) * weights + step * flat, 0.0)
            kept = weights > 1e-12
            chosen = [c for c, k in zip(chosen, kept.tolist(), strict=True) if k]
            weights = weights[kept] / weights[kept].sum()
    return weights @ points[chosen]


def _affine_weights(points: Array) -> Array:
    """Return weights, of sum 1, of the point of the affine hull that is nearest to the origin."""
    n = len(points)
    system = np.ones((n + 1, n + 1))
    system[0, 0] = 0.0
    system[1:, 1:] = points @ points.T
    right = np.eye(n + 1)[0]
    return np.asarray(np.linalg.lstsq(system, right, rcond=None)[0][1:], np.float64)

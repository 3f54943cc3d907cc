"""Proof that lines keep clear of bodies, by plain code that shares nothing with the searches.

The distance of a body is that of the origin from the convex hull of the differences of its points
from those of the line, found by Wolfe's method ("Finding the nearest point in a polytope", 1976).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.worlds.scene import Scene
from noctule.worlds.shapes import Shape

Array = NDArray[np.float64]

SLACK = 1e-8  # in cells; so much nearer a ball may come


def bodies_near(
    scene: Scene, ends: Array, radius: float, safety: bool
) -> Iterator[tuple[str, float]]:
    """Yield the bodies, with or without their safety shapes, nearer to a segment than `radius`."""
    for body in scene.bodies:
        for shape in (body.shape, *(body.safety if safety else ())) if body.present else ():
            gap = distance(shape, body.position, body.rotation, ends)
            if gap < radius - SLACK * scene.space.cell:
                yield body.name, max(gap, 0.0)


def distance(shape: Shape, position: Any, rotation: Any, ends: Array) -> float:
    """Return the distance of a shape in this pose from the convex hull of points."""
    corners = shape.vertices @ rotation_matrix(rotation).T + position
    differences = (corners[:, None, :] - ends[None, :, :]).reshape(-1, 3)
    return float(np.linalg.norm(nearest_to_origin(differences))) - shape.radius


def is_in_space(points: Array, scene: Scene, margin: float) -> bool:
    """Whether points are finite, in space, and this far from the border of a scene."""
    low, high = np.array(scene.space.origin) + margin, np.array(scene.space.high) - margin
    return bool(
        points.ndim == 2
        and points.shape[1] == 3
        and np.isfinite(points).all()
        and (points >= low).all()
        and (points <= high).all()
    )


def rotation_matrix(quaternion: Any) -> Array:
    """Return the matrix of a rotation."""
    x, y, z, w = quaternion
    across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * across + 2 * across @ across


def nearest_to_origin(points: Array) -> Array:
    """Return the point of the convex hull of points that is nearest to the origin."""
    size = float(np.abs(points).max(initial=1e-300))
    chosen = [int(np.linalg.norm(points, axis=1).argmin())]
    weights = np.ones(1)
    for _ in range(1000):
        x = weights @ points[chosen]
        best = int((points @ x).argmin())
        if x @ x - points[best] @ x <= 1e-13 * size * size or best in chosen:
            break
        chosen.append(best)
        weights = np.append(weights, 0.0)
        while True:  # to the nearest point of the affine hull, dropping points behind
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
    """Return the weights of points, of sum 1, in the nearest point of their affine hull."""
    n = len(points)
    system = np.ones((n + 1, n + 1))
    system[0, 0] = 0.0
    system[1:, 1:] = points @ points.T
    right = np.eye(n + 1)[0]
    return np.asarray(np.linalg.lstsq(system, right, rcond=None)[0][1:], np.float64)

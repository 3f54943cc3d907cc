"""Proof that lines keep clear of bodies, by plain code that shares nothing with the searches.

The signed distance of a body from a line is the width of the widest gap between two parallel planes
with the body beyond one and the line beyond the other; below zero it is how deep the line enters
the body. Every direction of such planes gives a lower bound: a line is accepted only with planes
that separate it from the body, whatever found their direction.

Apart from each other, the direction is that between the nearest points, found by Wolfe's method
("Finding the nearest point in a polytope", 1976). Where the line touches or enters a polyhedron, it
is that of a face, or perpendicular to the line and an edge.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.worlds.scene import Scene, Space
from noctule.worlds.shapes import Shape

Array = NDArray[np.float64]

TOUCHING = 1e-6  # of the size; nearer than this, the direction between nearest points is inexact


def slack(space: Space) -> float:
    """Return how much too near a ball may come, or how deep a point may enter: rounding."""
    return 10 * space.resolution * space.cell


def bodies_near(
    scene: Scene, ends: Array, radius: float, safety: bool
) -> Iterator[tuple[str, float]]:
    """Yield the bodies, with or without their safety shapes, nearer to a segment than `radius`."""
    for body in scene.bodies:
        for shape in (body.shape, *(body.safety if safety else ())) if body.present else ():
            gap = signed_distance(shape, body.position, body.rotation, ends)
            if gap < radius - slack(scene.space):
                yield body.name, gap


def signed_distance(shape: Shape, position: Any, rotation: Any, ends: Array) -> float:
    """Return the distance of a shape in this pose from a segment, or the point that `ends` hold.

    Below zero where they overlap: the shortest way to move them apart, negated.
    """
    turn = rotation_matrix(rotation)
    offsets = np.asarray(position, np.float64) - ends  # first: both may be far from the origin
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

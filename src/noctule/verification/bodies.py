"""Proof that lines keep clear of bodies, by plain code that shares nothing with the searches.

The distance of a body is that of the origin from the convex hull of the differences of its points
from those of the line, found by Wolfe's method ("Finding the nearest point in a polytope", 1976).
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from noctule.worlds.scene import Scene

SLACK = 1e-8  # in cells; so much nearer a ball may come


def bodies_near(
    scene: Scene, ends: NDArray[np.float64], radius: float, safety: bool
) -> Iterator[tuple[str, float]]:
    """Bodies, with their safety shapes or without, nearer to a segment than the radius."""
    for body in scene.bodies:
        for shape in (body.shape, *(body.safety if safety else ())) if body.present else ():
            corners = shape.vertices @ rotation_matrix(body.rotation).T + body.position
            differences = (corners[:, None, :] - ends[None, :, :]).reshape(-1, 3)
            gap = float(np.linalg.norm(nearest_to_origin(differences))) - shape.radius
            if gap < radius - SLACK * scene.space.cell:
                yield body.name, max(gap, 0.0)


def is_in_space(points: NDArray[np.float64], scene: Scene, radius: float) -> bool:
    """Whether a ball that flies along these points stays in the space of a scene."""
    low, high = (np.array(corner) for corner in (scene.space.origin, scene.space.high))
    edge = radius - SLACK * scene.space.cell
    return bool(
        points.ndim == 2
        and points.shape[1] == 3
        and np.isfinite(points).all()
        and (points >= low + edge).all()
        and (points <= high - edge).all()
    )


def rotation_matrix(quaternion: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix of a rotation."""
    x, y, z, w = quaternion
    across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * across + 2 * across @ across


def nearest_to_origin(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The point of the convex hull of points that is nearest to the origin."""
    size = float(np.abs(points).max(initial=1e-300))
    chosen = [int(np.linalg.norm(points, axis=1).argmin())]
    shares = np.ones(1)
    for _ in range(1000):
        x = shares @ points[chosen]
        best = int((points @ x).argmin())
        if x @ x - points[best] @ x <= 1e-13 * size * size or best in chosen:
            break
        chosen.append(best)
        shares = np.append(shares, 0.0)
        while True:  # to the nearest point of the flat through the chosen, dropping what is behind
            flat = _on_flat(points[chosen])
            if (flat > 1e-12).all():
                shares = flat
                break
            falling = flat <= 1e-12
            step = (shares[falling] / np.maximum(shares[falling] - flat[falling], 1e-300)).min()
            shares = np.maximum((1 - step) * shares + step * flat, 0.0)
            kept = shares > 1e-12
            chosen = [c for c, k in zip(chosen, kept.tolist(), strict=True) if k]
            shares = shares[kept] / shares[kept].sum()
    return shares @ points[chosen]


def _on_flat(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares, which add up to 1, of points in the nearest point of their affine hull."""
    n = len(points)
    system = np.ones((n + 1, n + 1))
    system[0, 0] = 0.0
    system[1:, 1:] = points @ points.T
    right = np.zeros(n + 1)
    right[0] = 1.0
    shares = np.asarray(np.linalg.lstsq(system, right, rcond=None)[0], np.float64)
    return shares[1:]

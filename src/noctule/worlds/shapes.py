"""Convex shapes: boxes, hulls of vertices, and balls, around an origin of their own."""

import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noctule.core.validation import finite_point, positive
from noctule.worlds.convex_hull import convex_hull, outward, without_parallels

Array = NDArray[np.float64]


class Shape:
    """A convex solid: a polyhedron with corners and triangles, or a ball.

    Attributes
    ----------
    vertices : array (n, 3)
        Its corners; for a ball, its centre.
    triangles : int array (m, 3)
        The surface, as corners of triangles that face outwards; none for a ball.
    radius : float
        Of a ball; 0 for a polyhedron.
    """

    vertices: Array
    triangles: NDArray[np.int64]
    radius: float = 0.0

    def _build(self, points: Array) -> None:
        self.vertices, self.triangles = convex_hull(points)
        self.vertices.flags.writeable = self.triangles.flags.writeable = False

    @functools.cached_property
    def normals(self) -> Array:
        """Directions of the faces, each once."""
        return without_parallels(outward(self.vertices[self.triangles]))

    @functools.cached_property
    def edges(self) -> Array:
        """Directions of the edges, each once: where two triangles meet that are not one face."""
        normals = outward(self.vertices[self.triangles])
        side = {}
        for t, (i, j, k) in enumerate(self.triangles.tolist()):
            side.update({(i, j): t, (j, k): t, (k, i): t})
        pairs = [(i, j, t, side[j, i]) for (i, j), t in side.items() if i < j]
        i, j, t, u = np.array(pairs).T
        bent = np.linalg.norm(np.cross(normals[t], normals[u]), axis=1) > 1e-9
        edges = (self.vertices[j] - self.vertices[i])[bent]
        return without_parallels(edges / np.linalg.norm(edges, axis=1, keepdims=True))

    @functools.cached_property
    def reach(self) -> float:
        """Radius of the ball around the origin that holds the shape."""
        return float(np.linalg.norm(self.vertices, axis=1).max()) + self.radius

    def holds(self, other: "Shape") -> bool:
        """Whether another shape around the same origin lies inside this polyhedron."""
        corner = self.vertices[self.triangles]
        depth = np.einsum("tk,tvk->tv", outward(corner), other.vertices - corner[:, :1])
        return len(corner) > 0 and bool((depth <= -other.radius).all())

    def shifted(self, offset: ArrayLike) -> "Hull":
        """Return the same polyhedron, moved relative to its origin."""
        return Hull(self.vertices + np.asarray(offset, np.float64))


class Box(Shape):
    """A box with these edge lengths, around its centre.

    >>> import noctule as nt
    >>> nt.Box((2, 4, 6)).reach ** 2
    14.0
    """

    def __init__(self, size: ArrayLike) -> None:
        self.size = finite_point("size", size, 3).copy()
        self.size.flags.writeable = False
        for value in self.size.tolist():
            positive("size", value)
        signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        self._build(0.5 * signs * self.size)

    def __repr__(self) -> str:
        return f"Box({self.size.tolist()})"


class Hull(Shape):
    """The convex hull of vertices, which are relative to the origin of the shape.

    >>> import noctule as nt
    >>> len(nt.Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.1, 0.1, 0.1)]).vertices)
    4
    """

    def __init__(self, vertices: ArrayLike) -> None:
        try:
            points = np.asarray(vertices, np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"vertices are {vertices!r}; expected rows of 3 numbers") from None
        if points.ndim != 2 or points.shape[1] != 3:
            raise ValueError(f"vertices have shape {points.shape}; expected (n, 3)")
        if not np.isfinite(points).all():
            raise ValueError("vertices must be finite numbers")
        self._build(points)

    def __repr__(self) -> str:
        return f"Hull({len(self.vertices)} vertices)"


class Ball(Shape):
    """A ball around its centre."""

    def __init__(self, radius: float) -> None:
        self.radius = positive("radius", radius)
        self.vertices = np.zeros((1, 3))
        self.vertices.flags.writeable = False
        self.triangles = np.empty((0, 3), np.int64)

    @property
    def normals(self) -> Any:
        """A ball has no faces."""
        return np.empty((0, 3))

    @property
    def edges(self) -> Any:
        """A ball has no edges."""
        return np.empty((0, 3))

    def __repr__(self) -> str:
        return f"Ball({self.radius:g})"

"""Convex shapes: boxes, hulls of vertices, and balls, relative to their own origin."""

from __future__ import annotations

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
        Corners in world units; for a ball, its centre.
    triangles : int array (m, 3)
        Corner indices of the outward triangles of the surface; empty for a ball.
    radius : float
        Radius of a ball in world units; 0 for a polyhedron.
    """

    vertices: Array
    triangles: NDArray[np.int64]
    radius: float = 0.0

    def _build(self, points: Array) -> None:
        self.vertices, self.triangles = convex_hull(points)
        self.vertices.flags.writeable = self.triangles.flags.writeable = False

    @functools.cached_property
    def normals(self) -> Array:
        """Unit normals of the faces, without duplicates and opposites."""
        return without_parallels(outward(self.vertices[self.triangles]))

    @functools.cached_property
    def edges(self) -> Array:
        """Unit directions of the edges between two faces, without duplicates and opposites."""
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
        """Largest distance of a point of the shape from its origin, in world units."""
        return float(np.linalg.norm(self.vertices, axis=1).max()) + self.radius

    def holds(self, other: Shape) -> bool:
        """Whether another shape with the same origin lies inside this polyhedron.

        Parameters
        ----------
        other : Shape
            A shape with the same origin.

        Returns
        -------
        bool
            False for a ball, which holds no shape.

        Examples
        --------
        >>> import noctule as nt
        >>> nt.Box((2, 2, 2)).holds(nt.Ball(1.0)), nt.Box((2, 2, 2)).holds(nt.Ball(1.1))
        (True, False)
        """
        corner = self.vertices[self.triangles]
        depth = np.einsum("tk,tvk->tv", outward(corner), other.vertices - corner[:, :1])
        return len(corner) > 0 and bool((depth <= -other.radius).all())

    def shifted(self, offset: ArrayLike) -> Hull:
        """Return the polyhedron, translated relative to its origin.

        Parameters
        ----------
        offset : 3 floats
            How far to move it, in world units.

        Returns
        -------
        Hull
            The polyhedron.

        Examples
        --------
        >>> import noctule as nt
        >>> nt.Box((2, 2, 2)).shifted((5, 0, 0)).vertices.min(axis=0).tolist()
        [4.0, -1.0, -1.0]
        """
        return Hull(self.vertices + np.asarray(offset, np.float64))


class Box(Shape):
    """A box, centred at its origin.

    Parameters
    ----------
    size : 3 floats
        Edge lengths along x, y and z in world units, above 0.

    Examples
    --------
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
    """The convex hull of vertices.

    Parameters
    ----------
    vertices : array (n, 3)
        Points relative to the origin, in world units; at least 4, not all in one plane.

    Examples
    --------
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
    """A ball, centred at its origin.

    Parameters
    ----------
    radius : float
        World units, above 0.

    Examples
    --------
    >>> import noctule as nt
    >>> nt.Ball(0.5)
    Ball(0.5)
    """

    def __init__(self, radius: float) -> None:
        self.radius = positive("radius", radius)
        self.vertices = np.zeros((1, 3))
        self.vertices.flags.writeable = False
        self.triangles = np.empty((0, 3), np.int64)

    @property
    def normals(self) -> Any:
        """Empty: a ball has no faces."""
        return np.empty((0, 3))

    @property
    def edges(self) -> Any:
        """Empty: a ball has no edges."""
        return np.empty((0, 3))

    def __repr__(self) -> str:
        return f"Ball({self.radius:g})"

"""Convert between points of the world, places in cells, lattice indices and node numbers."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import bind, kernel_short
from noctule.core.validation import PointLike, cell_indices, finite_point, show
from noctule.graphs.compiled import CompiledGraph


@kernel_short
def write_places(
    numbers: Any, sx: Any, sy: Any, origin: Any, shift: Any, cell: Any, indices: Any, positions: Any
) -> None:
    """Write the lattice indices of node numbers, and their world positions."""
    for i in range(len(numbers)):
        indices[i, 0] = numbers[i] // sx - 1
        indices[i, 1] = numbers[i] % sx // sy - 1
        if indices.shape[1] == 3:
            indices[i, 2] = numbers[i] % sy - 1
        for axis in range(indices.shape[1]):
            positions[i, axis] = origin[axis] + (indices[i, axis] + shift) * cell


_write_places = bind(write_places)


@functools.lru_cache(maxsize=1024)  # a planner asks for start and goal many times
def _number_at(
    place: tuple[float, ...],
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    shift: float,
    near: float,
) -> int | None:
    number = 1 if len(shape) == 2 else 0
    for v, n, stride in zip(place, shape, strides, strict=False):
        i = round(v - shift)
        if abs(v - shift - i) > near or not 0 <= i + shift <= n:
            return None
        number += (i + 1) * stride
    return number


class LatticeIndexing(CompiledGraph):
    """Positions and numbers of the nodes of a grid. A border of one cell is numbered, too.

    A point counts as one whose coordinates, in cells, are whole or half numbers where these are no
    farther away than `resolution`: what lies on a face, or on a node, does so however its
    coordinates were rounded.
    """

    shape: tuple[int, ...]
    _strides: tuple[int, int, int]
    _shift: float  # of a node from the low corner of its cell

    def cell_of(self, point: PointLike) -> tuple[int, ...]:
        """Return the index of the cell that contains a point; on a face, of the one above it.

        Parameters
        ----------
        point : sequence of float
            A point in world units.

        Returns
        -------
        tuple of int
            Its cell.

        Raises
        ------
        ValueError
            If the point lies outside the world.

        Examples
        --------
        >>> import noctule as nt
        >>> nt.Grid([[False, False], [False, False]], cell=0.5).cell_of((0.7, 0.2))
        (1, 0)
        """
        place = self.in_cells("point", point)
        return tuple(min(math.floor(v), n - 1) for v, n in zip(place, self.shape, strict=True))

    def centre(self, cell: Sequence[int]) -> NDArray[np.float64]:
        """Return the centre of a cell in world units.

        Parameters
        ----------
        cell : sequence of int
            The index of a cell.

        Returns
        -------
        float array (dimension,)
            Its centre.

        Raises
        ------
        ValueError
            If there is no such cell.

        Examples
        --------
        >>> import noctule as nt
        >>> nt.Grid([[False, False], [False, False]], cell=0.5).centre((1, 0)).tolist()
        [0.75, 0.25]
        """
        index = cell_indices(cell, self.shape)[0]
        centre: NDArray[np.float64] = self.origin + (index + 0.5) * self.cell
        return centre

    def number(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the node numbers of an n x 3 (n x 2) array of lattice indices.

        Parameters
        ----------
        indices : int array (n, dimension)
            Lattice indices, as `Path.nodes` has them.

        Returns
        -------
        int array (n,)
            Node numbers.
        """
        padded = indices + 1
        strides = np.array(self._strides[: self.dimension])
        numbers: NDArray[np.int64] = padded @ strides + (1 if self.flat else 0)
        return numbers

    def indices_and_positions(
        self, nodes: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the lattice indices of nodes, and their world positions."""
        sx, sy, _ = self._strides
        indices = np.empty((len(nodes), self.dimension), np.int64)
        positions = np.empty(indices.shape)
        _write_places(nodes, sx, sy, self.origin, self._shift, self.cell, indices, positions)
        return indices, positions

    def positions(self, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the world positions of nodes.

        Parameters
        ----------
        nodes : int array (n,) or (n, dimension)
            Their numbers, or their lattice indices, as `Path.nodes` has them.
        """
        if nodes.ndim == 1:
            return self.indices_and_positions(nodes)[1]
        return self.origin + (nodes + self._shift) * self.cell

    def in_cells(self, name: str, point: PointLike) -> tuple[float, ...]:
        """Convert a point to cells from the low corner of the grid; raise if it is outside."""
        values = finite_point(name, point, self.dimension).tolist()
        place, near = [], self.resolution
        for v, low, n in zip(values, self.origin.tolist(), self.shape, strict=True):
            u = (v - low) / self.cell
            half = 0.5 * round(2.0 * u) if abs(u) < 2**31 else u
            if abs(u - half) <= near:
                u = half
            if not 0.0 <= u <= n:
                high = self.origin + np.array(self.shape) * self.cell
                raise ValueError(
                    f"{name} {show(point)} lies outside the world, "
                    f"which spans {show(self.origin)} to {show(high)}{cell_hint(self, point)}"
                )
            place.append(u)
        return tuple(place)

    def contains(self, point: PointLike) -> bool:
        """Return whether a point lies in the world.

        Parameters
        ----------
        point : sequence of float
            A point in world units.

        Returns
        -------
        bool
            True on the border, too.

        Examples
        --------
        >>> import noctule as nt
        >>> grid = nt.Grid([[False, False], [False, False]])
        >>> grid.contains((2.0, 0.5)), grid.contains((2.1, 0.5))
        (True, False)
        """
        place = self.snapped(np.asarray(point, np.float64))
        return bool(((place >= 0.0) & (place <= self.shape)).all())

    def all_in_cells(self, name: str, points: Sequence[PointLike]) -> NDArray[np.float64]:
        """Convert many points at once.

        Parameters
        ----------
        name : str
            What the points are called in an error message.
        points : sequence of points
            Points in world units.

        Returns
        -------
        float array (n, dimension)
            Their places, in cells.

        Raises
        ------
        ValueError
            If a point lies outside the world.
        """
        places = self.snapped(np.asarray(points, np.float64))
        if not ((places >= 0.0) & (places <= self.shape)).all():
            for point in points:
                self.in_cells(name, point)  # raises for the one outside
        return places

    def snapped(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert points to cells; those that lie on faces or nodes, but for rounding, to these.

        Parameters
        ----------
        points : float array (n, dimension)
            Points in world units.

        Returns
        -------
        float array (n, dimension)
            Their places, in cells.
        """
        places = (points - self.origin) / self.cell
        halves = 0.5 * np.rint(2.0 * places)
        with np.errstate(invalid="ignore"):  # infinite ones
            return np.where(np.abs(places - halves) <= self.resolution, halves, places)

    def has_node(self, s: int) -> bool:
        """Whether `s` is the number of a node; the border is numbered, but has none."""
        if not super().has_node(s):
            return False
        sx, sy, _ = self._strides
        index = s // sx - 1, s % sx // sy - 1, s % sy - 1
        more = 0 if self._shift else 1  # there is one corner more than there are cells
        inside = all(0 <= i < n + more for i, n in zip(index, self.shape, strict=False))
        return inside and (self.dimension == 3 or index[2] == 0)

    def nodes_at(self, places: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the numbers of the nodes at places (in cells), -1 where there is none.

        Parameters
        ----------
        places : float array (n, dimension)
            Places, in cells.

        Returns
        -------
        int array (n,)
            Node numbers.
        """
        indices = np.rint(places - self._shift)
        off = np.abs(places - self._shift - indices).max(axis=1) > self.resolution
        outside = (indices < -self._shift) | (indices + self._shift > self.shape)
        numbers = self.number(indices.astype(np.int64))
        numbers[off | outside.any(axis=1)] = -1
        return numbers

    def node_at(self, place: tuple[float, ...]) -> int | None:
        """Return the number of the node at a place (in cells), or None."""
        return _number_at(tuple(place), self.shape, self._strides, self._shift, self.resolution)

    def node_towards(self, place: tuple[float, ...]) -> tuple[int | None, tuple[float, ...]]:
        """Return the node at a place, and the place: nodes of a grid do not move."""
        return self.node_at(place), place


def cell_hint(grid: Any, point: PointLike) -> str:
    """Say how to name the centre of a cell, if a point looks like the index of a free one."""
    values = np.asarray(point, np.float64)
    if not all(v == round(v) and 0 <= v < n for v, n in zip(values, grid.shape, strict=True)):
        return ""
    index = values.astype(int)
    if not grid._free3.reshape(-1)[grid.number(index[None])[0]] & 2:
        return ""
    cell = ", ".join(f"{v:.0f}" for v in values)
    centre = grid.origin + (values + 0.5) * grid.cell
    return (
        f". Points are in world units; the centre of cell ({cell}) is {show(centre)}, "
        f"see grid.centre"
    )

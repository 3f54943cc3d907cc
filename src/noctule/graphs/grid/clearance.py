"""`WithClearance`: a world of cells that tells how far points and paths are from its solids."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noctule.core.jit import bind, kernel_short
from noctule.core.validation import PointLike, as_points
from noctule.graphs.grid.distance_transform import distances_along_columns, distances_in_rows
from noctule.graphs.grid.indexing import LatticeIndexing
from noctule.graphs.grid.lattice import Lattice
from noctule.graphs.grid.room import counted_cells
from noctule.graphs.sight.clearance import clearance_along, point_clearance


@kernel_short
def clearance_at(lattice: Any, x: Any, y: Any, z: Any) -> Any:
    """Return the squared distance of a place (in cells) from the nearest solid, in half cells."""
    return point_clearance(lattice, 2.0 * x, 2.0 * y, 2.0 * z)


_clearance_at, _clearance_along = bind(clearance_at), bind(clearance_along)


class WithClearance(LatticeIndexing):
    """Cells as seen by whoever wants to keep away from them. The border of the world is solid."""

    @abstractmethod
    def _lattice(self, radius: float, equal_steps: bool) -> Lattice:
        """Return the cells as kernels see them."""

    def clearance(self, point: PointLike) -> float:
        """Return the exact distance from a point to the nearest blocked cell, or to the border.

        It is zero in a blocked cell; a ball of this radius at the point touches nothing.

        Parameters
        ----------
        point : sequence of float
            A point in world units.

        Returns
        -------
        float
            A distance in world units.

        Raises
        ------
        ValueError
            If the point lies outside the world.

        Examples
        --------
        >>> import noctule as nt
        >>> grid = nt.Grid([[False, False, False], [False, False, True]], cell=2.0)
        >>> grid.clearance((1.0, 3.0)), round(grid.clearance((1.0, 4.0)), 3)
        (1.0, 1.0)
        """
        place = self._in_space(self.in_cells("point", point))
        squared = _clearance_at(self._lattice(0.0, False), *place)
        return float(np.sqrt(squared)) * self.cell / 2

    def clearances(self) -> NDArray[np.float64]:
        """Return the clearances of the centres of all cells; zero in those that are blocked.

        Returns
        -------
        float array
            One distance, in world units, for each cell.

        Examples
        --------
        >>> import noctule as nt
        >>> nt.Grid([[False, False, False], [False, True, False]]).clearances().round(3)
        array([[0.5, 0.5, 0.5],
               [0.5, 0. , 0.5]])
        """
        lattice = self._lattice(0.0, False)
        counted, shape = counted_cells(lattice)
        squared = np.empty(shape, np.int32)
        na, nb, nc = shape
        distances_in_rows(lattice.free3, counted, squared)
        line = [np.empty(max(shape), np.int64) for _ in range(3)]
        for layer in squared:
            distances_along_columns(layer, *line)
        if not self.flat:
            distances_along_columns(squared.reshape(na, nb * nc), *line)
        return np.sqrt(squared.reshape(self.shape)) * (self.cell / 2)

    def clearance_along(self, points: ArrayLike) -> float:
        """Return the smallest clearance along a polyline through some points; exact.

        Parameters
        ----------
        points : array (n, dimension)
            Corners in world units.

        Returns
        -------
        float
            A distance in world units.

        Raises
        ------
        ValueError
            If a point lies outside the world.

        Examples
        --------
        >>> import noctule as nt
        >>> grid = nt.Grid([[False] * 4, [False, True, True, False], [False] * 4])
        >>> grid.clearance_along([(0.2, 0.2), (0.25, 3.5), (2.0, 3.5)])
        0.2
        """
        places = self.all_in_cells("points", list(as_points(points)))
        if self.flat:
            places = np.column_stack((places, np.full(len(places), self.plane_z)))
        squared = _clearance_along(self._lattice(0.0, False), places)
        return float(np.sqrt(squared)) * self.cell / 2

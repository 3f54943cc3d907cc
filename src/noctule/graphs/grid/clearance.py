"""`WithClearance`: a world of cells that tells how far points and paths are from its solids."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noctule.core.jit import bind, kernel_short
from noctule.core.validation import PointLike, as_points, at_least, positive
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

    def clearance_cost(self, distance: float, strength: float) -> NDArray[np.float64]:
        """Return costs of cells that make paths keep away from solids where that is worth it.

        The centre of a cell with a clearance of `distance` or more costs 1, one that touches a
        solid would cost 1 + `strength`, and between these the cost falls evenly.

        Parameters
        ----------
        distance : float
            Clearance, in world units, from which on a cell costs 1; above 0.
        strength : float
            What is added to the cost where the clearance is zero.

        Returns
        -------
        float array
            One cost for each cell, for `cost` of a `Grid` or for `set_cost`. It does not follow
            later changes of the world.

        Examples
        --------
        >>> import numpy as np
        >>> import noctule as nt
        >>> blocked = np.zeros((9, 7), dtype=bool)
        >>> blocked[4, 3] = True
        >>> grid = nt.Grid(blocked)
        >>> wary = nt.Grid(blocked, cost=grid.clearance_cost(distance=2.0, strength=4.0))
        >>> ends = (1.5, 3.5), (7.5, 3.5)
        >>> [round(nt.plan(world, *ends, "theta*").clearance, 2) for world in (grid, wary)]
        [0.12, 1.41]
        """
        distance, strength = positive("distance", distance), at_least(0, "strength", strength)
        cost: NDArray[np.float64] = 1.0 + strength * np.maximum(
            1.0 - self.clearances() / distance, 0.0
        )
        return cost

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

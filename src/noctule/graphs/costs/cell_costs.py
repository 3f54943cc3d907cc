"""`CellCosts`: what it costs to pass through each cell of a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noctule.core.jit import bind
from noctule.core.validation import DEAREST, cell_indices
from noctule.graphs.base import Place, Points
from noctule.graphs.costs.segment_cost import costs_from, polyline_cost
from noctule.graphs.costs.weighted import Weighted
from noctule.graphs.grid.indexing import LatticeIndexing

_costs_from, _polyline_cost = bind(costs_from), bind(polyline_cost)


class CellCosts(LatticeIndexing):
    """Costs of cells: a segment costs the integral of the cost of the cells along it.

    A grid has none until it is given some; then every cell that was not given one costs 1.
    """

    takes_costs = True
    _cost: NDArray[np.float32] | None = None  # with a border; one a cell also in the plane

    @property
    def has_costs(self) -> bool:
        """Whether cells have costs."""
        return self._cost is not None

    @property
    def cost(self) -> NDArray[np.float32] | None:
        """What each cell costs, or would cost if it were free, as a new array; None without costs.

        To change costs, use `set_cost`.
        """
        if self._cost is None:
            return None
        cost = self._cost[(slice(1, -1),) * self.dimension].copy()
        cost.flags.writeable = False
        return cost

    def set_cost(self, cells: ArrayLike, value: ArrayLike) -> None:
        """Set the costs of cells.

        Infinity blocks a cell and keeps its cost for when it is free again. No cost frees a cell:
        see `free`.

        Parameters
        ----------
        cells : int array (dimension,) or (n, dimension)
            The index of one cell, or of several.
        value : float or array (n,)
            Cost of a unit of length in each cell, from 1 to 1,000,000, stored in single precision;
            or infinity.

        Examples
        --------
        >>> import numpy as np
        >>> import noctule as nt
        >>> grid = nt.Grid(np.zeros((5, 4), dtype=bool))
        >>> grid.set_cost([(2, 0), (2, 1)], 9.0)
        >>> path = nt.plan(grid, (0.5, 0.5), (4.5, 0.5), "a*")
        >>> round(path.length, 3), round(path.cost, 3)
        (5.657, 5.657)
        """
        if not self.takes_costs:
            raise ValueError(f"cells of {self!r} cannot have costs; use noctule.Grid or CellGrid")
        indices = cell_indices(cells, self.shape)
        values = as_costs(value, "value")
        if values.ndim > 1 or (values.ndim == 1 and len(values) != len(indices)):
            raise ValueError(
                f"value has shape {values.shape}; expected one number, or {len(indices)}"
            )
        values = np.broadcast_to(values, len(indices))
        solid = np.isinf(values)
        if solid.any():
            self._apply(self.number(indices[solid]), False)
        indices, values = indices[~solid], values[~solid]
        if len(indices):
            self._take_values(indices, values)

    def _take_values(self, indices: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Set the costs of cells, given by index, and log which changed."""
        with self._lock:
            cost = self._own_costs()
            at = tuple((indices + 1).T)
            changed = cost[at] != values
            cost[at] = values
            self._changes.append(self.number(indices[changed]))

    def _own_costs(self) -> NDArray[np.float32]:
        if self._cost is None:
            self._cost = np.full(tuple(n + 2 for n in self.shape), DEAREST, np.float32)
            self._cost[(slice(1, -1),) * self.dimension] = 1.0
            self.layout_version += 1  # planners take the graph with costs from now on
        return self._cost

    def _apply(self, numbers: NDArray[np.int64], free: bool) -> None:
        raise NotImplementedError

    def _take_costs(self, cost: ArrayLike) -> NDArray[np.bool_]:
        """Take the costs of all cells; return which are infinite."""
        array = as_costs(cost, "cost")
        if array.shape != self.shape:
            raise ValueError(f"cost has shape {array.shape}; expected {self.shape}, as blocked")
        solid = np.isinf(array)
        self._own_costs()[(slice(1, -1),) * self.dimension] = np.where(solid, 1.0, array)
        return solid

    def _sync_costs(self, world: CellCosts, cells: NDArray[np.int64]) -> None:
        """Take over the costs of cells, given by number, from the world that this is a copy of."""
        if world._cost is not None:
            places = cells // 3 if self.flat else cells
            own, theirs = self._own_costs().reshape(-1), world._cost.reshape(-1)
            changed = own[places] != theirs[places]
            own[places] = theirs[places]
            self._changes.append(cells[changed])

    def _weighted(self, graph: Any) -> Any:
        """Return the graph that kernels search, with costs if there are any."""
        if self._cost is None:
            return graph
        return Weighted(graph.lattice, graph, self._cost.reshape(-1), 0)

    def _cost_of_segments(
        self, graph: Any, place: Place, places: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the costs of the segments from a place to others, in cells."""
        costs = np.empty(len(places))
        _costs_from(
            graph.lattice, graph.cost, *self._in_space(place), self._all_in_space(places), costs
        )
        return costs

    def cost_along(self, points: Points) -> float | None:
        """Return the cost of a polyline, in world units; None if cells have no costs."""
        if self._cost is None:
            return None
        graph = self.kernel_graph()
        places = self._all_in_space(self.snapped(points))
        return float(_polyline_cost(graph.lattice, graph.cost, places)) * self.cell

    def _all_in_space(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.flat:
            return np.column_stack((places, np.full(len(places), self.plane_z)))
        return np.ascontiguousarray(places)


def as_costs(values: ArrayLike, name: str) -> NDArray[np.float32]:
    """Return costs as numbers in single precision; refuse what is no cost of a cell."""
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {values!r}; expected numbers of at least 1") from None
    wrong = ~((array >= 1.0) & ((array <= DEAREST) | np.isinf(array)))
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        place = f"{name} of cell {where}" if where and name == "cost" else name
        raise ValueError(
            f"{place} is {float(array[where]):g}; a cell costs from 1 to {DEAREST:,.0f}, "
            f"or inf if it is blocked"
        )
    return array.astype(np.float32)

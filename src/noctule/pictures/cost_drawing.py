"""What cells cost, as a translucent colour over a drawing."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid.grid import Grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

DEAR = (0.96, 0.55, 0.12)


def relative_costs(grid: Grid, rock: NDArray[np.bool_], part: tuple[Any, ...]) -> Array | None:
    """Return how much free cells cost, from 0 to 1 by the logarithm; None if all cost the same."""
    if grid.cost is None:
        return None
    cost: Array = np.log(np.where(rock, 1.0, grid.cost[part]))
    return cost / cost.max() if cost.max() > 0 else None


def tint_costs(axes: "Axes", dear: Array, extent: tuple[float, float, float, float]) -> None:
    """Draw the costs over a view along z; where cells lie behind each other, their mean."""
    veil = (dear if dear.ndim == 2 else dear.mean(axis=2)).T
    colour = np.broadcast_to(DEAR, (*veil.shape, 3))
    image = np.dstack([colour, 0.6 * veil / veil.max()])
    axes.imshow(image, origin="lower", extent=extent, interpolation="none")


def dots_of_costs(view: Any) -> tuple[Array, float]:
    """Return the centres of free cells that cost more, and how opaque to draw them."""
    cells = np.argwhere(view.dear > 0)
    return view.low + (cells + 0.5) * view.grid.cell, 0.25

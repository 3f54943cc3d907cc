"""`Frame`: the box of cells around something that is measured in world units."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noctule.core.validation import at_least, finite_point, positive, show
from noctule.worlds.resolution import FINEST, resolution

Array = NDArray[np.float64]
GOOD_SIDE = 200  # cells along the longest side of the size that is suggested


class Frame(NamedTuple):
    """A box of cells; its origin is a multiple of the size of a cell."""

    origin: Array
    cell: float
    shape: tuple[int, ...]

    def in_cells(self, points: Array) -> Array:
        """Return points in cells; what is within the resolution of a border lies on it."""
        places = (points - self.origin) / self.cell
        whole = np.rint(places)
        near = np.abs(places - whole) <= resolution(self.origin, self.shape, self.cell)
        snapped: Array = np.ascontiguousarray(np.where(near, whole, places))
        return snapped


def frame_around(
    low: Array,
    high: Array,
    cell: float | None,
    max_cells: int,
    margin: float = 0.0,
    bounds: ArrayLike | None = None,
    ends: bool = False,
) -> Frame:
    """Return the cells around a box, or those of `bounds`.

    With `ends`, a cell begins at the high end, too: a point there needs one.

    >>> frame_around(np.zeros(3), np.array([1.0, 2.0, 0.25]), 0.5, 100).shape
    (2, 4, 1)
    """
    if cell is None:
        fitting = round_down((high - low).max() / GOOD_SIDE)
        sides = " x ".join(str(max(1, math.ceil(side / fitting))) for side in high - low)
        raise ValueError(
            f"cell is missing; the content measures {measure(low, high)}, "
            f"so cell={fitting:g} makes {sides} cells"
        )
    cell = positive("cell", cell)
    margin = at_least(0, "margin", margin)
    if bounds is not None:
        low, high = _checked_bounds(bounds, low, high)
        ends = False
    elif (high - low).max() < cell:
        raise ValueError(
            f"the content measures {measure(low, high)}, less than one cell of {cell:g}; "
            f"choose smaller cells, or scale=1000 if its unit is a thousand times as large"
        )
    first = np.floor((low - margin) / cell + FINEST)
    last = (high + margin) / cell
    last = np.floor(last + FINEST) + 1 if ends else np.ceil(last - FINEST)
    shape = checked_shape(np.maximum(last - first, 1).tolist(), cell, max_cells, low, high)
    return Frame(first * cell, cell, shape)


def checked_shape(
    shape: Sequence[float], cell: float, max_cells: int, low: Array, high: Array
) -> tuple[int, ...]:
    """Return numbers of cells as integers, or an error if they are too many."""
    if not math.prod(shape) <= max_cells:
        sides = " x ".join(f"{n:,.0f}" for n in shape)
        raise ValueError(
            f"{sides} cells of {cell:g} are {math.prod(shape):,.0f} in all; at most "
            f"{max_cells:,} are made (max_cells, --max-cells). The content measures "
            f"{measure(low, high)}: choose larger cells, or scale=0.001 if these are millimetres"
        )
    return tuple(map(int, shape))


def _checked_bounds(bounds: ArrayLike, low: Array, high: Array) -> tuple[Array, Array]:
    corners = np.asarray(bounds, np.float64)
    if corners.shape != (2, len(low)):
        raise ValueError(f"bounds have shape {corners.shape}; expected a low and a high corner")
    least, most = (finite_point("bounds", corner, len(low)) for corner in corners)
    if not (least < most).all():
        raise ValueError(f"bounds are {show(least)} to {show(most)}; the second must be higher")
    if (most < low).any() or (high < least).any():
        raise ValueError(
            f"bounds {show(least)} to {show(most)} hold nothing; "
            f"the content spans {show(low)} to {show(high)}"
        )
    return least, most


def measure(low: Array, high: Array) -> str:
    """Return the sides of a box as text."""
    return " x ".join(f"{side:.4g}" for side in high - low)


def round_down(value: float) -> float:
    """Return the next lower of 1, 2 and 5 times a power of ten.

    >>> round_down(0.073)
    0.05
    """
    if not value > 0:
        return 1.0
    power = math.floor(math.log10(value))
    digit = max(d for d in (1, 2, 5) if d * 10.0**power <= value * (1 + FINEST))
    return float(f"{digit}e{power}")


def turned(points: Array, up: str | None, scale: float, transform: ArrayLike | None) -> Array:
    """Return points in world units, z up.

    `up` is the axis of the file that points up, `scale` the world units of one of its units;
    `transform` (4 x 4) applies last.

    >>> turned(np.array([[1.0, 2.0, 3.0]]), "y", 10.0, None).tolist()
    [[10.0, -30.0, 20.0]]
    """
    if up not in ("y", "z"):
        raise ValueError(f"up is {up!r}; allowed are 'y' and 'z'")
    placed = points * positive("scale", scale)
    if up == "y":
        placed = np.column_stack([placed[:, 0], -placed[:, 2], placed[:, 1]])
    if transform is not None:
        matrix = np.asarray(transform, np.float64)
        if matrix.shape != (4, 4) or not np.isfinite(matrix).all():
            raise ValueError(f"transform has shape {matrix.shape}; expected 4 x 4 finite numbers")
        if not np.array_equal(matrix[3], (0, 0, 0, 1)):
            raise ValueError(f"transform ends in row {matrix[3].tolist()}; expected 0, 0, 0, 1")
        placed = placed @ matrix[:3, :3].T + matrix[:3, 3]
    return placed


def box_of(what: str, points: Array) -> tuple[Array, Array]:
    """Return the box around points, or an error that says what is wrong with them."""
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError(f"{what} have shape {points.shape}; expected (n, 3)")
    if not len(points):
        raise ValueError(f"{what}: there are none")
    low, high = points.min(axis=0), points.max(axis=0)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        i = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        raise ValueError(f"{what}: number {i} is {show(points[i])}; coordinates must be finite")
    return low, high

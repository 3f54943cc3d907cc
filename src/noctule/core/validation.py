"""The gate: what users hand in is checked here, once, with the offending value in the message.

Past the gate, kernels trust their arguments.
"""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

DEAREST = 1e6  # what a unit of length may cost, so that sums of whole-number costs are exact

PointLike = Sequence[float] | NDArray[np.float64]


def as_blocked(blocked: ArrayLike) -> NDArray[np.bool_]:
    """The user's array as bools, refused unless it says of each cell whether it is blocked."""
    try:
        array = np.asarray(blocked)
    except ValueError as error:
        raise ValueError(f"blocked is not an array: {error}") from None
    if array.ndim not in (2, 3):
        raise ValueError(f"blocked has {array.ndim} dimensions; a grid has 2 or 3")
    if array.size == 0:
        raise ValueError(f"blocked has shape {array.shape}; a grid has at least one cell")
    if array.dtype == np.bool_:
        return array
    if array.dtype.kind in "iu" and array.min() >= 0 and array.max() <= 1:
        return array.astype(np.bool_)
    raise ValueError(f"blocked has type {array.dtype}; expected bool, or whole numbers 0 and 1")


def cell_indices(cells: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Cell indices as an n x d array, refused where a cell is not in a grid of this shape."""
    array = np.asarray(cells)
    if array.size == 0:
        return np.empty((0, len(shape)), np.int64)
    if array.dtype.kind not in "iu":
        raise ValueError(f"cells have type {array.dtype}; cell indices are whole numbers")
    if array.ndim == 1:
        array = array[None, :]
    if array.ndim != 2 or array.shape[1] != len(shape):
        raise ValueError(f"cells have shape {np.shape(cells)}; expected (n, {len(shape)})")
    outside = np.any((array < 0) | (array >= np.array(shape)), axis=1)
    if outside.any():
        first = tuple(map(int, array[outside][0]))
        size = " x ".join(map(str, shape))
        raise ValueError(f"cell {first} lies outside the grid of {size} cells")
    return array.astype(np.int64)


def as_points(points: ArrayLike) -> NDArray[np.float64]:
    """Points of the plane or of space, or an error that says what is wrong with them."""
    try:
        array = np.asarray(points, np.float64)
    except (TypeError, ValueError):
        raise ValueError("points are no array of numbers; expected rows of 2 or 3") from None
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ValueError(f"points have shape {array.shape}; expected (n, 2) or (n, 3)")
    for i in np.flatnonzero(~np.isfinite(array).all(axis=1))[:1]:
        raise ValueError(f"point {i} is {show(array[i])}; coordinates must be finite")
    return array


def as_edges(edges: ArrayLike, n: int) -> NDArray[np.int64]:
    """Pairs of different nodes, the lower number first, each pair once."""
    array = np.asarray(edges)
    if array.size == 0:
        return np.empty((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(
            f"edges have shape {array.shape} and type {array.dtype}; expected pairs of node numbers"
        )
    wrong = (array < 0).any(axis=1) | (array >= n).any(axis=1) | (array[:, 0] == array[:, 1])
    for i in np.flatnonzero(wrong)[:1]:
        raise ValueError(
            f"edge {i} is {tuple(array[i].tolist())}; "
            f"expected two different nodes from 0 to {n - 1}"
        )
    found: NDArray[np.int64] = np.unique(np.sort(array.astype(np.int64), axis=1), axis=0)
    return found


def as_nodes(nodes: ArrayLike, n: int) -> NDArray[np.int64]:
    """NDArray[np.int64] of nodes."""
    array = np.atleast_1d(np.asarray(nodes))
    if array.size and (array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= n):
        raise ValueError(f"nodes are {nodes!r}; expected numbers from 0 to {n - 1}")
    return array.astype(np.int64)


def at_least(low: float, name: str, value: Any) -> float:
    """A finite number of at least `low`, or an error that names it."""
    if not is_number(value) or not low <= value < math.inf:
        raise ValueError(f"{name} is {value!r}; it must be a number of at least {low:g}")
    return float(value)


def is_number(value: Any) -> bool:
    """Whether `value` is a real number; True and False are not."""
    return isinstance(value, Real | np.number) and not isinstance(value, bool | np.bool_)


def positive(name: str, value: float) -> float:
    """A number above zero, or an error that names it."""
    if not is_number(value) or not 0 < value < math.inf:
        raise ValueError(f"{name} is {value!r}; it must be a number above 0")
    return float(value)


def finite_point(name: str, point: Any, dimension: int) -> NDArray[np.float64]:
    """A point of the right dimension with finite coordinates, or an error that names it."""
    try:
        array = np.asarray(point, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {point!r}; expected {dimension} numbers") from None
    if array.shape != (dimension,):
        raise ValueError(f"{name} has shape {array.shape}; expected {dimension} numbers")
    if not all(map(math.isfinite, array.tolist())):  # for three numbers, NumPy takes longer
        raise ValueError(f"{name} is {show(array)}; coordinates must be finite")
    return array


def show(point: Any) -> str:
    """A point as people write it."""
    return "(" + ", ".join(f"{float(v):g}" for v in point) + ")"

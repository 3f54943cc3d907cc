"""Resolution of floating-point coordinates in a world."""

import itertools
import math
from collections.abc import Iterable

FINEST = 1e-9  # cells; near the origin of the coordinates
COARSEST = 1e-5  # cells; far from it


def resolution(origin: Iterable[float], shape: Iterable[int], cell: float) -> float:
    """Return the distance (in cells) below which two positions of a world count as equal.

    Rounding errors are a few units in the last place of the largest coordinate. Raises ValueError
    if this is too coarse for cells of this size.

    >>> resolution((0, 0, 0), (100, 100, 100), 1.0)
    1e-09
    >>> resolution((5e5, 5.5e6), (100, 100), 1e-5)
    Traceback (most recent call last):
    ValueError: coordinates up to 5.5e+06 are rounded to 9.3e-10, which is 9.3e-05 of a cell ...
    """
    corners = [(low, low + n * cell) for low, n in zip(origin, shape, strict=True)]
    farthest = max(map(abs, itertools.chain(*corners)))
    unit = math.ulp(farthest) / cell
    if not 4 * unit <= COARSEST:
        raise ValueError(
            f"coordinates up to {farthest:g} are rounded to {unit * cell:.2g}, which is "
            f"{unit:.2g} of a cell of {cell:g}; allowed are {COARSEST / 4:g}: "
            f"use larger cells, or coordinates from an origin that is nearer"
        )
    return max(FINEST, 4 * unit)

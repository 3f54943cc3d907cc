"""Estimates of the distance between two nodes of a lattice, as codes that kernels branch on."""

import math

from noctule.kernels import kernel

ZERO, STRAIGHT, MANHATTAN, VOXEL, VOXEL_18 = range(5)

_SQRT2, _SQRT3 = math.sqrt(2.0), math.sqrt(3.0)


@kernel
def lattice_estimate(heuristic, dx, dy, dz):
    """The estimate for a difference of `dx`, `dy`, `dz` cells.

    VOXEL is the exact length of an unobstructed path with 8 or 26 neighbours ("octile" in the
    plane). VOXEL_18 is that for steps along at most two axes, but for a last odd step.
    """
    if heuristic == STRAIGHT:
        return math.sqrt(dx * dx + dy * dy + dz * dz)
    if heuristic == ZERO:
        return 0.0
    a, b, c = float(abs(dx)), float(abs(dy)), float(abs(dz))
    if heuristic == MANHATTAN:
        return a + b + c
    low, high = min(a, b), max(a, b)
    low, middle, high = min(low, c), max(low, min(high, c)), max(high, c)
    if heuristic == VOXEL:
        return high + (_SQRT2 - 1.0) * middle + (_SQRT3 - _SQRT2) * low
    return max(high + (_SQRT2 - 1.0) * (middle + low), (high + middle + low) / _SQRT2)

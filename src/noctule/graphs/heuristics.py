"""Estimates of the distance between two nodes of a lattice, as codes that kernels branch on."""

import math

from noctule.core.jit import kernel

ZERO, STRAIGHT, MANHATTAN, VOXEL, VOXEL_18, STEPS = range(6)
WHOLE = 8  # added to a code: the estimate is in whole-number costs

_SQRT2, _SQRT3 = math.sqrt(2.0), math.sqrt(3.0)

# The three lengths of a move as whole numbers in the ratio 1 : √2 : √3, wrong by less than 6e-11 of
# a cell. Sums of them are exact, so that paths of equal length have equal costs.
STEP_1, STEP_2, STEP_3 = 2151016, 3041996, 3725669


@kernel
def lattice_estimate(heuristic, dx, dy, dz):
    """Estimate the cost of a difference of `dx`, `dy`, `dz` cells."""
    if heuristic >= WHOLE:
        return float(whole_estimate(heuristic - WHOLE, dx, dy, dz))
    return real_estimate(heuristic, dx, dy, dz)


@kernel
def real_estimate(heuristic, dx, dy, dz):
    """Estimate the cost in cells.

    VOXEL is the exact length of an unobstructed path with 8 or 26 neighbours ("octile" in the
    plane). VOXEL_18 is that for moves along at most two axes, except for a last odd move. STEPS is
    the number of moves of such a path.
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
    if heuristic == STEPS:
        return high
    return max(high + (_SQRT2 - 1.0) * (middle + low), (high + middle + low) / _SQRT2)


@kernel
def whole_estimate(heuristic, dx, dy, dz):
    """Estimate the cost in whole numbers, so that sums are exact."""
    if heuristic == ZERO:
        return 0
    a, b, c = abs(dx), abs(dy), abs(dz)
    if heuristic == VOXEL:
        low, high = min(a, b, c), max(a, b, c)
        middle = a + b + c - low - high
        return STEP_1 * high + (STEP_2 - STEP_1) * middle + (STEP_3 - STEP_2) * low
    if heuristic == MANHATTAN:
        return STEP_1 * (a + b + c)
    if heuristic == STEPS:
        return STEP_1 * max(a, b, c)
    # One unit less than STEP_1 a cell: admissible in spite of rounding.
    return int((STEP_1 - 1) * real_estimate(heuristic, dx, dy, dz))

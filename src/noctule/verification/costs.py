"""What a path costs, integrated in rational numbers."""

import itertools
import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid.grid import Grid


def states_its_cost(cost: float, places: NDArray[np.float64], world: Grid) -> bool:
    """Return whether a polyline through places, in cells, costs what it is said to cost."""
    blocked, costs = world.blocked, world.cost
    if costs is None:
        costs = np.ones(world.shape, np.float32)
    legs = itertools.pairwise(places.tolist())
    true = math.fsum(segment_cost(blocked, costs, p, q) for p, q in legs) * world.cell
    return math.isclose(cost, true, rel_tol=1e-9, abs_tol=1e-9 * world.cell)


def segment_cost(
    blocked: NDArray[np.bool_], costs: NDArray[np.float32], p: list[float], q: list[float]
) -> float:
    """Return the integral of the costs of cells along a segment; places are in cells.

    Where it runs in a face, the lowest cost of the free cells around it counts.
    """
    start = [Fraction(v) for v in p]
    along = [Fraction(w) - v for v, w in zip(start, q, strict=True)]
    times = {Fraction(0), Fraction(1)}
    for v, d in zip(start, along, strict=True):
        if d:
            low, high = sorted((v, v + d))
            times.update((n - v) / d for n in range(math.ceil(low), math.floor(high) + 1))
    mean = Fraction(0)
    for a, b in itertools.pairwise(sorted(times)):
        middle = [v + (a + b) / 2 * d for v, d in zip(start, along, strict=True)]
        sides = [{math.floor(v), math.ceil(v) - 1} for v in middle]
        cells = [
            cell
            for cell in itertools.product(*sides)
            if all(0 <= i < n for i, n in zip(cell, blocked.shape, strict=True))
        ]
        around = [cell for cell in cells if not blocked[cell]] or cells
        mean += (b - a) * min(Fraction(float(costs[cell])) for cell in around)
    return float(mean) * math.dist(p, q)

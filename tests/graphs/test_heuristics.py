"""Estimates are never above the cost of a path, and the voxel distance is that cost."""

import itertools
import math

import naive
import numpy as np
import pytest

from noctule.graphs import heuristics
from noctule.graphs.heuristics import STEP_1

SIDE = 5
ADMISSIBLE = {
    6: ("STRAIGHT", "VOXEL", "VOXEL_18", "MANHATTAN", "ZERO"),
    18: ("STRAIGHT", "VOXEL", "VOXEL_18", "ZERO"),
    26: ("STRAIGHT", "VOXEL", "ZERO"),
}
EXACT = {6: "MANHATTAN", 26: "VOXEL"}


@pytest.mark.parametrize("neighbours", ADMISSIBLE)
def test_estimates_of_paths_through_empty_space(neighbours):
    free = np.zeros((SIDE,) * 3, bool)
    true = naive.Graph(free, neighbours).distances((0, 0, 0))
    for difference in itertools.product(range(SIDE), repeat=3):
        for name in ADMISSIBLE[neighbours]:
            kind = getattr(heuristics, name)
            estimate = heuristics.real_estimate(kind, *difference)
            whole = heuristics.whole_estimate(kind, *difference) / STEP_1
            for value in (estimate, whole):
                assert value <= true[difference] * (1 + 1e-9), (name, difference)
                if EXACT.get(neighbours) == name:
                    assert math.isclose(value, true[difference], rel_tol=1e-9), difference

"""Smoothing: never invalid, never longer."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import blocked_arrays

import noctule as nt


@pytest.mark.parametrize("method", ["rubber-band", "greedy"])
@settings(max_examples=120)
@given(st.data())
def test_never_invalid_never_longer(method, data):
    blocked = data.draw(blocked_arrays(longest=6))
    nodes = data.draw(st.sampled_from(("centres", "corners")))
    radius = data.draw(st.sampled_from((0.0, 0.3, 0.5, 0.8)))
    algorithm = data.draw(st.sampled_from(("a*", "theta*")))
    grid = nt.Grid(blocked, nodes=nodes)
    ends = [[n * data.draw(st.floats(0.0, 1.0)) for n in blocked.shape] for _ in range(2)]
    path = nt.plan(grid, *ends, algorithm, radius=radius)
    smoothed = nt.smooth(path, grid, method)
    assert smoothed.found == path.found
    assert nt.verify(smoothed, grid, radius=radius)
    assert len(smoothed.points) <= len(path.points)
    if path.found:
        assert smoothed.length <= path.length + 1e-12
        assert smoothed.points[0].tolist() == path.points[0].tolist()
        assert smoothed.points[-1].tolist() == path.points[-1].tolist()
        assert smoothed.bound >= 1.0


@pytest.mark.parametrize("method", ["rubber-band", "greedy"])
def test_a_staircase_becomes_a_line(method):
    grid = nt.Grid(np.zeros((20, 13, 4), bool))
    path = nt.plan(grid, (0.5, 0.5, 0.5), (19.5, 12.5, 3.5), "a*")
    smoothed = nt.smooth(path, grid, method)
    assert len(smoothed.points) == 2
    assert math.isclose(smoothed.length, math.dist((0, 0, 0), (19, 12, 3)))
    assert smoothed.sight_checks > path.sight_checks


def test_rubber_band_is_at_least_as_good_on_average():
    rng = np.random.default_rng(2)
    lengths = {"rubber-band": 0.0, "greedy": 0.0}
    for _ in range(40):
        grid = nt.Grid(rng.random((12, 12, 12)) < 0.2)
        path = nt.plan(grid, *(grid.centre(cell) for cell in rng.integers(0, 12, (2, 3))), "a*")
        if path.found:
            for method in lengths:
                lengths[method] += nt.smooth(path, grid, method).length
    assert 0 < lengths["rubber-band"] <= lengths["greedy"]


def test_partial_paths_can_be_smoothed():
    grid = nt.Grid(np.zeros((20, 20), bool))
    path = nt.plan(grid, (0.5, 0.5), (19.5, 8.5), "a*", max_expanded=9)
    smoothed = nt.smooth(path, grid)
    assert smoothed.partial
    assert len(smoothed.points) < len(path.points)
    assert nt.verify(smoothed, grid)

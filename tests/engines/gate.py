"""The equality gate: every engine finds what the algorithm's own file finds.

`engine="reference"` runs that file with a heap. Exact algorithms have equal lengths; any-angle ones
break ties in another order, so single paths differ a little, and on average hardly.

`test_equality` runs this file without compiling, which is faster for small worlds; more worlds:
`pytest tests/engines/gate.py --cases 100000`.
"""

import math

import numpy as np
import pytest
from matrix_graphs import all_graphs, ends_and_radius
from strategies import random_world

import noctule as nt

# Algorithms with an engine of their own, a queue of their own, or both.
ROWS = [row for row in nt.algorithms() if row.search is not None and not row.corners_only]
OPTIMAL = [row.name for row in ROWS if row.optimal]
ANY_ANGLE = [row.name for row in ROWS if row.any_angle]


def both(grid, name, **options):
    engines = ("fast", "reference")
    return [nt.Planner(grid, name, engine=engine, **options) for engine in engines]


def compare(fast, reference, ends, what):
    """Plan with both; returns the ratio of their lengths, or None without a path."""
    ours, theirs = fast.plan(*ends), reference.plan(*ends)
    assert ours.found == theirs.found, (what, ours.reason, theirs.reason)
    assert theirs.engine in ("reference", "reference, taut", ""), what
    if not ours.found:
        return None
    for path in (ours, theirs):
        assert nt.verify(path, fast.graph), (what, path.engine)
    return ours.length / theirs.length if theirs.length > 0 else 1.0


def worlds(cases, radius):
    """Generated worlds with two free cells each."""
    for seed in range(cases):
        blocked, neighbours, s, t = random_world(seed, longest=9)
        if not blocked[s] and not blocked[t] and s != t:
            grid = nt.Grid(blocked, neighbours=neighbours)
            yield seed, grid, (grid.centre(s), grid.centre(t)), radius


@pytest.mark.parametrize("name", OPTIMAL)
def test_lengths_of_exact_searches_are_equal(name, cases):
    compared = 0
    for seed, grid, ends, radius in worlds(cases // 5, 0.3):
        ratio = compare(*both(grid, name, radius=radius), ends, (name, seed))
        assert ratio is None or math.isclose(ratio, 1.0, rel_tol=1e-9), (name, seed)
        compared += ratio is not None
    assert compared > cases // 20


@pytest.mark.parametrize("name", ANY_ANGLE)
def test_lengths_at_any_angle_are_close(name, cases):
    ratios = []
    for seed, grid, ends, radius in worlds(cases // 5, 0.3):
        ratio = compare(*both(grid, name, radius=radius), ends, (name, seed))
        ratios += [] if ratio is None else [ratio]
    assert len(ratios) > cases // 20
    assert 0.995 < np.mean(ratios) < 1.005
    assert max(ratios) < 1.1
    assert min(ratios) > 0.9


@pytest.mark.parametrize("name", [row.name for row in ROWS])
def test_on_every_graph(name):
    """Also after the world has changed, when incremental searches repair."""
    tried = 0
    for graph in all_graphs():
        ends, radius = ends_and_radius(graph)
        try:
            planners = both(graph, name, radius=radius)
        except ValueError:  # not on this graph
            continue
        tolerance = 1e-6 if name in OPTIMAL else 0.1
        for _ in range(2):
            ratio = compare(*planners, ends, (name, graph))
            assert ratio is not None
            assert abs(ratio - 1.0) < tolerance, (name, graph)
            if hasattr(graph, "scene"):
                graph.update(0.5)
            elif isinstance(graph, nt.Grid):
                graph.block((5, 6))
                graph.free((5, 3))
        tried += 1
    assert tried >= 2

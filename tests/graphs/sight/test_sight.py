"""Line of sight against a twin in rational arithmetic."""

import itertools
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import RADII, blocked_arrays

import noctule as nt


@st.composite
def worlds_and_nodes(draw, nodes):
    blocked = draw(blocked_arrays(longest=7))
    more = 1 if nodes == "corners" else 0
    ends = [tuple(draw(st.integers(0, n - 1 + more)) for n in blocked.shape) for _ in range(2)]
    return blocked, *ends


def expect(blocked, p, q, radius, nodes):
    radius = Fraction(radius).limit_denominator(1000)
    return naive.line_of_sight(blocked, p, q, radius, touch=nodes == "corners")


def check_both_ways(grid, p, q, radius, expected):
    a, b = [float(v) for v in p], [float(v) for v in q]
    assert grid.line_of_sight(a, b, radius) == expected
    assert grid.line_of_sight(b, a, radius) == expected


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("nodes", ["centres", "corners"])
@settings(max_examples=250)
@given(st.data())
def test_sight_between_nodes(radius, nodes, data):
    blocked, s, t = data.draw(worlds_and_nodes(nodes))
    shift = Fraction(1, 2) if nodes == "centres" else Fraction(0)
    p, q = [i + shift for i in s], [i + shift for i in t]
    grid = nt.Grid(blocked, nodes=nodes)
    check_both_ways(grid, p, q, radius, expect(blocked, p, q, radius, nodes))


@pytest.mark.parametrize("radius", [0.0, 0.4, 0.5, 1.0])
@pytest.mark.parametrize("nodes", ["centres", "corners"])
@settings(max_examples=250)
@given(st.data())
def test_sight_between_any_points(radius, nodes, data):
    """Points on a fine lattice: on faces, edges and corners often, elsewhere too."""
    blocked = data.draw(blocked_arrays(longest=5))
    parts = data.draw(st.sampled_from((2, 3, 4, 8)))
    p, q = (
        [Fraction(data.draw(st.integers(0, n * parts)), parts) for n in blocked.shape]
        for _ in range(2)
    )
    grid = nt.Grid(blocked, nodes=nodes)
    check_both_ways(grid, p, q, radius, expect(blocked, p, q, radius, nodes))


@pytest.mark.parametrize("nodes", ["centres", "corners"])
def test_long_segments(nodes):
    """Segments across hundreds of cells, many of them exactly through edges and corners."""
    rng = np.random.default_rng(5)
    blocked = rng.random((40, 40, 40)) < 0.002
    grid = nt.Grid(blocked, nodes=nodes)
    shift = 0.5 if nodes == "centres" else 0.0
    seen = 0
    for _ in range(60):
        s, t = rng.integers(0, 40, 3), rng.integers(0, 40, 3)
        if rng.random() < 0.5:  # along a diagonal of the lattice
            t = np.clip(s + rng.integers(-1, 2, 3) * rng.integers(5, 35), 0, 39)
        p, q = (
            [Fraction(int(i)) + Fraction(shift) for i in s],
            [Fraction(int(i)) + Fraction(shift) for i in t],
        )
        for radius in (0.0, 0.4):
            expected = expect(blocked, p, q, radius, nodes)
            check_both_ways(grid, p, q, radius, expected)
            seen += expected
    assert 30 < seen < 118


@settings(max_examples=200)
@given(blocked_arrays(), st.data())
def test_a_step_is_line_of_sight(blocked, data):
    """DESIGN section 2: there is one rule."""
    nodes = data.draw(st.sampled_from(("centres", "corners")))
    neighbours = 8 if blocked.ndim == 2 else 26
    radius = data.draw(st.sampled_from(RADII))
    grid = nt.Grid(blocked, neighbours=neighbours, nodes=nodes)
    twin = naive.Graph(blocked, neighbours, nodes, Fraction(radius).limit_denominator(1000))
    more = 1 if nodes == "corners" else 0
    s = tuple(data.draw(st.integers(0, n - 1 + more)) for n in blocked.shape)
    if not twin.sees(s, s):
        return
    near = itertools.product(*(range(i - 1, i + 2) for i in s))
    seen = [t for t in near if t != s and twin.is_node(t) and twin.sees(s, t)]
    steps = steps_of(grid, s, radius)
    assert sorted(steps) == sorted(seen)
    assert steps == dict(twin.neighbours(s))


def steps_of(grid, s, radius):
    from noctule.graphs.protocol import neighbours

    graph = grid.kernel_graph(radius)
    number = int(grid.number(np.array([s]))[0])
    steps = interpret(neighbours, graph, number)
    return {tuple(map(int, grid.indices(np.array([t]))[0])): float(c) for t, c in steps}


def interpret(generator, graph, number):
    return list(generator(graph, number))


def test_the_radius_is_exact():
    """A ball as wide as the gap fits; one that is wider by a hair does not."""
    blocked = np.ones((5, 3), dtype=bool)
    blocked[:, 1] = False
    grid = nt.Grid(blocked)
    assert grid.line_of_sight((0.5, 1.5), (4.5, 1.5), radius=0.5)
    assert not grid.line_of_sight((0.5, 1.5), (4.5, 1.5), radius=0.5 + 1e-9)
    assert grid.line_of_sight((0.5, 1.4), (4.5, 1.4), radius=0.4)
    assert not grid.line_of_sight((0.5, 1.4), (4.5, 1.4), radius=0.4 + 1e-9)


def test_a_ball_may_touch_all_along():
    """The segment slants across a face that it keeps its radius from: rounding decides nothing."""
    blocked = np.zeros((34, 13, 14), dtype=bool)
    blocked[8, 8, [9, 11]] = True
    grid = nt.Grid(blocked)
    assert grid.line_of_sight((0.5, 6.5, 10.5), (22.5, 11.5, 10.5), radius=0.5)
    assert not grid.line_of_sight((0.5, 6.5, 10.5), (22.5, 11.5, 10.5), radius=0.5 + 1e-9)


def test_world_units():
    """Cells of another size at another place see the same."""
    rng = np.random.default_rng(8)
    blocked = rng.random((6, 6, 6)) < 0.2
    plain = nt.Grid(blocked)
    placed = nt.Grid(blocked, cell=0.1, origin=(-3.3, 17.7, 0.9))
    for _ in range(300):
        s, t = rng.integers(0, 6, 3), rng.integers(0, 6, 3)
        for radius in (0.0, 0.4, 0.5):
            expected = plain.line_of_sight(plain.centre(s), plain.centre(t), radius)
            assert placed.line_of_sight(placed.centre(s), placed.centre(t), radius / 10) == expected

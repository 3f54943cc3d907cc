"""The world of cells as users see it."""

import itertools
import math
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import blocked_arrays

import noctule as nt


@settings(max_examples=200)
@given(blocked_arrays(), st.data())
def test_blocked_comes_back_and_changes(blocked, data):
    """After any changes, a grid is what a new grid of the same cells would be."""
    grid = nt.Grid(blocked)
    assert (grid.blocked == blocked).all()
    assert grid.blocked.dtype == np.bool_
    expected = blocked.copy()
    for _ in range(data.draw(st.integers(0, 5))):
        count = data.draw(st.integers(0, 4))
        cells = [[data.draw(st.integers(0, n - 1)) for n in blocked.shape] for _ in range(count)]
        solid = data.draw(st.booleans())
        (grid.block if solid else grid.free)(cells)
        for cell in cells:
            expected[tuple(cell)] = solid
    assert (grid.blocked == expected).all()
    assert (grid._free3 == nt.Grid(expected)._free3).all()


def test_the_users_array_is_not_touched():
    blocked = np.zeros((3, 3, 3), bool)
    grid = nt.Grid(blocked)
    grid.block((1, 1, 1))
    assert not blocked.any()
    assert grid.blocked.sum() == 1


def test_arrays_in_any_memory_order():
    blocked = np.random.default_rng(1).random((4, 5, 6)) < 0.3
    for other in (np.asfortranarray(blocked), blocked[::-1][::-1], blocked.astype(np.uint8)):
        assert (nt.Grid(other)._free3 == nt.Grid(blocked)._free3).all()


def test_cells_and_points():
    grid = nt.Grid(np.zeros((4, 5, 6), bool), cell=0.5, origin=(-1.0, 2.0, 10.0))
    assert grid.shape == (4, 5, 6)
    assert grid.cell_of((-1.0, 2.0, 10.0)) == (0, 0, 0)
    assert grid.cell_of((-0.5, 2.6, 10.9)) == (1, 1, 1)
    assert grid.cell_of((1.0, 4.5, 13.0)) == (3, 4, 5)  # the high corner belongs to the last cell
    assert grid.centre((1, 2, 3)).tolist() == [-0.25, 3.25, 11.75]
    assert grid.cell_of(grid.centre((3, 0, 5))) == (3, 0, 5)
    with pytest.raises(ValueError, match="lies outside the world"):
        grid.cell_of((0.0, 0.0, 0.0))
    with pytest.raises(ValueError, match="lies outside the grid"):
        grid.centre((4, 0, 0))


def test_repr():
    text = "Grid(4 x 5 cells of 0.5, 8 neighbours, corners)"
    assert repr(nt.Grid(np.zeros((4, 5), bool), cell=0.5, nodes="corners")) == text


def test_numbers_and_places():
    for shape in ((4, 5, 6), (4, 5)):
        grid = nt.Grid(np.zeros(shape, bool))
        cells = np.argwhere(np.ones(shape, bool))
        numbers = grid.number(cells)
        assert len(set(numbers.tolist())) == len(cells)
        assert (grid.indices(numbers) == cells).all()
        assert (grid.positions(grid.indices(numbers)) == cells + 0.5).all()


def test_known_lengths():
    """Small worlds that one can check by hand."""
    wall = np.zeros((3, 3), bool)
    wall[1, :2] = True
    ends = (0.5, 0.5), (2.5, 0.5)
    for neighbours, length in ((4, 6.0), (8, 6.0)):
        assert nt.plan(nt.Grid(wall, neighbours=neighbours), *ends, "a*").length == length
    open_plane = np.zeros((3, 3), bool)
    assert nt.plan(nt.Grid(open_plane, neighbours=4), (0.5, 0.5), (2.5, 2.5), "a*").length == 4.0
    diagonal = nt.plan(nt.Grid(open_plane, neighbours=8), (0.5, 0.5), (2.5, 2.5), "a*")
    assert math.isclose(diagonal.length, 2 * math.sqrt(2))
    cube = np.zeros((3, 3, 3), bool)
    ends3 = (0.5, 0.5, 0.5), (2.5, 2.5, 2.5)
    expected = {6: 6.0, 18: 2 + 2 * math.sqrt(2), 26: 2 * math.sqrt(3)}
    expected[18] = 3 * math.sqrt(2)
    for neighbours, length in expected.items():
        path = nt.plan(nt.Grid(cube, neighbours=neighbours), *ends3, "a*")
        assert math.isclose(path.length, length)
    touching = np.array([[False, True], [True, False]])
    assert not nt.plan(nt.Grid(touching), (0.5, 0.5), (1.5, 1.5), "a*").found
    between = nt.plan(nt.Grid(touching, nodes="corners"), (0.0, 0.0), (2.0, 2.0), "a*")
    assert math.isclose(between.length, 2 * math.sqrt(2))


def test_many_threads_share_one_grid():
    rng = np.random.default_rng(3)
    grid = nt.Grid(rng.random((25, 25, 25)) < 0.2)
    pairs = [[grid.centre(cell) for cell in pair] for pair in rng.integers(0, 25, (60, 2, 3))]
    alone = {name: [nt.plan(grid, *pair, name) for pair in pairs] for name in ("a*", "theta*")}
    wrong = []

    def work(name):
        planner = nt.Planner(grid, name)
        for pair, expected in zip(pairs, alone[name], strict=True):
            path = planner.plan(*pair)
            if path.points.tobytes() != expected.points.tobytes():
                wrong.append((name, pair))

    threads = [threading.Thread(target=work, args=(name,)) for name in ("a*", "theta*") * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert sum(path.found for path in alone["a*"]) > 20


def test_a_query_touches_only_what_it_needs():
    """Memory is marked, not cleared: a short query leaves far nodes as they were."""
    grid = nt.Grid(np.zeros((40, 40, 40), bool))
    planner = nt.Planner(grid, "theta*")
    planner.plan((0.5, 0.5, 0.5), (39.5, 39.5, 38.5))
    engine = planner._engines[0]
    memory = grid.acquire(engine.new_memory)
    before = memory.link.copy()
    grid.release(engine.new_memory, memory)
    path = planner.plan((20.5, 20.5, 20.5), (22.5, 21.5, 20.5))
    assert path.expanded < 10
    assert (memory.link != before).sum() < 27 * 10


@settings(max_examples=100)
@given(
    blocked_arrays(),
    st.sampled_from(["centres", "corners"]),
    st.sampled_from([0.0, 0.3, 0.7]),
    st.data(),
)
def test_legs_of_a_polyline_are_judged_like_segments(blocked, nodes, radius, data):
    """All at once is the same as one after the other: between nodes, other points, and both."""
    low, cell = np.full(blocked.ndim, -3.0), 0.5
    grid = nt.Grid(blocked, cell, low, nodes=nodes)
    if nodes == "corners":
        radius = 0.0
    halves = [st.integers(0, 2 * n) for n in blocked.shape]  # centres, corners, and neither
    corners = data.draw(st.lists(st.tuples(*halves), min_size=1, max_size=8))
    points = [low + np.array(corner) * cell / 2 for corner in corners]
    places = grid.all_in_cells("corner", points)
    assert [tuple(place) for place in places.tolist()] == [grid.in_cells("p", p) for p in points]
    numbers = [-1 if s is None else s for s in map(grid.node_at, map(tuple, places.tolist()))]
    assert grid.nodes_at(places).tolist() == numbers
    pairs = list(itertools.pairwise(points))
    shut = [i for i, (p, q) in enumerate(pairs) if not grid.line_of_sight(p, q, radius)]
    assert grid.blocked_legs(grid.kernel_graph(radius), places) == shut


def test_a_corner_outside_is_named():
    grid = nt.Grid(np.zeros((4, 5, 6), bool))
    with pytest.raises(ValueError, match=r"corner \(1, 9, 1\) lies outside the world"):
        grid.all_in_cells("corner", [(1, 1, 1), (1, 9, 1)])
    with pytest.raises(ValueError, match="must be finite"):
        grid.all_in_cells("corner", [(1, 1, math.nan)])


def test_a_grid_keeps_no_array_of_the_caller():
    origin, blocked = np.array([1.0, 2.0, 3.0]), np.zeros((4, 4, 4), bool)
    grid = nt.Grid(blocked, origin=origin)
    origin[0], blocked[1, 1, 1] = 50.0, True
    assert grid.centre((0, 0, 0)).tolist() == [1.5, 2.5, 3.5]
    assert not grid.blocked.any()


def test_what_would_change_nothing_is_refused():
    grid = nt.Grid(np.zeros((4, 4), bool))
    with pytest.raises(ValueError, match="read-only"):
        grid.blocked[1, 1] = True
    with pytest.raises(ValueError, match="read-only"):
        grid.origin[0] = 1.0
    mine = grid.blocked.copy()
    mine[1, 1] = True
    assert not grid.blocked.any()


@pytest.mark.parametrize("goal", [(3.5, 3.5), (1.5, 1.5)])
def test_a_path_is_true_where_it_was_found(goal):
    grid = nt.Grid(np.zeros((4, 4), bool))
    grid.block((1, 1))
    path = nt.plan(grid, (0.5, 0.5), goal, "a*")
    assert bool(path) == path.found == (goal == (3.5, 3.5))
    far = nt.plan(nt.Grid(np.zeros((40, 40), bool)), (0.5, 0.5), (39.5, 30.5), "a*", max_expanded=3)
    assert far.partial
    assert not far

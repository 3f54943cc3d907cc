"""How far points, paths and cells are from solids, and where a ball wider than a cell has room."""

import math
import pickle
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matrix_graphs import scene
from strategies import blocked_arrays, random_world

import noctule as nt
from noctule.core.jit import kernel
from noctule.graphs.grid.grid import MOST_ROOMS
from noctule.graphs.grid.lattice import Balls
from noctule.graphs.protocol import edges, line_of_sight, segment_is_free

HALF = Fraction(1, 2)
WIDE = (0.51, 0.6, math.sqrt(2) / 2, 0.75, math.sqrt(3) / 2, 1.0, 1.3, 1.5, 2.0, 2.3, 3.0, 4.5)


def distances(blocked):
    """The clearances of all centres, by looking at every solid cell."""
    expected = np.empty(blocked.shape)
    for cell in np.ndindex(blocked.shape):
        expected[cell] = math.sqrt(naive.clearance(blocked, [i + HALF for i in cell]))
    return expected


def exact(grid, radius):
    """The graph in which every question is a scan of all cells near: how it was before rooms."""
    return Balls(grid._lattice(radius, False))


@kernel
def different_edges(a, b, nodes):
    """Count the nodes with other edges in one graph than in the other."""
    n = 0
    for s in nodes:
        n += edges(a, s) != edges(b, s)
    return n


@kernel
def different_lines(a, b, nodes):
    """Count the lines between nodes that are free in one graph only, and those free in both."""
    n = free = 0
    for s in nodes:
        for t in nodes:
            seen = line_of_sight(a, s, t)
            n += seen != line_of_sight(b, s, t)
            free += seen
    return n, free


@kernel
def different_segments(a, b, points):
    """Count the segments that are free in one graph only, and those that are free in both."""
    n = free = 0
    for i in range(len(points)):
        x0, y0, z0, x1, y1, z1 = points[i]
        seen = segment_is_free(a, x0, y0, z0, x1, y1, z1)
        n += seen != segment_is_free(b, x0, y0, z0, x1, y1, z1)
        free += seen
    return n, free


def all_nodes(grid):
    return grid.number(np.argwhere(np.ones(grid.shape, bool)))


def coarser_world(seed):
    """A generated world, often of larger solids, with neighbours and a radius for it."""
    blocked, neighbours, *_ = random_world(seed, longest=9)
    rng = np.random.default_rng(seed)
    if blocked.size < 300 and rng.random() < 0.5:
        blocked = np.kron(blocked, np.ones((2,) * blocked.ndim, bool))
    if rng.random() < 0.6:
        blocked = blocked & (rng.random(blocked.shape) < 0.3)
    return nt.Grid(blocked, neighbours=neighbours), float(rng.choice(WIDE)), rng


def some_segments(grid, rng, count=150):
    """Segments between places: anywhere, or on faces and centres; some are points."""
    size = np.array((*grid.shape, 1)[:3])
    places = rng.random((count, 2, 3)) * size
    places = np.where(rng.random(places.shape) < 0.3, np.round(2 * places) / 2, places)
    if grid.flat:
        places[:, :, 2] = 0.5
    places[: count // 5, 1] = places[: count // 5, 0]
    return places.reshape(count, 6)


# ------------------------------------------------------------------ distances


@settings(max_examples=100)
@given(blocked_arrays(longest=6))
def test_clearances_of_all_cells(blocked):
    assert np.abs(nt.Grid(blocked).clearances() - distances(blocked)).max() < 1e-12


@settings(max_examples=60, deadline=None)
@given(
    blocked_arrays(),
    st.floats(0.3, 9, allow_subnormal=False),
    st.sampled_from((0.0, 0.5, 7.0)),
    st.sampled_from((0.2, 1.0)),
)
def test_costs_rise_towards_solids(blocked, distance, strength, cell):
    cost = nt.Grid(blocked, cell=cell).clearance_cost(distance, strength)
    clearance = cell * distances(blocked)
    assert cost.shape == blocked.shape
    assert (cost[clearance >= distance] == 1.0).all()
    near = clearance < distance
    share = 1 - clearance[near] / distance
    assert np.allclose(cost[near], 1 + strength * share, rtol=1e-12, atol=1e-12)
    world = nt.Grid(blocked, cell=cell, cost=cost)
    assert (world.blocked == blocked).all()


def test_a_path_prefers_clearance_where_it_has_a_choice():
    blocked = np.zeros((30, 30), bool)
    blocked[8:22, 8:22] = True
    blocked[14:16, 8:22] = False  # a short narrow way through, or a wide one around
    grid = nt.Grid(blocked)
    wary = nt.Grid(blocked, cost=grid.clearance_cost(4.0, 8.0))
    ends = (15.0, 4.0), (15.0, 26.0)
    short, clear = (nt.plan(world, *ends, "theta*") for world in (grid, wary))
    assert short.length < 23 < clear.length
    assert grid.clearance_along(clear.points) > 2 > grid.clearance_along(short.points)
    assert nt.verify(clear, wary)


@pytest.mark.parametrize(
    ("distance", "strength", "message"),
    [
        (0, 1, "distance is 0; it must be a number above 0"),
        (np.nan, 1, "distance is nan"),
        (2, -1, "strength is -1; it must be a number of at least 0"),
        (2, np.inf, "strength is inf"),
    ],
)
def test_what_is_no_clearance_cost(distance, strength, message):
    with pytest.raises(ValueError, match=message):
        nt.Grid(np.zeros((4, 4), bool)).clearance_cost(distance, strength)


def test_clearances_of_larger_worlds():
    rng = np.random.default_rng(7)
    for shape, share in (((31, 20, 17), 0.002), ((40, 33, 3), 0.01), ((70, 90), 0.003)):
        blocked = rng.random(shape) < share
        grid = nt.Grid(blocked)
        found = grid.clearances()
        for cell in rng.integers(0, shape, (60, len(shape))):
            expected = math.sqrt(naive.clearance(blocked, [int(i) + HALF for i in cell]))
            assert math.isclose(found[tuple(cell)], expected, abs_tol=1e-12)
            assert math.isclose(grid.clearance(grid.centre(cell)), expected, abs_tol=1e-12)


@settings(max_examples=100)
@given(blocked_arrays(longest=6), st.data())
def test_clearance_of_any_point_and_line(blocked, data):
    cell, low = 0.3, (5.0, -2.0, 1.0)[: blocked.ndim]
    grid = nt.Grid(blocked, cell=cell, origin=low)
    ends = [
        [Fraction(data.draw(st.integers(0, 8 * n)), 8) for n in blocked.shape] for _ in range(2)
    ]
    points = [np.array([float(v) for v in end]) * cell + low for end in ends]
    for place, point in zip(ends, points, strict=True):
        expected = math.sqrt(naive.clearance(blocked, place)) * cell
        assert math.isclose(grid.clearance(point), expected, abs_tol=1e-9)
    expected = math.sqrt(naive.clearance(blocked, *ends)) * cell
    assert math.isclose(grid.clearance_along(points), expected, abs_tol=1e-9)
    assert math.isclose(grid.clearance_along(points[::-1]), expected, abs_tol=1e-9)


def test_clearance_in_the_open_is_that_to_the_border():
    grid = nt.Grid(np.zeros((50, 60, 70), bool), cell=2.0)
    assert grid.clearance((40.0, 60.0, 71.0)) == 40.0
    assert grid.clearances().max() == 49.0
    assert grid.clearance_along([(40.0, 60.0, 70.0), (60.0, 60.0, 12.0)]) == 12.0


def test_clearance_of_a_path():
    blocked = np.zeros((9, 7), bool)
    blocked[4, :4] = True
    grid = nt.Grid(blocked)
    path = nt.plan(grid, (1.5, 1.5), (7.5, 1.5), "theta*", radius=0.8)
    assert path.found
    assert path.clearance == grid.clearance_along(path.points) >= 0.8
    grid.block(path.nodes[1])
    assert path.clearance == 0.0  # in the world as it is now
    assert pickle.loads(pickle.dumps(path)).clearance is None
    assert not nt.plan(grid, (1.5, 1.5), (7.5, 1.5), "a*", radius=3.0).found
    assert nt.plan(grid, (1.5, 1.5), (7.5, 1.5), "a*", radius=3.0).clearance is None
    roads = nt.Graph([(0, 0, 0), (1, 0, 0)], [(0, 1)], sight=None)
    assert nt.plan(roads, (0, 0, 0), (1, 0, 0), "a*").clearance is None


def test_points_that_have_no_clearance():
    grid = nt.Grid(np.zeros((4, 4, 4), bool))
    with pytest.raises(ValueError, match=r"point .* lies outside the world"):
        grid.clearance((5.0, 1.0, 1.0))
    with pytest.raises(ValueError, match=r"points .* lies outside the world"):
        grid.clearance_along([(1.0, 1.0, 1.0), (5.0, 1.0, 1.0)])
    with pytest.raises(ValueError, match="points have shape"):
        grid.clearance_along([1.0, 2.0, 3.0])


# ------------------------------------------------------------------ rooms


def test_rooms_give_the_graph_of_an_exact_scan(cases):
    """The same nodes, steps and lines of sight, before and after changes."""
    free = 0
    for seed in range(cases):
        grid, radius, rng = coarser_world(seed)
        room, scan = grid.kernel_graph(radius), exact(grid, radius)
        for _ in range(2):
            nodes = all_nodes(grid)
            usable = [grid.is_usable(scan, s) for s in nodes]
            assert [grid.is_usable(room, s) for s in nodes] == usable, seed
            assert different_edges(room, scan, nodes) == 0, seed
            few = np.append(rng.permutation(nodes[usable])[:40], nodes[:5])
            wrong, seen = different_lines(room, scan, few)
            assert wrong == 0, seed
            free += seen
            wrong, seen = different_segments(room, scan, some_segments(grid, rng))
            assert wrong == 0, seed
            free += seen
            cells = np.stack([rng.integers(0, n, 6) for n in grid.shape], axis=1)
            grid.block(cells[:3])
            grid.free(cells[3:])
    assert free > 100 * cases


def test_sight_in_rooms_against_the_definition():
    """Between centres, by a twin that shares nothing with either."""
    seen = 0
    for seed in range(100):
        grid, radius, rng = coarser_world(seed)
        size = Fraction(radius).limit_denominator(1000)
        room = np.argwhere(grid.clearances() >= radius)
        if grid.blocked.size > 200 or not len(room):
            continue
        for a, b in rng.choice(room, (6, 2)).tolist():
            p, q = [i + HALF for i in a], [i + HALF for i in b]
            expected = naive.line_of_sight(grid.blocked, p, q, size)
            assert grid.line_of_sight(grid.centre(a), grid.centre(b), float(size)) == expected
            seen += expected
    assert seen > 20


@pytest.mark.parametrize("shape", [(40, 35, 30), (60, 50)])
def test_rooms_after_changes_are_those_of_a_new_grid(shape):
    """Few changes are counted one by one, many by counting again."""
    rng = np.random.default_rng(5)
    blocked = rng.random(shape) < 0.003
    grid = nt.Grid(blocked)
    radii = 0.8, 1.0, 2.5, 6.0
    rooms = [grid.kernel_graph(radius) for radius in radii]
    for count in (1, 7, 30, blocked.size // 10):
        for change in (grid.block, grid.free):
            cells = rng.integers(0, shape, (count, len(shape)))
            change(np.concatenate([cells, cells[:3]]))  # some twice
            other = nt.Grid(grid.blocked)
            for room, radius in zip(rooms, radii, strict=True):
                again = other.kernel_graph(radius)
                assert (room.lattice.free3 == again.lattice.free3).all()
                assert again.lattice.free3.any() or grid.blocked.mean() > 0.05


def test_a_room_for_more_cells_than_small_counters_hold():
    shape, radius = (60, 60, 60), 27.0
    grid = nt.Grid(np.zeros(shape, bool))
    room = grid.kernel_graph(radius)
    everything = np.argwhere(np.ones(shape, bool))
    usable = (room.lattice.free3 & 2 != 0).sum()
    assert usable == 6**3
    grid.block(everything)
    assert not room.lattice.free3.any()
    grid.free(everything[1:])
    grid.free(everything[0])
    assert (room.lattice.free3 & 2 != 0).sum() == usable


def test_thin_agents_pay_nothing():
    grid = nt.Grid(np.zeros((5, 5, 5), bool))
    nt.plan(grid, (0.5, 0.5, 0.5), (4.5, 4.5, 4.5), "a*", radius=0.5)
    assert not grid._rooms


def test_planners_share_a_room():
    grid = nt.Grid(np.zeros((5, 5, 5), bool))
    one, two = grid.kernel_graph(1.0), grid.steps_graph(1.0)
    assert one.lattice.free3 is two.lattice.free3
    assert one.lattice.length is not two.lattice.length


def test_a_grid_keeps_few_rooms():
    """A planner whose room is gone gets another one at its next plan."""
    grid = nt.Grid(np.zeros((14, 14, 14), bool))
    planner = nt.Planner(grid, "a*", radius=1.0)
    ends = (3.5, 3.5, 3.5), (10.5, 3.5, 3.5)
    straight = planner.plan(*ends)
    for k in range(20):
        assert nt.plan(grid, *ends, "a*", radius=1.1 + 0.05 * k).found
    assert len(grid._rooms) == MOST_ROOMS
    grid.block((7, 3, 3))
    path = planner.plan(*ends)
    assert path.length > straight.length
    assert nt.verify(path, grid)


def test_copies_and_snapshots_have_rooms_of_their_own():
    rng = np.random.default_rng(2)
    grid = nt.Grid(rng.random((12, 12, 12)) < 0.02)
    grid.kernel_graph(1.4)
    snapshot, copy = grid.snapshot_copy(), pickle.loads(pickle.dumps(grid))
    before = snapshot.kernel_graph(1.4)
    shown = before.lattice.free3.copy()
    grid.block(rng.integers(0, 12, (9, 3)))
    grid.free(np.argwhere(grid.blocked)[:4])
    assert (before.lattice.free3 == shown).all()
    assert (copy.kernel_graph(1.4).lattice.free3 == shown).all()
    snapshot.sync_from(grid)
    assert (before.lattice.free3 == grid.kernel_graph(1.4).lattice.free3).all()
    assert (before.lattice.free3 != shown).any()


def test_rooms_follow_moving_bodies():
    grid = nt.CellGrid(scene())
    room = grid.kernel_graph(1.1)
    predicted = grid.number(np.array([(9, 7, 3), (9, 7, 4)]))
    for frame in range(12):
        grid.update(0.3 * frame)
        grid.set_predicted(predicted if frame % 3 else None)
        again = nt.Grid(grid.blocked, grid.cell, grid.origin)
        assert (room.lattice.free3 == again.kernel_graph(1.1).lattice.free3).all()

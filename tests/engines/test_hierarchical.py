"""The coarse level: it knows what can be reached, follows changes, and its paths are free."""

import itertools

import naive
import numpy as np
import pytest
from strategies import random_world

import noctule as nt
from noctule.engines import hierarchical as coarse
from noctule.engines.hierarchical import CoarseLevel
from noctule.graphs.grid.block_components import SIDE, find_parts
from noctule.worlds.generated import building


@pytest.fixture
def _at_once(monkeypatch):
    """Have no other search tried before."""
    monkeypatch.setattr(coarse, "MAX_EXPANDED", 0)


def connected(blocked):
    """A label for each free cell, the same for all that are connected by faces."""
    label = np.zeros(blocked.shape, int)
    for seed in map(tuple, np.argwhere(~blocked)):
        if not label[seed]:
            label[tuple(np.transpose(list(naive.flood(blocked, seed))))] = label.max() + 1
    return label


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 0.6, 0.8, 1.0])
def test_parts_are_connected_sets_of_free_cells(share):
    rng = np.random.default_rng(int(100 * share))
    blocked = rng.random((19, 8, 13)) < share
    grid = nt.Grid(blocked)
    level = CoarseLevel(grid, grid.kernel_graph(0.0).lattice)
    while not level.update():
        pass
    parts = np.array([level.part_of(s) for s in grid.number(np.argwhere(~blocked))])
    assert (parts >= 0).all()
    where = np.zeros(blocked.shape, int)
    where[~blocked] = parts + 1
    for x, y, z in itertools.product(*(range(0, n, SIDE) for n in blocked.shape)):
        block = np.s_[x : x + SIDE, y : y + SIDE, z : z + SIDE]
        pairs = set(zip(connected(blocked[block]).flat, where[block].flat, strict=True))
        assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    assert level.blocks.total.sum() == len(set(parts.tolist()))


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize("flat", [True, False])
def test_paths_are_free_and_there_is_one_exactly_if_there_is_a_way(flat):
    found = {True: 0, False: 0}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        shape = tuple(rng.integers(3, 22, 2 if flat else 3).tolist())
        grid = nt.Grid(rng.random(shape) < rng.uniform(0.1, 0.6))
        free = np.argwhere(~grid.blocked)
        if len(free) < 2:
            continue
        planner = nt.Planner(grid, "a*", hierarchical=True)
        for _ in range(4):
            start, goal = free[rng.integers(len(free), size=2)] + 0.5 + rng.uniform(-0.2, 0.2)
            path, best = planner.plan(start, goal), nt.plan(grid, start, goal, "a*")
            assert path.found == best.found
            found[path.found] += 1
            if path.found:
                assert nt.verify(path, grid)
                assert path.length >= best.length - 1e-9
                assert path.length <= path.bound * best.length + 1e-9
            change = rng.integers(0, shape, (6, len(shape)))
            grid.block(change[:3])
            grid.free(change[3:])
            free = np.argwhere(~grid.blocked)
    assert min(found.values()) > 20


@pytest.mark.usefixtures("_at_once")
def test_in_all_kinds_of_worlds():
    for seed in range(150):
        blocked, neighbours, start, goal = random_world(seed, longest=20)
        if blocked[start] or blocked[goal]:
            continue
        ends = np.add(start, 0.5), np.add(goal, 0.5)
        path = nt.plan(
            nt.Grid(blocked, neighbours=neighbours), *ends, algorithm="a*", hierarchical=True
        )
        assert path.found == (goal in naive.flood(blocked, start))


@pytest.mark.usefixtures("_at_once")
def test_many_threads_share_a_level():
    rng = np.random.default_rng(2)
    grid = nt.Grid(rng.random((40, 40, 40)) < 0.35)
    free = np.argwhere(~grid.blocked) + 0.5
    pairs = [tuple(free[rng.integers(len(free), size=2)]) for _ in range(40)]
    planner = nt.Planner(grid, "a*", hierarchical=True)
    lengths = [path.length for path in planner.plan_many(pairs, threads=4)]
    assert lengths == [planner.plan(*pair).length for pair in pairs]


@pytest.mark.usefixtures("_at_once")
def test_the_level_is_made_in_slices_and_a_change_costs_its_block(monkeypatch):
    found = []

    def counted(lattice, blocks, which, *rest):
        found.append(len(which))
        return find_parts(lattice, blocks, which, *rest)

    monkeypatch.setattr(coarse, "find_parts", counted)
    grid = nt.Grid(np.random.default_rng(6).random((48, 40, 40)) < 0.3)
    start, goal = (0, 0, 0), (47, 39, 39)
    grid.free([start, goal])
    planner = nt.Planner(grid, "a*", hierarchical=True)
    ends = grid.centre(start), grid.centre(goal)
    planner.warm_up(*ends)
    assert max(found) <= coarse.PIECE
    assert sum(found) == 6 * 5 * 5
    found.clear()
    assert planner.plan(*ends).found
    assert found == []
    grid.block((20, 20, 20))
    path = planner.plan(*ends)
    assert nt.verify(path, grid)
    assert found == [1]
    fresh = nt.plan(grid, *ends, "a*", hierarchical=True)
    assert (path.found, path.length) == (fresh.found, fresh.length)


@pytest.mark.usefixtures("_at_once")
def test_plans_on_a_budget_go_on_where_the_last_one_ended():
    grid = nt.Grid(np.random.default_rng(6).random((48, 40, 40)) < 0.3)
    grid.free([(0, 0, 0), (47, 39, 39)])
    planner = nt.Planner(grid, "a*", hierarchical=True)
    ends = grid.centre((0, 0, 0)), grid.centre((47, 39, 39))
    path = planner.plan(*ends, time_limit=0.0)
    assert not path.found
    assert "the next plan continues" in path.reason
    assert len(planner.search_snapshot().expanded) == 0
    for _ in range(20):  # each finds the parts of some blocks
        planner.plan(*ends, time_limit=0.0)
    assert planner.plan(*ends).length == nt.plan(grid, *ends, "a*", hierarchical=True).length


@pytest.mark.usefixtures("_at_once")
def test_as_many_parts_as_there_can_be():
    """Every other cell is free: 256 parts in each block, then two in most of them, and back."""
    grid = nt.Grid(np.indices((40, 40, 40)).sum(axis=0) % 2 == 1)
    ends = (0.5, 0.5, 0.5), (38.5, 38.5, 38.5)
    planner = nt.Planner(grid, "a*", hierarchical=True)
    assert not planner.plan(*ends).found
    cells = np.argwhere(grid.blocked)
    for _ in range(2):
        grid.free(cells)
        assert planner.plan(*ends).length == nt.plan(grid, *ends, "a*", hierarchical=True).length
        grid.block(cells)
        assert not planner.plan(*ends).found


def test_what_a_building_costs():
    """Rooms on several floors: a small part of the expansions of A*."""
    grid = nt.Grid(building(150, 15, 6, seed=4))
    ends = (2.5, 2.5, 2.5), (147.5, 147.5, 45.5)
    best = nt.plan(grid, *ends, "a*")
    assert best.found
    path = nt.plan(grid, *ends, "a*", hierarchical=True)
    assert path.found
    assert nt.verify(path, grid)
    assert path.expanded < best.expanded / 5
    assert path.length < 1.2 * best.length


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        ("theta*", {}),
        ("d*-lite", {}),
        ("a*", {"radius": 0.6}),
        ("a*", {"cost": "steps"}),
        ("a*", {"weight": 1.5}),
    ],
)
def test_where_there_is_no_coarse_level(algorithm, options):
    words = {"radius": "radius is 0.6", "cost": "cost is 'steps'", "weight": "weight is 1.5"}
    expected = next((words[name] for name in options), f"not for {algorithm}".replace("*", "."))
    with pytest.raises(ValueError, match=expected):
        nt.Planner(nt.Grid(np.zeros((4, 4, 4), bool)), algorithm, hierarchical=True, **options)


@pytest.mark.parametrize("algorithm", ["a*", "jps", "theta*"])
def test_long_ways_round_keep_the_order(algorithm):
    """Wide corridors to and fro: f grows beyond the last bucket, and no node is tried for ever."""
    blocked = np.zeros((400, 200), bool)
    blocked[:, 8::9] = True
    blocked[:8, 8::18] = blocked[-8:, 17::18] = False
    grid, ends = nt.Grid(blocked), ((1.5, 1.5), (398.5, 198.5))
    path = nt.plan(grid, *ends, algorithm=algorithm)
    assert path.found
    assert path.length > 8000
    assert path.expanded < 1.5 * (~blocked).sum()
    plain = nt.plan(grid, *ends, algorithm="dijkstra")
    assert path.length <= plain.length + 1e-6
    if algorithm != "theta*":
        assert path.length == pytest.approx(plain.length, abs=1e-6)

"""Several searches in one go find what each of them finds alone."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import blocked_arrays

import noctule as nt
from noctule.planning import batch
from noctule.planning.batch import find_batch, node_pairs


def together(planner, pairs):
    """All pairs of nodes in one batch, the others alone."""
    nodes = node_pairs(planner._run, planner._engines, pairs)
    between = [i for i in range(len(pairs)) if nodes[i, 0] >= 0]
    found = dict(
        zip(between, find_batch(planner._run, planner._engines[0], nodes[between]), strict=False)
    )
    return [found.get(i) or planner.plan(*pair) for i, pair in enumerate(pairs)]


def agree(grid, algorithm, pairs, **options):
    planner = nt.Planner(grid, algorithm, **options)
    found = together(planner, pairs)
    for pair, path in zip(pairs, found, strict=True):
        alone = planner.plan(*pair)
        assert path.found == alone.found
        assert path.reason == alone.reason
        assert path.length == alone.length
        assert path.expanded == alone.expanded
        assert path.points.tolist() == alone.points.tolist()
        assert path.nodes.tolist() == alone.nodes.tolist()
        assert path.seconds > 0.0
        assert not path.found or nt.verify(path, grid)
    return found


@settings(max_examples=60)
@given(blocked_arrays(), st.sampled_from(["a*", "jps", "dijkstra"]), st.data())
def test_paths_are_those_of_plans_alone(blocked, algorithm, data):
    """From any place to any other: nodes, points beside them, blocked ones, the same twice."""
    halves = [st.integers(0, 4 * n).map(lambda v: v / 4) for n in blocked.shape]
    ends = st.tuples(*halves)
    pairs = data.draw(st.lists(st.tuples(ends, ends), min_size=2, max_size=9))
    radius = data.draw(st.sampled_from([0.0, 0.3]))
    agree(nt.Grid(blocked), algorithm, pairs, radius=radius)


def test_long_searches_go_on_alone():
    """One that floods a large world is longer than a slice, and its queue has to grow."""
    blocked = np.zeros((64, 64, 64), bool)
    blocked[40:43, 40:43, 40:43] = True
    blocked[41, 41, 41] = False
    grid = nt.Grid(blocked)
    near, far, shut = (5.5, 5.5, 5.5), (60.5, 50.5, 3.5), (41.5, 41.5, 41.5)
    pairs = [(near, far), (near, shut), (far, near), (near, shut), (shut, near)]
    for algorithm in ("a*", "dijkstra"):
        found = agree(grid, algorithm, pairs)
        assert [path.found for path in found] == [True, False, True, False, False]
    assert found[1].expanded > batch.SLICE


def test_what_gives_up_is_planned_again():
    """A large weight opens nodes again and again behind a wall; another engine has to find it."""
    rng = np.random.default_rng(5)
    blocked = rng.random((40, 40, 40)) < 0.3
    blocked[:2, :2, :2] = False
    blocked[30:33, 30:33, 30:33] = True
    blocked[31, 31, 31] = False
    pairs = [((0.5, 0.5, 0.5), (1.5, 1.5, 1.5)), ((0.5, 0.5, 0.5), (31.5, 31.5, 31.5))]
    found = agree(nt.Grid(blocked), "a*", [*pairs, *pairs], weight=10.0)
    assert [path.found for path in found] == [True, False] * 2


def test_paths_for_which_there_is_no_room(monkeypatch):
    monkeypatch.setattr(batch, "NODES_OF_BATCH", 50)
    grid = nt.Grid(np.zeros((40, 40), bool))
    pairs = [((0.5, 0.5), (x + 0.5, 39.5)) for x in range(1, 8)]
    agree(grid, "a*", pairs)


def test_numbers_of_searches_run_out_harmlessly():
    from noctule.engines.packed_nodes import LAST_GENERATION

    grid = nt.Grid(np.random.default_rng(2).random((9, 9, 9)) < 0.2)
    pairs = [((0.5, 0.5, 0.5), (8.5, y + 0.5, 8.5)) for y in range(9)]
    for algorithm in ("a*", "jps"):
        planner = nt.Planner(grid, algorithm)
        memory = grid.acquire(planner._engines[0].new_memory)
        memory.stats[0].generation = LAST_GENERATION - 3
        grid.release(planner._engines[0].new_memory, memory)
        agree(grid, algorithm, pairs)


@pytest.mark.parametrize("options", [{"max_expanded": 9}, {"time_limit": 9.0}])
def test_searches_with_limits_go_alone(options):
    grid = nt.Grid(np.zeros((9, 9), bool))
    planner = nt.Planner(grid, "a*", **options)
    pairs = [((0.5, 0.5), (8.5, 8.5))]
    assert node_pairs(planner._run, planner._engines, pairs) is None
    theta = nt.Planner(grid, "theta*")
    assert node_pairs(theta._run, theta._engines, pairs) is None
    a_star = nt.Planner(grid, "a*")
    assert node_pairs(a_star._run, a_star._engines, pairs) is not None


def test_every_one_in_line_is_taken_once():
    line = batch.WorkQueue(list(range(100)), threads=3, most=8)
    taken = []
    while group := line.take(math.inf if not taken else 1e-5):
        taken += group
    assert taken == list(range(100))
    line = batch.WorkQueue(list(range(100)), threads=3, most=8)
    line.take(1.0)
    line.close()
    assert line.take(1.0) == []


def test_only_what_needs_no_other_look_is_a_pair_of_nodes():
    blocked = np.zeros((9, 7, 5), bool)
    blocked[4, 4, 4] = True
    grid = nt.Grid(blocked, cell=0.5, origin=(1, 2, 3))
    planner = nt.Planner(grid, "a*")
    where = planner._run, planner._engines
    here, there = grid.centre((0, 6, 4)), grid.centre((8, 0, 1))
    shut, outside, between = grid.centre((4, 4, 4)), here - 9.0, here + 0.1
    nodes = grid.number(np.array([(0, 6, 4), (8, 0, 1)])).tolist()
    assert node_pairs(*where, [(here, there), (there, here)]).tolist() == [nodes, nodes[::-1]]
    for end in (shut, outside, between, here, here * np.nan, here * np.inf, here * 1e300):
        assert node_pairs(*where, [(here, end), (end, here)]).tolist() == [[-1, -1]] * 2
    for wrong in ((here[:2], there[:2]), (here, there, here), "nowhere", 7, None):
        assert node_pairs(*where, [wrong]) is None
    direct = nt.Planner(grid, "a*", try_straight_line=True)
    assert node_pairs(direct._run, direct._engines, [(here, there)]) is None
    assert len(direct.plan_many([(here, there)] * 9)[8].points) == 2

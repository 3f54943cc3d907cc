"""What the options of `plan` promise."""

import math

import naive
import numpy as np
import pytest
from strategies import random_world

import noctule as nt
from noctule.engines.lattice_a_star import MANY_REOPENED
from noctule.worlds.generated import building


@pytest.fixture(scope="module")
def field():
    """A world with a wall between start and goal, and some clutter."""
    rng = np.random.default_rng(1)
    blocked = rng.random((24, 24, 24)) < 0.1
    blocked[12, :20, :] = True
    blocked[0, 0, 0] = blocked[23, 0, 0] = False
    return nt.Grid(blocked)


ENDS = ((0.5, 0.5, 0.5), (23.5, 0.5, 0.5))
WORKING = [row.name for row in nt.algorithms() if not (row.corners_only or row.timed)]
FORGETTING = [row.name for row in nt.algorithms() if row.name in WORKING and not row.keeps_search]


def test_weight_keeps_its_bound():
    rng = np.random.default_rng(3)
    blocked = np.zeros((30, 30, 30), bool)
    for x, y, z in rng.integers(2, 24, (40, 3)):
        blocked[x : x + 4, y : y + 4, z : z + 4] = True
    field = nt.Grid(blocked)
    ends = (0.5, 0.5, 0.5), (29.5, 27.5, 25.5)
    best = nt.plan(field, *ends, "a*")
    assert best.bound == 1.0
    expanded = best.expanded
    for weight in (1.1, 1.5, 2.0, 5.0):
        path = nt.plan(field, *ends, "a*", weight=weight)
        assert path.bound == weight
        assert path.length <= weight * best.length + 1e-9
        assert nt.verify(path, field)
        expanded = min(expanded, path.expanded)
    assert expanded < best.expanded / 2


@pytest.mark.parametrize("algorithm", ["a*", "jps", "theta*", "lazy-theta*"])
def test_a_weight_that_leads_astray_costs_little(algorithm):
    """Rooms, and a goal that is walled in: a search must not open the same nodes for ever."""
    blocked = building(90, 15, 4, seed=0)
    blocked[80:85, 76:89, 24:] = True
    blocked[81:84, 77:88, 25:] = False
    grid, ends = nt.Grid(blocked), ((2.5, 2.5, 2.5), (82.5, 82.5, 28.5))
    shut = nt.plan(grid, *ends, algorithm=algorithm)
    assert not shut.found
    assert shut.expanded > 5000
    for weight in (3.0, 100.0):
        path = nt.plan(grid, *ends, algorithm=algorithm, weight=weight)
        assert not path.found
        assert path.expanded < 3 * shut.expanded + 2 * MANY_REOPENED


def test_huge_weight_and_huge_distances():
    """Costs that the fast engine can't hold are left to the general one."""
    grid = nt.Grid(np.zeros((3000, 3), dtype=bool))
    path = nt.plan(grid, (0.5, 0.5), (2999.5, 2.5), "a*", weight=1000.0)
    assert path.found
    assert nt.verify(path, grid)


def test_engines_agree(cases):
    """Fast engines and the general core find equally short paths in generated worlds.

    A hundred thousand of them at night: `pytest --cases 100000 -k engines_agree`.
    """
    from noctule.algorithms.best_first import BestFirst

    compared = 0
    for seed in range(cases):
        blocked, neighbours, s, t = random_world(seed, longest=9)
        if blocked[s] or blocked[t] or s == t:
            continue
        grid = nt.Grid(blocked, neighbours=neighbours)
        planners = [nt.Planner(grid, name) for name in ("a*", "a*", "jps", "dijkstra")]
        assert all(not isinstance(planner._engines[0], BestFirst) for planner in planners)
        planners[0]._engines = planners[0]._engines[-1:]
        assert isinstance(planners[0]._engines[0], BestFirst)
        general, *fast = (planner.plan(grid.centre(s), grid.centre(t)) for planner in planners)
        for path in fast:
            assert path.found == general.found, (seed, path.algorithm)
            assert math.isclose(path.length, general.length, abs_tol=1e-9) or not path.found, seed
        compared += general.found
    assert compared > cases / 3


@pytest.mark.parametrize("algorithm", ["a*", "theta*", "lazy-theta*"])
def test_a_search_goes_on_when_its_queue_has_grown(field, algorithm):
    from noctule.queues.buckets import new_buckets

    planner = nt.Planner(field, algorithm)
    expected = planner.plan(*ENDS)
    make = planner._engines[0].new_memory
    memory = make(field.node_count)._replace(queue=new_buckets(30))
    field.release(make, memory)  # the next plan gets this memory
    path = planner.plan(*ENDS)
    assert len(memory.queue.entry) > 30
    assert np.array_equal(path.points, expected.points)
    assert path.expanded == expected.expanded


@pytest.mark.parametrize("algorithm", ["a*", "dijkstra", "jps", "theta*", "lazy-theta*"])
def test_searches_on_cells_reserve_at_most_sixteen_bytes_a_cell(algorithm):
    grid = nt.Grid(np.zeros((100, 100, 100), dtype=bool))
    planner = nt.Planner(grid, algorithm)
    assert planner.plan((0.5, 0.5, 0.5), (90.5, 3.5, 1.5)).found
    engine = planner._engines[0]
    memory = grid.acquire(engine.new_memory)
    blocks = {id(grid._free3): grid._free3.nbytes}
    note_blocks(memory, blocks)
    assert sum(blocks.values()) <= 16 * grid.node_count


def note_blocks(memory, blocks):
    """Note the size of each block of memory once, though columns of one are several arrays."""
    if isinstance(memory, np.ndarray):
        owner = memory
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        blocks[id(owner)] = owner.nbytes
    elif isinstance(memory, tuple):
        for part in memory:
            note_blocks(part, blocks)
    elif hasattr(memory, "__dict__"):
        note_blocks(tuple(vars(memory).values()), blocks)


@pytest.mark.parametrize("threads", [1, 2, 5, None])
def test_many_plans_come_in_the_order_in_which_they_were_asked_for(field, threads):
    goals = [(23.5, y + 0.5, 0.5) for y in range(24)]
    planner = nt.Planner(field, "a*")
    expected = [planner.plan(ENDS[0], goal) for goal in goals]
    paths = planner.plan_many(((ENDS[0], goal) for goal in goals), threads)
    assert [path.length for path in paths] == [path.length for path in expected]
    assert planner.plan_many([], threads) == []


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_one_of_many_plans_ends_them(field, threads):
    planner = nt.Planner(field, "a*")
    asked = []

    def query(start, goal, *rest):
        asked.append(goal)
        return nt.Planner._query(planner, start, goal, *rest)

    planner._query = query
    outside = (99.5, 0.5, 0.5)
    with pytest.raises(ValueError, match=r"goal \(99.5, 0.5, 0.5\) lies outside"):
        planner.plan_many([ENDS, (ENDS[0], outside)] + [ENDS] * 3000, threads)
    assert len(asked) < 3000


def test_numbers_of_searches_run_out_harmlessly(field):
    from noctule.algorithms import best_first
    from noctule.engines import packed_nodes

    last_of = {"a*": packed_nodes.LAST_GENERATION, "jps": packed_nodes.LAST_GENERATION}
    for algorithm in ("a*", "jps", "theta*", "lazy-theta*"):
        last = last_of.get(algorithm, best_first.LAST_GENERATION)
        planner = nt.Planner(field, algorithm)
        expected = planner.plan(*ENDS)
        engine = planner._engines[0]
        memory = field.acquire(engine.new_memory)
        memory.stats[0].generation = last
        field.release(engine.new_memory, memory)
        again = planner.plan(*ENDS)
        assert again.points.tobytes() == expected.points.tobytes()
        assert memory.stats[0].generation < 10


@pytest.mark.parametrize("neighbours", [6, 18, 26])
@pytest.mark.parametrize("heuristic", ["zero", "straight", "voxel", "octile"])
def test_every_admissible_heuristic_finds_the_shortest(neighbours, heuristic):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        blocked = rng.random((6, 6, 6)) < 0.25
        blocked[0, 0, 0] = blocked[5, 5, 3] = False
        grid = nt.Grid(blocked, neighbours=neighbours)
        ends = grid.centre((0, 0, 0)), grid.centre((5, 5, 3))
        path = nt.plan(grid, *ends, "a*", heuristic=heuristic)
        shortest = naive.Graph(blocked, neighbours).distances((0, 0, 0)).get((5, 5, 3))
        assert path.found == (shortest is not None)
        if path.found:
            assert math.isclose(path.length, shortest, abs_tol=1e-9)


def test_tighter_heuristics_expand_less(field):
    three = "voxel", "straight", "zero"
    counts = [nt.plan(field, *ENDS, "a*", heuristic=h).expanded for h in three]
    assert counts == sorted(counts)
    assert counts[0] < counts[1] < counts[2]


def test_inadmissible_heuristics_only_on_request(field):
    with pytest.raises(ValueError, match="'manhattan' may overestimate for a\\* on 26"):
        nt.plan(field, *ENDS, "a*", heuristic="manhattan")
    with pytest.raises(ValueError, match="'voxel' may overestimate for theta\\*"):
        nt.plan(field, *ENDS, "theta*", heuristic="voxel")
    with pytest.raises(ValueError, match="heuristic is 'diagonal'; allowed here are voxel"):
        nt.plan(field, *ENDS, "a*", heuristic="diagonal")
    path = nt.plan(field, *ENDS, "a*", heuristic="manhattan", allow_inadmissible=True)
    shortest = nt.plan(field, *ENDS, "a*")
    assert path.found
    assert shortest.length <= path.length <= path.bound * shortest.length


@pytest.mark.parametrize("algorithm", WORKING)
def test_equal_steps(field, algorithm):
    """The equalised segment cost of Yu and Novitch (2020): fewer expansions, a longer path."""
    path = nt.plan(field, *ENDS, algorithm, cost="steps")
    plain = nt.plan(field, *ENDS, algorithm)
    assert nt.verify(path, field)
    shortest = nt.plan(field, *ENDS, "a*").length
    assert path.length <= path.bound * shortest + 1e-9
    if algorithm in ("theta*", "lazy-theta*"):
        assert path.expanded < plain.expanded


@pytest.mark.parametrize("algorithm", WORKING)
def test_straight_line_first(field, algorithm):
    free = nt.Grid(np.zeros((9, 9, 9), dtype=bool))
    path = nt.plan(free, (0.5, 0.5, 0.5), (8.5, 3.5, 1.5), algorithm, try_straight_line=True)
    assert (path.expanded, path.sight_checks, len(path.points), path.bound) == (0, 1, 2, 1.0)
    assert math.isclose(path.length, math.dist((0, 0, 0), (8, 3, 1)))
    hidden = nt.plan(field, *ENDS, algorithm, try_straight_line=True)
    assert hidden.expanded > 0
    assert len(hidden.points) > 2


@pytest.mark.parametrize("algorithm", FORGETTING)
def test_limits_leave_a_partial_path(field, algorithm):
    path = nt.plan(field, *ENDS, algorithm, max_expanded=40)
    assert not path.found
    assert path.partial
    assert path.expanded == 40
    assert "40 expansions" in path.reason
    assert path.bound == math.inf
    assert nt.verify(path, field)
    assert path.points[0].tolist() == list(ENDS[0])
    whole = nt.plan(field, *ENDS, algorithm, max_expanded=10**9)
    assert whole.found
    assert whole.points.tobytes() == nt.plan(field, *ENDS, algorithm).points.tobytes()


def test_partial_paths_end_nearest_the_goal(field):
    path = nt.plan(field, *ENDS, "a*", max_expanded=500)
    nearer = math.dist(path.points[-1], ENDS[1])
    assert nearer < math.dist(*ENDS)
    for point in path.points:
        assert math.dist(point, ENDS[1]) >= nearer


def test_no_time_leaves_a_partial_path(field):
    path = nt.plan(field, *ENDS, "theta*", time_limit=0.0)
    assert path.partial
    assert "0 seconds" in path.reason
    assert nt.verify(path, field)
    assert nt.plan(field, *ENDS, "theta*", time_limit=3600.0).found


def test_a_wider_agent_takes_the_wider_gap():
    blocked = np.zeros((11, 12), dtype=bool)
    blocked[5, :] = True
    blocked[5, 2] = False  # one cell wide
    blocked[5, 8:11] = False  # three cells wide
    grid = nt.Grid(blocked)
    ends = (1.5, 2.5), (9.5, 2.5)
    narrow = nt.plan(grid, *ends, "theta*", radius=0.5)
    wide = nt.plan(grid, *ends, "theta*", radius=1.5)
    too_wide = nt.plan(grid, *ends, "theta*", radius=1.51)
    assert narrow.length == 8.0
    assert wide.length > 14
    assert nt.verify(wide, grid, radius=1.5)
    assert not nt.verify(narrow, grid, radius=0.6)
    assert not too_wide.found
    assert too_wide.reason

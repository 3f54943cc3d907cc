"""Any-angle search that repairs: free after every change, and no longer than along edges."""

import numpy as np
import pytest

import noctule as nt
from noctule.algorithms.incremental.memory import new_search_with_children, set_parent, visit
from noctule.algorithms.incremental.state import Phase, RepairLimits
from noctule.planning.replanning import fallback
from noctule.planning.smoothing import leave_out_corners
from noctule.queues.protocol import NO_NODE

REPAIRING = [
    row.name
    for row in nt.algorithms()
    if row.keeps_search and row.any_angle and not row.corners_only
]


class World:
    """A grid in which cells, start and goal change at random."""

    def __init__(self, seed):
        rng = self.rng = np.random.default_rng(seed)
        flat = rng.random() < 0.3
        shape = tuple(rng.integers(6, 24, 2)) if flat else tuple(rng.integers(5, 14, 3))
        self.corners = rng.random() < 0.3
        self.radius = 0.0 if self.corners else float(rng.choice((0.0, 0.4, 0.7)))
        self.weight = float(rng.choice((1.0, 1.0, 1.5)))
        self.grid = nt.Grid(
            rng.random(shape) < rng.choice((0.0, 0.1, 0.2, 0.3)),
            neighbours=int(rng.choice((4, 8) if flat else (6, 18, 26))),
            nodes="corners" if self.corners else "centres",
        )
        self.ends = [rng.integers(0, shape) for _ in range(2)]

    def change(self):
        """Change something; returns start and goal."""
        rng, grid = self.rng, self.grid
        few = (int(rng.integers(1, 6)), grid.dimension)
        grid.block(rng.integers(0, grid.shape, few))
        solid = np.argwhere(grid.blocked)
        grid.free(solid[rng.integers(0, len(solid), few[0])])
        for i, often in ((0, 0.5), (1, 0.4)):
            if rng.random() < often:
                step = rng.integers(-1, 2, grid.dimension)
                self.ends[i] = np.clip(self.ends[i] + step, 0, np.array(grid.shape) - 1)
        if rng.random() < 0.9:
            grid.free(np.array(self.ends))
        return [end + (0.0 if self.corners else 0.5) for end in self.ends]


def live(algorithm, seed, steps):
    """Plan after each change; returns how many paths, and by how much each exceeds A*'s."""
    world = World(seed)
    options = {"radius": world.radius}
    planner = nt.Planner(world.grid, algorithm, weight=world.weight, **options)
    along_edges = nt.Planner(world.grid, "a*", **options)
    excess, repaired = [], 0
    for step in range(steps):
        start, goal = world.change()
        path, shortest = planner.plan(start, goal), along_edges.plan(start, goal)
        assert path.found == shortest.found, (seed, step, path.reason, shortest.reason)
        repaired += path.found and path.expanded > 0 and not path.restarted
        if path.found:
            assert nt.verify(path, world.grid, radius=world.radius), (seed, step)
            if world.weight == 1.0 and shortest.length > 0:
                excess.append(path.length / shortest.length - 1.0)
            if len(path.nodes) > 1 and world.rng.random() < 0.4:
                world.ends[0] = path.nodes[1]  # along the path, as an agent would
    return excess, repaired


@pytest.mark.parametrize("algorithm", REPAIRING)
def test_repaired_paths_are_free_and_short(algorithm, cases):
    """With `--cases 10000`, more than 100,000 plans."""
    excess, repaired = [], 0
    for seed in range(cases // 15):
        more = live(algorithm, seed, 30)
        excess += more[0]
        repaired += more[1]
    assert repaired > cases // 5
    longer = [e for e in excess if e > 1e-9]
    assert len(longer) <= len(excess) / 500
    assert max(longer, default=0.0) < 0.01


@pytest.mark.parametrize("algorithm", REPAIRING)
def test_what_is_answered_while_a_search_takes_long(algorithm, cases, monkeypatch):
    """Repairs broken off, the last path once more, A* meanwhile: always free, and there."""
    monkeypatch.setattr(fallback, "LARGE", 0)
    same = put_off = 0
    for seed in range(cases // 30):
        world = World(seed)
        planner = nt.Planner(world.grid, algorithm, radius=world.radius)
        planner._engines[0].limits = planner._engines[0].limits and RepairLimits(0.1, 3, 0.2)
        along_edges = nt.Planner(world.grid, "a*", radius=world.radius)
        for step in range(20):
            start, goal = world.change()
            path, shortest = planner.plan(start, goal), along_edges.plan(start, goal)
            assert path.found == shortest.found, (seed, step, path.reason, shortest.reason)
            memory = planner._replanner.memory
            late = memory is not None and memory.phase in (Phase.LATE, Phase.INVALID)
            put_off += late or path.engine not in ("", "incremental")
            same += planner._replanner.reused > 0
            if path.found:
                assert nt.verify(path, world.grid, radius=world.radius), (seed, step)
                assert path.points[0] == pytest.approx(start)
                assert path.points[-1] == pytest.approx(goal)
                if len(path.nodes) > 1 and world.rng.random() < 0.4:
                    world.ends[0] = path.nodes[1]
    assert put_off > cases / 10
    assert put_off > same > cases / 60


@pytest.mark.parametrize(("half_width", "goes_round"), [(0, True), (9, False)])
def test_a_short_way_round_what_has_come_in_between(half_width, goes_round, monkeypatch):
    """While a repair takes long: round a pillar, but not round a wall that makes it much longer."""
    monkeypatch.setattr(fallback, "LARGE", 0)
    grid = nt.Grid(np.zeros((40, 30, 5), bool))
    planner = nt.Planner(grid, "aamt-d*-lite", radius=0.4)
    planner._engines[0].limits = RepairLimits(0.0, 3, 0.2)
    ends = grid.centre((1, 15, 2)), grid.centre((38, 15, 2))
    straight = planner.plan(*ends)
    grid.block([(20, y, z) for y in range(15 - half_width, 16 + half_width) for z in range(5)])
    path = planner.plan(*ends)
    assert nt.verify(path, grid, radius=0.4)
    assert path.restarted
    assert (planner._replanner.reused == 1) == goes_round
    assert (path.length < 1.01 * straight.length) == goes_round


def test_a_path_of_nodes_is_smoothed_as_any_other():
    rng = np.random.default_rng(4)
    for _ in range(20):
        grid = nt.Grid(rng.random((12, 12, 12)) < 0.1)
        grid.free([(0, 0, 0), (11, 11, 11)])
        path = nt.plan(grid, grid.centre((0, 0, 0)), grid.centre((11, 11, 11)), "a*")
        nodes = grid.number(path.nodes)
        left = grid.indices(nodes[: leave_out_corners(grid.kernel_graph(), nodes)])
        assert np.array_equal(grid.positions(left), nt.smooth(path, grid, "greedy").points)


@pytest.mark.parametrize(
    ("make", "pause"),
    [(nt.CellGrid, 1 / 10), (lambda scene: nt.Hybrid(scene, sample=0.5), 1 / 60)],
    ids=["cells", "hybrid"],
)
def test_paths_are_as_short_as_those_of_theta(make, pause):
    """In the moving scene, over agents that rest and goals that move."""
    scene = nt.Scene.load()
    grid = make(scene)
    planners = {n: nt.Planner(grid, n, radius=0.45) for n in ("theta*", "aamt-d*-lite")}
    lengths = {name: [] for name in planners}
    for i in range(60):
        grid.update(20 + i * pause)
        for name, planner in planners.items():
            path = planner.plan(scene.agent.start, scene.destination.at(scene.time))
            assert nt.verify(path, grid)
            lengths[name].append(path.length)
    ratio = np.mean(lengths["aamt-d*-lite"]) / np.mean(lengths["theta*"])
    assert 0.99 < ratio < 1.01


def test_lines_are_cut_where_nothing_changes_at_their_ends():
    """A wall between a node and its far parent: no cost at either end changes."""
    grid = nt.Grid(np.zeros((20, 20), bool))
    planner = nt.Planner(grid, "aamt-d*-lite")
    planner._engines[0].limits = None  # else A* is faster here
    assert len(planner.plan((0.5, 10.5), (19.5, 10.5)).points) == 2
    grid.block([(10, y) for y in range(4, 16)])
    path = planner.plan((0.5, 10.5), (19.5, 10.5))
    assert nt.verify(path, grid)
    assert not path.restarted
    assert path.length < nt.plan(grid, (0.5, 10.5), (19.5, 10.5), "a*").length
    grid.free([(10, y) for y in range(4, 16)])
    assert planner.plan((0.5, 10.5), (19.5, 10.5)).length == pytest.approx(19)


def test_fast_variants_look_less():
    """On a hybrid graph, sight only where paths may turn: fewer looks, paths hardly longer."""
    scene = nt.Scene.load()
    graph = nt.Hybrid(scene, sample=0.5)
    ends = scene.agent.start, scene.destination.at(0.0)
    full = nt.plan(graph, *ends, "theta*", radius=0.45)
    fast = nt.plan(graph, *ends, "theta*-fast", radius=0.45)
    edges = nt.plan(graph, *ends, "a*", radius=0.45)
    assert fast.sight_checks < 0.6 * full.sight_checks
    assert fast.length < 1.01 * full.length
    assert fast.length < edges.length
    for path in (full, fast):
        assert nt.verify(path, graph)


def test_children_are_those_who_have_the_parent():
    rng = np.random.default_rng(0)
    search = new_search_with_children(30)
    search.stats[0].generation = 1
    for s in range(30):
        visit(search, s)
    for _ in range(500):
        s = int(rng.integers(30))
        set_parent(search, s, int(rng.choice([NO_NODE, *(t for t in range(30) if t != s)])))
        for p in range(30):
            children, t = [], search.child[p]
            while t != NO_NODE:
                children.append(int(t))
                t = search.next[t]
            assert sorted(children) == np.flatnonzero(search.parent == p).tolist()

"""`SearchGraph`: a graph of another package defines eight members, and every search runs on it."""

import heapq
import inspect
import math
import pickle
from typing import NamedTuple

import numpy as np
import pytest

import noctule as nt
from noctule.graphs.protocol import (
    changed_nodes,
    distance,
    edges,
    has_changed_nodes,
    has_line_of_sight,
    next_edge,
)

EIGHT = {
    "node_count",
    "dimension",
    "kernel_graph",
    "positions",
    "entry_nodes",
    "is_free",
    "version",
    "changes_since",
}
ROWS = [
    row
    for row in nt.algorithms()
    if not (row.plane_only or row.timed or row.cells_only or row.corners_only)
]


class Wrapped(nt.SearchGraph):
    """A graph of ours behind the eight members."""

    def __init__(self, inner):
        self.inner = inner

    @property
    def node_count(self):
        return self.inner.node_count

    @property
    def dimension(self):
        return self.inner.dimension

    @property
    def version(self):
        return self.inner.version

    def kernel_graph(self, radius=0.0):
        return self.inner.kernel_graph(radius)

    def positions(self, nodes):
        return self.inner.positions(nodes)

    def entry_nodes(self, point):
        return self.inner.entry_nodes(point)

    def is_free(self, p, q):
        return self.inner.is_free(p, q)

    def changes_since(self, version):
        return self.inner.changes_since(version)


class Streets(NamedTuple):
    """Crossings of streets, `side` by `side`; some are closed."""

    closed: np.ndarray
    side: int
    block: float  # length of a street between two crossings, in world units


@edges.register
def _(graph: Streets, s):
    """One bit for each open street: 1 east, 2 west, 4 north, 8 south."""
    side, closed = graph.side, graph.closed
    x, y = s % side, s // side
    left = 0
    if not closed[s]:
        left |= 1 if x < side - 1 and not closed[s + 1] else 0
        left |= 2 if x > 0 and not closed[s - 1] else 0
        left |= 4 if y < side - 1 and not closed[s + side] else 0
        left |= 8 if y > 0 and not closed[s - side] else 0
    return left


@next_edge.register
def _(graph: Streets, s, left):
    if left & 1:
        return s + 1, graph.block, left & ~1
    if left & 2:
        return s - 1, graph.block, left & ~2
    if left & 4:
        return s + graph.side, graph.block, left & ~4
    return s - graph.side, graph.block, left & ~8


@distance.register
def _(graph: Streets, s, t):
    dx, dy = t % graph.side - s % graph.side, t // graph.side - s // graph.side
    return graph.block * math.sqrt(dx * dx + dy * dy)


class Town(nt.SearchGraph):
    """A graph whose kernel graph is its own, in world units; without line of sight."""

    dimension = 2
    named = False

    def __init__(self, side, block):
        closed = np.zeros(side * side, np.bool_)
        self.streets = Streets(closed, side, block)
        self.version = 0
        self.log = []

    version = 0

    @property
    def node_count(self):
        return len(self.streets.closed)

    def kernel_graph(self, radius=0.0):
        return self.streets

    def positions(self, nodes):
        nodes = np.asarray(nodes)
        side, block = self.streets.side, self.streets.block
        return np.stack([nodes % side, nodes // side], axis=-1) * block

    def entry_nodes(self, point):
        x, y = (round(v / self.streets.block) for v in point)
        s = x + self.streets.side * y
        return [] if self.streets.closed[s] else [s]

    def is_free(self, p, q):
        return sum(p[axis] != q[axis] for axis in (0, 1)) <= 1

    def changes_since(self, version):
        return self.log[version:]

    def close(self, s, closed=True):
        self.streets.closed[s] = closed
        self.log.append(s)
        self.version += 1


class NamedStreets(NamedTuple):
    closed: np.ndarray
    side: int
    block: float
    named: int


for kernel in (edges, next_edge, distance):
    kernel.register(NamedStreets, kernel.dispatch(Streets))


@changed_nodes.register
def _(graph: NamedStreets, change):
    """The node that was closed or opened, and its neighbours."""
    s, gained = change, not graph.closed[change]
    x, y = s % graph.side, s // graph.side
    yield s, gained
    if x > 0:
        yield s - 1, gained
    if x < graph.side - 1:
        yield s + 1, gained
    if y > 0:
        yield s - graph.side, gained
    if y < graph.side - 1:
        yield s + graph.side, gained


class NamedTown(Town):
    """The same, and its changes are named: searches are repaired."""

    def __init__(self, side, block):
        super().__init__(side, block)
        self.streets = NamedStreets(*self.streets, 1)


def shortest(town, start, goal):
    """Dijkstra's algorithm on a town, in blocks."""
    side, closed = town.streets.side, town.streets.closed
    best, queue = {}, [(0, start)]
    while queue:
        g, s = heapq.heappop(queue)
        if s in best or closed[s]:
            continue
        best[s] = g
        if s == goal:
            return g
        x, y = s % side, s // side
        for u, v in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if 0 <= u < side and 0 <= v < side:
                heapq.heappush(queue, (g + 1, u + side * v))
    return math.inf


def roads(sees=lambda *ends: True):
    rng = np.random.default_rng(5)
    points = rng.uniform(0, 60, (70, 3))
    near = [
        (i, j)
        for i in range(70)
        for j in range(i)
        if math.dist(points[i], points[j]) < 22 and sees(*points[i], *points[j])
    ]
    return nt.Graph(points, near, sight=sees)


def test_eight_members_are_asked_for():
    assert nt.SearchGraph.__abstractmethods__ == EIGHT
    with pytest.raises(TypeError, match="kernel_graph"):
        nt.SearchGraph()
    parameters = {
        name: list(inspect.signature(getattr(nt.SearchGraph, name)).parameters)[1:]
        for name in ("kernel_graph", "positions", "entry_nodes", "is_free", "changes_since")
    }
    assert parameters == {
        "kernel_graph": ["radius"],
        "positions": ["nodes"],
        "entry_nodes": ["point"],
        "is_free": ["p", "q"],
        "changes_since": ["version"],
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_search_runs_on_a_wrapped_graph(row):
    inner = roads()
    outside = Wrapped(inner)
    assert outside.cell == inner.cell
    planners = nt.Planner(outside, row.name), nt.Planner(inner, row.name)
    rng = np.random.default_rng(6)
    for _ in range(4):
        ends = rng.uniform(5, 55, (2, 3))
        ours, theirs = (planner.plan(*ends) for planner in planners)
        assert ours.found
        assert theirs.found
        assert nt.verify(ours, outside)
        assert nt.verify(ours, inner)
        if row.optimal:
            assert math.isclose(ours.length, theirs.length, rel_tol=1e-8)
        else:
            assert ours.length < 1.1 * theirs.length
        inner.block(rng.integers(0, 70, 3))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_search_runs_on_wrapped_cells(row):
    rng = np.random.default_rng(7)
    inner = nt.Grid(rng.random((12, 9, 6)) < 0.15, cell=0.3, origin=(1.0, -2.0, 5.0))
    outside = Wrapped(inner)
    assert math.isclose(outside.cell, inner.cell, rel_tol=1e-12)
    free = np.argwhere(~inner.blocked)
    planner, reference = nt.Planner(outside, row.name), nt.Planner(inner, "a*")
    for change in range(4):
        start, goal = (inner.centre(free[i]) for i in rng.integers(0, len(free), 2))
        path, along = planner.plan(start, goal), reference.plan(start, goal)
        assert path.found == along.found
        if path.found:
            assert nt.verify(path, inner)
            if row.optimal:
                assert math.isclose(path.length, along.length, rel_tol=1e-8)
        elif change == 0:
            assert "way" in path.reason or "free" in path.reason
        inner.block(free[rng.integers(0, len(free), 5)])


@pytest.mark.parametrize("kind", [Town, NamedTown])
@pytest.mark.parametrize(
    "row", [row for row in ROWS if not row.any_angle], ids=lambda row: row.name
)
def test_kernels_of_another_package(kind, row):
    town = kind(9, 25.0)
    assert town.cell == 1.0
    assert has_changed_nodes(town.kernel_graph()) == (kind is NamedTown)
    assert not has_line_of_sight(town.kernel_graph())
    planner = nt.Planner(town, row.name)
    rng = np.random.default_rng(8)
    repaired = 0
    for _ in range(30):
        town.close(int(rng.integers(1, 80)), bool(rng.random() < 0.6))
        s, t = 0, 80
        path = planner.plan(*town.positions([s, t]))
        blocks = shortest(town, s, t)
        assert path.found == math.isfinite(blocks), path.reason
        if path.found:
            assert path.length == 25.0 * blocks
            assert path.nodes[0] == s
            assert path.nodes[-1] == t
            assert nt.verify(path, town)
        repaired += bool(path.expanded and not path.restarted)
    if row.incremental:
        assert (repaired > 0) == (kind is NamedTown)


def test_what_a_graph_cannot_answer_is_refused():
    town = Town(4, 10.0)
    with pytest.raises(ValueError, match=r"theta\* needs lines of sight"):
        nt.Planner(town, "theta*")
    with pytest.raises(ValueError, match="jps jumps along rows of cells"):
        nt.Planner(town, "jps")
    with pytest.raises(ValueError, match="visibility needs a world in the plane"):
        nt.Planner(town, "visibility")
    with pytest.raises(ValueError, match="an edge costs its length"):
        nt.Planner(town, "a*", cost="steps")
    town.close(3)
    assert nt.plan(town, (0, 0), (30, 0), "a*").reason.startswith("goal (30, 0)")

    class Wrong(Town):
        def entry_nodes(self, point):
            return np.array([99])

    with pytest.raises(ValueError, match=r"Wrong.entry_nodes returned \[99\]; .* from 0 to 15"):
        nt.plan(Wrong(4, 10.0), (0, 0), (30, 0), "a*")
    with pytest.raises(ValueError, match=r"expected a noctule.Grid, Graph or another"):
        nt.plan(object(), (0, 0), (1, 1), "a*")


def test_a_line_is_proved_by_the_graph():
    town = Town(4, 10.0)
    assert nt.verify([(0, 0), (30, 0), (30, 30)], town)
    assert not nt.verify([(0, 0), (30, 30)], town)


def test_a_goal_that_is_closed_and_the_nearest_point():
    town = Town(4, 10.0)
    town.close(15)
    path = nt.plan(town, (0, 0), (30, 30), "a*", nearest=True)
    assert path.found
    assert path.goal_distance == 10.0


def test_copies_and_pickles():
    outside = Wrapped(roads())
    other = pickle.loads(pickle.dumps(Town(5, 2.0)))
    assert nt.plan(other, (0, 0), (8, 8), "a*").length == 16.0
    assert len(nt.plan_many(outside, [(outside.positions(0), outside.positions(9))] * 3)) == 3


def test_our_own_graphs_answer_the_eight():
    grid = nt.Grid(np.zeros((4, 4, 4), bool), cell=0.5)
    s = grid.entry_nodes((0.3, 0.3, 0.3))
    assert len(s) == 8 + 19
    assert grid.is_free((0.1, 0.1, 0.1), (1.9, 1.9, 1.9))
    graph = nt.Graph([(0, 0), (4, 0), (4, 4)], [(0, 1), (1, 2)])
    assert graph.is_free((0, 0), (4, 0))
    assert not graph.is_free((0, 0), (4, 4))
    graph.block([1])
    assert not graph.is_free((0, 0), (4, 0))

"""`Graph`: any points and edges, with sight by a grid, by a function, or none."""

import itertools
import math
import os
import subprocess
import sys

import numpy as np
import pytest

import noctule as nt

REMEMBERING = [row.name for row in nt.algorithms() if row.keeps_search and row.optimal]
ROUNDED = 1e-8  # of whole-number costs


def past_the_ball(x0, y0, z0, x1, y1, z1):
    """Whether a line keeps 2 from the point (5, 5, 5)."""
    dx, dy, dz = x1 - x0, y1 - y0, z1 - z0
    length = dx * dx + dy * dy + dz * dz
    along = 0.0
    if length > 0:
        along = -((x0 - 5) * dx + (y0 - 5) * dy + (z0 - 5) * dz) / length
    along = min(max(along, 0.0), 1.0)
    x, y, z = x0 + along * dx - 5, y0 + along * dy - 5, z0 + along * dz - 5
    return x * x + y * y + z * z >= 4.0


def roadmap(rng, n, sees, width=10.0, dimension=3):
    """Random points, each joined to those near it that it sees."""
    points = rng.uniform(0, width, (n, dimension))
    points = points[[sees(*p, *p) for p in points]]
    edges = [
        (i, j)
        for i, j in itertools.combinations(range(len(points)), 2)
        if math.dist(points[i], points[j]) < 0.35 * width and sees(*points[i], *points[j])
    ]
    return points, edges


def shortest(graph, start, goal):
    """Dijkstra's algorithm, slow and obvious."""
    lengths = {start: 0.0}
    done = set()
    while lengths.keys() - done:
        s = min(lengths.keys() - done, key=lengths.get)
        done.add(s)
        if s == goal:
            return lengths[s]
        for e, pair in enumerate(graph.edges.tolist()):
            if s in pair and graph._open[e]:
                t = sum(pair) - s
                p, q = graph.positions(np.array([s, t]))
                lengths[t] = min(lengths.get(t, math.inf), lengths[s] + math.dist(p, q))
    return math.inf


def test_a_star_finds_the_shortest_way_along_edges():
    rng = np.random.default_rng(1)
    for width in (1e-3, 10.0, 1e6):
        points, edges = roadmap(rng, 60, lambda *ends: True, width)
        graph = nt.Graph(points, edges)
        for s, t in rng.integers(0, len(points), (10, 2)).tolist():
            path = nt.plan(graph, points[s], points[t], "a*")
            true = shortest(graph, s, t)
            assert path.found == math.isfinite(true)
            if path.found:
                assert nt.verify(path, graph)
                assert math.isclose(path.length, true, rel_tol=1e-12)
                assert path.nodes[0] == s
                assert path.nodes[-1] == t


@pytest.mark.parametrize("algorithm", ["theta*", "lazy-theta*"])
def test_any_angle_paths_are_shorter_and_seen(algorithm):
    rng = np.random.default_rng(2)
    points, edges = roadmap(rng, 80, past_the_ball)
    graph = nt.Graph(points, edges, sight=past_the_ball)
    shorter = 0
    for _ in range(30):
        start, goal = rng.choice(points, 2) if rng.random() < 0.8 else rng.uniform(0, 10, (2, 3))
        path, along = (nt.plan(graph, start, goal, name) for name in (algorithm, "a*"))
        free = past_the_ball(*start, *start) and past_the_ball(*goal, *goal)
        assert path.found == along.found == free
        if path.found:
            assert nt.verify(path, graph)
            assert nt.verify(along, graph)
            assert path.length <= along.length * 1.02
            shorter += path.length < along.length * 0.99
    assert shorter > 10


def test_repaired_paths_are_as_short_as_new_ones(cases):
    """Edges shut and open, nodes come and go, the ends move; every planner keeps up."""
    plans = repaired = 0
    for seed in range(cases // 20):
        rng = np.random.default_rng(seed)
        points, edges = roadmap(rng, 70, lambda *ends: True)
        graph = nt.Graph(points, edges)
        planners = {name: nt.Planner(graph, name) for name in REMEMBERING}
        s, t = rng.integers(0, len(points), 2)
        for step in range(15):
            for change in (graph.shut, graph.reopen):
                change(graph.edges[rng.integers(0, len(edges), int(rng.integers(0, 4)))])
            if rng.random() < 0.5:
                graph.block(rng.integers(0, len(points), 2))
                graph.free(rng.integers(0, len(points), 2))
            s = int(rng.integers(len(points))) if rng.random() < 0.3 else s
            t = int(rng.integers(len(points))) if rng.random() < 0.2 else t
            graph.free([s, t])
            true = shortest(graph, s, t)
            for name, planner in planners.items():
                if rng.random() < 0.15:
                    continue
                path = planner.plan(points[s], points[t])
                what = seed, step, name, path.reason
                assert path.found == math.isfinite(true), what
                if path.found:
                    assert nt.verify(path, graph), what
                    assert math.isclose(path.length, true, rel_tol=ROUNDED), what
                plans += 1
                repaired += path.expanded > 0 and not path.restarted
    assert plans > 3 * cases
    assert repaired > cases / 3


def test_a_grid_for_sight():
    """Edges that the cells block are shut; the grid changes, and planners learn of it."""
    blocked = np.zeros((10, 10, 10), bool)
    blocked[5, :8] = True
    grid = nt.Grid(blocked)
    rng = np.random.default_rng(4)
    points = rng.uniform(0.5, 9.5, (150, 3))
    edges = [p for p in itertools.combinations(range(150), 2) if math.dist(*points[list(p)]) < 3.5]
    graph = nt.Graph(points, edges, sight=grid, radius=0.3)
    ends = (1.2, 1.3, 1.4), (8.6, 1.1, 1.2)
    planners = {
        name: nt.Planner(graph, name, radius=0.3) for name in (*REMEMBERING, "a*", "theta*")
    }
    lengths = []
    for change in (None, grid.block, grid.free):
        if change is not None:
            change([(5, y, z) for y in (8, 9) for z in range(6)])
            assert graph.update() > 0
        for planner in planners.values():
            path = planner.plan(*ends)
            assert path.found
            assert nt.verify(path, graph)
            assert nt.verify(path, grid)
        lengths.append(planners["a*"].plan(*ends).length)
    assert lengths[1] > lengths[0] == lengths[2]
    with pytest.raises(ValueError, match=r"radius is 0\.5; .* were made for 0\.3"):
        nt.Planner(graph, "a*", radius=0.5)


def test_the_plane():
    def beside(x0, y0, x1, y1):
        return not (min(x0, x1) < 5 < max(x0, x1) and min(y0, y1) < 4)

    rng = np.random.default_rng(3)
    points, edges = roadmap(rng, 90, beside, dimension=2)
    graph = nt.Graph(points, edges, sight=beside)
    for name in ("a*", "theta*", "d*-lite"):
        path = nt.plan(graph, (1, 1), (9, 1), name)
        assert path.points.shape[1] == 2
        assert nt.verify(path, graph)
    assert not nt.verify([(1, 1), (9, 1)], graph)
    (wrong,) = nt.violations([(1, 1), (9, 1)], graph)
    assert str(wrong) == "segment 0 is neither an edge of the graph nor in line of sight"


def test_what_is_said_of_ends_that_see_nothing():
    points, edges = [(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1), (1, 2)]
    path = nt.plan(nt.Graph(points, edges), (0.5, 0, 0), (2, 0, 0), "a*")
    assert path.reason == (
        "start (0.5, 0, 0) is no node, and this graph has no line of sight to join it to one"
    )
    blind = nt.Graph(points, edges, sight=lambda *ends: False)
    path = nt.plan(blind, (0, 0, 0), (0, 1, 0), "a*")
    assert path.reason == "goal (0, 1, 0) sees no node of the graph that has an edge"


def test_wrong_arguments():
    points = [(0, 0, 0), (1, 0, 0)]
    with pytest.raises(ValueError, match=r"points have shape \(2, 4\); expected"):
        nt.Graph(np.zeros((2, 4)), [])
    with pytest.raises(ValueError, match=r"point 1 is .*nan.*; coordinates must be finite"):
        nt.Graph([(0, 0), (0, math.nan)], [])
    with pytest.raises(ValueError, match=r"edge 0 is \(0, 2\); .* nodes from 0 to 1"):
        nt.Graph(points, [(0, 2)])
    with pytest.raises(ValueError, match="pairs of node numbers"):
        nt.Graph(points, [(0.0, 1.0)])
    with pytest.raises(ValueError, match="sight is 3; expected a Grid, a function or None"):
        nt.Graph(points, [(0, 1)], sight=3)
    with pytest.raises(ValueError, match="can't be compiled"):
        nt.Graph(points, [(0, 1)], sight=lambda *ends: open("x"))  # noqa: SIM115
    with pytest.raises(ValueError, match="of use only where sight is a Grid"):
        nt.Graph(points, [(0, 1)], radius=0.2)
    with pytest.raises(ValueError, match=r"theta\* needs lines of sight"):
        nt.Planner(nt.Graph(points, [(0, 1)]), "theta*")
    with pytest.raises(ValueError, match="jps jumps along rows of cells"):
        nt.Planner(nt.Graph(points, [(0, 1)]), "jps")
    with pytest.raises(ValueError, match="cost is 'steps'"):
        nt.Planner(nt.Graph(points, [(0, 1)]), "a*", cost="steps")
    with pytest.raises(ValueError, match=r"there is no edge between \(0, 1\)"):
        nt.Graph(points, []).shut([(0, 1)])
    with pytest.raises(ValueError, match="expected numbers from 0 to 1"):
        nt.Graph(points, [(0, 1)]).block([2])


def test_a_graph_without_edges():
    path = nt.plan(nt.Graph([(0, 0, 0), (1, 0, 0)], []), (0, 0, 0), (1, 0, 0), "a*")
    assert (
        path.reason
        == "there is no way: 1 nodes were expanded from the start on, and no more can be reached"
    )
    assert not nt.plan(nt.Graph(np.empty((0, 3)), []), (0, 0, 0), (1, 0, 0), "a*").found


def test_legs_of_a_polyline_in_the_plane():
    blocked = np.zeros((6, 4), bool)
    blocked[3, 1:] = True
    graph = nt.Graph([(0.5, 0.5), (5.5, 0.5)], [(0, 1)], sight=nt.Grid(blocked))
    places = np.array([(0.5, 2.5), (2.5, 2.5), (4.5, 2.5), (4.5, 0.5), (1.5, 0.5)])
    assert graph.blocked_legs(graph.kernel_graph(), places) == [1]


CODE = """
import noctule as nt
graph = nt.Graph([(0, 0), (3, 0), (3, 4), (6, 4)], [(0, 1), (1, 2), (2, 3)],
                 sight=lambda x0, y0, x1, y1: abs(x1 - x0) < 4)
for name in ("a*", "theta*", "d*-lite"):
    print(nt.plan(graph, (0, 0), (6, 4), name).points.tolist())
"""


def test_interpreted_equals_compiled():
    outputs = [
        subprocess.run(
            [sys.executable, "-c", CODE],
            env={**os.environ, "NUMBA_DISABLE_JIT": switch},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for switch in ("0", "1")
    ]
    assert outputs[0] == outputs[1]

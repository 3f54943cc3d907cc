"""Algorithms and graphs of other packages: registered, checked and run like our own."""

import heapq
import importlib.metadata
import json
import math

import numpy as np
import pytest

import noctule as nt
from noctule import entry_points
from noctule.cli import main
from noctule.core.jit import kernel
from noctule.graphs.protocol import distance, neighbours
from noctule.graphs.registered import graph_names
from noctule.registry import find_algorithm


def greedy(graph, start, goal, limits):
    """Greedy best-first search."""
    parent, heap, expanded = {start: start}, [(graph.distance(start, goal), start)], 0
    while heap and not limits.reached(expanded):
        _, s = heapq.heappop(heap)
        if s == goal:
            return nt.SearchResult.from_parents(parent, goal, expanded)
        expanded += 1
        for t, _ in graph.neighbours(s):
            if t not in parent:
                parent[t] = s
                heapq.heappush(heap, (graph.distance(t, goal), t))
    return nt.SearchResult.not_found(expanded)


@pytest.fixture
def grid():
    return nt.Grid(np.random.default_rng(2).random((12, 11, 6)) < 0.2)


@pytest.fixture
def ends(grid):
    free = np.argwhere(~grid.blocked)
    return grid.centre(free[0]), grid.centre(free[-1])


def register(function, name="mine", **properties):
    return nt.register_algorithm(name, **properties)(function)


def test_it_runs_wherever_an_algorithm_does(grid, ends):
    assert register(greedy) is greedy
    path = nt.plan(grid, *ends, "mine")
    assert path.found
    assert nt.verify(path, grid)
    assert (path.algorithm, path.engine) == ("mine", "python")
    assert nt.Planner(grid, "mine").plan(*ends).length == path.length
    assert [p.length for p in nt.plan_many(grid, [ends] * 3, "mine")] == [path.length] * 3
    assert nt.algorithms()[-1].summary == "Greedy best-first search."
    assert find_algorithm("MINE").search.function is greedy
    assert nt.plan(grid, *ends, "mine", radius=0.4, nearest=True).found


def test_ends_that_are_no_nodes():
    """Ends are joined to the nearest node; beside other nodes no bound is proven."""
    register(greedy, optimal=True)
    grid = nt.Grid(np.zeros((5, 5), bool))
    path = nt.plan(grid, (0.2, 0.3), (4.9, 4.6), "mine")
    assert path.points[[0, -1]].tolist() == [[0.2, 0.3], [4.9, 4.6]]
    assert nt.verify(path, grid)
    points = [(0, 0), (4, 1), (8, 0), (4, 9)]
    graph = nt.Graph(points, [(0, 1), (1, 2), (0, 3), (2, 3)], sight=lambda *ends: True)
    path = nt.plan(graph, (0, -1), (8, -1), "mine")
    assert path.found
    assert path.bound == path.length / 8
    assert nt.plan(graph, (0, 0), (8, 0), "mine").bound == 1.0


def test_the_nearest_nodes_may_lie_apart():
    """Nodes in the order of their distance from the ends: those that are joined are found."""
    register(greedy)
    points = [(1, 0), (0, 2), (9, 2), (8, 0), (4, 5)]
    graph = nt.Graph(points, [(1, 4), (4, 2)], sight=lambda x0, y0, x1, y1: abs(x1 - x0) < 5)
    path = nt.plan(graph, (0, 0), (9, 0), "mine")
    assert path.nodes.tolist() == [1, 4, 2]
    assert nt.verify(path, graph)
    graph.shut([(4, 2)])
    assert not nt.plan(graph, (0, 0), (9, 0), "mine").found


def test_limits_reach_it(grid, ends):
    seen = []

    def ask(graph, start, goal, limits):
        seen.append(limits)
        return nt.SearchResult([start], limits.max_expanded, found=False)

    register(ask)
    path = nt.plan(grid, *ends, "mine", max_expanded=7, time_limit=5.0)
    assert seen[-1].max_expanded == 7
    assert 4 < seen[-1].time_left < 5
    assert path.partial
    assert path.reason.startswith("stopped at the limit of 7 expansions or 5 seconds")
    assert path.points.tolist() == [ends[0].tolist()]
    nt.plan(grid, *ends, "mine")
    assert seen[-1].max_expanded > 1 << 60
    assert seen[-1].deadline == math.inf
    register(greedy, replace=True)
    path = nt.plan(grid, *ends, "mine", max_expanded=3)
    assert not path.found
    assert path.expanded == 3
    assert path.reason == "stopped at the limit of 3 expansions, before there was a path"


def test_no_way(grid):
    register(greedy)
    walled = np.zeros((5, 5), bool)
    walled[2] = True
    path = nt.plan(nt.Grid(walled), (0.5, 0.5), (4.5, 4.5), "mine")
    assert not path.found
    assert path.reason.startswith("there is no way: 10 nodes were expanded")


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda s, t: [s, t], "returned a list; expected a noctule.SearchResult"),
        (lambda s, t: None, "returned a NoneType"),
        (lambda s, t: nt.SearchResult([s, t], 1), "no edge joins them"),
        (lambda s, t: nt.SearchResult([], 1), "found a path without nodes"),
        (lambda s, t: nt.SearchResult([t], 1), "the start is"),
        (lambda s, t: nt.SearchResult([s], 1), "the goal is"),
        (lambda s, t: nt.SearchResult([s, -5, t], 1), "over -5, which is no node"),
        (lambda s, t: nt.SearchResult([s, 0, t], 1), "over 0, which is no node"),
        (lambda s, t: nt.SearchResult([s, 10**12, t], 1), "which is no node"),
        (lambda s, t: nt.SearchResult([s, 1.5, t], 1), "are whole numbers"),
        (lambda s, t: nt.SearchResult([s, t], "many"), "are whole numbers"),
        (lambda s, t: nt.SearchResult.from_parents({t: s}, t, 1), "parent has nothing for"),
        (lambda s, t: nt.SearchResult.from_parents({t: s, s: t}, t, 1), "form a cycle"),
    ],
)
def test_wrong_results_are_refused(grid, ends, result, message):
    register(lambda graph, start, goal, limits: result(start, goal))
    with pytest.raises(ValueError, match=message):
        nt.plan(grid, *ends, "mine")


def test_any_angle_needs_line_of_sight():
    def straight(graph, start, goal, limits):
        return nt.SearchResult([start, goal], 1)

    blocked = np.zeros((6, 6), bool)
    blocked[3, :5] = True
    grid = nt.Grid(blocked)
    register(straight, any_angle=True)
    assert nt.plan(grid, (0.5, 5.5), (5.5, 5.5), "mine").length == 5.0
    with pytest.raises(ValueError, match="no edge joins them, and neither sees the other"):
        nt.plan(grid, (0.5, 0.5), (5.5, 0.5), "mine")
    with pytest.raises(ValueError, match="mine needs lines of sight"):
        nt.Planner(nt.Graph([(0, 0), (1, 0)], [(0, 1)]), "mine")


def test_the_view_of_a_graph(grid):
    view = nt.GraphView(grid)
    s = int(grid.entry_nodes(grid.centre(np.argwhere(~grid.blocked)[5]))[0])
    here = view.position(s)
    for t, cost in view.neighbours(s):
        assert math.isclose(cost, math.dist(here, view.position(t)), rel_tol=1e-12)
        assert math.isclose(view.distance(s, t), cost, rel_tol=1e-12)
        assert view.line_of_sight(s, t)
    small = nt.GraphView(nt.Grid(grid.blocked, cell=0.25))
    assert [c / 4 for _, c in view.neighbours(s)] == [c for _, c in small.neighbours(s)]
    star = nt.Graph([(0, 0)] + [(1, y) for y in range(99)], [(0, y + 1) for y in range(99)])
    assert sorted(t for t, _ in nt.GraphView(star).neighbours(0)) == list(range(1, 100))
    for wrong in (-1, 0, grid.node_count, "a", 1.0):
        with pytest.raises(ValueError, match="is no node of"):
            view.neighbours(wrong)


def test_wrong_registrations():
    for name in ("", "Greedy", "a b", 3, None):
        with pytest.raises(ValueError, match="name of algorithm is"):
            nt.register_algorithm(name)
    for name in ("a*", "astar", "theta-star"):
        with pytest.raises(ValueError, match=r"registered already; choose another name$"):
            register(greedy, name)
    register(greedy)
    with pytest.raises(ValueError, match=r"'mine' is registered already; .* or replace=True"):
        register(greedy)
    with pytest.raises(ValueError, match=r"takes \(graph, start\); expected \(graph, start, goal"):
        register(lambda graph, start: None, "other")
    with pytest.raises(ValueError, match="is 3; expected a function"):
        register(3, "other")
    with pytest.raises(ValueError, match="name of graph is 'My graph'"):
        nt.register_graph("My graph")
    with pytest.raises(ValueError, match="'cells' is registered already"):
        nt.register_graph("cells", replace=True)
    with pytest.raises(ValueError, match="expected one of cells, hybrid"):
        nt.make_graph("no-such-graph")
    nt.register_graph("three")(lambda: 3)
    with pytest.raises(ValueError, match=r"'three' is a int; expected a noctule\.SearchGraph"):
        nt.make_graph("three")
    with pytest.raises(ValueError, match=r"did you mean mine\?"):
        nt.plan(nt.Grid([[False]]), (0.5, 0.5), (0.5, 0.5), "minee")


def test_options_that_it_does_not_have(grid):
    register(greedy)
    for option, value in (("weight", 2.0), ("heuristic", "straight"), ("hierarchical", True)):
        with pytest.raises(ValueError, match=f"{option} is"):
            nt.Planner(grid, "mine", **{option: value})


def memory(n):
    return np.empty(n, np.int64), np.zeros(n, np.int64)


@kernel
def wander(graph, memory, start, goal, max_expanded, nodes):
    """Go to the neighbour nearest the goal, as long as that is nearer."""
    s, n = start, 0
    path, _ = memory
    path[0] = s
    while s != goal and n + 1 < max_expanded:
        best = s
        for t, _ in neighbours(graph, s):
            if distance(graph, t, goal) < distance(graph, best, goal):
                best = t
        if best == s:
            return n + 1, 0
        n += 1
        s = best
        path[n] = s
    for i in range(n + 1):
        nodes[i] = path[n - i]
    return n + 1, n + 1 if s == goal else 0


def test_kernels():
    from typing import NamedTuple

    grid = nt.Grid(np.zeros((9, 8), bool))
    register(greedy)

    class Steps(NamedTuple):
        path: np.ndarray
        unused: np.ndarray

    nt.register_kernels("mine", lambda n: Steps(*memory(n)), wander)
    fast, plain = (
        nt.plan(grid, (0.5, 0.5), (8.5, 5.5), "mine", engine=engine)
        for engine in ("fast", "reference")
    )
    assert (fast.engine, plain.engine) == ("kernels", "python")
    assert fast.length == plain.length
    late = nt.plan(grid, (0.5, 0.5), (8.5, 5.5), "mine", time_limit=10.0)
    assert np.array_equal(late.nodes, fast.nodes)
    stopped = nt.plan(grid, (0.5, 0.5), (8.5, 5.5), "mine", max_expanded=3)
    assert not stopped.found
    assert "3 expansions" in stopped.reason
    with pytest.raises(ValueError, match=r"name is 'a\*'; expected one that register_algorithm"):
        nt.register_kernels("a*", memory, wander)
    with pytest.raises(ValueError, match="new_memory is 3"):
        nt.register_kernels("mine", 3, wander)
    with pytest.raises(ValueError, match="search is None; expected a kernel"):
        nt.register_kernels("mine", memory, None)


def test_flights_and_navigators():
    register(greedy)
    wall = nt.Body("wall", nt.Box((1, 5, 3)), (6, 3, 1.5))
    agent, target = nt.Agent((1.5, 1.5, 1.5), 0.3), nt.Destination((10.5, 1.5, 1.5), 0.3)
    scene = nt.Scene(nt.Space((0, 0, 0), (12, 9, 6)), agent, target, [wall])
    for graph in ("cells", "hybrid", "waypoints"):
        result = nt.Flight(scene, graph, "mine", limit=20, start=0.0).run()
        assert result.reached, (graph, result.reason)
    with nt.Navigator(scene, "cells", "mine") as navigator:
        step = navigator.step(0.0, agent.start, target.start)
        assert step.path.found
        assert nt.verify(step.path, navigator.graph)


def test_commands(capsys):
    register(greedy, summary="greedy best-first search")
    assert main(["algorithms", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)[-1]
    assert (listed["name"], listed["summary"]) == ("mine", "greedy best-first search")
    assert main(["algorithms"]) == 0
    assert "greedy best-first search" in capsys.readouterr().out
    assert main(["compare", "--algorithms", "a*,mine", "--json"]) == 0
    paths = json.loads(capsys.readouterr().out)["paths"]
    assert [path["algorithm"] for path in paths] == ["a*", "mine"]
    assert all(path["verified"] for path in paths)


class Entry:
    """An entry point of a package that is not installed."""

    def __init__(self, group, name, load):
        self.group, self.name, self.load = group, name, load
        self.value, self.dist = f"somewhere:{name}", None


@pytest.fixture
def installed(monkeypatch):
    entries = []

    def find(group, name=None):
        return [e for e in entries if e.group == group and name in (None, e.name)]

    monkeypatch.setattr(entry_points, "entry_points", find)
    monkeypatch.setattr(entry_points, "_loaded", set())
    return entries


def test_entry_points_are_loaded_when_they_are_asked_for(installed, grid, ends):
    loads = []

    def load():
        loads.append("greedy")
        return greedy

    def load_registered():
        loads.append("registered")
        return register(greedy, "registered")

    installed.append(Entry("noctule.algorithms", "greedy", load))
    installed.append(Entry("noctule.algorithms", "registered", load_registered))
    nt.plan(grid, *ends, "a*")
    assert loads == []
    assert nt.plan(grid, *ends, "greedy").found
    assert loads == ["greedy"]
    assert [row.name for row in nt.algorithms()][-2:] == ["greedy", "registered"]
    nt.algorithms()
    assert loads == ["greedy", "registered"]


def test_entry_points_of_graphs(installed):
    installed.append(Entry("noctule.graphs", "pair", lambda: lambda: nt.Graph([(0, 0)], [])))
    assert len(nt.make_graph("pair")) == 1
    assert graph_names() == ("cells", "hybrid", "waypoints", "pair")


def test_entry_points_that_cannot_be_loaded(installed, caplog):
    def fail():
        raise ImportError("no module named somewhere")

    installed.append(Entry("noctule.algorithms", "broken", fail))
    with pytest.raises(ValueError, match="'somewhere:broken' of a package can't be loaded: no mod"):
        find_algorithm("broken")
    assert "broken" not in [row.name for row in nt.algorithms()]
    assert "can't be loaded" in caplog.text
    with pytest.raises(ValueError, match="unknown algorithm 'other'"):
        find_algorithm("other")


def test_real_entry_points_are_read():
    assert entry_points.entry_points is importlib.metadata.entry_points

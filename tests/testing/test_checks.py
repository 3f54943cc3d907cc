"""`check_algorithm` and `check_graph`: our own rows pass, and what is wrong does not."""

import heapq
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import noctule as nt
from noctule.testing import check_algorithm, check_graph

ROWS = Path(__file__).with_name("all_rows.py")


def test_every_algorithm_passes_interpreted():
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", str(ROWS)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    result = subprocess.run(
        command,
        env=environment,
        cwd=ROWS.parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-3000:]
    assert " passed" in result.stdout


def uniform_cost(graph, start, goal, limits):
    """Dijkstra's algorithm."""
    parent, best, heap, expanded = {start: start}, {start: 0.0}, [(0.0, start)], 0
    while heap:
        g, s = heapq.heappop(heap)
        if g > best[s]:
            continue
        if s == goal:
            return nt.SearchResult.from_parents(parent, goal, expanded)
        expanded += 1
        for t, c in graph.neighbours(s):
            if g + c < best.get(t, np.inf):
                parent[t], best[t] = s, g + c
                heapq.heappush(heap, (g + c, t))
    return nt.SearchResult.not_found(expanded)


def depth_first(graph, start, goal, limits):
    parent, stack = {start: start}, [start]
    while stack:
        s = stack.pop()
        if s == goal:
            return nt.SearchResult.from_parents(parent, goal, len(parent))
        for t, _ in graph.neighbours(s):
            if t not in parent:
                parent[t] = s
                stack.append(t)
    return nt.SearchResult.not_found(len(parent))


def gives_up_early(graph, start, goal, limits):
    found = uniform_cost(graph, start, goal, limits)
    return found if len(found.nodes) < 6 else nt.SearchResult.not_found(found.expanded)


def goes_through_anything(graph, start, goal, limits):
    return nt.SearchResult([start, goal] if start != goal else [start], 1)


def crashes(graph, start, goal, limits):
    return {}[goal]


def moody():
    calls = []

    def search(graph, start, goal, limits):
        calls.append(start)
        return (uniform_cost if len(calls) % 2 else depth_first)(graph, start, goal, limits)

    return search


def registered(function, **properties):
    nt.register_algorithm("mine", replace=True, **properties)(function)
    return "mine"


def test_a_right_algorithm_passes():
    check_algorithm(registered(uniform_cost, optimal=True), worlds=1)


@pytest.mark.parametrize(
    ("function", "properties", "message"),
    [
        (depth_first, {"optimal": True}, r"mine on cells in the plane, world 0.*the shortest path"),
        (gives_up_early, {}, r"found is False, but Dijkstra's algorithm finds a path"),
        (goes_through_anything, {}, r"raised ValueError: .*no edge joins them"),
        (goes_through_anything, {"any_angle": True}, r"neither sees the other"),
        (crashes, {}, r"raised KeyError"),
        (moody(), {}, r"a second search gives another path"),
    ],
)
def test_wrong_algorithms_do_not(function, properties, message):
    with pytest.raises(AssertionError, match=message):
        check_algorithm(registered(function, **properties), worlds=1)


def test_what_applies_nowhere(monkeypatch):
    with pytest.raises(ValueError, match="unknown algorithm"):
        check_algorithm("no-such-algorithm")


POINTS = [(0, 0), (3, 0), (3, 4), (0, 4), (1.5, 2)]
EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 0), (4, 2)]


class Wrapped(nt.SearchGraph):
    """A right graph, of which the tests spoil one member."""

    dimension, version, node_count = 2, 0, 5

    def __init__(self, sees=True):
        sight = (lambda *ends: True) if sees else None
        self.inner = nt.Graph(POINTS, EDGES, sight=sight)

    def kernel_graph(self, radius=0.0):
        return self.inner.kernel_graph(radius)

    def positions(self, nodes):
        return self.inner.positions(nodes)

    def entry_nodes(self, point):
        return self.inner.entry_nodes(point)

    def is_free(self, p, q):
        return self.inner.is_free(p, q)

    def changes_since(self, version):
        return []


def test_a_right_graph_passes():
    check_graph(Wrapped(), algorithms="all")
    check_graph(Wrapped(sees=False), algorithms=["a*", "d*-lite"])
    check_graph(nt.Grid(np.zeros((4, 3), bool)), algorithms="a*")


class OneWay(Wrapped):
    def kernel_graph(self, radius=0.0):
        graph = super().kernel_graph(radius)
        target = graph.target.copy()
        target[0] = 2  # an edge of node 0 leads elsewhere
        return graph._replace(target=target)


class Cheap(Wrapped):
    def kernel_graph(self, radius=0.0):
        graph = super().kernel_graph(radius)
        return graph._replace(length=0.5 * graph.length)


class Costly(Wrapped):
    def kernel_graph(self, radius=0.0):
        graph = super().kernel_graph(radius)
        length = graph.length.copy()
        length[0] *= 2
        return graph._replace(length=length)


class Moved(Wrapped):
    def positions(self, nodes):
        moved = np.array(self.inner.positions(np.asarray(nodes)))
        moved[np.asarray(nodes) == 4] += 0.25
        return moved


class Flat(Wrapped):
    def positions(self, nodes):
        return np.zeros(len(nodes))


class Closed(Wrapped):
    def is_free(self, p, q):
        return False


class Elsewhere(Wrapped):
    def entry_nodes(self, point):
        return [0]


class Restless(Wrapped):
    def changes_since(self, version):
        return [1]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (OneWay, r"is not there in the other direction"),
        (Cheap, r"its ends are .* apart"),
        (Costly, r"and .* back"),
        (Moved, r"apart|entry_nodes"),
        (Flat, r"positions have shape"),
        (Closed, r"is not free, says is_free"),
        (Elsewhere, r"entry_nodes at node 1 are \[0\]"),
        (Restless, r"changes_since\(0\), its own version"),
    ],
)
def test_wrong_graphs_do_not(kind, message):
    with pytest.raises(AssertionError, match=message):
        check_graph(kind(), algorithms="a*")


def test_an_algorithm_that_was_named_has_to_apply():
    with pytest.raises(AssertionError, match=r"jps on .*: jps jumps"):
        check_graph(Wrapped(), algorithms=["jps"])
    with pytest.raises(AssertionError, match=r"is no noctule.SearchGraph"):
        check_graph(3)

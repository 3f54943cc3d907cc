"""`check_graph`: check a graph, and all algorithms on it."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from noctule.graphs.base import SearchGraph
from noctule.graphs.compiled import CompiledGraph
from noctule.graphs.registered import make_graph
from noctule.planning.planner import Planner
from noctule.plugins.graph_view import GraphView
from noctule.registry import algorithms as all_algorithms
from noctule.registry import find_algorithm
from noctule.testing.algorithm_checks import check_queries
from noctule.testing.path_checks import attempt, planner_of
from noctule.testing.scenarios import usable_nodes

SAMPLE = 60  # nodes that are looked at, of a large graph


def check_graph(
    graph: SearchGraph | str,
    algorithms: str | Iterable[str] = "all",
    *,
    radius: float = 0.0,
    queries: int = 3,
    seed: int = 0,
) -> None:
    """Check a graph, and that algorithms find free paths on it.

    Every edge is there in both directions with the same cost, at least the distance of its ends;
    distances are those of the positions; lines of sight are the same in both directions; a node
    with edges is its own entry. Then every algorithm that applies to the graph is checked as by
    `check_algorithm`.

    Parameters
    ----------
    graph : SearchGraph or str
        A graph, or the name of a registered one that is made without arguments.
    algorithms : str or iterable of str
        Names, or "all": those that do not apply are left out then.
    radius : float
        Radius of the agent.
    queries : int
        Number of random queries for each algorithm.
    seed : int
        Draws nodes and queries.

    Raises
    ------
    AssertionError
        Names what is wrong.

    Examples
    --------
    >>> import noctule as nt
    >>> from noctule.testing import check_graph
    >>> check_graph(nt.Graph([(0, 0), (3, 0), (3, 4)], [(0, 1), (1, 2)]), algorithms=["a*"])
    """
    if isinstance(graph, str):
        graph = make_graph(graph)
    assert isinstance(graph, SearchGraph), f"{graph!r} is no noctule.SearchGraph"
    what, rng = repr(graph), np.random.default_rng(seed)
    _check_members(what, graph)
    nodes = np.array([s for s in range(graph.node_count) if graph.has_node(s)], np.int64)
    if isinstance(graph, CompiledGraph):  # not those in obstacles, whose edges only lead out
        nodes = usable_nodes(graph, radius)
    assert len(nodes), f"{what}: it has no node"
    chosen = nodes if len(nodes) <= SAMPLE else rng.choice(nodes, SAMPLE, replace=False)
    view = GraphView(graph, graph.kernel_graph(radius))
    for s in chosen.tolist():
        _check_node(what, graph, view, s)
    _check_distances(what, graph, view, rng.choice(nodes, (SAMPLE, 2)))
    every = algorithms == "all"
    if every:
        names = [row.name for row in all_algorithms()]
    else:
        names = [algorithms] if isinstance(algorithms, str) else list(algorithms)
    tried = 0
    for name in names:
        row = find_algorithm(name)
        planner: Planner | str = planner_of(graph, row, radius)
        if isinstance(planner, str):
            assert every, f"{row.name} on {what}: {planner}"
            continue
        check_queries(f"{row.name} on {what}", row, planner, graph, radius, rng, queries)
        tried += 1
    assert tried, f"{what}: no algorithm applies to it"


def _check_members(what: str, graph: SearchGraph) -> None:
    n = graph.node_count
    assert isinstance(n, int | np.integer) and n >= 0, f"{what}: node_count is {n!r}"  # noqa: PT018
    assert graph.dimension in (2, 3), f"{what}: dimension is {graph.dimension!r}"
    version: Any = graph.version
    assert isinstance(version, int | np.integer), f"{what}: version is {version!r}"
    changes = attempt(f"{what}, changes_since", graph.changes_since, version)
    assert changes is None or len(np.atleast_1d(changes)) == 0, (
        f"{what}: changes_since({version}), its own version, is {changes!r}; expected none"
    )
    positions = attempt(f"{what}, positions", graph.positions, np.arange(n))
    shape = np.shape(positions)
    assert shape == (n, graph.dimension), f"{what}: positions have shape {shape}"
    assert np.isfinite(positions).all(), f"{what}: positions are not finite"


def _check_node(what: str, graph: SearchGraph, view: GraphView, s: int) -> None:
    """Check the edges of a node, and that it is its own entry."""
    here = graph.positions(np.array([s]))[0]
    edges = list(view.neighbours(s))
    for t, c in edges:
        edge = f"{what}: the edge from node {s} to node {t}"
        assert t != s, f"{edge} is a loop"
        assert graph.has_node(t), f"{edge} leads to no node"
        back = [cost for u, cost in view.neighbours(t) if u == s]
        assert back, f"{edge} is not there in the other direction"
        assert math.isclose(back[0], c, rel_tol=1e-9), f"{edge} costs {c}, and {back[0]} back"
        there = graph.positions(np.array([t]))[0]
        straight = math.dist(here, there)
        assert c >= straight * (1 - 1e-9), f"{edge} costs {c}; its ends are {straight} apart"
        assert graph.is_free(here, there), f"{edge} is not free, says is_free"
    entries = np.atleast_1d(np.asarray(graph.entry_nodes(here))).tolist()
    assert not edges or entries == [s], (
        f"{what}: entry_nodes at node {s} are {entries}; expected itself alone"
    )


def _check_distances(what: str, graph: SearchGraph, view: GraphView, pairs: np.ndarray) -> None:
    """Check distances and lines of sight between nodes."""
    for s, t in pairs.tolist():
        p, q = graph.positions(np.array([s, t]))
        there, straight = view.distance(s, t), math.dist(p, q)
        near = math.isclose(there, straight, rel_tol=1e-6, abs_tol=1e-9)
        assert near, f"{what}: distance({s}, {t}) is {there}; the nodes are {straight} apart"
        if view.has_sight:
            sees, seen = view.line_of_sight(s, t), view.line_of_sight(t, s)
            assert sees == seen, f"{what}: node {s} sees node {t}: {sees}, and back: {seen}"

"""`check_algorithm`: try an algorithm on every kind of graph."""

import math

import numpy as np

from noctule.graphs.base import SearchGraph
from noctule.graphs.grid.grid import Grid
from noctule.planning.planner import Planner
from noctule.plugins.graph_view import GraphView
from noctule.registry import Algorithm, find_algorithm
from noctule.testing.path_checks import (
    attempt,
    check_edges,
    check_length,
    check_path,
    describe,
    dijkstra,
    planner_of,
    same,
)
from noctule.testing.scenarios import SCENARIOS, Scenario, usable_nodes

QUERIES = 3  # before the graph changes, and after each change
CHANGES = 3


def check_algorithm(name: str, *, worlds: int = 2, seed: int = 0) -> None:
    """Check an algorithm, registered or of this package, on small graphs of every kind.

    On every graph that it applies to: it finds a path exactly if Dijkstra's algorithm does; each
    path is free (`verify`), has the right ends and adds up to its length; one along edges goes
    along edges and is within its bound; that of an optimal algorithm is a shortest one. All that
    holds again after the graph has changed and start and goal have moved, with the planner of
    before. Two planners give the same path. A goal in an obstacle is refused with a reason.

    Parameters
    ----------
    name : str
        The name of an algorithm.
    worlds : int
        Number of random worlds in each scenario.
    seed : int
        Draws them.

    Raises
    ------
    AssertionError
        Names the scenario and what is wrong.

    Examples
    --------
    >>> from noctule.testing import check_algorithm
    >>> check_algorithm("a*", worlds=1)
    """
    row = find_algorithm(name)
    refused: dict[str, str] = {}
    applied = 0
    for number, scenario in enumerate(SCENARIOS):
        for world in range(worlds):
            rng = np.random.default_rng([seed, number, world])
            what = f"{row.name} on {scenario.name}, world {world}"
            reason = _check_scenario(what, row, scenario, rng)
            if reason:
                refused[scenario.name] = reason
                break
            applied += 1
    reasons = "; ".join(f"{kind}: {reason}" for kind, reason in refused.items())
    assert applied, f"{row.name} applies to no scenario: {reasons}"


def _check_scenario(what: str, row: Algorithm, scenario: Scenario, rng: np.random.Generator) -> str:
    """Check an algorithm in a scenario; return why it does not apply there, else nothing."""
    graph = scenario.make(rng)
    planner = planner_of(graph, row, scenario.radius)
    if isinstance(planner, str):
        return planner
    for change in range(CHANGES + 1):
        if change:
            scenario.change(graph, rng)
        now = f"{what}, after {change} changes" if change else what
        exact = not (row.timed and scenario.moves)
        check_queries(now, row, planner, graph, scenario.radius, rng, exact=exact)
    _check_blocked_goal(what, planner, graph)
    return ""


def check_queries(
    what: str,
    row: Algorithm,
    planner: Planner,
    graph: SearchGraph,
    radius: float,
    rng: np.random.Generator,
    queries: int = QUERIES,
    exact: bool = True,
) -> None:
    """Check paths between random nodes, with a planner that may have planned before.

    Unless `exact`, the paths are not compared with those of Dijkstra's algorithm.
    """
    nodes = usable_nodes(graph, radius)
    if not len(nodes):
        return
    kernel_graph = graph.kernel_graph(radius)
    view = GraphView(graph, kernel_graph)
    for _ in range(queries):
        s, t = (int(node) for node in rng.choice(nodes, 2))
        start, goal = graph.positions(np.array([s, t]))
        query = f"{what}, {describe(start, goal)}"
        lengths = dijkstra(view, s)
        shortest = lengths.get(t, math.inf)
        path = attempt(query, planner.plan, start, goal)
        if graph.tries_straight_line:  # no edge, but found at once
            places = graph.in_cells("start", start), graph.in_cells("goal", goal)
            if graph.segment_is_free(kernel_graph, *places):
                shortest = min(shortest, math.dist(start, goal))
        check_path(query, path, graph, (start, goal))
        if exact:
            check_length(query, row, path, shortest)
        assert path.algorithm == row.name, f"{query}: algorithm is {path.algorithm!r}"
        if path.found and not row.any_angle and len(path.nodes) > 1 and path.expanded:
            check_edges(query, path, view, node_numbers(graph, path.nodes))
        fresh = [planner_of(graph, row, radius) for _ in range(2)]
        first, second = (attempt(query, other.plan, start, goal) for other in fresh)  # type: ignore[union-attr]
        same(query, first, second)
        assert path.found == first.found, f"{query}: a new planner finds another answer"
    start = graph.positions(nodes[:1])[0]
    path = attempt(f"{what}, start is goal", planner.plan, start, start)
    assert path.found, f"{what}, start is goal: no path: {path.reason}"
    assert path.length == 0.0, f"{what}, start is goal: length is {path.length}"


def node_numbers(graph: SearchGraph, indices: np.ndarray) -> list[int]:
    """Return the numbers of the nodes of a path."""
    numbers = graph.number(indices) if isinstance(graph, Grid) else indices
    return [int(s) for s in numbers]


def _check_blocked_goal(what: str, planner: Planner, graph: SearchGraph) -> None:
    """Check what is said of a goal in a blocked cell."""
    if not isinstance(graph, Grid):
        return
    blocked, free = np.argwhere(graph.blocked), np.argwhere(~graph.blocked)
    if not len(blocked) or not len(free):
        return
    start, goal = graph.centre(free[0]), graph.centre(blocked[0])
    path = attempt(f"{what}, goal in a blocked cell", planner.plan, start, goal)
    check_path(f"{what}, goal in a blocked cell", path, graph, (start, goal))

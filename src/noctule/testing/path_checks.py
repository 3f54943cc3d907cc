"""What holds for every path, whatever found it."""

import heapq
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.core.validation import PointLike, show
from noctule.graphs.base import SearchGraph
from noctule.path import Path, polyline_length
from noctule.planning.planner import Planner
from noctule.plugins.graph_view import GraphView
from noctule.registry import Algorithm
from noctule.verification.verify import violations

ROUNDED = 1e-7  # relative; whole-number costs of incremental searches


def dijkstra(view: GraphView, start: int) -> dict[int, float]:
    """Return the length of the shortest path along edges to every node that has one."""
    best: dict[int, float] = {}
    queue = [(0.0, start)]
    while queue:
        g, s = heapq.heappop(queue)
        if s in best:
            continue
        best[s] = g
        for t, c in view.neighbours(s):
            if t not in best:
                heapq.heappush(queue, (g + c, t))
    return best


def attempt(what: str, plan: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Return what a call returns; an error in it is a failed check."""
    try:
        return plan(*arguments, **options)
    except Exception as error:
        raise AssertionError(f"{what}: raised {type(error).__name__}: {error}") from error


def check_path(what: str, path: Path, graph: SearchGraph, ends: tuple[Any, Any]) -> None:
    """Check that a path is free, is as long as it says and has the right ends."""
    start, goal = (np.asarray(end, np.float64) for end in ends)
    if not path.found:
        assert path.reason, f"{what}: there is no path, and no reason"
        assert path.length == math.inf or path.partial, f"{what}: no path, of length {path.length}"
    if not len(path.points):
        assert not path.found, f"{what}: found a path without points"
        return
    _near(f"{what}: the path starts at", path.points[0], start, graph)
    if path.found:
        assert path.reached_goal, f"{what}: found a path, but not to the goal"
        _near(f"{what}: the path ends at", path.points[-1], goal, graph)
    length = polyline_length(path.points)
    assert math.isclose(path.length, length, rel_tol=1e-9, abs_tol=1e-12), (
        f"{what}: length is {path.length}, its legs add up to {length}"
    )
    for violation in violations(path, graph):
        raise AssertionError(f"{what}: {violation}: {path.points.tolist()}")
    direct = float(np.linalg.norm(start - path.points[-1]))
    assert path.length >= direct * (1 - 1e-9), f"{what}: shorter than the straight line"
    assert path.bound >= 1.0, f"{what}: bound is {path.bound}"


def check_length(what: str, row: Algorithm, path: Path, shortest: float) -> None:
    """Compare a path between two nodes with the shortest path along edges."""
    connected = math.isfinite(shortest)
    assert path.found == connected, (
        f"{what}: found is {path.found}, but Dijkstra's algorithm "
        f"{'finds a path' if connected else 'finds none'}; reason: {path.reason!r}"
    )
    if not path.found:
        return
    if not row.any_angle:
        assert path.length >= shortest * (1 - ROUNDED), (
            f"{what}: length {path.length} is less than the shortest path along edges, {shortest}"
        )
    if row.optimal:
        assert path.length <= shortest * (1 + ROUNDED) + 1e-12, (
            f"{what}: length {path.length}; the shortest path has {shortest}"
        )
    if not row.any_angle:
        assert path.length <= path.bound * shortest * (1 + ROUNDED) + 1e-12, (
            f"{what}: length {path.length} is beyond the bound, {path.bound} times {shortest}"
        )


def check_edges(what: str, path: Path, view: GraphView, nodes: list[int]) -> None:
    """Check that a path along edges goes along edges."""
    for s, t in itertools.pairwise(nodes):
        joined = any(u == t for u, _ in view.neighbours(s))
        assert joined, f"{what}: the path goes from node {s} to node {t}; no edge joins them"


def same(what: str, path: Path, other: Path) -> None:
    """Check that two searches for the same path give the same answer."""
    equal = path.found == other.found and np.array_equal(path.points, other.points)
    assert equal, (
        f"{what}: a second search gives another path: {path.points.tolist()}, then "
        f"{other.points.tolist()}"
    )


def planner_of(graph: SearchGraph, row: Algorithm, radius: float) -> Planner | str:
    """Return a planner, or why the algorithm does not apply to the graph."""
    try:
        return Planner(graph, row.name, radius=radius)
    except ValueError as error:
        return str(error)


def _near(
    what: str, point: NDArray[np.float64], wanted: NDArray[np.float64], graph: SearchGraph
) -> None:
    near = max(10 * graph.resolution * graph.cell, 1e-9 * float(np.abs(wanted).max(initial=1.0)))
    assert np.abs(point - wanted).max() <= near, f"{what} {show(point)}, not {show(wanted)}"


def describe(start: PointLike, goal: PointLike) -> str:
    """Return the ends of a query as text."""
    return f"from {show(start)} to {show(goal)}"

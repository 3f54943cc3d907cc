"""`OutsideSearch`: run an algorithm of another package as an engine of a planner."""

import inspect
import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.a_star import AStar
from noctule.algorithms.best_first import BestFirst
from noctule.algorithms.endpoint import Endpoint
from noctule.algorithms.search_engine import Result, bind_once
from noctule.core.jit import kernel_short, type_key
from noctule.core.stats import new_stats, work_of
from noctule.core.status import EXHAUSTED, FOUND, STOPPED
from noctule.graphs.base import SearchGraph
from noctule.graphs.heuristics import STRAIGHT
from noctule.graphs.protocol import line_of_sight, neighbours
from noctule.plugins.graph_view import GraphView
from noctule.plugins.search_result import NO_LIMIT, Limits, SearchResult

FIRST_SLICE = 1 << 14  # expansions of the first call of a kernel with a time limit

NO_NODES: NDArray[np.int64] = np.empty(0, np.int64)

Search = Callable[[GraphView, int, int, Limits], SearchResult]


class Kernels(NamedTuple):
    """The compiled version of an algorithm; `register_kernels` describes both."""

    new_memory: Callable[[int], Any]
    search: Callable[..., Any]


class OutsideAlgorithm:
    """An algorithm of another package: a function and, perhaps, a compiled version of it."""

    def __init__(self, name: str, function: Search, any_angle: bool) -> None:
        self.name, self.function, self.any_angle = name, function, any_angle
        self.kernels: Kernels | None = None

    def engine(self, graph: SearchGraph, kernel_graph: Any, reference: bool) -> "OutsideSearch":
        """Return the engine for a graph: the compiled version if there is one."""
        if self.kernels is None or reference:
            return OutsideSearch(self, graph, kernel_graph)
        return OutsideKernels(self, graph, kernel_graph)


class OutsideMemory:
    """What a search leaves behind: its statistics and its path."""

    def __init__(self, n: int) -> None:
        self.stats = new_stats()
        self.nodes = NO_NODES
        self.own: Any = None  # arrays of the compiled version


@kernel_short
def first_wrong_leg(graph: Any, nodes: Any, any_angle: Any) -> Any:
    """Return the first leg of a path that is neither an edge nor, at any angle, free; else -1."""
    for i in range(len(nodes) - 1):
        s, t = nodes[i], nodes[i + 1]
        if any_angle and line_of_sight(graph, s, t):
            continue
        joined = False
        for u, _ in neighbours(graph, s):
            joined = joined or u == t
        if not joined:
            return i
    return -1


class OutsideSearch:
    """Calls the Python function; a search can't be resumed, so all limits are given at once.

    Start and goal are one node each, the first of those that the end of the path sees, mostly the
    nearest. Where no path joins these, A* says which of the others are joined.
    """

    name = "python"
    new_memory: Callable[[int], Any] = OutsideMemory

    def __init__(self, algorithm: OutsideAlgorithm, graph: SearchGraph, kernel_graph: Any) -> None:
        self._algorithm, self._graph, self._kernel_graph = algorithm, graph, kernel_graph
        self._view = GraphView(graph, kernel_graph)
        self._first_wrong_leg = bind_once(first_wrong_leg, type_key(kernel_graph))

    def search(
        self,
        memory: Any,
        start: Endpoint | None,
        goal: Endpoint,
        limit: int,
        partial: bool,
        deadline: float = math.inf,
    ) -> Result:
        """Search from scratch; return the status and the nodes of the path."""
        assert start is not None
        s, t = int(start.nodes[0]), int(goal.nodes[0])
        limits = Limits(limit, deadline)
        found, expanded, nodes = self._run(memory, s, t, limits)
        if not found and len(start.nodes) + len(goal.nodes) > 2 and not limits.reached(expanded):
            joined, more = self._joined_nodes(start, goal)
            expanded += more
            if joined and joined != (s, t):
                s, t = joined
                left = Limits(max(limit - expanded, 1), deadline)
                found, more, nodes = self._run(memory, s, t, left)
                expanded += more
        memory.stats[0].generation += 1
        memory.stats[0].expanded = expanded
        self._check(nodes, found, s, t)
        if found:
            return FOUND, nodes
        stopped = limits.reached(expanded)
        memory.nodes = nodes
        return (STOPPED if stopped else EXHAUSTED), NO_NODES

    def _joined_nodes(self, start: Endpoint, goal: Endpoint) -> tuple[tuple[int, int] | None, int]:
        """Return the ends of a shortest path between nodes of both, and the expansions of A*."""
        a_star = BestFirst(self._kernel_graph, AStar(1.0, STRAIGHT))
        memory = self._graph.acquire(a_star.new_memory)
        try:
            status, nodes = a_star.search(memory, start, goal, NO_LIMIT, False)
            joined = (int(nodes[0]), int(nodes[-1])) if status == FOUND else None
            return joined, work_of(memory.stats)[0]
        finally:
            self._graph.release(a_star.new_memory, memory)

    def partial_path(self, memory: Any) -> NDArray[np.int64]:
        """Return the path that a search ended with before it found the goal."""
        nodes: NDArray[np.int64] = memory.nodes
        return nodes

    def _run(
        self, memory: Any, start: int, goal: int, limits: Limits
    ) -> tuple[bool, int, NDArray[np.int64]]:
        """Return whether the goal was found, the number of expansions and the path."""
        result = self._algorithm.function(self._view, start, goal, limits)
        name = self._algorithm.name
        if not isinstance(result, SearchResult):
            raise ValueError(
                f"algorithm {name!r} returned a {type(result).__name__}; "
                f"expected a noctule.SearchResult"
            )
        try:
            nodes = np.array([operator.index(s) for s in result.nodes], np.int64)
            expanded = operator.index(result.expanded)
        except TypeError:
            raise ValueError(
                f"algorithm {name!r} returned {result!r}; nodes and expanded are whole numbers"
            ) from None
        return bool(result.found), expanded, nodes

    def _check(self, nodes: NDArray[np.int64], found: bool, start: int, goal: int) -> None:
        """Raise ValueError unless this is a path from the start and, if it was found, to the goal.

        No search can make a planner return a path that is none.
        """
        name, path = f"algorithm {self._algorithm.name!r}", nodes.tolist()
        if not path:
            if found:
                raise ValueError(f"{name} found a path without nodes; expected start and goal")
            return
        for s in path:
            if not self._graph.has_node(s):
                raise ValueError(f"{name} returned a path over {s}, which is no node of the graph")
        if path[0] != start:
            raise ValueError(f"{name} returned a path from node {path[0]}; the start is {start}")
        if found and path[-1] != goal:
            raise ValueError(f"{name} returned a path to node {path[-1]}; the goal is {goal}")
        leg = self._first_wrong_leg(self._kernel_graph, nodes, self._algorithm.any_angle)
        if leg >= 0:
            s, t = path[leg : leg + 2]
            what = "no edge joins them" + (
                ", and neither sees the other" if self._algorithm.any_angle else ""
            )
            raise ValueError(f"{name} returned a path from node {s} to node {t}; {what}")


class OutsideKernels(OutsideSearch):
    """Calls the compiled version."""

    name = "kernels"

    def __init__(self, algorithm: OutsideAlgorithm, graph: SearchGraph, kernel_graph: Any) -> None:
        super().__init__(algorithm, graph, kernel_graph)
        assert algorithm.kernels is not None
        self._new_memory, search = algorithm.kernels
        self._search = bind_once(search, type_key(kernel_graph))

    def _run(
        self, memory: Any, start: int, goal: int, limits: Limits
    ) -> tuple[bool, int, NDArray[np.int64]]:
        n = self._graph.node_count
        if memory.own is None or memory.own[0] is not self._new_memory:
            memory.own = self._new_memory, self._new_memory(n), np.empty(n, np.int64)
        _, own, nodes = memory.own
        most = limits.max_expanded if limits.deadline == math.inf else FIRST_SLICE
        while True:
            most = min(most, limits.max_expanded)
            expanded, count = self._search(self._kernel_graph, own, start, goal, most, nodes)
            if count or expanded < most or limits.reached(expanded):
                break
            most = most << 2  # from scratch: searches of other packages can't be resumed
        return count > 0, int(expanded), nodes[:count][::-1].copy()


def check_function(name: str, function: Any) -> None:
    """Raise ValueError unless this can be called as an algorithm."""
    if not callable(function):
        raise ValueError(f"algorithm {name!r} is {function!r}; expected a function")
    try:
        signature = inspect.signature(function)
        signature.bind("graph", "start", "goal", "limits")
    except TypeError:
        raise ValueError(
            f"algorithm {name!r} takes {signature}; expected (graph, start, goal, limits)"
        ) from None


def check_kernels(new_memory: Any, search: Any) -> None:
    """Raise ValueError unless these can be the compiled version of an algorithm."""
    if not callable(new_memory):
        raise ValueError(f"new_memory is {new_memory!r}; expected a function of the node count")
    if not callable(search):
        raise ValueError(f"search is {search!r}; expected a kernel (noctule.core.jit.kernel)")

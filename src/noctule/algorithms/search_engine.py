"""The entry point of every search from scratch, and what such searches share.

`find_path` is one kernel call: initialize, search, trace the path. A search registers `initialize`,
`search` and `end_of_path` for the class of its options, and `parent_of` for its memory or, if it
stores moves instead of parents, `trace_path`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.endpoint import Endpoint
from noctule.core.jit import INF, bind, kernel, kernel_short, per_type
from noctule.core.status import FOUND, FULL
from noctule.graphs.protocol import estimate
from noctule.queues.buckets import grow

PATH_ROOM = 512  # nodes of a path that `find` has room for in its one call

NO_NODES: NDArray[np.int64] = np.empty(0, np.int64)
NO_COSTS: NDArray[np.float64] = np.empty(0)

Result = tuple[int, NDArray[np.int64]]  # the status of a search, and the nodes of its path


class Goal(NamedTuple):
    """Where a path may end, as kernels see it."""

    node: int  # the heuristic leads to this one of the nodes
    nodes: np.ndarray
    costs: np.ndarray  # of going on from each node to the end of the path, in cells
    x: float  # the end of the path, in the coordinates of the nodes
    y: float
    z: float


@per_type
def initialize(options, graph, memory, starts, costs, goal):
    """Discard the last search and put the starts into the open list."""


@per_type
def search(options, graph, memory, goal, limit, partial):
    """Expand nodes until the goal is reached or `limit` nodes are expanded; return the status.

    With `partial`, record the closed node nearest to the goal.
    """


@per_type
def end_of_path(options, memory, goal):
    """Return the last node of a path that was found."""


@kernel
def find_path(options, graph, memory, starts, costs, goal, limit, partial, nodes):
    """Search, and trace the path if it is found; return the status and the size of the path.

    Without starts, resume the last search.
    """
    if len(starts) > 0:
        initialize(options, graph, memory, starts, costs, goal)
    status = search(options, graph, memory, goal, limit, partial)
    if status != FOUND:
        return status, 0
    return status, trace_path(options, graph, memory, end_of_path(options, memory, goal), nodes)


@kernel
def next_generation(stats, tags, generations, last, start):
    """Reset the statistics and use new generations; if there are none left, clear all tags first.

    Return whether the tags were cleared.
    """
    used_up = stats[0].generation + generations > last
    if used_up:
        tags[:] = 0
        stats[0].generation = 0
    stats[0].generation += generations
    stats[0].expanded = stats[0].sight_checks = stats[0].sight_walks = 0
    stats[0].nearest, stats[0].nearest_distance = start, INF
    return used_up


@kernel
def slack_of(graph, heuristic, goal, weight):
    """Return by how much the heuristic, which leads to one node of the goal, may overestimate.

    A path is the best one when no f is lower than its cost and this.
    """
    slack = -INF
    for i in range(len(goal.nodes)):
        h = estimate(graph, heuristic, goal.nodes[i], goal.node)
        slack = max(slack, h - goal.costs[i])
    return weight * slack if slack > 0.0 else slack


@kernel
def cost_beyond(goal, s):
    """Return the cost of going on from `s` if the path may end there, else -1."""
    for i in range(len(goal.nodes)):
        if goal.nodes[i] == s:
            return goal.costs[i]
    return -1.0


@kernel
def note_if_nearest(stats, s, d):
    """Record the closed node nearest to the goal, where a partial path ends."""
    if d < stats[0].nearest_distance:
        stats[0].nearest_distance = d
        stats[0].nearest = s


@per_type
def trace_path(options, graph, memory, s, nodes):
    """Write the path from the start to `s` to the end of `nodes`; return its number of nodes.

    Only the last `len(nodes)` nodes of a longer path are written.
    """


@per_type
def parent_of(memory, s):
    """Return the parent of `s`; that of a start is itself."""


@trace_path.register(tuple)
def _(options, graph, memory, s, nodes):
    n = 0
    while True:
        n += 1
        if n <= len(nodes):
            nodes[len(nodes) - n] = s
        parent = parent_of(memory, s)
        if parent == s:
            return n
        s = parent


@kernel_short
def write_path(options, graph, memory, s, nodes):
    """Call `trace_path` from Python."""
    return trace_path(options, graph, memory, s, nodes)


class SearchEngine:
    """Run searches with one set of options on one graph; base of every engine."""

    name: str
    new_memory: Any

    def __init__(self, graph: Any, options: Any) -> None:
        self._graph, self._options = graph, options
        self._find_path, self._write_path = bind(find_path), bind(write_path)

    def parts(self, memory: Any) -> tuple[Any, Any, Any]:
        """Return what kernels take first: options, graph and memory."""
        return self._options, self._graph, memory

    def goal(self, end: Endpoint) -> Goal:
        """Return where a path may end, as kernels see it."""
        return Goal(int(end.nodes[0]), end.nodes, end.costs, 0.0, 0.0, 0.0)

    def search(
        self, memory: Any, start: Endpoint, goal: Endpoint, limit: int, partial: bool
    ) -> Result:
        """Search from scratch; return the status and the nodes of the path.

        Stop at `limit` expansions; with `partial`, record the closed node nearest to the goal.
        """
        return self.find(memory, start.nodes, start.costs, self.goal(goal), limit, partial)

    def resume(self, memory: Any, goal: Endpoint, limit: int, partial: bool) -> Result:
        """Continue a search that stopped at its limit, up to another one."""
        return self.find(memory, NO_NODES, NO_COSTS, self.goal(goal), limit, partial)

    def find(
        self,
        memory: Any,
        starts: NDArray[np.int64],
        costs: NDArray[np.float64],
        goal: Goal,
        limit: int,
        partial: bool,
    ) -> Result:
        """Search from these nodes in one kernel call, or resume without any."""
        parts, nodes = self.parts(memory), np.empty(PATH_ROOM, np.int64)
        status, n = self._find_path(*parts, starts, costs, goal, limit, partial, nodes)
        while status == FULL:
            grow(parts[2].queue)
            more = NO_NODES, NO_COSTS, goal, limit, partial, nodes
            status, n = self._find_path(*parts, *more)
        if n > PATH_ROOM:
            return status, self._path_to(memory, int(nodes[-1]))
        return status, nodes[PATH_ROOM - n :]

    def partial_path(self, memory: Any) -> NDArray[np.int64]:
        """Return the path to the closed node nearest to the goal."""
        return self._path_to(memory, int(memory.stats[0].nearest))

    def _path_to(self, memory: Any, node: int) -> NDArray[np.int64]:
        parts, nodes = self.parts(memory), np.empty(PATH_ROOM, np.int64)
        n = self._write_path(*parts, node, nodes)
        if n > PATH_ROOM:
            nodes = np.empty(n, np.int64)
            self._write_path(*parts, node, nodes)
        return nodes[len(nodes) - n :]

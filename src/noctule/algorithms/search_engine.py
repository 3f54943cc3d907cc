"""The entry point of every search from scratch, and what such searches share.

`find_path` is one kernel call: initialize, search, trace the path. A search registers `initialize`,
`search` and `end_of_path` for the class of its options, and `parent_of` for its memory or, if it
stores moves instead of parents, `trace_path`.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.endpoint import NOWHERE, Endpoint
from noctule.core.jit import INF, bind, kernel, kernel_short, per_type, type_key
from noctule.core.status import FOUND, FULL
from noctule.graphs.protocol import estimate
from noctule.queues.buckets import grow

PATH_ROOM = 512  # nodes of a path that `find` has room for in its one call

NO_NODES = NOWHERE.nodes

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


@cache
def bind_once(kernel: Any, *types: Any) -> Callable[..., Any]:
    """Return a kernel, bound once for all callers whose arguments are of the same types.

    `types` tells what the classes of the arguments do not tell. To bind a kernel again takes ten
    times as long as to call it, so planners on graphs of the same type share it.
    """
    return bind(kernel)


class SearchEngine:
    """Run searches with one set of options on one graph; base of every engine."""

    name: str
    new_memory: Any

    def __init__(self, graph: Any, options: Any) -> None:
        self._graph, self._options = graph, options
        self.types = self.new_memory, type_key(graph)
        self._find_path = bind_once(find_path, *self.types)

    def parts(self, memory: Any) -> tuple[Any, Any, Any]:
        """Return what kernels take first: options, graph and memory."""
        return self._options, self._graph, memory

    def goal(self, end: Endpoint) -> Goal:
        """Return where a path may end, as kernels see it."""
        return Goal(int(end.nodes[0]), end.nodes, end.costs, 0.0, 0.0, 0.0)

    def search(
        self, memory: Any, start: Endpoint | None, goal: Endpoint, limit: int, partial: bool
    ) -> Result:
        """Search in one kernel call; return the status and the nodes of the path.

        Without a start, continue the last search. Stop at `limit` expansions; with `partial`,
        record the closed node nearest to the goal.
        """
        parts, nodes = self.parts(memory), np.empty(PATH_ROOM, np.int64)
        how = self.goal(goal), limit, partial, nodes
        start = start or NOWHERE
        status, n = self._find_path(*parts, start.nodes, start.costs, *how)
        while status == FULL:
            grow(parts[2].queue)
            status, n = self._find_path(*parts, *NOWHERE[:2], *how)
        if n > PATH_ROOM:
            return status, self._path_to(memory, int(nodes[-1]))
        return status, nodes[PATH_ROOM - n :]

    def partial_path(self, memory: Any) -> NDArray[np.int64]:
        """Return the path to the closed node nearest to the goal."""
        return self._path_to(memory, int(memory.stats[0].nearest))

    def _path_to(self, memory: Any, node: int) -> NDArray[np.int64]:
        parts, nodes = self.parts(memory), np.empty(PATH_ROOM, np.int64)
        n = bind_once(write_path, *self.types)(*parts, node, nodes)
        if n > PATH_ROOM:
            nodes = np.empty(n, np.int64)
            bind_once(write_path, *self.types)(*parts, node, nodes)
        return nodes[len(nodes) - n :]

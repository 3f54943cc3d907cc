"""Several searches in one go: what `plan_many` does with short queries.

After each search a thread needs the interpreter's lock, and waits while another one has it. Where a
search takes a fifth of a millisecond, two threads spend a fifth of their time on that. So compiled
code searches for several paths, one after the other, and keeps them until all are found.
"""

import threading
import time
from typing import Any, NamedTuple

import numpy as np

from noctule.kernels import kernel, shortcut
from noctule.path import Path
from noctule.searches.answers import Query
from noctule.searches.best_first import EXHAUSTED, EXPANDED, FOUND
from noctule.searches.engines import Engine, spent
from noctule.searches.grid_engine import GridEngine, begin, search, trace_path
from noctule.searches.jump_points import JumpPoints
from noctule.searches.options import Options
from noctule.searches.pathfinder import SLICE, Joint, Pathfinder

GO = 1e-3  # seconds that searches in one go take in all; those that take longer go alone
MOST = 8  # in one go
ROOM = 1 << 12  # for the nodes of all their paths


class Convoy(NamedTuple):
    """Where searches lead from and to, and what has come of those that ended."""

    start: np.ndarray
    cost: np.ndarray  # of getting to the start
    goal: np.ndarray
    status: np.ndarray
    counts: np.ndarray  # a row each: as in the memory of a search
    first: np.ndarray  # where a path begins; it ends where the one before begins
    nodes: np.ndarray


class Ended(NamedTuple):
    """What is left of the memory of a search when the next one has begun."""

    counts: np.ndarray


@kernel
def search_each(engine, graph, field, convoy):
    """Search for one path after the other; how many searches came to an end.

    The next one, if there is one, has begun, and takes longer than some or cannot go on so.
    """
    room = len(convoy.nodes)
    for i in range(len(convoy.goal)):
        goal = convoy.goal[i]
        starts, costs = convoy.start[i : i + 1], convoy.cost[i : i + 1]
        begin(engine, graph.lattice, field, starts, costs, goal)
        status = search(engine, graph, field, goal, SLICE, False)
        if status == FOUND:
            room -= trace_path(engine, graph.lattice, field, goal, convoy.nodes[:room])
        if room < 0 or (status != FOUND and status != EXHAUSTED):
            return i
        convoy.status[i], convoy.first[i] = status, room
        for k in range(convoy.counts.shape[1]):
            convoy.counts[i, k] = field.counts[k]
    return len(convoy.goal)


_search_each = shortcut(search_each)


def can_go_together(options: Options, engines: list[Engine]) -> bool:
    """Whether searches are of a kind that can be short, and nobody limits them."""
    limited = options.max_expanded is not None or options.budget is not None
    return type(engines[0]) in (GridEngine, JumpPoints) and not limited


class Line:
    """What waits for threads to take it.

    >>> line = Line(list(range(40)), threads=2, most=8)
    >>> [len(line.take(seconds)) for seconds in (float("inf"), 1e-2, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4)]
    [1, 1, 8, 7, 5, 4, 3]
    """

    def __init__(self, numbers: list[int], threads: int, most: int) -> None:
        self._left = numbers[::-1]
        self._threads, self._most = threads, most
        self._lock = threading.Lock()

    def take(self, seconds_each: float) -> list[int]:
        """The next ones, as many as take about a millisecond; fewer where few are left to share."""
        with self._lock:
            fair = len(self._left) // (2 * self._threads)
            n = min(int(GO / max(seconds_each, 1e-9)), fair, self._most)
            return [self._left.pop() for _ in range(min(max(n, 1), len(self._left)))]

    def close(self) -> None:
        """Let nobody take anything more."""
        with self._lock:
            self._left.clear()


def find_each(finder: Pathfinder, engines: list[Engine], queries: list[Query]) -> list[Path]:
    """Find paths for some queries, with memory that the grid lends."""
    engine = engines[0]
    assert isinstance(engine, GridEngine), "others take too long for it to matter"
    paths: list[Any] = [finder.join(query) for query in queries]
    left = [i for i, ends in enumerate(paths) if not isinstance(ends, Path)]
    memory = finder.grid.borrow(engine.new_memory)
    try:
        while left:
            n = _find_some(finder, engine, memory, queries, paths, left)
            if n < len(left):
                i = left[n]
                path = finder.go_on(engine, memory, queries[i], *paths[i])
                if path is None:
                    path = finder.find_afresh(queries[i], engines[1:], spent(memory)[0])
                paths[i] = path
            left = left[n + 1 :]
    finally:
        finder.grid.give_back(engine.new_memory, memory)
    return paths


def _find_some(
    finder: Pathfinder,
    engine: GridEngine,
    memory: Any,
    queries: list[Query],
    paths: list[Any],
    left: list[int],
) -> int:
    """Put paths in the place of ends, of those left, until a search takes longer; how many."""
    ends: list[tuple[Joint, Joint]] = [paths[i] for i in left]
    m = len(ends)
    convoy = Convoy(
        np.array([start.nodes[0] for start, _ in ends]),
        np.array([finder.costs_of(start)[0] for start, _ in ends]),
        np.array([goal.nodes[0] for _, goal in ends]),
        np.empty(m, np.int64),
        np.empty((m, len(memory.counts)), np.int64),
        np.empty(m, np.int64),
        np.empty(ROOM, np.int64),
    )
    began = time.perf_counter()
    n = int(_search_each(*engine.parts(memory, m), convoy))
    seconds = time.perf_counter() - began
    work = convoy.counts[:n, EXPANDED] + 1  # nobody looked at the clock in between
    shares = (seconds / work.sum() * work).tolist() if n else []
    end = len(convoy.nodes)
    for k in range(n):
        i, first = left[k], int(convoy.first[k])
        ended = Ended(convoy.counts[k])
        query = queries[i]._replace(began=time.perf_counter() - shares[k])
        if convoy.status[k] == FOUND:
            paths[i] = finder.path_along(convoy.nodes[first:end], ended, query, *ends[k])
        else:
            paths[i] = finder.no_way(ended, query, *ends[k])
        end = first
    return n

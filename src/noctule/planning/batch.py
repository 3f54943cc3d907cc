"""Several searches in one go: what `plan_many` does with short queries.

After each search a thread needs the interpreter's lock, and waits while another one has it. Where a
search takes a fifth of a millisecond, two threads spend a fifth of their time on that. So compiled
code searches for several paths, one after the other, and keeps them until all are found.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.best_first import EXHAUSTED, EXPANDED, FOUND
from noctule.core.jit import bind, kernel, kernel_short
from noctule.engines.grid_engine import GridEngine
from noctule.engines.lattice_a_star import find_path
from noctule.engines.table import QUICK, Engine, spent
from noctule.path import Path
from noctule.planning.options import Options
from noctule.planning.result import Query, add_up_legs
from noctule.planning.search_run import SLICE, Joint, Pathfinder

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
        nodes = convoy.nodes[:room]
        status, n = find_path(engine, graph, field, starts, costs, goal, SLICE, nodes)
        room -= n
        if room < 0 or (status != FOUND and status != EXHAUSTED):
            return i
        convoy.status[i], convoy.first[i] = status, room
        for k in range(convoy.counts.shape[1]):
            convoy.counts[i, k] = field.counts[k]
    return len(convoy.goal)


_search_each = bind(search_each)


@kernel_short
def add_up_each(points, first, used, lengths):
    """The lengths of some paths, whose nodes come before those of the one before."""
    end = len(points)
    for i in range(len(first)):
        lengths[i] = add_up_legs(points[first[i] - used : end])
        end = first[i] - used


_add_up_each = bind(add_up_each)


def can_go_together(options: Options, engines: list[Engine]) -> bool:
    """Whether searches are of a kind that can be short, and nobody limits them."""
    limited = options.max_expanded is not None or options.budget is not None
    return type(engines[0]) in QUICK and not limited


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


class Trip(NamedTuple):
    """One query of a convoy: the nodes to search between, and how its ends join them."""

    start: int
    cost: float  # of getting to the start
    goal: int
    asked: tuple[Query, Joint, Joint] | None  # where the ends are others than these nodes


def node_pairs(finder: Pathfinder, pairs: list[Any]) -> NDArray[np.int64]:
    """The nodes at both ends of each pair; -1 for all but two different ones that can be used.

    Looked at all at once, they cost a fraction of the time that each would take alone.
    """
    grid = finder.grid
    none = np.full((len(pairs), 2), -1)
    try:
        places = (np.asarray(pairs, np.float64) - grid.origin) / grid.cell
    except (TypeError, ValueError):  # what no plan will take
        return none
    if finder.options.direct or places.shape != (len(pairs), 2, grid.dimension):
        return none
    near = np.where(np.isfinite(places), places, -1.0).clip(-1.0, 1e9)
    nodes = grid.nodes_at(near.reshape(-1, grid.dimension)).reshape(-1, 2)
    usable = (nodes >= 0) & (finder.graph.lattice.free3[nodes] & 2 != 0)
    return np.where((usable.all(axis=1) & (nodes[:, 0] != nodes[:, 1]))[:, None], nodes, none)


def find_each(
    finder: Pathfinder,
    engines: list[Engine],
    ask: Sequence[Callable[[], Query]],
    nodes: NDArray[np.int64],
) -> list[Path]:
    """Find paths between some pairs of nodes, with memory that the grid lends.

    Where both are -1, or a search goes alone, `ask` tells what is asked for.
    """
    engine = engines[0]
    assert isinstance(engine, GridEngine), "others take too long for it to matter"
    paths: list[Any] = [_trip(finder, *trip) for trip in zip(ask, *nodes.T.tolist(), strict=True)]
    left = [i for i, trip in enumerate(paths) if not isinstance(trip, Path)]
    memory = finder.grid.acquire(engine.new_memory)
    try:
        while left:
            n = _find_some(finder, engine, memory, paths, left)
            for i in left[n : n + 1]:
                paths[i] = _go_alone(finder, engines, memory, paths[i].asked, ask[i])
            left = left[n + 1 :]
    finally:
        finder.grid.release(engine.new_memory, memory)
    return paths


def _trip(finder: Pathfinder, ask: Callable[[], Query], start: int, goal: int) -> Trip | Path:
    """A trip between nodes, those given or those that a query leads to; a path if that is all."""
    if start >= 0:
        return Trip(start, 0.0, goal, None)
    asked = _joined(finder, ask())
    if isinstance(asked, Path):
        return asked
    _, start_joint, goal_joint = asked
    cost = float(finder.costs_of(start_joint)[0])
    return Trip(int(start_joint.nodes[0]), cost, int(goal_joint.nodes[0]), asked)


def _joined(finder: Pathfinder, query: Query) -> Any:
    ends = finder.join(query)
    return ends if isinstance(ends, Path) else (query, *ends)


def _go_alone(
    finder: Pathfinder, engines: list[Engine], memory: Any, asked: Any, ask: Callable[[], Query]
) -> Path:
    """Go on with a search that takes longer than others, or begin it again if need be."""
    asked = asked or _joined(finder, ask())
    if isinstance(asked, Path):  # the world has changed meanwhile
        return asked
    path = finder.go_on(engines[0], memory, *asked)
    return path or finder.find_afresh(asked[0], engines[1:], spent(memory)[0])


def _find_some(
    finder: Pathfinder, engine: GridEngine, memory: Any, paths: list[Any], left: list[int]
) -> int:
    """Put paths in the place of trips, of those left, until a search takes longer; how many."""
    trips: list[Trip] = [paths[i] for i in left]
    m = len(trips)
    convoy = Convoy(
        np.array([trip.start for trip in trips]),
        np.array([trip.cost for trip in trips]),
        np.array([trip.goal for trip in trips]),
        np.empty(m, np.int64),
        np.empty((m, len(memory.counts)), np.int64),
        np.empty(m, np.int64),
        np.empty(ROOM, np.int64),
    )
    began = time.perf_counter()
    n = int(_search_each(*engine.parts(memory, m), convoy))
    now = time.perf_counter()
    work = convoy.counts[:n, EXPANDED] + 1  # nobody looked at the clock in between
    shares = ((now - began) / work.sum() * work).tolist() if n else []
    found = _paths(finder, convoy, n, trips, [now - share for share in shares])
    for i, path in zip(left, found, strict=False):
        paths[i] = path
    return n


def _paths(
    finder: Pathfinder, convoy: Convoy, n: int, trips: list[Trip], began: list[float]
) -> Iterator[Path]:
    """What the first `n` searches of a convoy have found; alone, each would have `began` then."""
    firsts = convoy.first[:n].tolist()
    used = firsts[-1] if n else len(convoy.nodes)
    indices, points = finder.grid.places(convoy.nodes[used:])
    lengths = np.empty(n)
    _add_up_each(points, convoy.first[:n], used, lengths)
    status, end = convoy.status.tolist(), len(convoy.nodes)
    for k, (first, length) in enumerate(zip(firsts, lengths.tolist(), strict=True)):
        ended, asked = Ended(convoy.counts[k]), trips[k].asked
        if asked is not None:
            query, ends = asked[0]._replace(began=began[k]), asked[1:]
            if status[k] == FOUND:
                yield finder.path_along(convoy.nodes[first:end], ended, query, *ends)
            else:
                yield finder.no_way(ended, query, *ends)
        elif status[k] == FOUND:
            cells, corners = indices[first - used : end - used], points[first - used : end - used]
            yield finder.answers.path(began[k], corners, cells, spent(ended), length=length)
        else:
            yield finder.answers.no_way(began[k], spent(ended))
        end = first

"""`plan_many`: queries on several threads, short ones several in one kernel call.

After each search a thread needs the GIL, and waits while another one has it. Where a search takes a
fifth of a millisecond, two threads spend a fifth of their time on that. So queries between nodes
of a lattice are searched in batches: one kernel call for up to eight paths
(`python benchmarks/many.py` measures the gain).
"""

import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.search_engine import Goal, find_path
from noctule.core.jit import INF, bind, kernel
from noctule.core.stats import work_of
from noctule.core.status import EXHAUSTED, FOUND
from noctule.core.validation import PointLike
from noctule.engines.lattice_a_star import LatticeAStar
from noctule.graphs.grid.grid import Grid
from noctule.path import Path
from noctule.planning.run import SLICE, SearchRun

Pair = tuple[PointLike, PointLike]

BATCH_SECONDS = 1e-3  # a batch should take about as long
BATCH_SIZE = 8
NODES_OF_BATCH = 1 << 12  # of all its paths


class Batch(NamedTuple):
    """Queries between nodes, and the results of those that ended."""

    starts: np.ndarray
    goals: np.ndarray
    status: np.ndarray
    stats: np.ndarray  # one record a query
    first: np.ndarray  # where the path of a query begins; it ends where the one before begins
    nodes: np.ndarray
    no_cost: np.ndarray


@kernel
def search_batch(options: Any, graph: Any, memory: Any, batch: Any) -> Any:
    """Search for one path after the other; return how many ended within the limit of a slice."""
    room = len(batch.nodes)
    for i in range(len(batch.goals)):
        start, ends = batch.starts[i : i + 1], batch.goals[i : i + 1]
        goal = Goal(ends[0], ends, batch.no_cost, 0.0, 0.0, 0.0)
        nodes = batch.nodes[:room]
        status, n = find_path(
            options, graph, memory, start, batch.no_cost, goal, SLICE, False, nodes
        )
        room -= n
        if room < 0 or (status != FOUND and status != EXHAUSTED):
            return i
        batch.status[i], batch.first[i] = status, room
        batch.stats[i] = memory.stats[0]
    return len(batch.goals)


_search_batch = bind(search_batch)


class WorkQueue:
    """Queries that threads take, longest first.

    >>> queue = WorkQueue(list(range(40)), threads=2, most=8)
    >>> [len(queue.take(seconds)) for seconds in (float("inf"), 1e-2, 1e-4, 1e-4, 1e-4, 1e-4)]
    [1, 1, 8, 7, 5, 4]
    """

    def __init__(self, numbers: list[int], threads: int, most: int) -> None:
        self._left = numbers[::-1]
        self._threads, self._most = threads, most
        self._lock = threading.Lock()

    def take(self, seconds_each: float) -> list[int]:
        """Return the next queries: as many as take about a millisecond, fewer near the end."""
        with self._lock:
            fair = len(self._left) // (2 * self._threads)
            n = min(int(BATCH_SECONDS / max(seconds_each, 1e-9)), fair, self._most)
            return [self._left.pop() for _ in range(min(max(n, 1), len(self._left)))]

    def close(self) -> None:
        """Remove all queries."""
        with self._lock:
            self._left.clear()


def plan_batch(
    run: SearchRun,
    engines: list[Any],
    pairs: list[Pair],
    threads: int,
    plan_one: Callable[[PointLike, PointLike], Path],
) -> list[Path]:
    """Find a path for each pair, on several threads; `plan_one` plans those not between nodes."""
    paths: list[Any] = [None] * len(pairs)
    nodes = node_pairs(run, engines, pairs)
    queue = WorkQueue(_farthest_first(pairs), threads, 1 if nodes is None else BATCH_SIZE)

    def work() -> None:
        seconds_each = INF
        try:
            while group := queue.take(seconds_each):
                began = time.perf_counter()
                alone: Iterable[int] = group
                if nodes is not None:
                    between = [i for i in group if nodes[i, 0] >= 0]
                    paths_found = find_batch(run, engines[0], nodes[between])
                    for i, path in zip(between, paths_found, strict=False):
                        paths[i] = path
                    alone = (i for i in group if paths[i] is None)
                for i in alone:
                    paths[i] = plan_one(*pairs[i])
                seconds_each = (time.perf_counter() - began) / len(group)
        finally:
            queue.close()  # on an error or Ctrl-C no thread takes another query

    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:  # this thread plans, too
        workers = [pool.submit(work) for _ in range(min(threads, len(pairs)) - 1)]
        work()
        for worker in workers:
            worker.result()
    return paths


def node_pairs(run: SearchRun, engines: list[Any], pairs: list[Pair]) -> NDArray[np.int64] | None:
    """Return the nodes at both ends of each pair; -1 where one is not usable, or both are the same.

    None where no query can be part of a batch.
    """
    grid, options = run.grid, run.options
    limited = options.max_expanded is not None or options.time_limit is not None
    fast = bool(engines) and isinstance(engines[0], LatticeAStar) and not options.hierarchical
    if limited or options.try_straight_line or not fast or not isinstance(grid, Grid):
        return None
    try:
        places = grid.snapped(np.asarray(pairs, np.float64))
    except (TypeError, ValueError):  # `plan_one` names what is wrong
        return None
    if places.shape != (len(pairs), 2, grid.dimension):
        return None
    near = np.where(np.isfinite(places), places, -1.0).clip(-1.0, 1e9)
    nodes = grid.nodes_at(near.reshape(-1, grid.dimension)).reshape(-1, 2)
    usable = (nodes >= 0) & (run.graph.lattice.free3[nodes] & 2 != 0)
    between = usable.all(axis=1) & (nodes[:, 0] != nodes[:, 1])
    return np.where(between[:, None], nodes, -1)


def find_batch(run: SearchRun, engine: LatticeAStar, nodes: NDArray[np.int64]) -> list[Path]:
    """Find paths between pairs of nodes, up to the first search that takes long."""
    m = len(nodes)
    if m == 0:
        return []
    memory = run.grid.acquire(engine.new_memory)
    try:
        batch = Batch(
            np.ascontiguousarray(nodes[:, 0]),
            np.ascontiguousarray(nodes[:, 1]),
            np.empty(m, np.int64),
            np.empty(m, memory.stats.dtype),
            np.empty(m, np.int64),
            np.empty(NODES_OF_BATCH, np.int64),
            np.zeros(1),
        )
        began = time.perf_counter()
        n = int(_search_batch(*engine.parts(memory), batch))
        seconds = time.perf_counter() - began
    finally:
        run.grid.release(engine.new_memory, memory)
    return _paths(run, engine, batch, n, seconds)


def _paths(run: SearchRun, engine: Any, batch: Batch, n: int, seconds: float) -> list[Path]:
    """Return the paths of the first `n` queries; their time is shared by their expansions."""
    if n == 0:
        return []
    firsts, ends = batch.first[:n].tolist(), [len(batch.nodes), *batch.first[: n - 1].tolist()]
    indices, points = run.grid.indices_and_positions(batch.nodes[firsts[-1] :])
    shares = batch.stats["expanded"][:n] + 1
    now, each = time.perf_counter(), (seconds / shares.sum() * shares).tolist()
    paths = []
    for k, (first, end) in enumerate(zip(firsts, ends, strict=True)):
        work, began = work_of(batch.stats[k : k + 1]), now - each[k]
        if batch.status[k] == FOUND:
            part = slice(first - firsts[-1], end - firsts[-1])
            found = points[part], indices[part], work
            paths.append(run.builder.path(began, *found, engine=engine.name))
        else:
            reason = run.builder.no_way(work)
            numbers = np.array([batch.starts[k], batch.goals[k]])
            asked = tuple(run.grid.positions(numbers))
            paths.append(
                run.builder.without_path(began, reason, work, ends=asked, engine=engine.name)
            )
    return paths


def _farthest_first(pairs: list[Pair]) -> list[int]:
    """Return the order of the queries: a long search at the end would let the others wait."""
    try:
        ends = np.asarray(pairs, np.float64)
        apart = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=-1)
        order: list[int] = np.argsort(-apart, kind="stable").tolist()
        return order
    except (TypeError, ValueError, IndexError):  # none, or what no plan accepts
        return list(range(len(pairs)))

"""Time path finders on the same queries in one run: read the ratios, not the milliseconds."""

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid import Grid
from noctule.peers import Peer, Query
from noctule.searches.planner import Planner
from noctule.verification import verify
from noctule.worlds.cases import Case, Pairs

ROUNDS = 5


class Measured(NamedTuple):
    """What one peer did on one case: means over the queries."""

    case: str
    peer: str
    rule: str
    queries: int
    least_ms: float  # of the fastest of the rounds, for each query
    median_ms: float  # of the rounds
    length: float
    free: int  # paths that `verify` proves free for a point
    prepare_ms: float  # before the first query, once a world


def random_pairs(blocked: NDArray[np.bool_], count: int, seed: int = 1) -> Pairs:
    """Pairs of free cells with a way between them; fewer if they are hard to find."""
    rng = np.random.default_rng(seed)
    free = np.argwhere(~blocked)
    grid = Grid(blocked)
    planner = Planner(grid, "a*")
    pairs: Pairs = []
    for _ in range(20 * count):
        s, t = (tuple(map(int, free[rng.integers(len(free))])) for _ in range(2))
        if s != t and planner.plan(grid.centre(s), grid.centre(t)).found:
            pairs.append((s, t))
            if len(pairs) == count:
                break
    return pairs


def measure(
    case: Case, peers: list[Peer], seconds: float, say: Callable[[str], None]
) -> Iterator[Measured]:
    """Ask all peers that can do this case; about so many seconds each, if they take long."""
    grid = Grid(case.blocked)
    for peer in peers:
        if case.blocked.size > peer.most_cells or peer.dimension not in (None, grid.dimension):
            continue
        say(f"{case.name}: {peer.name}")
        began = time.process_time()
        query = peer.build(case.blocked)
        prepare = time.process_time() - began
        query(*case.pairs[0])  # compiling, first touch of memory
        times, paths = _rounds(query, case.pairs, seconds)
        points = [np.asarray(path, np.float64) for path in paths]
        yield Measured(
            case.name,
            peer.name,
            peer.rule,
            len(case.pairs),
            1e3 * float(times.min(axis=0).mean()),
            1e3 * float(np.median(times, axis=0).mean()),
            float(np.mean([_length(path) for path in points])),
            sum(verify(path + 0.5, grid) for path in points),
            1e3 * prepare,
        )


def _rounds(query: Query, pairs: Pairs, seconds: float) -> tuple[NDArray[np.float64], list[Any]]:
    """CPU seconds of each query in each round, and the paths of the last round."""
    rounds: list[list[float]] = []
    paths: list[Any] = []
    while not rounds or (len(rounds) < ROUNDS and sum(map(sum, rounds)) < seconds):
        taken, paths = [], []
        for s, t in pairs:
            began = time.process_time()
            paths.append(query(s, t))
            taken.append(time.process_time() - began)
        rounds.append(taken)
    return np.array(rounds), paths


def _length(cells: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(np.diff(cells, axis=0), axis=1).sum())

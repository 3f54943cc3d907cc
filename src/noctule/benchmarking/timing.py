"""Time path finders on the same queries in one run: read the ratios, not the milliseconds.

All take their turns twice: where something else keeps the machine busy for a while, it does not
happen to the same ones again.
"""

import math
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.benchmarking.peers import Peer
from noctule.graphs.grid.grid import Grid
from noctule.planning.planner import Planner
from noctule.verification.verify import verify
from noctule.worlds.generated import Case, Pairs

TURNS = 2
ROUNDS = 3  # at most, in each turn


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
    prepare_ms: float  # before the first query, once a world: the least


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


class _Turn(NamedTuple):
    """What a peer did in one turn: CPU seconds of each query in each round, and its paths."""

    prepare: float
    seconds: NDArray[np.float64]
    paths: list[Any]


def measure(
    case: Case, peers: list[Peer], seconds: float, say: Callable[[str], None]
) -> Iterator[Measured]:
    """Ask all peers that can do this case; about so many seconds each, if they take long."""
    grid = Grid(case.blocked)
    able = [peer for peer in peers if _is_able(peer, grid)]
    turns: list[list[_Turn]] = [[] for _ in able]
    for turn in range(TURNS):
        for peer, done in zip(able, turns, strict=True):
            say(f"{case.name}: {peer.name}, turn {turn + 1} of {TURNS}")
            done.append(_turn(peer, case, seconds / TURNS))
    for peer, done in zip(able, turns, strict=True):
        times = np.concatenate([turn.seconds for turn in done])
        points = [np.asarray(path, np.float64) for path in done[-1].paths]
        yield Measured(
            case.name,
            peer.name,
            peer.rule,
            len(case.pairs),
            1e3 * float(times.min(axis=0).mean()),
            1e3 * float(np.median(times, axis=0).mean()),
            float(np.mean([_length(path) for path in points])),
            sum(verify(path + 0.5, grid) for path in points),
            1e3 * min(turn.prepare for turn in done),
        )


def _is_able(peer: Peer, grid: Grid) -> bool:
    return math.prod(grid.shape) <= peer.most_cells and peer.dimension in (None, grid.dimension)


def _turn(peer: Peer, case: Case, seconds: float) -> _Turn:
    """Let a peer prepare, and ask it in some rounds; one at least, none begins after `seconds`."""
    began = time.process_time()
    query = peer.build(case.blocked)
    prepare = time.process_time() - began
    query(*case.pairs[0])  # compiling, first touch of memory
    rounds: list[list[float]] = []
    paths: list[Any] = []
    while not rounds or (len(rounds) < ROUNDS and sum(map(sum, rounds)) < seconds):
        taken, paths = [], []
        for s, t in case.pairs:
            began = time.process_time()
            paths.append(query(s, t))
            taken.append(time.process_time() - began)
        rounds.append(taken)
    return _Turn(prepare, np.array(rounds), paths)


def _length(cells: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(np.diff(cells, axis=0), axis=1).sum())

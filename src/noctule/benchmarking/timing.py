"""Time path finders on the same queries in one run: compare the ratios, not the milliseconds.

Each takes two turns, so that a short load of the machine does not affect the same one twice.
"""

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path as File
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.benchmarking.peers import Peer
from noctule.files import MAX_CELLS
from noctule.graphs.grid.grid import Grid
from noctule.path import polyline_length
from noctule.planning.planner import Planner
from noctule.verification.verify import verify
from noctule.worlds.generated import Case, Pairs
from noctule.worlds.io.maps import load_map

TURNS = 2
ROUNDS = 3  # at most, in each turn


class Measured(NamedTuple):
    """Measurements of one peer on one case: means over the queries."""

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
    """Return pairs of free cells with a path between them; fewer if they are hard to find."""
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


def map_case(file: File, queries: int, seed: int = 1, max_cells: int = MAX_CELLS) -> Case:
    """Return a map with random queries."""
    blocked = load_map(file, max_cells)
    pairs = random_pairs(blocked, queries, seed)
    if not pairs:
        raise ValueError(f"{file}: no two free cells with a way between them were found")
    return Case(file.name, blocked, pairs)


def measure(
    case: Case, peers: list[Peer], seconds: float, say: Callable[[str], None]
) -> Iterator[Measured]:
    """Time all peers that can do this case; about `seconds` each if they take long."""
    grid = Grid(case.blocked)
    able = [
        peer
        for peer in peers
        if math.prod(grid.shape) <= peer.most_cells and peer.dimension in (None, grid.dimension)
    ]
    turns: list[list[Any]] = [[] for _ in able]
    for turn in range(TURNS):
        for peer, done in zip(able, turns, strict=True):
            say(f"{case.name}: {peer.name}, turn {turn + 1} of {TURNS}")
            done.append(_run_turn(peer, case, seconds / TURNS))
    for peer, done in zip(able, turns, strict=True):
        times = np.concatenate([rounds for _, rounds, _ in done])
        points = [np.asarray(path, np.float64) for path in done[-1][2]]
        yield Measured(
            case.name,
            peer.name,
            peer.rule,
            len(case.pairs),
            1e3 * float(times.min(axis=0).mean()),
            1e3 * float(np.median(times, axis=0).mean()),
            float(np.mean([polyline_length(path) for path in points])),
            sum(verify(path + 0.5, grid) for path in points),
            1e3 * min(prepare for prepare, _, _ in done),
        )


def _run_turn(
    peer: Peer, case: Case, seconds: float
) -> tuple[float, NDArray[np.float64], list[Any]]:
    """Return CPU seconds to prepare and of each query in each round, and the paths.

    There is at least one round; none begins after `seconds`.
    """
    began = time.process_time()
    query = peer.build(case.blocked)
    prepare = time.process_time() - began
    query(*case.pairs[0])  # compiles, and allocates memory
    rounds: list[list[float]] = []
    paths: list[Any] = []
    while not rounds or (len(rounds) < ROUNDS and sum(map(sum, rounds)) < seconds):
        taken, paths = [], []
        for s, t in case.pairs:
            began = time.process_time()
            paths.append(query(s, t))
            taken.append(time.process_time() - began)
        rounds.append(taken)
    return prepare, np.array(rounds), paths

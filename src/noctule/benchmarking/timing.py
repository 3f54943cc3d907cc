"""Time path finders on the same queries in one run. Compare ratios, not absolute times.

Each has two turns, so that a temporary load of the machine affects only one of them.
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
ROUNDS = 3  # most rounds per turn


class Measured(NamedTuple):
    """Measurements of one peer on one case: means over the queries."""

    case: str
    peer: str
    rule: str
    queries: int
    least_ms: float  # minimum over the rounds
    median_ms: float  # median over the rounds
    length: float  # in cells
    free: int  # number of paths that pass `verify` with radius 0
    prepare_ms: float  # time to build the peer for the world, minimum of the turns


def random_pairs(blocked: NDArray[np.bool_], count: int, seed: int = 1) -> Pairs:
    """Return pairs of free cells connected by a path; fewer than `count` if they are rare."""
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
    """Return a map with random start and goal cells."""
    blocked = load_map(file, max_cells)
    pairs = random_pairs(blocked, queries, seed)
    if not pairs:
        raise ValueError(f"{file}: no two free cells with a path between them were found")
    return Case(file.name, blocked, pairs)


def measure(
    case: Case, peers: list[Peer], seconds: float, report: Callable[[str], None]
) -> Iterator[Measured]:
    """Time all peers that support this case, each for about `seconds` if it is slow."""
    grid = Grid(case.blocked)
    able = [
        peer
        for peer in peers
        if math.prod(grid.shape) <= peer.most_cells and peer.dimension in (None, grid.dimension)
    ]
    turns: list[list[Any]] = [[] for _ in able]
    for turn in range(TURNS):
        for peer, done in zip(able, turns, strict=True):
            report(f"{case.name}: {peer.name}, turn {turn + 1} of {TURNS}")
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
    """Return CPU seconds to build and of each query in each round, and the paths.

    There is at least one round; none starts after `seconds`.
    """
    started = time.process_time()
    query = peer.build(case.blocked)
    prepare = time.process_time() - started
    query(*case.pairs[0])  # warm-up: compiles and allocates memory
    rounds: list[list[float]] = []
    paths: list[Any] = []
    while not rounds or (len(rounds) < ROUNDS and sum(map(sum, rounds)) < seconds):
        taken, paths = [], []
        for s, t in case.pairs:
            started = time.process_time()
            paths.append(query(s, t))
            taken.append(time.process_time() - started)
        rounds.append(taken)
    return prepare, np.array(rounds), paths

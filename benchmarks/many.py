"""Speed-up of a second thread: `plan_many` on the same pairs with one thread and with two.

python benchmarks/many.py [ROUNDS]
"""

import sys
import time

import numpy as np

import noctule as nt
from noctule.worlds.generated import CASES

# World, algorithm, pairs: batches of 5 ms to some seconds, queries of 0.1 to some 10 ms.
LOADS = [
    ("48³", "a*", 40),
    ("48³", "a*", 400),
    ("C1-10", "a*", 40),
    ("C1-10", "a*", 400),
    ("C1-20", "a*", 40),
    ("C1-20", "jps", 400),
    ("C1-30", "a*", 40),
    ("C2", "a*", 40),
    ("C2", "jps", 40),
    ("C2", "jps", 400),
    ("C3", "a*", 40),
    ("C3", "jps", 40),
    ("C4", "a*", 20),
    ("C1-20", "theta*", 40),
]


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    print("| world | | pairs | one thread, ms | speed-up with two | of the best rounds |")
    print("| --- | --- | --- | --- | --- | --- |")
    for world, algorithm, count in LOADS:
        planner, pairs = load(world, algorithm, count)
        seconds = np.array([both(planner, pairs) for _ in range(rounds + 3)])[3:]
        one, two = np.median(seconds, axis=0)
        best = seconds.min(axis=0)
        times = f"{one / two:.2f} | {best[0] / best[1]:.2f}"
        print(f"| {world} | `{algorithm}` | {count} | {1e3 * one:.1f} | {times} |", flush=True)


def load(world: str, algorithm: str, count: int) -> tuple[nt.Planner, list]:
    rng = np.random.default_rng(1)
    blocked = rng.random((48, 48, 48)) < 0.2 if world == "48³" else CASES[world]().blocked
    free = np.argwhere(~blocked) + 0.5
    planner, pairs = nt.Planner(nt.Grid(blocked), algorithm), []
    while len(pairs) < count:
        pair = free[rng.integers(len(free), size=2)].tolist()
        pairs += [pair] if planner.plan(*pair).found else []
    return planner, pairs


def both(planner: nt.Planner, pairs: list) -> tuple[float, float]:
    """Return the seconds with one thread and with two."""
    started = time.perf_counter()
    planner.plan_many(pairs, threads=1)
    between = time.perf_counter()
    planner.plan_many(pairs, threads=2)
    return between - started, time.perf_counter() - between


if __name__ == "__main__":
    main()

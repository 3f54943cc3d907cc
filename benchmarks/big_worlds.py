"""Voxel maps of the MovingAI benchmarks: loading, memory, and `jps` compared with A*.

    python benchmarks/big_worlds.py FOLDER [--every 100]

FOLDER contains NAME.3dmap.gz and NAME.3dmap.3dscen. Times are CPU times, the minimum of some
rounds. All lengths are compared with the published ones. The speed-up of `jps` is the geometric
mean over the queries, compared with the reference A* ("general") and with `a*`: each query several
times in a row (warm caches); all queries in turn (cold caches); and the first time for a planner.
"Time" is the total time of all queries divided by that of the other algorithm.
"""

import argparse
import gzip
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import noctule as nt

RACED = ("DA1", "BC1")
LOADED = ("DA1", "BC1", "Full1")
LARGEST = "Full1"
ROUNDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=100, help="run every Nth query")
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.memory_of:
        print(peak_memory(asked.folder, asked.memory_of))
        return
    print("| map | loading, ms | NumPy reads, ms | ratio | building a grid, ms per million cells |")
    print("| --- | --- | --- | --- | --- |")
    for name in LOADED:
        print(f"| {name} | {loading(asked.folder, name)} |", flush=True)
    print("\n| map | speed-up over | in a row | in turn | first | time | wrong |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in RACED:
        race(asked.folder, name, asked.every)
    print(f"\n{LARGEST}, peak resident memory of a process that plans the median query:")
    for what in ("nothing", "a*", "jps", "theta*"):
        if what != "nothing":  # fill the cache: compiling needs memory
            nt.plan(nt.Grid(np.zeros((4, 4, 4), bool)), (0.5, 0.5, 0.5), (3.5, 2.5, 1.5), what)
        command = [sys.executable, __file__, str(asked.folder), "--memory-of", what]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        print(f"{what}: {run.stdout.strip()}", flush=True)


def loading(folder: Path, name: str) -> str:
    """Return a table row: time to load a map, to read its numbers, and to build a grid."""
    file = folder / f"{name}.3dmap.gz"
    ours = least_ms(lambda: nt.load_map(file))
    theirs = least_ms(lambda: numbers_in(file))
    blocked = nt.load_map(file)
    pair = np.argwhere(~blocked[:1, :1])[[0, -1]] + 0.5

    def build() -> None:
        nt.Planner(nt.Grid(blocked), "jps").plan(*pair)

    build()  # warm-up
    per_million = least_ms(build) / (blocked.size / 1e6)
    return f"{ours:.0f} | {theirs:.0f} | {ours / theirs:.2f} | {per_million:.2f}"


def numbers_in(file: Path) -> np.ndarray:
    with gzip.open(file, "rb") as text:
        text.readline()
        return np.fromstring(text.read(), np.int64, sep=" ")


def least_ms(work: Callable[[], object]) -> float:
    """Return the CPU time of the fastest of some rounds, in milliseconds."""
    taken = []
    for _ in range(ROUNDS):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return 1e3 * min(taken)


def race(folder: Path, name: str, every: int) -> None:
    """Print the speed-up of `jps` over both kinds of A*."""
    grid, queries = read(folder, name)
    chosen = range(0, len(queries.lengths), every)
    ends = [(grid.centre(queries.starts[i]), grid.centre(queries.goals[i])) for i in chosen]
    planners = [nt.Planner(grid, "jps"), nt.Planner(grid, "a*")]
    planners += [nt.Planner(grid, "a*", engine="reference")]
    wrong = 0
    taken = np.empty((3, 3, len(chosen)))  # by planner, order of queries, query
    for planner, (row, turn, first) in zip(planners, taken, strict=True):
        planner.plan(ends[0][0], ends[0][0] + 1e-3)  # warm-up
        rounds = np.array([[seconds_for(planner, *pair) for pair in ends] for _ in range(ROUNDS)])
        first[:], turn[:] = rounds[0], rounds[1:].min(axis=0)
        for k, i in enumerate(chosen):
            row[k] = min(seconds_for(planner, *ends[k]) for _ in range(ROUNDS))
            path = planner.plan(*ends[k])
            wrong += abs(path.length - queries.lengths[i]) > queries.tolerances[i]
    for other, what in ((taken[2], "the general A*"), (taken[1], "`a*`")):
        faster = " | ".join(f"{geometric_mean(ratio):.2f}" for ratio in other / taken[0])
        share = taken[0, 0].sum() / other[0].sum()
        print(f"| {name} | {what} | {faster} | {share:.3f} | {wrong} |", flush=True)


def seconds_for(planner: nt.Planner, start: np.ndarray, goal: np.ndarray) -> float:
    started = time.process_time()
    planner.plan(start, goal)
    return time.process_time() - started


def read(folder: Path, name: str) -> tuple[nt.Grid, nt.Scenarios]:
    queries = nt.load_scenarios(folder / f"{name}.3dmap.3dscen")
    return nt.Grid(nt.load_map(folder / f"{name}.3dmap.gz")), queries


def geometric_mean(ratios: np.ndarray) -> float:
    return float(np.exp(np.log(ratios).mean()))


def peak_memory(folder: Path, algorithm: str) -> str:
    """Return the peak resident memory of this process after the query of median length."""
    grid, queries = read(folder, LARGEST)
    said = "the map alone"
    if algorithm != "nothing":
        i = np.argsort(queries.lengths, kind="stable")[len(queries.lengths) // 2]
        planner = nt.Planner(grid, algorithm)
        path = planner.plan(grid.centre(queries.starts[i]), grid.centre(queries.goals[i]))
        said = f"{path.expanded} nodes expanded, length {path.length:.1f}"
    status = Path("/proc/self/status").read_text()  # `getrusage` includes the parent's memory
    kilobytes = int(status.split("VmHWM:")[1].split()[0])
    return f"{kilobytes * 1024 / 1e6:.0f} MB, {said}"


if __name__ == "__main__":
    main()

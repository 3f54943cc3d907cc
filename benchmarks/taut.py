"""Taut paths against Theta*: length and time of `taut`, and of its parts, on the seeded worlds.

    python benchmarks/taut.py [--cases C1-10,C3] [--seeds 8,21] [--radii 0,0.4]
    python benchmarks/taut.py --plane FOLDER        maps in the plane, beside the shortest paths
    python benchmarks/taut.py --warframe FOLDER     DA1 and BC1, beside the published lengths

Lengths and CPU times are divided by those of `theta*` on the same query with the same radius; on
the voxel maps, lengths by the published ones and times by those of `jps`. Every path is proven. The
seeded worlds need SciPy: pip install 'noctule[peers]'.
"""

import argparse
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path as File
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import noctule as nt
from noctule.path import Path
from noctule.worlds.generated import Case, boxes, cave, noise, walls

CASES: dict[str, Callable[[int], Case]] = {
    "C1-10": lambda seed: noise(10, seed=seed),
    "C1-20": lambda seed: noise(20, seed=seed),
    "C1-30": lambda seed: noise(30, seed=seed),
    "C2": lambda seed: walls(seed=seed),
    "C3": lambda seed: boxes(seed=seed),
    "C4": lambda seed: cave(seed=seed),
}
ALGORITHMS = ("jps", "taut")
ROUNDS = 2  # of each query; the faster one counts


class Timed(NamedTuple):
    """A path, and how long it took in milliseconds of CPU time."""

    path: Path
    ms: float


def timed(planner: nt.Planner, start: np.ndarray, goal: np.ndarray) -> Timed:
    """Plan, and prove the path."""
    ms = math.inf
    for _ in range(ROUNDS):
        began = time.process_time()
        path = planner.plan(start, goal)
        ms = min(ms, 1e3 * (time.process_time() - began))
    if path.found and not nt.verify(path, planner.graph):
        raise AssertionError(f"{path} is not free")
    return Timed(path, ms)


def planners(grid: nt.Grid, names: tuple[str, ...], radius: float) -> dict[str, nt.Planner]:
    """Return planners that are warm."""
    made = {name: nt.Planner(grid, name, radius=radius) for name in names}
    small = nt.Grid(np.zeros((4,) * grid.dimension, bool), nodes=grid.nodes)
    small.block((1,) * grid.dimension)
    for name in names:
        planner = nt.Planner(small, name, radius=radius)
        planner.warm_up(small.origin + 0.5, small.origin + 3.5)
    return made


def percentiles(values: list[float]) -> str:
    """Return mean and extreme of lengths as text."""
    return f"{np.mean(values):.4f} ({max(values):.4f})"


def geometric_mean(values: list[float]) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.mean(np.log(values))))


def seeded(names: list[str], seeds: list[int], radii: list[float]) -> Table:
    """Measure on the seeded worlds."""
    table = Table(
        "world", "radius", "algorithm", "length", "time", "worst time", "expanded", "checks"
    )
    means: dict[str, list[float]] = {name: [] for name in ALGORITHMS}
    for case, radius in ((c, r) for c in names for r in radii):
        ratios: dict[str, list[tuple[float, ...]]] = {name: [] for name in ALGORITHMS}
        for seed in seeds:
            world = CASES[case](seed)
            grid = nt.Grid(world.blocked)
            made = planners(grid, ("theta*", *ALGORITHMS), radius)
            for ends in world.pairs:
                start, goal = map(grid.centre, ends)
                theta = timed(made["theta*"], start, goal)
                if not theta.path.found:  # too narrow for the ball
                    continue
                for name in ALGORITHMS:
                    path, ms = timed(made[name], start, goal)
                    length = path.length / theta.path.length
                    ratios[name].append((length, ms / theta.ms, path.expanded, path.sight_checks))
        for name in ALGORITHMS:
            lengths, times, expanded, checks = map(list, zip(*ratios[name], strict=True))
            means[name].append(geometric_mean(times))
            table.add_row(
                *(case, f"{radius:g}", name, percentiles(lengths)),
                *(f"{means[name][-1]:.3f}", f"{max(times):.3f}"),
                *(f"{np.mean(expanded):,.0f}", f"{np.mean(checks):,.0f}"),
            )
    for name in ALGORITHMS:
        table.add_row("all", "", name, "", f"{geometric_mean(means[name]):.3f}")
    return table


def queries_of(file: File, nodes: str, every: int) -> tuple[nt.Grid, Iterator[tuple]]:
    """Return the grid of a scenario file, and every so many-th of its queries."""
    scenarios = nt.load_scenarios(file)
    name = File(scenarios.map_name).name
    beside = next(f for f in (file.with_name(name), file.with_name(name + ".gz")) if f.exists())
    grid = nt.Grid(nt.load_map(beside), nodes=nodes)
    shift = 0.5 if nodes == "centres" else 0.0
    picked = range(0, len(scenarios.lengths), every)
    ends = ((scenarios.starts[i] + shift, scenarios.goals[i] + shift) for i in picked)
    return grid, zip(ends, scenarios.lengths[::every].tolist(), strict=True)


def in_plane(folder: File) -> Table:
    """Measure on random maps and game maps in the plane, beside the truly shortest paths."""
    table = Table("map", "queries", *(f"{name} / shortest" for name in ("theta*", *ALGORITHMS)))
    rng = np.random.default_rng(1)
    for percent in (5, 10, 20, 30):
        rows = []
        for _ in range(40):
            grid = nt.Grid(rng.random((100, 100)) < percent / 100, nodes="corners")
            rows.append(
                (grid, ((0.0, float(rng.integers(101))), (100.0, float(rng.integers(101)))))
            )
        add_plane(table, f"random, {percent} %", rows)
    for file in sorted(folder.glob("*.map.scen*")):
        grid, queries = queries_of(file, "corners", 20)
        add_plane(table, file.name, [(grid, ends) for ends, _ in queries])
    return table


def add_plane(table: Table, name: str, rows: list[tuple]) -> None:
    """Add the ratios to the shortest paths on one map, or some."""
    ratios: dict[str, list[float]] = {name: [] for name in ("theta*", *ALGORITHMS)}
    for grid, ends in rows:
        best = nt.plan(grid, *ends, "visibility")
        if not best.found or best.length == 0:
            continue
        for algorithm in ratios:
            path = nt.plan(grid, *ends, algorithm)
            if not nt.verify(path, grid):
                raise AssertionError(f"{path} is not free")
            ratios[algorithm].append(path.length / best.length)
    table.add_row(name, str(len(ratios["taut"])), *map(percentiles, ratios.values()))


def warframe(folder: File) -> Table:
    """Measure on voxel maps, beside the published lengths and the times of `jps`."""
    table = Table("map", "algorithm", "length / published", "ms, median", "ms, 95 %", "95 % / jps")
    for name in ("DA1", "BC1"):
        grid, queries = queries_of(folder / f"{name}.3dmap.3dscen", "centres", 100)
        made = planners(grid, ("jps", "theta*", "lazy-theta*", "taut"), 0.0)
        asked = list(queries)
        late = 1.0
        for algorithm, planner in made.items():
            results = [timed(planner, *ends) for ends, _ in asked]
            lengths = [
                path.length / length
                for (path, _), (_, length) in zip(results, asked, strict=True)
                if length > 0
            ]
            median, most = np.percentile([ms for _, ms in results], (50, 95))
            late = most if algorithm == "jps" else late
            table.add_row(
                *(name, algorithm, percentiles(lengths)),
                *(f"{median:.3f}", f"{most:.2f}", f"{most / late:.2f}"),
            )
    return table


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--seeds", default="8,21")
    parser.add_argument("--radii", default="0,0.4")
    parser.add_argument("--plane", type=File)
    parser.add_argument("--warframe", type=File)
    asked = parser.parse_args()
    if asked.plane:
        table = in_plane(asked.plane)
    elif asked.warframe:
        table = warframe(asked.warframe)
    else:
        seeds, radii = asked.seeds.split(","), asked.radii.split(",")
        table = seeded(asked.cases.split(","), list(map(int, seeds)), list(map(float, radii)))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()

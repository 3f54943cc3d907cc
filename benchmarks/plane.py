"""Lengths in the plane over the truly shortest ones, as Nash (2010) measured them.

    pip install '.[bench]' && python benchmarks/plane.py [FOLDER OF .map AND .scen FILES]

8 neighbours, nodes at corners. Random maps of 100 x 100 cells, from corner to corner of the map's
left and right side; and, if a folder of maps with scenarios is named, every so many of those.
Published: Theta* 1.002 on random maps and 1.007 on game maps, A* about 1.04.
"""

import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import noctule as nt

ALGORITHMS = ("a*", "theta*", "lazy-theta*")
QUERIES = 100  # a map


def random_maps():
    for percent in (5, 10, 20, 30):
        rng = np.random.default_rng([7, percent])
        grids, pairs = [], []
        for _ in range(QUERIES):
            grids.append(nt.Grid(rng.random((100, 100)) < percent / 100, nodes="corners"))
            pairs.append(((0.0, float(rng.integers(101))), (100.0, float(rng.integers(101)))))
        yield f"random, {percent} % blocked", zip(grids, pairs, strict=True)


def files(folder):
    for scen in sorted(Path(folder).glob("*.scen")):
        scenarios = nt.load_scenarios(scen)
        file = scen.parent / Path(scenarios.map_name).name
        if not file.exists():
            continue
        grid = nt.Grid(nt.load_map(file), nodes="corners")
        chosen = np.linspace(0, len(scenarios.lengths) - 1, QUERIES).astype(int)
        ends = [(scenarios.starts[i] * 1.0, scenarios.goals[i] * 1.0) for i in chosen]
        yield file.name, [(grid, pair) for pair in ends]


def main(folders):
    table = Table(title="length over the truly shortest: mean (largest)")
    for column in ("map", "queries", *ALGORITHMS, "a* + rubber-band", "a* + greedy"):
        table.add_column(column, justify="left" if column == "map" else "right")
    groups = [*random_maps(), *(group for folder in folders for group in files(folder))]
    for name, queries in track(groups, console=Console(stderr=True), description="maps"):
        ratios = {column: [] for column in (*ALGORITHMS, "rubber-band", "greedy")}
        for grid, pair in queries:
            shortest = nt.plan(grid, *pair, "visibility")
            if not shortest.found or shortest.length == 0:
                continue
            paths = {algorithm: nt.plan(grid, *pair, algorithm) for algorithm in ALGORITHMS}
            for method in ("rubber-band", "greedy"):
                paths[method] = nt.smooth(paths["a*"], grid, method)
            assert all(nt.verify(path, grid) for path in (shortest, *paths.values()))
            for column, path in paths.items():
                ratios[column].append(path.length / shortest.length)
        cells = [f"{np.mean(r):.4f} ({np.max(r):.3f})" for r in ratios.values()]
        table.add_row(name, str(len(ratios["a*"])), *cells)
    Console(width=130).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])

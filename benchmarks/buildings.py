"""Searches in buildings, where the straight distance is a poor heuristic.

    python benchmarks/buildings.py

CPU time of one query from the lowest to the highest floor, the minimum of three. "first" is the
first plan of a planner, including its preprocessing of the world.
"""

import time

from rich.console import Console
from rich.table import Table

import noctule as nt
from noctule.planning.search_options import SearchOptions
from noctule.worlds.generated import building

BUILDINGS = [(300, 30, 8, 0), (512, 32, 16, 0)]
SEARCHES: list[tuple[str, SearchOptions]] = [
    ("jps", {}),
    ("a*", {}),
    ("a*", {"weight": 1.5}),
    ("a*", {"weight": 10.0}),
    ("a*", {"hierarchical": True}),
]


def main() -> None:
    table = Table(title="one query, ms")
    for column in ("world", "cells", "algorithm", "options", "ms", "first", "expanded", "length"):
        table.add_column(
            column, justify="left" if column in ("world", "algorithm", "options") else "right"
        )
    for size, room, floors, seed in BUILDINGS:
        grid = nt.Grid(building(size, room, floors, seed))
        ends = (2.5, 2.5, 2.5), (size - 2.5, size - 2.5, 8 * floors - 2.5)
        for algorithm, options in SEARCHES:
            planner = nt.Planner(grid, algorithm, **options)
            took = []
            for _ in range(4):
                started = time.thread_time()
                path = planner.plan(*ends)
                took.append(1e3 * (time.thread_time() - started))
            table.add_row(
                f"{floors} floors of {(size // room) ** 2} rooms",
                f"{grid.blocked.size / 1e6:.1f} M",
                algorithm,
                ", ".join(f"{name} {value}" for name, value in options.items()),
                f"{min(took[1:]):.1f}",
                f"{took[0]:.0f}",
                f"{path.expanded:,}",
                f"{path.length:.1f}" if path.found else "none",
            )
    Console(width=110).print(table)


if __name__ == "__main__":
    main()

"""Plans of a whole flight through the test environment: searching anew against repairing.

    python benchmarks/flights.py

The same flight for each algorithm, as far as it flies the same way; milliseconds a plan as the
flight measured them, in one run. The first plan of a flight is left out of `worst`: it is a whole
search for all of them.
"""

import numpy as np
from rich.console import Console
from rich.table import Table

import noctule as nt

ALGORITHMS = ("a*", "d*-lite", "basic-mt-d*-lite", "mt-d*-lite")
SETTINGS = {
    "agent and destination at rest": {"static_agent": True, "destination": "static", "limit": 20.0},
    "flight to a moving destination": {},
}


def main() -> None:
    scene = nt.Scene.load("test-environment")
    console = Console(width=110)
    for neighbours in (6, 26):
        grid = nt.CellGrid(scene, neighbours)
        for title, options in SETTINGS.items():
            table = Table(title=f"{neighbours} neighbours, {title}")
            for column in ("", "frames", "expanded", "fewer", "ms", "faster", "worst"):
                table.add_column(column, justify="left" if not column else "right")
            base = None
            for name in ALGORITHMS:
                nt.Flight(scene, grid, name, start=50.0, **options | {"limit": 3.0}).run()
                result = nt.Flight(scene, grid, name, start=100.0, **options).run()
                expanded, took = result.expanded.mean(), result.plan_ms.mean()
                base = base or (expanded, took)
                table.add_row(
                    name,
                    str(result.frames),
                    f"{result.expanded.sum():,}",
                    f"{base[0] / expanded:.1f}",
                    f"{took:.3f}",
                    f"{base[1] / took:.2f}",
                    f"{np.max(result.plan_ms[1:]):.1f}",
                )
            console.print(table)


if __name__ == "__main__":
    main()

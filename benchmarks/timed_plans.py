"""Timed plans compared with A* on a heap, for the same pairs on the same cells.

    python benchmarks/timed_plans.py

CPU time, minimum of several interleaved rounds, mean over the pairs of a kind. The distance field
of a goal is computed for the first plan and cached, so it is not included.
"""

import time

import numpy as np
from rich.console import Console
from rich.table import Table

import noctule as nt

PAIRS, ROUNDS = 25, 12
KINDS = {"near (5 to 15)": (5.0, 15.0), "far (20 and more)": (20.0, 200.0)}


def main() -> None:
    scene = nt.Scene.load("test-environment")
    grid = nt.CellGrid(scene, safety=False)
    timed = nt.Planner(grid, "safe-intervals", radius=scene.agent.radius)
    heap = nt.Planner(grid, "a*", radius=scene.agent.radius, engine="reference")
    table = Table(title="time per plan, ms")
    for column in ("pairs", "safe-intervals", "a* (heap)", "ratio", "median", "expanded"):
        table.add_column(column, justify="left" if column == "pairs" else "right")
    for kind, pairs in draw_pairs(grid).items():
        best = np.full((PAIRS, 2), np.inf)
        expanded = np.zeros((PAIRS, 2))
        for _ in range(ROUNDS):
            for i, (p, q) in enumerate(pairs):
                for j, planner in enumerate((timed, heap)):
                    started = time.thread_time()
                    path = planner.plan(p, q)
                    best[i, j] = min(best[i, j], 1e3 * (time.thread_time() - started))
                    expanded[i, j] = path.expanded
        ours, theirs = best.mean(axis=0)
        table.add_row(
            kind,
            f"{ours:.3f}",
            f"{theirs:.3f}",
            f"{ours / theirs:.2f}",
            f"{np.median(best[:, 0] / best[:, 1]):.2f}",
            " / ".join(f"{n:.0f}" for n in expanded.mean(axis=0)),
        )
    Console(width=100).print(table)


def draw_pairs(grid: nt.CellGrid) -> dict[str, list[tuple[np.ndarray, np.ndarray]]]:
    """Return pairs of points in free cells for each kind."""
    rng = np.random.default_rng(3)
    free = np.argwhere(~grid.blocked)
    pairs: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {kind: [] for kind in KINDS}
    while any(len(found) < PAIRS for found in pairs.values()):
        p, q = (grid.centre(free[rng.integers(len(free))]) for _ in range(2))
        shift = rng.uniform(-0.04, 0.04, 3)  # not at centres, as in a flight
        for kind, (low, high) in KINDS.items():
            if low < np.linalg.norm(p - q) < high and len(pairs[kind]) < PAIRS:
                pairs[kind].append((p + shift, q - shift))
    return pairs


if __name__ == "__main__":
    main()

"""The three graphs of the theses on their test environment: second thesis, figure 46.

    python benchmarks/graphs.py [FRAMES]

The agent rests, the goal and all obstacles move. In each frame, all algorithms plan on all graphs
in the same world. Times are CPU times, the minimum of five.
"""

import sys
from time import process_time
from typing import Any

import numpy as np

import noctule as nt

PAUSE = 0.5  # seconds between frames

RUNS: list[tuple[str, str, dict[str, Any]]] = [
    ("cells, 6 neighbours", "a*", {"heuristic": "straight"}),
    ("cells, 6 neighbours", "a*", {}),
    ("cells, 26 neighbours", "a*", {}),
    ("hybrid", "a*", {}),
    ("waypoints", "a*", {}),
    ("cells, 6 neighbours", "theta*", {}),
    ("cells, 26 neighbours", "theta*", {}),
    ("hybrid", "theta*", {}),
    ("waypoints", "theta*", {}),
    ("cells, 6 neighbours", "lazy-theta*", {}),
    ("hybrid", "lazy-theta*", {}),
    ("waypoints", "lazy-theta*", {}),
]


def main(frames: int) -> None:
    """Fly the frames and print the tables."""
    scene = nt.Scene.load("test-environment")
    print("baking the hybrid graph", file=sys.stderr)
    graphs: dict[str, Any] = {
        "cells, 6 neighbours": nt.CellGrid(scene, neighbours=6),
        "cells, 26 neighbours": nt.CellGrid(scene),
        "hybrid": nt.Hybrid(scene),
        "waypoints": nt.Waypoints(scene),
    }
    radius = scene.agent.radius
    planners = [nt.Planner(graphs[g], a, radius=radius, **options) for g, a, options in RUNS]
    rows: list[list[tuple[float, int, float]]] = [[] for _ in RUNS]
    updates: dict[str, list[float]] = {name: [] for name in graphs}
    for frame in range(-2, frames):  # the first two are a warm-up
        time = 10.0 + PAUSE * frame
        scene.move(time - 1 / 60)
        for graph in graphs.values():
            graph.update()
        scene.move(time)
        for name, graph in graphs.items():
            started = process_time()
            graph.update()
            updates[name].append(1e3 * (process_time() - started))
        goal = scene.destination.at(time)
        for planner, row in zip(planners, rows, strict=True):
            spent = []
            for _ in range(5):
                started = process_time()
                path = planner.plan(scene.agent.start, goal)
                spent.append(1e3 * (process_time() - started))
            if not nt.verify(path, planner.graph):
                raise SystemExit(f"not free: {path} on {planner.graph} at {time} s")
            row.append((path.length, path.expanded, min(spent)))
        print(f"\rframe {frame + 1} of {frames}", end="", file=sys.stderr)
    print(file=sys.stderr)
    print("| graph | | heuristic | length | expanded | ms |\n| --- | --- | --- | --- | --- | --- |")
    for (graph, algorithm, options), row in zip(RUNS, rows, strict=True):
        length, expanded, ms = np.mean(row[2:], axis=0)
        heuristic = options.get("heuristic", "the tightest")
        print(
            f"| {graph} | `{algorithm}` | {heuristic} | {length:.2f} | {expanded:.0f} | {ms:.2f} |"
        )
    print("\n| update of a frame of 1/60 s | ms |\n| --- | --- |")
    for name, spent in updates.items():
        print(f"| {name} | {np.mean(spent[2:]):.3f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)

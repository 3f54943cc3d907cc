"""Write src/noctule/core/manifest.json: the kernels that each kind of plan and flight calls.

    python tools/record_kernels.py                 # all groups, some minutes
    python tools/record_kernels.py "fly hybrid"    # only groups with this prefix

Run it after kernels were added or their arguments changed. Each group runs in its own process.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import noctule as nt
from noctule.core import kernel_cache, linking, manifest
from noctule.core.preparation import jobs
from noctule.core.signatures import encode

UNSUPPORTED = 3  # exit code
FLIGHT_GRAPHS = ("cells", "hybrid", "waypoints")
FLEET_ALGORITHM = "lazy-theta*"


def cells(radius: float, **options: Any) -> tuple[Any, dict[str, Any]]:
    """Return a grid with a wall, and options of a planner on it."""
    blocked = np.zeros((12, 10, 8) if options.pop("space", True) else (14, 12), dtype=bool)
    blocked[6, 2:] = True
    if "cost" in options:
        options["cost"] = np.full(blocked.shape, options["cost"])
    return nt.Grid(blocked, **options), {"radius": radius}


def corners(space: bool) -> tuple[Any, dict[str, Any]]:
    """Return a grid with nodes at corners."""
    return cells(0.0, nodes="corners", space=space)


def graph() -> tuple[Any, dict[str, Any]]:
    """Return an explicit graph."""
    points = np.array(list(itertools.product(range(4), repeat=3)), dtype=float)
    pairs = itertools.combinations(range(len(points)), 2)
    near = [(a, b) for a, b in pairs if np.linalg.norm(points[a] - points[b]) < 1.1]
    return nt.Graph(points, near), {}


def of_scene(name: str) -> tuple[Any, dict[str, Any]]:
    """Return a graph of the test environment."""
    scene = nt.Scene.load("test-environment")
    made = {"CellGrid": nt.CellGrid, "Hybrid": nt.Hybrid, "Waypoints": nt.Waypoints}[name](scene)
    return made, {"radius": scene.agent.radius}


WORLDS: dict[str, list[Any]] = {
    "Grid Cells": [
        lambda: cells(0.0),
        lambda: cells(0.4),
        lambda: cells(0.0, neighbours=6),
        lambda: cells(0.0, space=False),
        lambda: cells(0.4, space=False),
    ],
    "Grid WideCells": [lambda: cells(0.7), lambda: cells(0.7, space=False)],
    "Grid Weighted": [lambda: cells(0.4, cost=2.0), lambda: cells(0.4, cost=2.0, space=False)],
    "Grid Corners": [lambda: corners(True), lambda: corners(False)],
    "Graph CSRGraph": [graph],
    "CellGrid Cells": [lambda: of_scene("CellGrid")],
    "Hybrid HybridCells": [lambda: of_scene("Hybrid")],
    "Waypoints CSRGraph": [lambda: of_scene("Waypoints")],
}


def plan(algorithm: str, world: str) -> None:
    """Plan on all worlds of a kind, change them and replan."""
    planned = 0
    for make in WORLDS[world]:
        made, options = make()
        try:
            planner = nt.Planner(made, algorithm, **options)
        except ValueError as error:
            print(error, file=sys.stderr)  # the algorithm does not support this world
            continue
        planned += 1
        kernel_graph = made.kernel_graph(options.get("radius", 0.0))
        expected = manifest.plan_group(algorithm, made, kernel_graph)
        assert expected == f"plan {algorithm} {world}", expected
        if hasattr(made, "scene"):
            ends = np.array([made.scene.agent.start, made.scene.destination.start])
        elif isinstance(made, nt.Grid):
            ends = np.array([[1.5] * made.dimension, [n - 1.6 for n in made.shape]])
        else:
            ends = np.array([[0.0] * 3, [3.0] * 3])
        planner.warm_up(*ends)
        for near in (0.0, 0.3):
            path = planner.plan(ends[0] + near, ends[1])
            if path.found:
                nt.verify(path, made, **options)
        if isinstance(made, nt.Grid) and not hasattr(made, "scene"):
            made.block([made.cell_of(point) for point in path.points[1:2]])
            planner.plan(ends[0] + 0.1, ends[1] - 0.4)
    if not planned:
        raise ValueError("no world for this algorithm")


def fly(graph: str, algorithm: str) -> None:
    """Run `noctule fly`; it bakes a hybrid graph each time."""
    from noctule.cli import main
    from noctule.flight import simulation

    simulation.user_folder = lambda: Path(tempfile.mkdtemp(dir="."))  # type: ignore[assignment]

    words = ["fly", "--agents", "3"] if graph == "fleet" else ["fly", "--graph", graph]
    words += ["--algorithm", algorithm, "--json"]
    if main(words) == 2:
        raise ValueError


def run(group: str) -> None:
    """Run the plans or the flight of a group; write the kernels that were called to a file."""
    job, *words = group.split(" ", 2)
    try:
        {"plan": plan, "fly": fly}[job](*words)
    except ValueError as error:  # the algorithm does not support this graph
        print(f"{group}: {error}", file=sys.stderr)
        sys.exit(UNSUPPORTED)
    found = {}
    for name, kernel in linking.kernels.items():
        for arguments in kernel.overloads:
            file = kernel_cache.file_name(name, arguments)
            places = [folder / file for folder in kernel_cache.folders()]
            size = next(place.stat().st_size for place in places if place.is_file())
            found[file] = name, [encode(kind) for kind in arguments], size // 1024 + 1
    Path(sys.argv[3]).write_text(json.dumps(found))


def record(group: str, folder: Path) -> tuple[str, dict[str, Any]]:
    """Run a group in its own process and return its kernels; none if it is not supported."""
    file = folder / f"{abs(hash(group))}.json"
    command = [sys.executable, __file__, "--run", group, str(file)]
    environment = {**os.environ, "NOCTULE_JOBS": "0"}  # compile only the kernels that are called
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, cwd=folder, check=False
    )
    if done.returncode == UNSUPPORTED:
        print(f"skipped: {done.stderr.strip().splitlines()[-1]}")
        return group, {}
    if done.returncode:
        raise RuntimeError(f"{group}: {done.stderr}")
    print(f"{group}: {len(json.loads(file.read_text()))} kernels")
    return group, json.loads(file.read_text())


def main(prefix: str = "") -> None:
    """Record all groups whose name starts with `prefix`."""
    names = [row.name for row in nt.algorithms()]
    wanted = [f"fly {graph} {name}" for graph in FLIGHT_GRAPHS for name in names]
    wanted.append(f"fly fleet {FLEET_ALGORITHM}")
    wanted += [f"plan {name} {world}" for world in WORLDS for name in names]
    kept = manifest.recorded() if prefix else {}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs()) as pool:
        groups = [group for group in wanted if group.startswith(prefix)]
        found = dict(pool.map(lambda group: record(group, Path(folder)), groups))
    manifest.write(manifest.FILE, kept | {group: row for group, row in found.items() if row})


if __name__ == "__main__":
    run(sys.argv[2]) if sys.argv[1:2] == ["--run"] else main(*sys.argv[1:2])

"""Noctule against what the package index offers, in one run: read ratios, not milliseconds.

    pip install '.[bench]' && python benchmarks/peers.py [C1-10 C3 ...]

All are asked the same queries, one thread, CPU time, best of several rounds after a warm-up. The
rules differ: noctule and `pathfinding3d strict` fly a diagonal only through a free box of cells;
the other peers cut corners (and so solve an easier problem, with shorter answers). `length` is
the mean over the queries; `bad` counts the paths that `verify` refuses for a point agent.
"""

import sys
import time
from collections.abc import Callable

import dijkstra3d
import numpy as np
from pathfinding3d.core.diagonal_movement import DiagonalMovement
from pathfinding3d.core.grid import Grid as PeerGrid
from pathfinding3d.finder.a_star import AStarFinder
from rich.console import Console
from rich.table import Table
from skimage.graph import MCP_Geometric
from worlds import WORLDS, World

import noctule as nt

Query = Callable[[tuple, tuple], np.ndarray]  # start and goal cell to the cells of the path


def noctule(algorithm):
    def build(blocked):
        grid = nt.Grid(blocked)
        planner = nt.Planner(grid, algorithm)
        return lambda s, t: planner.plan(grid.centre(s), grid.centre(t)).points - 0.5

    return build


def dijkstra3d_a_star(blocked):
    field = np.where(blocked, np.inf, 1.0).astype(np.float32)
    steps = {"connectivity": 26, "anisotropy": (1.0, 1.0, 1.0)}
    return lambda s, t: dijkstra3d.dijkstra(field, s, t, compass=True, **steps)


def dijkstra3d_plain(blocked):
    field = np.where(blocked, np.inf, 1.0).astype(np.float32)
    steps = {"connectivity": 26, "anisotropy": (1.0, 1.0, 1.0)}
    return lambda s, t: dijkstra3d.dijkstra(field, s, t, **steps)


def dijkstra3d_binary(blocked):
    return lambda s, t: dijkstra3d.binary_dijkstra(~blocked, s, t, connectivity=26)


def skimage(blocked):
    cost = np.where(blocked, np.inf, 1.0)

    def query(s, t):
        finder = MCP_Geometric(cost, fully_connected=True)
        finder.find_costs([s], [t])
        return np.array(finder.traceback(t))

    return query


def pathfinding3d(rule):
    def build(blocked):
        grid = PeerGrid(matrix=(~blocked).astype(np.int8))

        def query(s, t):
            grid.cleanup()
            finder = AStarFinder(diagonal_movement=rule)
            path, _ = finder.find_path(grid.node(*s), grid.node(*t), grid)
            return np.array([(node.x, node.y, node.z) for node in path])

        return query

    return build


# name: how to build it, and the worlds that it can do in reasonable time; the first is the base
PEERS = {
    "noctule a*": (noctule("a*"), None),
    "noctule theta*": (noctule("theta*"), None),
    "noctule lazy-theta*": (noctule("lazy-theta*"), None),
    "dijkstra3d compass (A*)": (dijkstra3d_a_star, None),
    "dijkstra3d": (dijkstra3d_plain, None),
    "dijkstra3d binary": (dijkstra3d_binary, None),
    "scikit-image": (skimage, ("C1-10", "C1-20", "C1-30", "C2")),
    "pathfinding3d": (
        pathfinding3d(DiagonalMovement.always),
        ("C1-10", "C1-20", "C1-30", "C2"),
    ),
    "pathfinding3d strict": (
        pathfinding3d(DiagonalMovement.only_when_no_obstacle),
        ("C1-10", "C1-20", "C1-30", "C2"),
    ),
}


def measure(world: World, build, seconds: float = 4.0):
    """Milliseconds a query, the best of one to five rounds over all queries, and the paths."""
    query = build(world.blocked)
    query(*world.pairs[0])  # warm up: compiling, first touch of memory
    best, spent = np.inf, 0.0
    for _ in range(5):
        began = time.process_time()
        paths = [query(s, t) for s, t in world.pairs]
        took = time.process_time() - began
        best, spent = min(best, took / len(world.pairs)), spent + took
        if spent > seconds:
            break
    return 1e3 * best, paths


def length(cells: np.ndarray) -> float:
    return float(np.linalg.norm(np.diff(np.asarray(cells, float), axis=0), axis=1).sum())


def main(names: list[str]) -> None:
    console = Console(width=110)
    for name in names or WORLDS:
        world = WORLDS[name]()
        grid = nt.Grid(world.blocked)
        table = Table(
            title=f"{name}: {world.blocked.shape}, {100 * world.blocked.mean():.0f} % blocked"
        )
        for column in ("", "ms", "length", "bad", "times noctule a*"):
            table.add_column(column, justify="left" if not column else "right")
        base = 0.0
        for peer, (build, only) in PEERS.items():
            if only is not None and name not in only:
                continue
            ms, paths = measure(world, build)
            base = base or ms
            bad = sum(not nt.verify(np.asarray(path, float) + 0.5, grid) for path in paths)
            mean = np.mean([length(path) for path in paths])
            table.add_row(peer, f"{ms:.2f}", f"{mean:.2f}", str(bad), f"{ms / base:.2f}")
        console.print(table)


if __name__ == "__main__":
    main(sys.argv[1:])

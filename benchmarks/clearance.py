"""What a wide agent costs: time per expansion by radius, and what is prepared for a radius.

python benchmarks/clearance.py [ROUNDS] [--plans] [--building] [--changes] [--scan]

Without a choice, all but `--scan`: a scan of all cells near, as without rooms, takes seconds.
"""

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

import noctule as nt
from noctule.graphs.grid.lattice import Balls
from noctule.worlds.generated import boxes, cave

ALGORITHMS = ("a*", "jps", "theta*", "lazy-theta*", "mt-d*-lite")
RADII = (0.4, 1.0, 2.0, 4.0, 8.0)
World = tuple[str, NDArray[np.bool_], list]


def wall(gap: bool) -> NDArray[np.bool_]:
    blocked = np.zeros((80, 80, 40), bool)
    blocked[40, : 60 if gap else 80] = True
    return blocked


def blocks(shape: tuple[int, ...], share: float, size: int, seed: int) -> NDArray[np.bool_]:
    coarse = np.random.default_rng(seed).random(shape) < share
    return np.kron(coarse, np.ones((size,) * len(shape), bool))


def pairs_in(blocked: NDArray[np.bool_], count: int, seed: int = 1) -> list:
    """Return pairs of cells that have room for the widest agent."""
    rng = np.random.default_rng(seed)
    room = np.argwhere(nt.Grid(blocked).clearances() >= RADII[-1] + 0.1) + 0.5
    return [room[rng.choice(len(room), 2, replace=False)] for _ in range(count)]


def worlds() -> Iterator[World]:
    yield "wall", wall(True), [((10.5, 10.5, 10.5), (70.5, 20.5, 20.5))]
    yield "no way", wall(False), [((10.5, 10.5, 10.5), (70.5, 20.5, 20.5))]
    blocked = boxes(seed=11).blocked
    yield "boxes, 200³ (C3)", blocked, pairs_in(blocked, 3)
    blocked = cave(seed=12).blocked
    yield "cave, 256³ (C4)", blocked, pairs_in(blocked, 3)
    blocked = blocks((60, 60), 0.15, 20, 4)
    yield "plane, 1200²", blocked, pairs_in(blocked, 3)


def cpu(call: Callable[[], Any], rounds: int) -> float:
    """Return the least CPU time of a call, in seconds."""
    taken = []
    for _ in range(rounds):
        began = time.process_time()
        call()
        taken.append(time.process_time() - began)
    return min(taken)


def time_plans(rounds: int) -> None:
    print("Nanoseconds an expansion, and times as much; * where not all pairs have a path.")
    print("| world | | " + " | ".join(f"r = {radius:g}" for radius in RADII) + " |")
    print("| --- | --- |" + " --- |" * len(RADII))
    for world, blocked, pairs in worlds():
        grid = nt.Grid(blocked)
        for name in ALGORITHMS:
            per_node = [time_of_node(grid, name, radius, pairs, rounds) for radius in RADII]
            first = per_node[0][0]
            ratios = [f"{1e9 * first:.0f} ns"]
            ratios += [
                f"{ns / first:.2f}{'' if all_found else ' *'}" for ns, all_found in per_node[1:]
            ]
            print(f"| {world} | `{name}` | " + " | ".join(ratios) + " |", flush=True)


def time_of_node(
    grid: nt.Grid, name: str, radius: float, pairs: list, rounds: int
) -> tuple[float, bool]:
    """Return the time of an expansion in first plans, and whether every pair has a path."""
    seconds = expanded = 0.0
    found = True
    for pair in pairs:
        planners = [nt.Planner(grid, name, radius=radius) for _ in range(rounds + 1)]
        path = planners.pop().plan(*pair)
        seconds += cpu(lambda planners=planners, pair=pair: planners.pop().plan(*pair), rounds)
        expanded += path.expanded
        found &= path.found
        assert not path.found or nt.verify(path, grid)
    return seconds / max(expanded, 1), found


def time_building(rounds: int) -> None:
    print("| world | scipy, ms | clearances() | room r = 1 | 2 | 4 | 8 |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    cases = {
        "wall, 0.3 million": wall(True),
        "blocks, 10 million": blocks((27, 27, 27), 0.1, 8, 1),
        "noise, 8 million": np.random.default_rng(2).random((200, 200, 200)) < 0.05,
        "nearly empty, 17 million": np.random.default_rng(3).random((256, 256, 256)) < 1e-5,
        "plane, 2.3 million": np.random.default_rng(4).random((1500, 1500)) < 0.01,
    }
    for name, blocked in cases.items():
        free, grid = ~blocked, nt.Grid(blocked)
        peer = cpu(lambda free=free: distance_transform_edt(free), rounds)
        grid.clearances()
        ours = [cpu(grid.clearances, rounds)]
        for radius in RADII[1:]:
            nt.Grid(blocked[:9, :9]).kernel_graph(radius)  # compile
            grids = [nt.Grid(blocked) for _ in range(rounds)]
            ours.append(
                cpu(lambda grids=grids, radius=radius: grids.pop().kernel_graph(radius), rounds)
            )
        row = " | ".join(f"{seconds / peer:.2f}" for seconds in ours)
        print(f"| {name} | {1e3 * peer:.1f} | {row} |", flush=True)


def time_changes(rounds: int) -> None:
    print("| 10 cells of 10 million, ms | blocked, median | worst | freed, median | worst |")
    print("| --- | --- | --- | --- | --- |")
    blocked = blocks((27, 27, 27), 0.1, 8, 1)
    rng = np.random.default_rng(5)
    open_cells = np.argwhere(~blocked)
    for radius in RADII[1:]:
        grid = nt.Grid(blocked)
        grid.kernel_graph(radius)
        taken = []
        for _ in range(20 * rounds):
            cells = rng.choice(open_cells, 10)
            began = time.process_time()
            grid.block(cells)
            between = time.process_time()
            grid.free(cells)
            taken.append((between - began, time.process_time() - between))
        block, free = 1e3 * np.array(taken[5:]).T  # the first ones compile
        row = (
            f"{np.median(block):.3f} | {block.max():.3f} | {np.median(free):.3f} | {free.max():.3f}"
        )
        print(f"| r = {radius:g} | {row} |", flush=True)


class ScannedGrid(nt.Grid):
    """A grid without rooms: for every step and line of sight, all cells near are looked at."""

    def _kernel_graph(self, radius: float, equal_steps: bool) -> Any:
        return Balls(self._lattice(radius, equal_steps))


def time_scan() -> None:
    print("| `a*`, wall, ms | scan of all cells near | with a room | times |")
    print("| --- | --- | --- | --- |")
    ends = (10.5, 10.5, 10.5), (70.5, 20.5, 20.5)
    for radius in RADII[1:]:
        found, taken = [], []
        for grid in (ScannedGrid(wall(True)), nt.Grid(wall(True))):
            planner = nt.Planner(grid, "a*", radius=radius)
            found.append(planner.plan(*ends))
            taken.append(1e3 * cpu(lambda planner=planner: planner.plan(*ends), 2))
        assert abs(found[0].length - found[1].length) < 1e-9
        scan, room = taken
        print(f"| r = {radius:g} | {scan:.0f} | {room:.2f} | {scan / room:.0f} |", flush=True)


def main() -> None:
    rounds = next((int(word) for word in sys.argv[1:] if word.isdecimal()), 3)
    chosen = [word for word in sys.argv[1:] if word.startswith("--")]
    parts: dict[str, Callable[[], None]] = {
        "--building": lambda: time_building(rounds),
        "--changes": lambda: time_changes(rounds),
        "--plans": lambda: time_plans(rounds),
        "--scan": time_scan,
    }
    for word in chosen or ["--building", "--changes", "--plans"]:
        parts[word]()
        print()


if __name__ == "__main__":
    main()

"""Worlds of cells that studies plan in, each with its queries; all of them seeded."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.benchmarking.timing import random_pairs
from noctule.graphs.grid.grid import Grid
from noctule.planning.planner import Planner
from noctule.studies.definition import StudyError
from noctule.worlds.io.maps import load_map
from noctule.worlds.io.scenarios import load_scenarios

Ends = tuple[NDArray[np.float64], NDArray[np.float64]]

TRIES = 50  # goals that are drawn for each that is wanted: some can't be reached


class Query(NamedTuple):
    """A path to plan, and the published length of it if there is one."""

    grid: Grid
    start: Any
    goal: Any
    published: float | None = None
    tolerance: float = 0.0


def queries(task: dict[str, Any]) -> list[Query]:
    """The queries of a task in the order in which they are planned."""
    check_world(task)
    return list(_of_map(task) if "map" in task else MAKERS[task["world"]](task))


def check_world(task: dict[str, Any]) -> None:
    """Refuse a task without a map or a world that is known."""
    if "map" not in task and task.get("world") not in MAKERS:
        raise StudyError(
            f"world is {task.get('world')!r}; allowed are {', '.join(MAKERS)}, or maps"
        )
    if task.get("world") in ("noise", "plane") and "percent" not in task:
        raise StudyError(f"percent is missing: how much of the world {task['world']} is blocked")


def _noise(task: dict[str, Any]) -> Iterator[Query]:
    """Cubic grids with cells blocked at random, from one corner to the far side (Nash 2010)."""
    side, wanted = task.get("side", 100), task.get("queries", 10)
    rng = np.random.default_rng([task["seed"], task["run"], task["percent"]])
    blocked = rng.random((side, side, side)) < task["percent"] / 100
    blocked[:2, :2, :2] = False  # the start
    grid = Grid(blocked, neighbours=task.get("neighbours"), nodes=task.get("nodes", "corners"))
    yield from _reachable(grid, wanted, lambda: _far_side(rng, side))


def _far_side(rng: np.random.Generator, side: int) -> Ends:
    goal = np.array([side - 1, *rng.integers(0, side, 2)], np.float64)
    return np.zeros(3), goal


def _plane(task: dict[str, Any]) -> Iterator[Query]:
    """Random maps in the plane, each crossed once from left to right (Nash 2010)."""
    side, wanted = task.get("side", 100), task.get("queries", 10)
    rng = np.random.default_rng([task["seed"], task["run"], task["percent"]])
    found = 0
    for _ in range(TRIES * wanted):
        blocked = rng.random((side, side)) < task["percent"] / 100
        ys = rng.integers(0, side + 1, 2)
        grid = Grid(blocked, neighbours=task.get("neighbours"), nodes=task.get("nodes", "corners"))
        query = Query(grid, np.array([0.0, ys[0]]), np.array([float(side), ys[1]]))
        if found < wanted and _has_path(query):
            found += 1
            yield query


def _reachable(grid: Grid, wanted: int, draw: Any) -> Iterator[Query]:
    """So many queries, drawn until there is a path for each."""
    found = 0
    for _ in range(TRIES * wanted):
        query = Query(grid, *draw())
        if _has_path(query):
            found += 1
            yield query
        if found == wanted:
            return


def _has_path(query: Query) -> bool:
    return Planner(query.grid, "a*").plan(query.start, query.goal).found


# Starts and goals of the four presets, in cells; the third sees its goal.
PRESETS = {
    1: ((24, 3, 4), (27, 76, 6)),
    2: ((6, 5, 3), (42, 72, 12)),
    3: ((4, 10, 26), (44, 66, 27)),
    4: ((45, 10, 5), (8, 60, 8)),
}
GAME_SHAPE = (50, 80, 30)


def game_world(seed: int = 1) -> NDArray[np.bool_]:
    """A walled yard of 50 x 80 x 30 cells: buildings, pillars, and two walls with few openings."""
    rng = np.random.default_rng(seed)
    blocked = np.zeros(GAME_SHAPE, bool)
    for y, openings in ((26, ((2, 2), (40, 12))), (52, ((8, 9), (44, 1)))):
        blocked[:, y : y + 2, :22] = True
        for x, z in openings:
            blocked[x : x + 5, y : y + 2, z : z + 5] = False
    for _ in range(26):  # buildings
        width, depth, height = rng.integers(3, 9), rng.integers(3, 9), rng.integers(6, 21)
        x0, y0 = rng.integers(0, 50 - width), rng.integers(0, 80 - depth)
        blocked[x0 : x0 + width, y0 : y0 + depth, :height] = True
    for _ in range(14):  # beams
        left, near, low = rng.integers(0, 40), rng.integers(0, 78), rng.integers(4, 22)
        blocked[left : left + 10, near : near + 2, low : low + 2] = True
    for ends in PRESETS.values():
        for x, y, z in ends:
            blocked[x - 2 : x + 3, y - 2 : y + 3, max(z - 2, 0) : z + 3] = False
    return blocked


def _voxel_game(task: dict[str, Any]) -> Iterator[Query]:
    """One of the presets of the voxel world (Yu, Novitch 2020)."""
    preset = task.get("preset", 1)
    if preset not in PRESETS:
        raise StudyError(f"preset is {preset!r}; allowed are {', '.join(map(str, PRESETS))}")
    grid = Grid(game_world(task["seed"]), neighbours=task.get("neighbours"))
    start, goal = PRESETS[preset]
    yield Query(grid, grid.centre(start), grid.centre(goal))


def _of_map(task: dict[str, Any]) -> Iterator[Query]:
    """Queries on a map: evenly picked scenarios, or seeded pairs of cells where it has none."""
    file, wanted = Path(task["map"]), task.get("queries", 10)
    nodes, neighbours = task.get("nodes", "centres"), task.get("neighbours")
    if not file.name.endswith((".scen", ".3dscen")):
        grid = Grid(load_map(file), neighbours=neighbours, nodes=nodes)
        pairs = random_pairs(grid.blocked, wanted, task["seed"])
        if not pairs:
            raise StudyError(f"{file}: no two free cells with a way between them were found")
        yield from (Query(grid, grid.centre(s), grid.centre(t)) for s, t in pairs)
        return
    scenarios = load_scenarios(file)
    grid = Grid(load_map(map_of(file, scenarios.map_name)), neighbours=neighbours, nodes=nodes)
    n = len(scenarios.lengths)
    for i in np.unique(np.linspace(0, n - 1, min(n, wanted)).astype(int)):
        ends = scenarios.starts[i], scenarios.goals[i]
        shift = 0.5 if nodes == "centres" else 0.0
        start, goal = (cell + shift for cell in ends)
        length, tolerance = float(scenarios.lengths[i]), float(scenarios.tolerances[i])
        yield Query(grid, start, goal, length, tolerance)


def map_of(scenarios: Path, name: str) -> Path:
    """The map that a file of scenarios is about; it lies beside it, perhaps compressed."""
    stem = Path(name).name
    for candidate in (stem, f"{stem}.gz"):
        if (scenarios.parent / candidate).is_file():
            return scenarios.parent / candidate
    raise StudyError(f"{scenarios}: its map {stem} is not beside it")


MAKERS = {"noise": _noise, "plane": _plane, "voxel-game": _voxel_game}

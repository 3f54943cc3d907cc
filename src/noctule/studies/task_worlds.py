"""Seeded grid worlds of studies, with their queries."""

import itertools
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.benchmarking.timing import map_case
from noctule.graphs.grid.grid import Grid
from noctule.planning.planner import Planner
from noctule.studies.cost_worlds import COST_WORLDS, cost_queries
from noctule.studies.definition import StudyError
from noctule.studies.experiments import map_beside
from noctule.worlds.generated import CASES
from noctule.worlds.io.maps import load_map
from noctule.worlds.io.scenarios import load_scenarios

TRIES = 50  # queries drawn per wanted query, since some have no path


class Query(NamedTuple):
    """A path to plan, with its published length if there is one."""

    grid: Grid
    start: Any
    goal: Any
    published: float | None = None
    tolerance: float = 0.0


def queries(task: dict[str, Any]) -> list[Query]:
    """Return the queries of a task in order."""
    check_world(task)
    return list(_on_map(task) if "map" in task else WORLDS[task["world"]](task))


def check_world(task: dict[str, Any]) -> None:
    """Raise StudyError unless a task has a map or a known world."""
    if "map" not in task and task.get("world") not in WORLDS:
        raise StudyError(
            f"world is {task.get('world')!r}; allowed are {', '.join(WORLDS)}, or maps"
        )
    if task.get("world") in CASES and find_spec("scipy") is None:
        raise StudyError(f"world {task['world']} needs SciPy: pip install 'noctule[peers]'")
    if task.get("world") in ("noise", "plane") and "percent" not in task:
        raise StudyError(f"percent is missing: how much of the world {task['world']} is blocked")


def _noise(task: dict[str, Any]) -> Iterator[Query]:
    """Yield queries on a cube of random cells, from a corner to the opposite side (Nash 2010)."""
    side, rng = task.get("side", 100), _generator(task)
    blocked = rng.random((side, side, side)) < task["percent"] / 100
    blocked[:2, :2, :2] = False  # the start
    grid = _grid(blocked, task, "corners")

    def draw() -> Query:
        return Query(grid, np.zeros(3), np.array([side - 1, *rng.integers(0, side, 2)], np.float64))

    return _solvable(draw, task)


def _plane(task: dict[str, Any]) -> Iterator[Query]:
    """Yield one query per random 2D map, from its left to its right side (Nash 2010)."""
    side, rng = task.get("side", 100), _generator(task)

    def draw() -> Query:
        grid = _grid(rng.random((side, side)) < task["percent"] / 100, task, "corners")
        ys = rng.integers(0, side + 1, 2)
        return Query(grid, np.array([0.0, ys[0]]), np.array([float(side), ys[1]]))

    return _solvable(draw, task)


def _generator(task: dict[str, Any]) -> np.random.Generator:
    return np.random.default_rng([task["seed"], task["run"], task["percent"]])


def _grid(blocked: NDArray[np.bool_], task: dict[str, Any], nodes: str) -> Grid:
    return Grid(blocked, neighbours=task.get("neighbours"), nodes=task.get("nodes", nodes))


def _solvable(draw: Callable[[], Query], task: dict[str, Any]) -> Iterator[Query]:
    """Draw queries until the requested number of them has a path."""
    wanted = task.get("queries", 10)
    drawn = (draw() for _ in range(TRIES * wanted))
    found = (q for q in drawn if Planner(q.grid, "a*").plan(q.start, q.goal).found)
    return itertools.islice(found, wanted)


# Start and goal cells of the four presets; the third has line of sight.
PRESETS = {
    1: ((24, 3, 4), (27, 76, 6)),
    2: ((6, 5, 3), (42, 72, 12)),
    3: ((4, 10, 26), (44, 66, 27)),
    4: ((45, 10, 5), (8, 60, 8)),
}
GAME_SHAPE = (50, 80, 30)


def game_world(seed: int = 1) -> NDArray[np.bool_]:
    """Return a world of 50 x 80 x 30 cells: buildings, beams, and two walls with few openings."""
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
    """Yield a preset query of the voxel world (Yu, Novitch 2020)."""
    preset = task.get("preset", 1)
    if preset not in PRESETS:
        raise StudyError(f"preset is {preset!r}; allowed are {', '.join(map(str, PRESETS))}")
    grid = Grid(game_world(task["seed"]), neighbours=task.get("neighbours"))
    start, goal = PRESETS[preset]
    yield Query(grid, grid.centre(start), grid.centre(goal))


def _of_benchmark(task: dict[str, Any]) -> Iterator[Query]:
    """Yield the queries of a world of `noctule bench`."""
    case = CASES[task["world"]]()
    grid = _grid(case.blocked, task, "centres")
    yield from (Query(grid, grid.centre(s), grid.centre(t)) for s, t in case.pairs)


def _with_costs(task: dict[str, Any]) -> Iterator[Query]:
    """Yield queries through a world whose cells have costs."""
    yield from itertools.starmap(Query, cost_queries(task, task.get("nodes", "centres")))


def _on_map(task: dict[str, Any]) -> Iterator[Query]:
    """Yield queries on a map: evenly spaced scenarios, or random pairs if it has no scenarios."""
    file, wanted = Path(task["map"]), task.get("queries", 10)
    if not file.name.endswith((".scen", ".3dscen")):
        case = map_case(file, wanted, task["seed"])
        grid = _grid(case.blocked, task, "centres")
        yield from (Query(grid, grid.centre(s), grid.centre(t)) for s, t in case.pairs)
        return
    scenarios = load_scenarios(file)
    map_file = map_beside(file, Path(scenarios.map_name).name)
    if map_file is None:
        raise StudyError(f"{file}: its map {Path(scenarios.map_name).name} is not beside it")
    grid = _grid(load_map(map_file), task, "centres")
    shift = 0.5 if grid.nodes == "centres" else 0.0
    n = len(scenarios.lengths)
    for i in np.unique(np.linspace(0, n - 1, min(n, wanted)).astype(int)):
        start, goal = scenarios.starts[i] + shift, scenarios.goals[i] + shift
        length, tolerance = float(scenarios.lengths[i]), float(scenarios.tolerances[i])
        yield Query(grid, start, goal, length, tolerance)


WORLDS = {"noise": _noise, "plane": _plane, "voxel-game": _voxel_game}
WORLDS |= dict.fromkeys(CASES, _of_benchmark) | dict.fromkeys(COST_WORLDS, _with_costs)

"""Worlds of studies whose cells have costs, and the least cost known of a path through them."""

import itertools
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid.grid import Grid
from noctule.planning.plan import plan
from noctule.planning.planner import Planner
from noctule.studies.definition import StudyError

Array = NDArray[Any]

FINER = {2: 4, 3: 2}  # parts of a cell along each axis, by dimension
BEST = ("field-d*", "theta*", "taut")  # whose paths through the parts are compared
FAR = 0.6  # of the side: how far apart start and goal are along some axis, at least
MINE = 50.0
TRIES = 200


def shape_of(task: dict[str, Any]) -> tuple[int, ...]:
    """Return the shape of a world: a square or a cube."""
    dimension, side = task.get("dimension", 2), int(task.get("side", 100))
    if dimension not in (2, 3):
        raise StudyError(f"dimension is {dimension!r}; allowed are 2 and 3")
    return (side,) * int(dimension)


def boxes(rng: np.random.Generator, shape: tuple[int, ...], count: int, largest: float) -> Any:
    """Yield slices of random boxes, with sides up to a share of the world's."""
    side = shape[0]
    for _ in range(count):
        low = rng.integers(0, shape)
        size = rng.integers(
            max(side // 12, 1), max(int(largest * side), side // 12 + 2), len(shape)
        )
        yield tuple(slice(a, a + n) for a, n in zip(low, size, strict=True))


def zones(task: dict[str, Any], rng: np.random.Generator) -> tuple[Array, Array]:
    """Return some solid boxes, and 25 boxes of cells that cost 2 to 16."""
    shape = shape_of(task)
    blocked, cost = np.zeros(shape, bool), np.ones(shape)
    for box in boxes(rng, shape, 10, 0.2):
        blocked[box] = True
    for box in boxes(rng, shape, 25, 0.3):
        cost[box] = np.maximum(cost[box], rng.uniform(2, 16))
    return blocked, cost


def mines(task: dict[str, Any], rng: np.random.Generator) -> tuple[Array, Array]:
    """Return an open world with 25 balls of cells that cost 50."""
    shape = shape_of(task)
    cost, places = np.ones(shape), np.indices(shape)
    for centre in rng.integers(0, shape, (25, len(shape))):
        apart = sum((p - c) ** 2 for p, c in zip(places, centre, strict=True))
        cost[apart <= (rng.uniform(0.05, 0.14) * shape[0]) ** 2] = MINE
    return np.zeros(shape, bool), cost


def each_cell(task: dict[str, Any], rng: np.random.Generator) -> tuple[Array, Array]:
    """Return an open world in which each cell has its own cost, from 1 to 16."""
    shape = shape_of(task)
    return np.zeros(shape, bool), rng.uniform(1, 16, shape)


COST_WORLDS = {"zones": zones, "mines": mines, "each-cell": each_cell}


def cost_queries(task: dict[str, Any], nodes: Any) -> Iterator[tuple[Grid, Array, Array]]:
    """Yield a world with costs, and pairs of points far apart between which there is a path."""
    rng = np.random.default_rng([task["seed"], task["run"]])
    blocked, cost = COST_WORLDS[task["world"]](task, rng)
    grid = Grid(blocked, neighbours=task.get("neighbours"), nodes=nodes, cost=cost)
    planner, shift = Planner(grid, "a*"), 0.5 if nodes == "centres" else 0.0

    def draw() -> Iterator[tuple[Grid, Array, Array]]:
        for _ in range(TRIES):
            high = np.array(grid.shape) + (nodes == "corners")
            s, t = rng.integers(0, high, (2, grid.dimension)) + shift
            if np.abs(s - t).max() >= FAR * max(grid.shape) and planner.plan(s, t).found:
                yield grid, s, t

    return itertools.islice(draw(), task.get("queries", 10))


def without_costs(grid: Grid) -> Grid:
    """Return the same world where all cells cost the same."""
    return Grid(grid.blocked, neighbours=grid.neighbours, nodes=grid.nodes)


def least_cost(grid: Grid, start: Array, goal: Array) -> float:
    """Return the least cost known of a path: through the cells divided into smaller ones."""
    assert grid.cost is not None
    world = grid.blocked.tobytes(), grid.cost.tobytes(), grid.shape
    return _least_cost(*world, tuple(start.tolist()), tuple(goal.tolist()))


@lru_cache(maxsize=512)
def _least_cost(
    blocked: bytes, cost: bytes, shape: tuple[int, ...], start: Any, goal: Any
) -> float:
    fine = _divided(blocked, cost, shape)
    return min(plan(fine, start, goal, name).cost for name in BEST)


@lru_cache(maxsize=1)
def _divided(blocked: bytes, cost: bytes, shape: tuple[int, ...]) -> Grid:
    """Return a world whose cells are divided into smaller ones of the same cost."""
    parts = FINER[len(shape)]
    solid = np.frombuffer(blocked, bool).reshape(shape)
    costs = np.frombuffer(cost, np.float32).reshape(shape)
    for axis in range(len(shape)):
        solid, costs = (np.repeat(array, parts, axis) for array in (solid, costs))
    return Grid(solid, 1.0 / parts, nodes="corners", cost=costs)

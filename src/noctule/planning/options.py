"""The options of a search, checked against the graph it will run on."""

import math
from typing import NamedTuple

from noctule.core.validation import at_least
from noctule.graphs import heuristics
from noctule.graphs.base import SearchGraph
from noctule.graphs.grid.grid import Grid
from noctule.planning.requirements import check_corners, check_costs, check_prefer_clearance
from noctule.planning.search_options import Heuristic, SearchOptions
from noctule.plugins.outside_search import OutsideAlgorithm
from noctule.registry import ALONG_EDGES, DEFAULT, Algorithm, algorithms, find_algorithm
from noctule.timing import Timing

# By which kernels know a heuristic.
CODES = {
    "zero": heuristics.ZERO,
    "straight": heuristics.STRAIGHT,
    "manhattan": heuristics.MANHATTAN,
    "voxel": heuristics.VOXEL,
    "octile": heuristics.VOXEL,
}


class Options(NamedTuple):
    """How to search: the options of `plan`, checked."""

    algorithm: Algorithm
    radius: float
    weight: float
    heuristic: int  # a code of `heuristics`
    equal_steps: bool
    try_straight_line: bool
    max_expanded: int | None
    time_limit: float | None
    bound: float  # proven beforehand (where a search remembers, times what it proves), or infinite
    timing: Timing | None = None  # of searches in time
    hierarchical: bool = False
    engine: str = "fast"
    nearest: bool = False
    goal_tolerance: float | None = None
    prefer_clearance: float | None = None


def choose_options(grid: SearchGraph, algorithm: str | None, search: SearchOptions) -> Options:
    """Return the options for a graph; without an algorithm, for the first one that can serve."""
    if algorithm is not None:
        return check_options(grid, algorithm, search)
    try:
        return check_options(grid, DEFAULT, search)
    except ValueError:  # what is wrong for both is in the message of the second
        return check_options(grid, ALONG_EDGES, search)


def check_options(grid: SearchGraph, algorithm: str, search: SearchOptions) -> Options:
    """Return the options for a graph; raise ValueError if one of them is not possible there.

    `search` has a value for every key.
    """
    row = find_algorithm(algorithm)
    cost, engine, timing = search["cost"], search["engine"], search["timing"]
    if cost not in ("length", "steps"):
        raise ValueError(f"cost is {cost!r}; allowed are 'length' and 'steps'")
    if engine not in ("fast", "reference"):
        raise ValueError(f"engine is {engine!r}; allowed are 'fast' and 'reference'")
    max_expanded = search["max_expanded"]
    if max_expanded is not None:
        max_expanded = int(at_least(1, "max_expanded", max_expanded))
    time_limit = search["time_limit"]
    if time_limit is not None:
        time_limit = at_least(0, "time_limit", time_limit)
    radius, nearest, goal_tolerance = search["radius"], search["nearest"], search["goal_tolerance"]
    hierarchical = bool(search["hierarchical"])
    if isinstance(row.search, OutsideAlgorithm):
        allow_only(row, weight=(search["weight"], 1.0), heuristic=(search["heuristic"], None))
    allowed = admissible_heuristics(row, grid)
    name = search["heuristic"] or allowed[0]
    if name not in (*allowed, "octile", "straight", "voxel", "manhattan"):
        raise ValueError(f"heuristic is {name!r}; allowed here are {', '.join(allowed)}")
    if name not in allowed and (row.keeps_search or not search["allow_inadmissible"]):
        where = repr(grid) if grid.joins_many_nodes else f"{grid.neighbours} neighbours"
        raise ValueError(
            f"heuristic {name!r} may overestimate for {row.name} on {where}; "
            f"allowed are {', '.join(allowed)}"
            + (
                ""
                if row.keeps_search
                else f"; or {name!r} with allow_inadmissible=True and no bound"
            )
        )
    weight = at_least(1, "weight", search["weight"])
    check_costs(row, grid, hierarchical, cost == "steps")
    if hierarchical:
        check_hierarchical(row, grid, radius, cost)
        allow_only(row, weight=(weight, 1.0))
    if row.cells_only and grid.joins_many_nodes:
        raise ValueError(
            f"{row.name} jumps along rows of cells; this is {grid!r}: use {ALONG_EDGES}"
        )
    leaves_edges = row.any_angle and not (row.corners_only or row.timed or row.tightened)
    if leaves_edges and not grid.has_sight:
        raise ValueError(f"{row.name} needs lines of sight; {grid!r} has none")
    if row.corners_only:
        check_corners(row, grid)
        allow_only(row, radius=(radius, 0.0), cost=(cost, "length"))
    if row.name == "field-d*":
        allow_only(row, weight=(weight, 1.0), time_limit=(time_limit, None))
    if row.search is None:
        allow_only(row, weight=(weight, 1.0), cost=(cost, "length"), time_limit=(time_limit, None))
        allow_only(row, nearest=(bool(nearest), False), goal_tolerance=(goal_tolerance, None))
    if goal_tolerance is not None:
        goal_tolerance = at_least(0, "goal_tolerance", goal_tolerance)
    if row.timed:
        timing = check_timing(row, grid, radius, timing)
    elif timing is not None:
        raise ValueError(f"timing is {timing!r}; {row.name} does not plan in time")
    proven = row.optimal and name in allowed and not hierarchical
    equal_steps = cost == "steps"
    code = CODES[name]
    if code == heuristics.VOXEL and grid.neighbours == 18:
        code = heuristics.VOXEL_18
    if row.keeps_search and equal_steps and grid.longest_step > 1.0 and code != heuristics.ZERO:
        # The others count diagonals for more than a step; a long edge counts for one step, too.
        code = heuristics.ZERO if grid.joins_many_nodes else heuristics.STEPS
    return Options(
        row,
        at_least(0, "radius", radius),
        weight,
        code,
        equal_steps,
        bool(search["try_straight_line"]),
        max_expanded,
        time_limit,
        proven_bound(grid, name, 1.0 if row.keeps_search else weight, equal_steps)
        if proven
        else math.inf,
        timing,
        hierarchical,
        engine,
        bool(nearest) or goal_tolerance is not None,
        goal_tolerance,
        check_prefer_clearance(row, grid, cost, search["prefer_clearance"]),
    )


def check_hierarchical(row: Algorithm, grid: SearchGraph, radius: float, cost: str) -> None:
    """Refuse worlds and searches that have no coarse level."""
    on_cells = isinstance(grid, Grid) and not grid.joins_many_nodes and grid.nodes == "centres"
    if not row.hierarchical or not on_cells:
        able = " and ".join(row.name for row in algorithms() if row.hierarchical)
        raise ValueError(
            f"hierarchical is True; it is for {able} on the centres of cells, "
            f"not for {row.name} on {grid!r}"
        )
    allow_only(row, cost=(cost, "length"))
    if at_least(0, "radius", radius) > grid.cell / 2:
        raise ValueError(f"radius is {radius:g}; with hierarchical=True it may be half a cell")


def check_timing(row: Algorithm, grid: SearchGraph, radius: float, timing: Timing | None) -> Timing:
    """Return the options of a search in time, with the defaults if there are none."""
    from noctule.graphs.grid.scene_grid import CellGrid

    if timing is not None and not isinstance(timing, Timing):
        raise ValueError(f"timing is {timing!r}; expected a noctule.Timing")
    if not isinstance(grid, CellGrid):
        raise ValueError(
            f"{row.name} needs a noctule.CellGrid or Hybrid, whose scene knows how bodies move; "
            f"this is {grid!r}"
        )
    if at_least(0, "radius", radius) > grid.cell / 2:
        raise ValueError(
            f"radius is {radius!r}; {row.name} allows at most half a cell, {grid.cell / 2:g}: "
            f"use smaller cells"
        )
    return timing or Timing()


def allow_only(row: Algorithm, **options: tuple[object, object]) -> None:
    """Refuse options, each given with the only value that an algorithm allows."""
    for name, (value, only) in options.items():
        if value != only:
            raise ValueError(f"{name} is {value!r}; {row.name} allows {only!r} only")


def admissible_heuristics(row: Algorithm, grid: SearchGraph) -> tuple[Heuristic, ...]:
    """The heuristics that never overestimate, the tightest first."""
    if row.no_heuristic:
        return ("zero",)
    if row.plane_only or row.name == "field-d*":
        return ("straight",)
    if row.any_angle or grid.joins_many_nodes:
        return ("straight", "zero")
    if grid.neighbours in (4, 6):
        return ("manhattan", "voxel", "octile", "straight", "zero")
    return ("voxel", "octile", "straight", "zero")


def proven_bound(
    grid: SearchGraph, heuristic: Heuristic, weight: float, equal_steps: bool
) -> float:
    """How much longer than the shortest path of the graph the result can be.

    With equal steps the search minimises the number of steps. The longest step, m cells, is at
    most m times as long as the shortest; and a heuristic that measures lengths overestimates the
    number of steps by at most m, which is an inflation like any other.
    """
    inflation = 1.0 if heuristic == "zero" else weight
    if not equal_steps:
        return inflation
    longest = grid.longest_step
    return longest if heuristic == "zero" else inflation * longest**2

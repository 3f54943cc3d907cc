"""The options of a search, checked against the graph it will run on."""

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from noctule.core.validation import at_least, positive
from noctule.graphs import heuristics
from noctule.graphs.explicit.graph import Graph
from noctule.graphs.grid.grid import Grid
from noctule.registry import DEFAULT, Algorithm, algorithms, find_algorithm

if TYPE_CHECKING:
    from noctule.sipp.planner import Timing

# By which kernels know a heuristic.
CODES = {
    "zero": heuristics.ZERO,
    "straight": heuristics.STRAIGHT,
    "manhattan": heuristics.MANHATTAN,
    "voxel": heuristics.VOXEL,
    "octile": heuristics.VOXEL,
}
LONGEST_WINDOW = 5.0  # seconds of a plan in time

Heuristic = Literal["straight", "voxel", "octile", "manhattan", "zero"]


class Options(NamedTuple):
    """How to search; `plan` describes the fields."""

    algorithm: Algorithm
    radius: float
    weight: float
    heuristic: int  # a code of `heuristics`
    equal_steps: bool
    direct: bool
    max_expanded: int | None
    budget: float | None
    bound: float  # proven beforehand (where a search remembers, times what it proves), or infinite
    timing: "Timing | None" = None  # of searches in time
    coarse: bool = False
    engine: str = "fast"
    nearest: bool = False
    goal_tolerance: float | None = None


def check_options(
    grid: Grid | Graph,
    algorithm: str,
    *,
    radius: float = 0.0,
    weight: float = 1.0,
    heuristic: Heuristic | None = None,
    admissible: bool = True,
    step: Literal["length", "equal"] = "length",
    coarse: bool = False,
    direct: bool = False,
    max_expanded: int | None = None,
    budget: float | None = None,
    window: float | None = None,
    margin: float | None = None,
    speed: float | None = None,
    smooth: bool | None = None,
    engine: Literal["fast", "reference"] = "fast",
    nearest: bool = False,
    goal_tolerance: float | None = None,
) -> Options:
    """Fill in what the caller left open, and refuse what would not do."""
    row = find_algorithm(algorithm)
    if step not in ("length", "equal"):
        raise ValueError(f"step is {step!r}; allowed are 'length' and 'equal'")
    if engine not in ("fast", "reference"):
        raise ValueError(f"engine is {engine!r}; allowed are 'fast' and 'reference'")
    if max_expanded is not None:
        max_expanded = int(at_least(1, "max_expanded", max_expanded))
    if budget is not None:
        budget = at_least(0, "budget", budget)
    allowed = admissible_heuristics(row, grid)
    name = heuristic or allowed[0]
    if name not in (*allowed, "octile", "straight", "voxel", "manhattan"):
        raise ValueError(f"heuristic is {name!r}; allowed here are {', '.join(allowed)}")
    if (admissible or row.keeps_search) and name not in allowed:
        where = repr(grid) if grid.joins_many_nodes else f"{grid.neighbours} neighbours"
        raise ValueError(
            f"heuristic {name!r} may overestimate for {row.name} on {where}; "
            f"allowed are {', '.join(allowed)}"
            + ("" if row.keeps_search else f"; or {name!r} with admissible=False and no bound")
        )
    weight = at_least(1, "weight", weight)
    if coarse:
        check_coarse(row, grid, radius, step)
        allow_only(row, weight=(weight, 1.0))
    if row.cells_only and grid.joins_many_nodes:
        raise ValueError(f"{row.name} jumps along rows of cells; this is {grid!r}: use {DEFAULT}")
    leaves_edges = row.any_angle and not (row.plane_only or row.timed or row.tightened)
    if leaves_edges and isinstance(grid, Graph) and not grid.has_sight:
        raise ValueError(f"{row.name} needs lines of sight; {grid!r} was made with sight=None")
    if row.plane_only:
        check_plane(row, grid)
        allow_only(row, radius=(radius, 0.0))
    if row.plane_only or row.timed:
        allow_only(row, weight=(weight, 1.0), step=(step, "length"), budget=(budget, None))
        allow_only(row, nearest=(bool(nearest), False), goal_tolerance=(goal_tolerance, None))
    if goal_tolerance is not None:
        goal_tolerance = at_least(0, "goal_tolerance", goal_tolerance)
    given = {"window": window, "margin": margin, "speed": speed, "smooth": smooth}
    timing = check_timing(row, grid, radius, given) if row.timed else None
    for option, value in given.items():
        if value is not None and timing is None:
            raise ValueError(f"{option} is {value!r}; {row.name} does not plan in time")
    proven = row.optimal and name in allowed and not coarse
    equal_steps = step == "equal"
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
        bool(direct),
        max_expanded,
        budget,
        proven_bound(grid, name, 1.0 if row.keeps_search else weight, equal_steps)
        if proven
        else math.inf,
        timing,
        bool(coarse),
        engine,
        bool(nearest) or goal_tolerance is not None,
        goal_tolerance,
    )


def check_coarse(row: Algorithm, grid: Grid | Graph, radius: float, step: str) -> None:
    """Refuse worlds and searches that no coarse level is of use for."""
    on_cells = isinstance(grid, Grid) and not grid.joins_many_nodes and grid.nodes == "centres"
    if not row.hierarchical or not on_cells:
        able = " and ".join(row.name for row in algorithms() if row.hierarchical)
        raise ValueError(
            f"coarse is True; it is for {able} on the centres of cells, "
            f"not for {row.name} on {grid!r}"
        )
    allow_only(row, step=(step, "length"))
    if at_least(0, "radius", radius) > grid.cell / 2:
        raise ValueError(f"radius is {radius:g}; with coarse=True it may be half a cell")


def check_timing(
    row: Algorithm, grid: Grid | Graph, radius: float, options: dict[str, Any]
) -> "Timing":
    """Return the options of a search in time."""
    from noctule.graphs.grid.scene_grid import CellGrid
    from noctule.sipp.planner import Timing

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
    speed = grid.scene.agent.speed
    given = {"window": 3.0, "margin": 0.1, "speed": speed, "smooth": True} | {
        name: value for name, value in options.items() if value is not None
    }
    window = positive("window", given["window"])
    if window > LONGEST_WINDOW:
        raise ValueError(f"window is {window:g}; it must be at most {LONGEST_WINDOW:g} seconds")
    margin = at_least(0, "margin", given["margin"])
    return Timing(window, margin, positive("speed", given["speed"]), bool(given["smooth"]))


def check_plane(row: Algorithm, grid: Grid | Graph) -> None:
    """Refuse worlds in which a search that works in the plane only can't be."""
    if not grid.flat or grid.nodes != "corners":
        raise ValueError(
            f"{row.name} needs a world in the plane with nodes at corners; this is {grid!r}"
        )


def allow_only(row: Algorithm, **options: tuple[object, object]) -> None:
    """Refuse options, each given with the only value that an algorithm allows."""
    for name, (value, only) in options.items():
        if value != only:
            raise ValueError(f"{name} is {value!r}; {row.name} allows {only!r} only")


def admissible_heuristics(row: Algorithm, grid: Grid | Graph) -> tuple[Heuristic, ...]:
    """The heuristics that never overestimate, the tightest first."""
    if row.no_heuristic:
        return ("zero",)
    if row.plane_only:
        return ("straight",)
    if row.any_angle or grid.joins_many_nodes:
        return ("straight", "zero")
    if grid.neighbours in (4, 6):
        return ("manhattan", "voxel", "octile", "straight", "zero")
    return ("voxel", "octile", "straight", "zero")


def proven_bound(
    grid: Grid | Graph, heuristic: Heuristic, weight: float, equal_steps: bool
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

"""`plan` and `plan_many`: paths from one call, without a planner to keep."""

from collections.abc import Iterable
from typing import Any

from noctule.core.validation import Point
from noctule.graphs.explicit.graph import Graph
from noctule.graphs.grid.grid import Grid
from noctule.path import Path
from noctule.planning.planner import Planner


def plan(
    grid: Grid | Graph, start: Point, goal: Point, algorithm: str = "a*", **options: Any
) -> Path:
    """Find a short free path between two points.

    Parameters
    ----------
    grid : Grid or Graph
        The world.
    start, goal : sequence of float
        Points in world units, not cells: `grid.centre(cell)` is the centre of a cell.
    algorithm : str
        One of `algorithms()`, with or without stars: "taut", "a*", "theta*" ...
    radius : float
        Radius of the agent, a ball; 0 is a point.
    weight : float
        Inflation of the heuristic, at least 1: faster, and at most so many times too long.
    heuristic : "straight", "voxel" (or "octile"), "manhattan", "zero"
        Unless given, the tightest that never overestimates. One that may overestimate is refused
        unless `admissible=False`.
    step : "length" or "equal"
        Whether a step or segment costs its length, or always one cell: faster, but longer paths.
    coarse : bool
        For `a*`, `jps` and `taut` on cells: the quick path that a coarse level of the world leads to;
        `path.bound` says what is proven of it.
    direct : bool
        Return the straight line at once if the goal can be seen from the start.
    max_expanded, budget : int, float
        Stop after so many expansions or seconds, with a path to the node nearest the goal.
    nearest : bool
        If the goal is blocked, outside the world or cannot be reached, return the path to the
        reachable free point nearest to it: `path.reached_goal` is False then, and `path.reason`
        says how far from the goal it ends. A start inside something is left by the shortest way
        to a free node; `verify` reports that first segment.
    goal_tolerance : float, optional
        The same, but only if the path ends so near to the goal, in world units.
    engine : "fast" or "reference"
        Whether the fastest engine for this query searches, or the algorithm's own file.
    window, margin, speed, smooth : float, float, float, bool
        Of `safe-intervals`: seconds ahead in which bodies move (3), that cells are free before and
        after they are used (0.1); speed of the agent (that of the scene); whether to cut corners.

    Returns
    -------
    Path
        With `found=False` and a `reason` if the goal can't be reached.

    Examples
    --------
    >>> import numpy as np
    >>> import noctule as nt
    >>> blocked = np.zeros((8, 8, 8), dtype=bool)
    >>> blocked[4, :7, :] = True
    >>> grid = nt.Grid(blocked)
    >>> path = nt.plan(grid, grid.centre((0, 0, 0)), grid.centre((7, 0, 7)), "theta*", radius=0.4)
    >>> path.found, round(path.length, 3), nt.verify(path, grid, radius=0.4)
    (True, 18.295, True)
    """
    return Planner(grid, algorithm, **options).plan(start, goal)


def plan_many(
    grid: Grid | Graph,
    pairs: Iterable[tuple[Point, Point]],
    algorithm: str = "a*",
    threads: int | None = None,
    **options: Any,
) -> list[Path]:
    """Find paths for many (start, goal) pairs, on several threads at once; options as in `plan`.

    >>> import numpy as np
    >>> import noctule as nt
    >>> grid = nt.Grid(np.zeros((8, 8), dtype=bool))
    >>> pairs = [((0.5, 0.5), (7.5, y + 0.5)) for y in range(8)]
    >>> [round(path.length, 2) for path in nt.plan_many(grid, pairs, threads=2)]
    [7.0, 7.41, 7.83, 8.24, 8.66, 9.07, 9.49, 9.9]
    """
    return Planner(grid, algorithm, **options).plan_many(pairs, threads)

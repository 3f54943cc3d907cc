"""`plan` and `plan_many`: paths from one call, without a planner to keep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from noctule.core.validation import PointLike
from noctule.graphs.base import SearchGraph
from noctule.graphs.grid.grid import Grid
from noctule.path import Path
from noctule.planning.planner import Planner
from noctule.planning.search_options import Cost, EngineKind, Heuristic, named_options

if TYPE_CHECKING:
    from noctule.timing import Timing

Pair = tuple[PointLike, PointLike]

PARTS = 4  # for each worker, so that none waits long for the last one
EXECUTOR_PARTS = 16  # where nobody says how many workers there are


@named_options
def plan(
    graph: SearchGraph,
    start: PointLike,
    goal: PointLike,
    algorithm: str | None = None,
    *,
    radius: float = 0.0,
    weight: float = 1.0,
    heuristic: Heuristic | None = None,
    allow_inadmissible: bool = False,
    cost: Cost = "length",
    hierarchical: bool = False,
    try_straight_line: bool = False,
    prefer_clearance: float | None = None,
    max_expanded: int | None = None,
    time_limit: float | None = None,
    nearest: bool = False,
    goal_tolerance: float | None = None,
    engine: EngineKind = "fast",
    timing: Timing | None = None,
) -> Path:
    """Find a short free path between two points.

    Parameters
    ----------
    graph : SearchGraph
        The world: a `Grid`, `CellGrid`, `Hybrid`, `Graph` or `Waypoints`.
    start, goal : sequence of float
        Points in world units, not cells: `grid.centre(cell)` is the centre of a cell.
    algorithm : str, optional
        One of `algorithms()`, with or without stars: "a*", "theta*" ... Unless given: "taut"; where
        that cannot serve, "a*": with a heuristic that only searches along edges may use.
    radius : float
        Radius of the agent, a ball, in world units; 0 is a point.
    weight : float
        Factor of the heuristic, at least 1. A larger one is usually faster; the path is at most so
        many times longer than the shortest.
    heuristic : {"straight", "voxel", "octile", "manhattan", "zero"}, optional
        Estimate of the remaining cost; "voxel" and "octile" are the same. Unless given, the
        tightest that never overestimates.
    allow_inadmissible : bool
        Whether to accept a heuristic that may overestimate. The path then has no proven bound.
    cost : {"length", "steps"}
        What a path should have little of: length, or steps, of which each costs one cell. "steps"
        is faster; its paths are longer.
    hierarchical : bool
        Search coarse blocks of cells first: fast in large buildings, path slightly longer. For
        "a*", "jps" and "taut" on cells; `path.bound` is what is proven of the length.
    try_straight_line : bool
        Return the straight line at once if the goal can be seen from the start.
    prefer_clearance : float, optional
        Distance to keep from solids where there is room, in world units and as `path.clearance`
        measures it: from the path, so that only more than the radius matters. The path gets at most
        a tenth longer for it, and passes narrow places as near to their solids as it must. For
        "taut" on the cells of a grid.
    max_expanded : int, optional
        Expand at most so many nodes; then return a path to the node nearest the goal.
    time_limit : float, optional
        Search for at most so many seconds; then return a path to the node nearest the goal.
    nearest : bool
        If the goal is blocked, outside the world or cannot be reached, return the path to the
        reachable free point nearest to it: `path.reached_goal` is False then, and `path.reason`
        says how far from the goal it ends. A start inside an obstacle is left by the shortest way
        to a free node; `verify` reports that first segment.
    goal_tolerance : float, optional
        Like `nearest`, but only if the path ends at most so far from the goal, in world units.
    engine : {"fast", "reference"}
        Which code searches: the fastest for this query, or the algorithm's own file.
    timing : Timing, optional
        Options of "safe-intervals", which plans in time.

    Returns
    -------
    Path
        With `found=False` and a `reason` if the goal cannot be reached.

    Raises
    ------
    ValueError
        If a value is out of range, or an option is not possible for this algorithm and graph.
    TypeError
        If there is no option of a name; the message suggests one.

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
    planner = Planner(
        graph,
        algorithm,
        radius=radius,
        weight=weight,
        heuristic=heuristic,
        allow_inadmissible=allow_inadmissible,
        cost=cost,
        hierarchical=hierarchical,
        try_straight_line=try_straight_line,
        prefer_clearance=prefer_clearance,
        max_expanded=max_expanded,
        time_limit=time_limit,
        nearest=nearest,
        goal_tolerance=goal_tolerance,
        engine=engine,
        timing=timing,
    )
    return planner.plan(start, goal)


@named_options
def plan_many(
    graph: SearchGraph,
    pairs: Iterable[tuple[PointLike, PointLike]],
    algorithm: str | None = None,
    *,
    threads: int | None = None,
    client: Any = None,
    radius: float = 0.0,
    weight: float = 1.0,
    heuristic: Heuristic | None = None,
    allow_inadmissible: bool = False,
    cost: Cost = "length",
    hierarchical: bool = False,
    try_straight_line: bool = False,
    prefer_clearance: float | None = None,
    max_expanded: int | None = None,
    time_limit: float | None = None,
    nearest: bool = False,
    goal_tolerance: float | None = None,
    engine: EngineKind = "fast",
    timing: Timing | None = None,
) -> list[Path]:
    """Find paths for many (start, goal) pairs, on several threads at once.

    Parameters
    ----------
    graph : SearchGraph
        The world: a `Grid`, `CellGrid`, `Hybrid`, `Graph` or `Waypoints`.
    pairs : iterable of (start, goal)
        Pairs of points in world units.
    algorithm : str, optional
        One of `algorithms()`; the default as in `plan`.
    threads : int, optional
        Number of threads; as many as the machine has cores unless given.
    client : dask.distributed.Client or concurrent.futures.Executor, optional
        Where to plan instead: in other processes, or on the workers of a cluster.
    radius, weight, heuristic, allow_inadmissible, cost, hierarchical, try_straight_line
        As in `plan`.
    prefer_clearance, max_expanded, time_limit, nearest, goal_tolerance, engine, timing
        As in `plan`, for each path.

    Returns
    -------
    list of Path
        One path for each pair, in the same order.

    Examples
    --------
    >>> import numpy as np
    >>> import noctule as nt
    >>> grid = nt.Grid(np.zeros((8, 8), dtype=bool))
    >>> pairs = [((0.5, 0.5), (7.5, y + 0.5)) for y in range(8)]
    >>> [round(path.length, 2) for path in nt.plan_many(grid, pairs, threads=2)]
    [7.0, 7.07, 7.28, 7.62, 8.06, 8.6, 9.22, 9.9]
    """
    options: dict[str, Any] = {
        "radius": radius,
        "weight": weight,
        "heuristic": heuristic,
        "allow_inadmissible": allow_inadmissible,
        "cost": cost,
        "hierarchical": hierarchical,
        "try_straight_line": try_straight_line,
        "prefer_clearance": prefer_clearance,
        "max_expanded": max_expanded,
        "time_limit": time_limit,
        "nearest": nearest,
        "goal_tolerance": goal_tolerance,
        "engine": engine,
        "timing": timing,
    }
    if client is not None:
        return plan_on(client, graph, list(pairs), algorithm, options)
    return Planner(graph, algorithm, **options).plan_many(pairs, threads)


def plan_on(
    client: Any,
    graph: SearchGraph,
    pairs: Sequence[Pair],
    algorithm: str | None,
    options: dict[str, Any],
) -> list[Path]:
    """Plan on a dask client or a `concurrent.futures` executor; the paths are in order."""
    Planner(graph, algorithm, **options)  # wrong options are reported here
    is_dask = hasattr(client, "scatter")
    if not is_dask and not hasattr(client, "submit"):
        raise ValueError(
            f"client is {client!r}; expected a dask.distributed.Client, or an executor of "
            f"concurrent.futures"
        )
    workers = max(1, len(client.nthreads())) if is_dask else 0
    count = PARTS * workers or EXECUTOR_PARTS
    size = max(1, -(-len(pairs) // count))
    parts = [list(pairs[k : k + size]) for k in range(0, len(pairs), size)]
    world = client.scatter(graph, broadcast=True) if is_dask else graph
    own = {"pure": False} if is_dask else {}
    futures = [client.submit(plan_part, world, algorithm, options, part, **own) for part in parts]
    paths = [path for future in futures for path in future.result()]
    return [replace(path, world=graph) for path in paths] if isinstance(graph, Grid) else paths


def plan_part(
    graph: SearchGraph,
    algorithm: str | None,
    options: dict[str, Any],
    pairs: list[Pair],
) -> list[Path]:
    """Plan some of the queries, in a worker."""
    return Planner(graph, algorithm, **options).plan_many(pairs, threads=1)

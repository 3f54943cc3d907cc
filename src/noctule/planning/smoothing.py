"""`smooth`: shorten a finished path by straight lines, never through anything, never dearer."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.search_engine import bind_once
from noctule.core.jit import kernel, type_key
from noctule.core.validation import at_least
from noctule.engines.tighten import SHARE, tighten
from noctule.graphs.compiled import CompiledGraph
from noctule.graphs.explicit.graph import Graph
from noctule.graphs.grid.grid import Grid
from noctule.graphs.polyline import frame_of, new_line
from noctule.graphs.protocol import line_of_sight, too_far_to_see
from noctule.path import Path, polyline_length
from noctule.planning.costs import worth_it

TOLERANCE, FINEST = 1e-2, 1e-6  # in cells; of taut paths
ROOM = 256  # corners more than at first; a longer path gets more
MOST = 1 << 40  # lines of sight without a deadline
SLICE = 500  # lines of sight between two looks at the clock: less than a tenth of a millisecond

Method = Literal["rubber-band", "greedy", "taut"]


def smooth(
    path: Path,
    world: Grid | Graph,
    method: Method = "rubber-band",
    tolerance: float | None = None,
) -> Path:
    """Shorten a path by straight lines; it stays free, and is never longer than before.

    Where cells have costs, it is never dearer than before: no corner is left out that saves cost.

    "rubber-band" goes from the goal back to the start and keeps, for each corner, the earliest one
    that it sees (Yu, Novitch 2020, section 4.5). "greedy" is the post-smoothing of A* (Nash 2010):
    from the start on, leave out a corner while the last one kept sees the one after it.

    "taut" also moves the corners: the path becomes the shortest one that passes the obstacles on
    the same sides, like a string that is pulled. No corner of it can be left out, and no straight
    line that cuts a bend off saves more than `tolerance`. Where cells have costs, bends move as
    long as that makes the path cheaper, among obstacles and cells that cost.

    Parameters
    ----------
    path : Path
        A path as a search returned it; the agent's radius is taken from it.
    world : Grid or Graph
        The world as it is now.
    method : "rubber-band", "greedy" or "taut"
        The first asks for more lines of sight than the second, and usually finds the shorter path;
        the paths of the third are shorter still.
    tolerance : float, optional
        Of "taut", in world units; a hundredth of a cell unless given. Time and corners grow with
        finer ones; allowed is a millionth of a cell at least.

    Returns
    -------
    Path
        The smoothed path; `sight_checks` and `seconds` include the smoothing. `nodes` are still
        those of the search.

    Examples
    --------
    >>> import numpy as np
    >>> import noctule as nt
    >>> blocked = np.zeros((9, 9), dtype=bool)
    >>> blocked[4, :6] = True
    >>> grid = nt.Grid(blocked)
    >>> path = nt.plan(grid, grid.centre((0, 0)), grid.centre((8, 0)), "a*")
    >>> [round(nt.smooth(path, grid, how).length, 2) for how in ("rubber-band", "taut")]
    [15.42, 14.04]
    """
    if method not in ("rubber-band", "greedy", "taut"):
        raise ValueError(f"method is {method!r}; allowed are 'rubber-band', 'greedy' and 'taut'")
    if tolerance is not None:
        if method != "taut":
            raise ValueError(f"tolerance is {tolerance!r}; it is of method 'taut', not {method!r}")
        tolerance = at_least(FINEST * world.cell, "tolerance", tolerance) / world.cell
    if path.times is not None:
        raise ValueError(f"path is one in time, which {path.algorithm} has smoothed already")
    began = time.perf_counter()
    if method == "taut":
        for point in path.points:
            world.in_cells("corner", point)  # raises for one outside
        graph = world.kernel_graph(path.radius)
        return taut(path, world, graph, TOLERANCE if tolerance is None else tolerance, began)
    sight = _Sight(path, world)
    kept = (_rubber_band if method == "rubber-band" else _greedy)(len(path.points), sight)
    return _shortened(path, world, path.points[kept], sight.checks, began)


def taut(
    path: Path,
    world: Any,
    graph: Any,
    tolerance: float,
    began: float,
    deadline: float | None = None,
) -> Path:
    """Return a path pulled taut, or as taut as it can be at the deadline.

    `tolerance` is in cells, `began` is the time at the start. A segment that leads out of blocked
    cells, or into them, is judged by bodies, and stays.
    """
    leaves, enters = path.blocked_ends
    first, end = int(leaves), len(path.points) - int(enters)
    if end - first < 3:
        return _shortened(path, world, path.points, 0, began)
    inner, checks = pull_taut(world, graph, path.points[first:end], tolerance, deadline)
    points = np.concatenate([path.points[:first], inner, path.points[end:]])
    return _shortened(path, world, points, checks, began)


def pull_taut(
    grid: CompiledGraph,
    graph: Any,
    points: NDArray[np.float64],
    tolerance: float,
    deadline: float | None = None,
) -> tuple[NDArray[np.float64], int]:
    """Return the corners of a path pulled taut, and how many lines of sight that took.

    `tolerance` is in cells; where cells have costs, it is worth what the path costs on average. At
    the deadline, return the path as it is then.
    """
    length, cost = polyline_length(points), grid.cost_along(points)
    if cost is not None and length > 0.0:
        tolerance *= cost / length
    frame, line = frame_of(grid), new_line(len(points) + ROOM)
    run = bind_once(tighten, type_key(graph))
    how = grid.plane_z, SHARE * tolerance
    corners = np.empty((len(line.at), grid.dimension))
    most = MOST if deadline is None else SLICE
    n = run(graph, frame, line, points, *how, most, corners)
    while n < 0 or (line.stats[0].sight_checks >= most and not is_late(deadline)):
        if n < 0:
            larger = new_line(2 * len(line.at))
            for old, new in zip(line, larger, strict=True):
                new[: len(old)] = old
            line, corners = larger, np.empty((len(larger.at), grid.dimension))
        else:
            most += SLICE
        n = run(graph, frame, line, points[:0], *how, most, corners)
    return corners[:n].copy(), int(line.stats[0].sight_checks)


def is_late(deadline: float | None) -> bool:
    """Whether a deadline has passed."""
    return deadline is not None and time.perf_counter() >= deadline


def _shortened(
    path: Path, world: Any, points: NDArray[np.float64], checks: int, began: float
) -> Path:
    """Return a path with other points, found with this number of line-of-sight checks."""
    length, bound, cell_cost = path.length, path.bound, path.cell_cost
    if len(points) > 1:
        length, cell_cost = polyline_length(points), world.cost_along(points)
        cost = length if cell_cost is None else cell_cost
        bound = max(1.0, path.bound * cost / path.cost) if path.cost > 0 else path.bound
    return replace(
        path,
        points=points,
        length=length,
        sight_checks=path.sight_checks + checks,
        sight_walks=path.sight_walks + checks,
        seconds=path.seconds + time.perf_counter() - began,
        bound=bound,
        cell_cost=cell_cost,
    )


@kernel
def leave_out_corners(graph: Any, nodes: Any) -> Any:
    """The greedy method for a path of nodes, in place; returns how many are left."""
    n = min(1, len(nodes))
    for i in range(1, len(nodes)):
        if i == len(nodes) - 1 or not sees(graph, nodes[n - 1], nodes[i + 1]):
            nodes[n] = nodes[i]
            n += 1
    return n


@kernel
def sees(graph: Any, s: Any, t: Any) -> Any:
    """Whether a node sees another one that is not too far away."""
    return not too_far_to_see(graph, s, t) and line_of_sight(graph, s, t)


@kernel
def is_open(graph: Any, nodes: Any) -> Any:
    """Whether each node of a path still sees the next one."""
    i = 1
    while i < len(nodes) and line_of_sight(graph, nodes[i - 1], nodes[i]):
        i += 1
    return i >= len(nodes)


class _Sight:
    """Lines of sight between the corners of a path, counted."""

    def __init__(self, path: Path, world: Grid | Graph) -> None:
        self.world = world
        self.graph = world.kernel_graph(path.radius)
        self.points = path.points
        self.places = [world.in_cells("corner", point) for point in path.points]
        self.checks = 0

    def __call__(self, i: int, j: int) -> bool:
        self.checks += 1
        if not self.world.segment_is_free(self.graph, self.places[i], self.places[j]):
            return False
        return worth_it(self.world, self.points[i : j + 1], self.points[[i, j]])


def _rubber_band(n: int, sight: _Sight) -> NDArray[np.int64]:
    kept = [n - 1] if n else []
    while kept and kept[-1] > 0:
        here = kept[-1]
        kept.append(next((i for i in range(here - 1) if sight(i, here)), here - 1))
    return np.array(kept[::-1], np.int64)


def _greedy(n: int, sight: _Sight) -> NDArray[np.int64]:
    kept = [0] if n else []
    for i in range(1, n):
        if i == n - 1 or not sight(kept[-1], i + 1):
            kept.append(i)
    return np.array(kept, np.int64)

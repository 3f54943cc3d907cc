"""`smooth`: shorten a finished path by straight lines, never through anything, never longer."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import kernel
from noctule.graphs.grid.grid import Grid
from noctule.graphs.protocol import line_of_sight, too_far_to_see
from noctule.path import Path, polyline_length


def smooth(
    path: Path, world: Grid, method: Literal["rubber-band", "greedy"] = "rubber-band"
) -> Path:
    """Leave out corners of a path that the agent need not fly to.

    "rubber-band" goes from the goal back to the start and keeps, for each corner, the earliest one
    that it sees (Yu, Novitch 2020, section 4.5). "greedy" is the post-smoothing of A* (Nash 2010):
    from the start on, leave out a corner while the last one kept sees the one after it.

    Parameters
    ----------
    path : Path
        A path as a search returned it; the agent's radius is taken from it.
    world : Grid
        The world as it is now.
    method : "rubber-band" or "greedy"
        The first asks for more lines of sight, and usually finds the shorter path.

    Returns
    -------
    Path
        The path with fewer corners; `sight_checks` and `seconds` include the smoothing.

    Examples
    --------
    >>> import numpy as np
    >>> import noctule as nt
    >>> grid = nt.Grid(np.zeros((9, 9, 9), dtype=bool))
    >>> path = nt.plan(grid, grid.centre((0, 0, 0)), grid.centre((8, 5, 2)), "a*")
    >>> round(path.length, 3), round(nt.smooth(path, grid).length, 3)
    (10.707, 9.644)
    """
    if method not in ("rubber-band", "greedy"):
        raise ValueError(f"method is {method!r}; allowed are 'rubber-band' and 'greedy'")
    if path.times is not None:
        raise ValueError(f"path is one in time, which {path.algorithm} has smoothed already")
    began = time.perf_counter()
    sight = _Sight(path, world)
    kept = (_rubber_band if method == "rubber-band" else _greedy)(len(path.points), sight)
    points = path.points[kept]
    length = polyline_length(points) if len(points) else path.length
    return replace(
        path,
        points=points,
        length=length,
        sight_checks=path.sight_checks + sight.checks,
        sight_walks=path.sight_walks + sight.checks,
        seconds=path.seconds + time.perf_counter() - began,
        bound=max(1.0, path.bound * length / path.length) if path.length > 0 else path.bound,
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

    def __init__(self, path: Path, world: Grid) -> None:
        self.world = world
        self.graph = world.kernel_graph(path.radius)
        self.places = [world.in_cells("corner", point) for point in path.points]
        self.checks = 0

    def __call__(self, i: int, j: int) -> bool:
        self.checks += 1
        return self.world.segment_is_free(self.graph, self.places[i], self.places[j])


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

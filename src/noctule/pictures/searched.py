"""`Searched`: the nodes that the search for a path expanded, found by searching again."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid.grid import Grid
from noctule.path import Path
from noctule.planning.planner import Planner

MAX_NODES = 30_000_000  # searches of larger graphs are not drawn


class Searched(NamedTuple):
    """Nodes that a search expanded."""

    points: NDArray[np.float64]  # in world units
    order: NDArray[np.float64]  # from 0, the first by cost, to 1


def searched_by(grid: Grid, path: Path) -> Searched | None:
    """Return what a search for this path expands; None where that is not known."""
    ends = ends_of(path)
    if ends is None or not path.expanded or grid.node_count > MAX_NODES:
        return None
    try:
        planner = Planner(grid, path.algorithm, radius=path.radius, max_expanded=path.expanded)
        planner.plan(*ends)
    except ValueError:  # it needed other options
        return None
    found = planner.search_snapshot()
    if not len(found.expanded):
        return None
    rank = np.argsort(np.argsort(found.g, kind="stable"), kind="stable")
    return Searched(grid.positions(found.expanded), rank / max(len(rank) - 1, 1))


def ends_of(path: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return start and goal of a path, or those asked for where there is none."""
    if path.ends is not None:
        return np.asarray(path.ends[0], float), np.asarray(path.ends[1], float)
    if len(path.points):
        return path.points[0], path.points[-1]
    return None

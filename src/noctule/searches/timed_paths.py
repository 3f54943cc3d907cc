"""From the states of a search in time to the corners of a path, and when they are passed."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid import Grid
from noctule.kernels import INF
from noctule.searches import safe_intervals as core
from noctule.searches.timed_smoothing import pull

Place = tuple[float, float, float]


class Corners(NamedTuple):
    """A way in time: places in half cells, when they are reached and left, and the cells."""

    places: NDArray[np.float64]
    arrive: NDArray[np.float64]
    leave: NDArray[np.float64]
    cells: NDArray[np.int64]


class LastLeg(NamedTuple):
    """The way from the centre of the goal's cell to the goal: how long, and when it is busy."""

    lasts: float
    word: int


def trace_corners(
    problem: core.Problem,
    states: core.States,
    s: int,
    grid: Grid,
    ends: Any,
    now: float,
    leg: LastLeg,
) -> Corners:
    """The way to a state, from where the agent is at moment `now` to the goal."""
    n = core.trail_size(states, s)
    cells, arrivals = np.empty(n, np.int64), np.empty(n)
    core.trace(states, s, cells, arrivals)
    centres = 2 * grid.indices(cells) + 1.0
    places: NDArray[np.float64] = np.concatenate([[ends[0]], centres, [ends[1]]])
    margin = problem.hours.margin
    last = core.earliest(leg.word, arrivals[-1], leg.lasts, margin, INF) + leg.lasts
    arrive = np.concatenate([[now], arrivals, [last]])
    lasts = problem.hours.pace * np.linalg.norm(np.diff(places, axis=0), axis=1) / 2
    leave = np.append(arrive[1:] - lasts, last)
    keep = np.append(lasts > 0, True)  # of two corners at one place, the second
    keep[0] = True
    if lasts[0] == 0:
        keep[1] = False
        leave[0] = leave[1]
    keep[-1] = len(keep) - 1 == np.flatnonzero(keep)[-1]
    return Corners(places[keep], arrive[keep], leave[keep], cells)


def cut_corners(problem: core.Problem, corners: Corners, first: int) -> tuple[Corners, int]:
    """Smooth a way from corner `first` on; also returns how many lines were looked along."""
    kept = np.empty(len(corners.places), np.int64)
    places, arrive, leave, cells = corners
    n, looks = pull(problem.lattice, problem.hours, places, arrive, leave, first, kept)
    kept = kept[:n]
    return Corners(places[kept], arrive[kept], leave[kept], cells), looks


def points_and_times(
    corners: Corners, ends: tuple[Any, Any], grid: Grid
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points in world units, and when they are passed (in bins); twice where the agent waits."""
    points = grid.origin + corners.places * (grid.cell / 2)
    points[0], points[-1] = ends
    waits = 1 + (corners.leave > corners.arrive + 1e-9)
    waits[-1] = 1
    times = np.stack([corners.arrive, corners.leave], axis=1)
    both = np.stack([np.ones(len(waits), bool), waits == 2], axis=1)
    return np.repeat(points, waits, axis=0), times[both]

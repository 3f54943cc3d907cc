"""A path as a linked list of corners, at exactly the coordinates that it will have in the world.

Every corner is rounded to coordinates of the world before it is used, and converted back as graphs
convert points: so the segments that are tested are those that are returned, however far the world
is from the origin.
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.core.intrinsics import at
from noctule.core.jit import kernel, kernel_cold
from noctule.core.stats import new_stats
from noctule.graphs.base import SearchGraph
from noctule.graphs.costs.cell_costs import CellCosts
from noctule.graphs.protocol import cost_between, segment_is_free

LOOK_BACK = 128  # corners between which others are skipped


class Frame(NamedTuple):
    """What converts places to points of the world and back."""

    origin: np.ndarray  # of the world; three coordinates
    cell: float
    near: float  # places are rounded to multiples of 0.5 that are so near
    dimension: int
    high: np.ndarray  # the highest places of a world with costs; the lowest are 0


class Line(NamedTuple):
    """The corners of a path as a linked list; the last two rows are for the chord that is tried."""

    at: np.ndarray  # places
    points: np.ndarray  # the same in world units
    after: np.ndarray
    before: np.ndarray
    is_due: np.ndarray  # whether to try (again) to shorten the path at a corner
    cost: np.ndarray  # least cost of the path to each corner at first, where cells have costs
    stats: np.ndarray  # rows used, the last corner, the one to go on from, and what was done


@kernel_cold
def sees(graph, line, s, t):
    """Whether the line between two corners is free."""
    line.stats[0].sight_checks += 1
    p, q = line.at[s], line.at[t]
    return segment_is_free(graph, p[0], p[1], p[2], q[0], q[1], q[2])


@kernel
def length(line, s, t):
    """Return the distance between two corners."""
    p, q = line.at[s], line.at[t]
    return math.sqrt((q[0] - p[0]) ** 2 + (q[1] - p[1]) ** 2 + (q[2] - p[2]) ** 2)


@kernel
def price(graph, line, s, t):
    """Return the cost of the line between two corners: its length, unless cells have costs."""
    p, q = line.at[s], line.at[t]
    return cost_between(graph, p[0], p[1], p[2], q[0], q[1], q[2])


@kernel
def join(line, s, t):
    """Let corner `t` follow corner `s`: both are due."""
    line.after[s], line.before[t] = t, s
    line.is_due[s] = line.is_due[t] = 1


@kernel
def copy(line, s, t):
    """Copy a corner."""
    for axis in range(3):
        line.at[t, axis], line.points[t, axis] = line.at[s, axis], line.points[s, axis]


@kernel
def place_between(frame, line, s, t, part, to):
    """Place corner `to` on the line from `s` to `t`, at a part of it."""
    if part == 1.0:
        copy(line, t, to)
        return
    copy(line, s, to)
    for axis in range(frame.dimension):
        v = line.at[s, axis]
        place_at(frame, line, to, axis, v + part * (line.at[t, axis] - v))


@kernel
def place_at(frame, line, to, axis, v):
    """Set a coordinate of a corner, rounded to what a coordinate in world units can tell."""
    point = frame.origin[axis] + v * frame.cell
    line.points[to, axis] = point
    line.at[to, axis] = place_of(frame, axis, point)


@kernel
def place_of(frame, axis, point):
    """Convert a coordinate in world units to cells, as graphs do."""
    v = (point - frame.origin[axis]) / frame.cell
    half = 0.5 * math.floor(2.0 * v + 0.5)
    return half if abs(v - half) <= frame.near else v


@kernel
def skip_dear_corners(graph, line):
    """Link the corners that make the path cheapest, each to one that sees it."""
    line.cost[0] = 0.0
    for here in range(1, line.stats[0].used):
        line.before[here] = here - 1
        line.cost[here] = line.cost[here - 1] + price(graph, line, here - 1, here)
        for v in range(max(here - LOOK_BACK, 0), here - 1):
            if line.cost[v] + length(line, v, here) < line.cost[here]:
                cost = line.cost[v] + price(graph, line, v, here)
                if cost < line.cost[here] and sees(graph, line, v, here):
                    line.before[here], line.cost[here] = v, cost
    here = line.stats[0].last
    while here > 0:
        v = line.before[at(here)]
        join(line, v, here)
        here = v


@kernel
def skip_corners(graph, line):
    """Link the corners: from the last one on, backwards, the earliest that it sees."""
    here = line.stats[0].last
    while here > 0:
        v = max(here - LOOK_BACK, 0)
        while v < here - 1 and not sees(graph, line, v, here):
            v += 1
        join(line, v, here)
        here = v


def new_line(n: int) -> Line:
    """Return room for a path of `n` corners."""
    stats = new_stats(used=int, last=int, here=int, shortened=int)
    return Line(
        np.empty((n, 3)),
        np.empty((n, 3)),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.uint8),
        np.empty(n),
        stats,
    )


def frame_of(grid: SearchGraph) -> Frame:
    """Return how a graph converts places."""
    origin = np.zeros(3)
    origin[: grid.dimension] = grid.origin
    near = grid.resolution if grid.snaps else 0.0
    high = np.zeros(3)
    if isinstance(grid, CellCosts):
        high[: grid.dimension] = grid.shape
    return Frame(origin, grid.cell, near, grid.dimension, high)

"""Timed search from start to goal; the result is traced as timed points."""

from typing import NamedTuple

import numpy as np

from noctule.core.jit import INF, kernel
from noctule.core.status import FOUND
from noctule.graphs.grid.lattice import coordinates
from noctule.graphs.sight.timed import WALL, ever_busy_along, flight_time, free_until
from noctule.sipp import safe_intervals as core
from noctule.sipp.edge_occupancy import half_centre
from noctule.sipp.smoothing import cut_corners, position

START_BLOCKED = 4  # status of a search in which the agent cannot leave the start
SAME = 1e-9  # in bins

Place = tuple[float, float, float]  # in half cells


class TimedQuery(NamedTuple):
    """Start and goal, and the nodes that they are connected to."""

    start: Place
    goal: Place
    now: float  # time of departure, in bins
    nodes: np.ndarray  # entry nodes of the start
    distances: np.ndarray  # of the start to these, in cells
    start_is_blocked: bool  # whether the start lies in blocked cells
    entries_are_checked: bool  # whether the entry segments are known to be free at `now`
    last: int  # entry node of the goal
    last_distance: float  # of the goal to it, in cells


class Trajectory(NamedTuple):
    """Memory of a trajectory: its nodes, its corners, and its points with times."""

    node: np.ndarray  # per node: index of the cell along each axis
    position: np.ndarray  # per corner, in half cells
    arrive: np.ndarray  # per corner: time of arrival, in bins
    leave: np.ndarray  # per corner: time of departure, in bins
    kept: np.ndarray  # indices of the corners that smoothing keeps
    point: np.ndarray  # per point, in half cells
    time: np.ndarray  # per point, in bins


def new_trajectory(capacity: int) -> Trajectory:
    """Allocate memory for a trajectory of up to `capacity` nodes."""
    n = capacity + 2
    return Trajectory(
        np.empty((capacity, 3), np.int64),
        np.empty((n, 3)),
        np.empty(n),
        np.empty(n),
        np.empty(n, np.int64),
        np.empty((2 * n, 3)),
        np.empty(2 * n),
    )


@kernel
def find_trajectory(problem, states, trajectory, query, smooth, limit):
    """Find the path of earliest arrival and write it to `trajectory`.

    Returns a status and the numbers of nodes, points and line-of-sight checks. A point at which the
    agent waits is written twice.
    """
    core.start_search(states)
    if query.entries_are_checked:
        relax_free_entries(problem, states, query)
    else:
        relax_entries(problem, states, query)
        if states.open.size[0] == 0:
            return START_BLOCKED, 0, 0, 0
    lattice, window = problem.graph.lattice, problem.window
    duration, word = window.bins_per_cell * query.last_distance, 0
    if duration > 0:  # a leg into blocked cells was checked against the bodies
        word = max(
            ever_busy_along(lattice, window, half_centre(lattice, query.last), query.goal), 0
        )
    status, s = core.search(problem, states, query.last, word, duration, limit)
    if status != FOUND:
        return status, 0, 0, 0
    arrival = core.earliest_departure(word, states.g[s], duration, window.margin, INF) + duration
    nodes, corners = trace(problem, states, trajectory, s, query, arrival)
    for i in range(corners):
        trajectory.kept[i] = i
    sight_checks = 0
    if smooth:
        first = 1 if query.start_is_blocked and corners > 1 else 0
        corners, sight_checks = cut_corners(lattice, window, trajectory, corners - 1, first)
    return status, nodes, write_points(trajectory, corners), sight_checks


@kernel
def relax_entries(problem, states, query):
    """Relax the entry nodes of the start, each from the first time at which its segment is free."""
    lattice, window, now = problem.graph.lattice, problem.window, query.now
    here = ever_busy_along(lattice, window, query.start, query.start)
    until = free_until(here, now) if here != WALL else INF
    for i in range(len(query.nodes)):
        node = query.nodes[i]
        if query.distances[i] == 0.0:
            if until > now:
                core.relax(problem, states, -1, node, now)
            continue
        word = ever_busy_along(lattice, window, query.start, half_centre(lattice, node))
        if word == WALL:  # a segment out of blocked cells was checked against the bodies
            word = window.word[node] & window.mask
        duration = window.bins_per_cell * query.distances[i]
        t = core.earliest_departure(word, now, duration, window.margin, until)
        if t < INF:
            core.relax(problem, states, -1, node, t + duration)


@kernel
def relax_free_entries(problem, states, query):
    """Relax the entry nodes of the start; their segments are known to be free at `query.now`."""
    window = problem.window
    for i in range(len(query.nodes)):
        t = query.now + window.bins_per_cell * query.distances[i]
        if free_until(window.word[query.nodes[i]] & window.mask, t) > t:
            core.relax(problem, states, -1, query.nodes[i], t)


@kernel
def trace(problem, states, trajectory, s, query, arrival):
    """Write the nodes and corners of the path to state `s` and the goal; return their numbers."""
    lattice, window = problem.graph.lattice, problem.window
    nodes = core.path_size(states, s)
    for i in range(nodes - 1, -1, -1):
        x, y, z = coordinates(lattice, states.cell[s])
        trajectory.node[i, 0], trajectory.node[i, 1], trajectory.node[i, 2] = x, y, z
        trajectory.leave[i] = states.g[s]  # the arrival, until departures are computed below
        s = states.parent[s]
    corners = add_corner(trajectory, 0, query.start, query.now)
    for i in range(nodes):
        x, y, z = trajectory.node[i, 0], trajectory.node[i, 1], trajectory.node[i, 2]
        corners = add_corner(
            trajectory, corners, (2.0 * x + 1.0, 2.0 * y + 1.0, 2.0 * z + 1.0), trajectory.leave[i]
        )
    corners = add_corner(trajectory, corners, query.goal, arrival)
    for i in range(corners - 1):
        trajectory.leave[i] = trajectory.arrive[i + 1] - flight_time(
            window, position(trajectory, i), position(trajectory, i + 1)
        )
    trajectory.leave[corners - 1] = trajectory.arrive[corners - 1]
    return nodes, corners


@kernel
def add_corner(trajectory, n, p, t):
    """Append a corner reached at `t` unless it equals the last; return the number of corners."""
    if n > 0 and position(trajectory, n - 1) == p:
        return n
    trajectory.position[n, 0], trajectory.position[n, 1], trajectory.position[n, 2] = p
    trajectory.arrive[n] = t
    return n + 1


@kernel
def write_points(trajectory, corners):
    """Write the points and times of the kept corners; return the number of points."""
    n = 0
    for c in range(corners):
        i = trajectory.kept[c]
        waits = c < corners - 1 and trajectory.leave[i] > trajectory.arrive[i] + SAME
        for t in (trajectory.arrive[i], trajectory.leave[i]):
            trajectory.point[n, 0], trajectory.point[n, 1], trajectory.point[n, 2] = position(
                trajectory, i
            )
            trajectory.time[n] = t
            n += 1
            if not waits:
                break
    return n

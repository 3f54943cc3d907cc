"""Trajectories: search from start to goal in time, and trace the result as timed points."""

from typing import NamedTuple

import numpy as np

from noctule.core.jit import INF, kernel
from noctule.core.status import FOUND
from noctule.graphs.grid.lattice import coordinates
from noctule.graphs.sight.timed import WALL, ever_busy_along, flight_time, free_until
from noctule.sipp import safe_intervals as core
from noctule.sipp.edge_occupancy import half_centre
from noctule.sipp.smoothing import place, pull

NO_WAY_OUT = 4  # status of a search in which the agent cannot leave the start
SAME = 1e-9  # in bins

Place = tuple[float, float, float]  # in half cells


class Trip(NamedTuple):
    """Start and goal, and the nodes near both."""

    start: Place
    goal: Place
    now: float  # time of the start, in bins
    nodes: np.ndarray  # near the start, and their distances in cells
    distances: np.ndarray
    leaving: bool  # whether the segments to these lead out of blocked cells
    judged: bool  # whether these are known to be free if the agent leaves at once
    last: int  # the node near the goal, and its distance in cells
    last_distance: float


class Way(NamedTuple):
    """Memory of a trajectory: nodes; corners with times of arrival and departure; points, times."""

    node: np.ndarray  # indices of cells
    place: np.ndarray  # in half cells, as points are
    arrive: np.ndarray
    leave: np.ndarray
    kept: np.ndarray  # numbers of the corners that smoothing keeps
    point: np.ndarray
    time: np.ndarray


def new_way(room: int) -> Way:
    """Allocate memory for a trajectory over so many nodes."""
    n = room + 2
    return Way(
        np.empty((room, 3), np.int64),
        np.empty((n, 3)),
        np.empty(n),
        np.empty(n),
        np.empty(n, np.int64),
        np.empty((2 * n, 3)),
        np.empty(2 * n),
    )


@kernel
def find_way(problem, states, way, trip, smooth, limit):
    """Find the earliest arrival; return a status, and the numbers of nodes, points, sight checks.

    A path that waits at a point has it twice.
    """
    core.begin(states)
    if trip.judged:
        enter_at(problem, states, trip)
    else:
        enter(problem, states, trip)
        if states.open.size[0] == 0:
            return NO_WAY_OUT, 0, 0, 0
    lattice, hours = problem.graph.lattice, problem.hours
    lasts, word = hours.bins_per_cell * trip.last_distance, 0
    if lasts > 0:  # a leg into blocked cells was checked with the bodies
        word = max(ever_busy_along(lattice, hours, half_centre(lattice, trip.last), trip.goal), 0)
    status, s = core.search(problem, states, trip.last, word, lasts, limit)
    if status != FOUND:
        return status, 0, 0, 0
    there = core.earliest(word, states.g[s], lasts, hours.margin, INF) + lasts
    nodes, corners = trace(problem, states, way, s, trip, there)
    for i in range(corners):
        way.kept[i] = i
    looks = 0
    if smooth:
        first = 1 if trip.leaving and corners > 1 else 0
        corners, looks = pull(lattice, hours, way, corners - 1, first)
    return status, nodes, write_points(way, corners), looks


@kernel
def enter(problem, states, trip):
    """Reach the nodes near the start, each as early as its segment is free."""
    lattice, hours, now = problem.graph.lattice, problem.hours, trip.now
    here = ever_busy_along(lattice, hours, trip.start, trip.start)
    until = free_until(here, now) if here != WALL else INF
    for i in range(len(trip.nodes)):
        node = trip.nodes[i]
        if trip.distances[i] == 0.0:
            if until > now:
                core.reach(problem, states, -1, node, now)
            continue
        word = ever_busy_along(lattice, hours, trip.start, half_centre(lattice, node))
        if word == WALL:  # a segment out of blocked cells was checked with the bodies
            word = hours.word[node] & hours.mask
        lasts = hours.bins_per_cell * trip.distances[i]
        t = core.earliest(word, now, lasts, hours.margin, until)
        if t < INF:
            core.reach(problem, states, -1, node, t + lasts)


@kernel
def enter_at(problem, states, trip):
    """Reach the nodes by segments that are known to be free if the agent leaves at once."""
    hours = problem.hours
    for i in range(len(trip.nodes)):
        t = trip.now + hours.bins_per_cell * trip.distances[i]
        if free_until(hours.word[trip.nodes[i]] & hours.mask, t) > t:
            core.reach(problem, states, -1, trip.nodes[i], t)


@kernel
def trace(problem, states, way, s, trip, there):
    """Write the nodes and corners of the path to state `s` and the goal; return how many."""
    lattice, hours = problem.graph.lattice, problem.hours
    nodes = core.trail_size(states, s)
    for i in range(nodes - 1, -1, -1):
        x, y, z = coordinates(lattice, states.cell[s])
        way.node[i, 0], way.node[i, 1], way.node[i, 2] = x, y, z
        way.leave[i] = states.g[s]  # temporarily
        s = states.parent[s]
    corners = add_corner(way, 0, trip.start, trip.now)
    for i in range(nodes):
        x, y, z = way.node[i, 0], way.node[i, 1], way.node[i, 2]
        corners = add_corner(
            way, corners, (2.0 * x + 1.0, 2.0 * y + 1.0, 2.0 * z + 1.0), way.leave[i]
        )
    corners = add_corner(way, corners, trip.goal, there)
    for i in range(corners - 1):
        way.leave[i] = way.arrive[i + 1] - flight_time(hours, place(way, i), place(way, i + 1))
    way.leave[corners - 1] = way.arrive[corners - 1]
    return nodes, corners


@kernel
def add_corner(way, n, p, t):
    """Add corner `n`, reached at `t`, unless it is at the last one; return how many there are."""
    if n > 0 and place(way, n - 1) == p:
        return n
    way.place[n, 0], way.place[n, 1], way.place[n, 2] = p
    way.arrive[n] = t
    return n + 1


@kernel
def write_points(way, corners):
    """Write the points and times of the corners that are kept; return how many."""
    n = 0
    for c in range(corners):
        i = way.kept[c]
        waits = c < corners - 1 and way.leave[i] > way.arrive[i] + SAME
        for t in (way.arrive[i], way.leave[i]):
            way.point[n, 0], way.point[n, 1], way.point[n, 2] = place(way, i)
            way.time[n] = t
            n += 1
            if not waits:
                break
    return n

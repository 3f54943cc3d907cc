"""Any-angle smoothing of timed paths: cut corners where timed line of sight allows it.

From each corner, the agent flies straight to the farthest corner that it can reach no later than
planned. It leaves at once or just in time. It must be able to wait there until the planned
departure, so the rest of the path stays free.
"""

from noctule.core.jit import kernel
from noctule.graphs.sight.timed import can_stay, flight_time, sees_in_time

MAX_MISSES = 4  # consecutive corners without line of sight before the scan stops
SAME = 1e-9  # in bins


@kernel
def departure(lattice, window, p, q, now, planned):
    """Return a departure time from `p` that reaches `q` by `planned`; -1 if there is none.

    Only `now` and the latest possible time are tried.
    """
    late = planned - flight_time(window, p, q)
    t = now
    while not sees_in_time(lattice, window, *p, *q, t):
        if t >= late - SAME or not can_stay(lattice, window, p, now, late):
            return -1.0
        t = late
    return t


@kernel
def cut_corners(lattice, window, trajectory, last, first):
    """Write to `kept` the corners from index `first` to `last` that remain after smoothing.

    The planned times in `arrive` and `leave` are updated for the corners that are kept. Returns the
    number of corners and of line-of-sight checks.
    """
    n, sight_checks, i = first + 1, 0, first
    while i < last:
        p, best, best_leave, misses = position(trajectory, i), i + 1, trajectory.leave[i], 0
        for j in range(i + 1, last + 1):
            q = position(trajectory, j)
            sight_checks += 1
            t = departure(lattice, window, p, q, trajectory.arrive[i], trajectory.arrive[j])
            there = t + flight_time(window, p, q)
            if t >= 0.0 and (j == last or can_stay(lattice, window, q, there, trajectory.leave[j])):
                best, best_leave, misses = j, t, 0
                continue
            misses += 1
            if misses > MAX_MISSES:
                break
        trajectory.leave[i] = best_leave
        trajectory.arrive[best] = best_leave + flight_time(window, p, position(trajectory, best))
        i = best
        trajectory.kept[n] = i
        n += 1
    trajectory.leave[last] = trajectory.arrive[last]
    return n, sight_checks


@kernel
def position(trajectory, i):
    """Return the position of corner `i`, in half cells."""
    return trajectory.position[i, 0], trajectory.position[i, 1], trajectory.position[i, 2]

"""Any-angle smoothing in time: cut corners where timed line of sight allows it.

From each corner the agent flies straight to the farthest one that it can reach no later than
planned: at once, or just in time. It must be able to wait there until the plan continues, so the
rest of the plan stays free.
"""

from noctule.core.jit import kernel
from noctule.graphs.sight.timed import can_stay, flight_time, sees_in_time

MISSES = 4  # corners in a row that are not visible before farther ones are skipped
SAME = 1e-9  # in bins


@kernel
def when_to_leave(lattice, hours, p, q, now, planned):
    """Return when to leave `p` to be at `q` by `planned`: now or just in time; -1 if not free."""
    late = planned - flight_time(hours, p, q)
    t = now
    while not sees_in_time(lattice, hours, *p, *q, t):
        if t >= late - SAME or not can_stay(lattice, hours, p, now, late):
            return -1.0
        t = late
    return t


@kernel
def pull(lattice, hours, way, last, first):
    """Cut corners from number `first` to `last`, and write those that are left into `kept`.

    `arrive` and `leave` are the times of the plan, and are updated for the corners that are kept.
    Returns how many there are, and how many lines of sight were checked.
    """
    n, looks, i = first + 1, 0, first
    while i < last:
        p, best, best_leave, misses = place(way, i), i + 1, way.leave[i], 0
        for j in range(i + 1, last + 1):
            q = place(way, j)
            looks += 1
            t = when_to_leave(lattice, hours, p, q, way.arrive[i], way.arrive[j])
            there = t + flight_time(hours, p, q)
            if t >= 0.0 and (j == last or can_stay(lattice, hours, q, there, way.leave[j])):
                best, best_leave, misses = j, t, 0
                continue
            misses += 1
            if misses > MISSES:
                break
        way.leave[i] = best_leave
        way.arrive[best] = best_leave + flight_time(hours, p, place(way, best))
        i = best
        way.kept[n] = i
        n += 1
    way.leave[last] = way.arrive[last]
    return n, looks


@kernel
def place(way, i):
    """Return the place of a corner."""
    return way.place[i, 0], way.place[i, 1], way.place[i, 2]

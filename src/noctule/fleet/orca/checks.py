"""Check a velocity against bodies and agents; find an evasive one where it is not free.

Against the bodies, exactly, for some frames; and against the other agents for one frame. Those that
have chosen fly as they chose, those that have not are taken to brake. An agent that can keep no
other velocity brakes, which the others have left room for: so two agents that are apart never
touch.
"""

import math

from noctule.core.jit import INF, kernel
from noctule.fleet.orca.crowd import braking, reachable, stop_after
from noctule.worlds.geometry.contact import time_of_contact
from noctule.worlds.geometry.distances import point_to_segment, segment_to_segment
from noctule.worlds.geometry.solids import PRESENT
from noctule.worlds.geometry.vectors import along, dot, minus, row

SPEEDS = (1.0, 0.5)  # of the highest speed, for evasive velocities


@kernel
def checked_velocity(crowd, world, room, a):
    """Return the velocity of the linear program if it is free; else the best evasive one."""
    step, p = world.times[1], row(crowd.position, a)
    first, speed = row(crowd.chosen, a), crowd.speed[a]
    solids, others = solids_near(crowd, world, room, a), agents_near(crowd, room, a, step)
    limited = not (math.isinf(crowd.acceleration[a]) and math.isinf(crowd.turn[a]))
    if agents_allow(crowd, room, others, a, first, step):
        best_time = free_time(crowd, world, room, solids, a, p, first)
        if best_time == INF:
            return first
    else:
        best_time = -1.0
    best, least = first, INF
    stop = braking(crowd, a, step)
    for k in range(29 * len(SPEEDS)):
        way, part = k % 29, SPEEDS[k // 29]
        x, y, z = way // 9 - 1, way // 3 % 3 - 1, way % 3 - 1
        if way == 27:
            v = (0.5 * part * first[0], 0.5 * part * first[1], 0.5 * part * first[2])
        elif way == 28 or way == 13:
            v = stop
        else:
            size = part * speed / math.sqrt(x * x + y * y + z * z)
            v = (x * size, y * size, z * size)
        if limited:
            v = reachable(crowd, a, v, step)
        change = minus(v, first)
        effort = dot(change, change)
        if best_time == INF and effort >= least:
            continue
        if not agents_allow(crowd, room, others, a, v, step):
            continue
        if not stays_inside(world, p, v, crowd.radius[a], step):
            continue
        time = free_time(crowd, world, room, solids, a, p, v)
        if time > best_time or (time == best_time and effort < least):
            best, best_time, least = v, time, effort
    return best if best_time >= 0.0 else stop


@kernel
def stays_inside(world, p, v, radius, step):
    """Whether an agent is in the box after a frame, or no farther outside than before."""
    for k in range(3):
        if v[k] < 0.0 and p[k] + v[k] * step < world.low[k] + radius:
            return False
        if v[k] > 0.0 and p[k] + v[k] * step > world.high[k] - radius:
            return False
    return True


@kernel
def solids_near(crowd, world, room, a):
    """Write the solids that agent `a` may touch in the times ahead; return how many."""
    n, p = 0, row(crowd.position, a)
    end = max(world.times[-1], world.times[1] + 0.5 * crowd.speed[a] / crowd.acceleration[a])
    scale = end / world.times[-1]
    for i in range(len(world.solids.body)):
        b = world.solids.body[i]
        now, last = world.poses[0, b], world.poses[-1, b]
        if b == crowd.spared[a]:
            continue
        start = (now[0], now[1], now[2])
        way = ((last[0] - now[0]) * scale, (last[1] - now[1]) * scale, (last[2] - now[2]) * scale)
        far = world.solids.reach[i] + crowd.radius[a] + crowd.speed[a] * end
        if point_to_segment(p, start, along(start, way, 1.0)) < far * far:
            room.near[n] = i
            n += 1
    return n


@kernel
def free_time(crowd, world, room, count, a, p, v):
    """Return when agent `a` would first touch a body at this velocity; infinite if it does not."""
    best = INF
    for j in range(count):
        i = room.near[j]
        b = world.solids.body[i]
        start = 0.0
        for k in range(len(world.times) - 1):
            before, after, end = world.poses[k, b], world.poses[k + 1, b], world.times[k + 1]
            if after[PRESENT] != 0.0:
                q, r = along(p, v, start), along(p, v, end)
                if k == len(world.times) - 2 and crowd.acceleration[a] < INF:
                    rest = world.times[1] + stop_after(crowd, a, v)
                    r = along(p, v, max(end, rest))
                if before[PRESENT] == 0.0:
                    before, q = after, r
                t = time_of_contact(
                    world.solids, i, before, after, q, r, crowd.radius[a], room.stack
                )
                if t <= 1.0:
                    best = min(best, start + t * (end - start))
                    break
            start = end
    return best


@kernel
def agents_near(crowd, room, a, step):
    """Write the agents that agent `a` may touch in a frame; return how many."""
    n, p = 0, row(crowd.position, a)
    for other in range(len(crowd.radius)):
        apart = minus(row(crowd.position, other), p)
        far = crowd.radius[a] + crowd.radius[other]
        far += (step + 0.5 * crowd.speed[a] / crowd.acceleration[a]) * crowd.speed[a]
        far += (step + 0.5 * crowd.speed[other] / crowd.acceleration[other]) * crowd.speed[other]
        if other != a and dot(apart, apart) <= far * far:
            room.others[n] = other
            n += 1
    return n


@kernel
def agents_allow(crowd, room, count, a, v, step):
    """Whether agent `a` touches no other agent in a frame at this velocity, nor when it stops."""
    p = row(crowd.position, a)
    for k in range(count):
        other = room.others[k]
        q = row(crowd.position, other)
        w = row(crowd.chosen, other) if crowd.decided[other] else braking(crowd, other, step)
        near = crowd.radius[a] + crowd.radius[other]
        apart, moves = minus(p, q), minus(v, w)
        square, grows = dot(apart, apart), dot(apart, moves)
        if square <= near * near * (1.0 + 1e-9):
            if grows < 0.0:
                return False
            continue
        if grows < 0.0:
            t = min(-grows / dot(moves, moves), step)
            closest = along(apart, moves, t)
            if dot(closest, closest) < near * near * (1.0 + 1e-9):
                return False
        if not (math.isinf(crowd.acceleration[a]) and math.isinf(crowd.acceleration[other])):
            end = along(p, v, step + stop_after(crowd, a, v))
            other_end = along(q, w, step + stop_after(crowd, other, w))
            ways = segment_to_segment(along(p, v, step), end, along(q, w, step), other_end)
            if ways < near * near * (1.0 + 1e-9):
                return False
    return True

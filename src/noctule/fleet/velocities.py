"""Choose the velocity of each agent of a fleet for the next frame, in one kernel.

First each agent solves the linear program of its half-spaces, knowing how all moved last. Then the
velocities are fixed one agent after the other, and checked: against the bodies, exactly, for some
frames; and against the other agents for one frame. Those that have chosen fly as they chose, those
that have not are taken to brake. An agent that can keep no other velocity brakes, which the others
have left room for: so two agents that are apart never touch.
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.core.jit import INF, kernel
from noctule.fleet.half_spaces import avoid_agent, avoid_solid, write
from noctule.fleet.linear_program import best_velocity
from noctule.worlds.geometry.contact import time_of_contact
from noctule.worlds.geometry.distances import point_to_segment, segment_to_segment
from noctule.worlds.geometry.solids import PRESENT, Solids
from noctule.worlds.geometry.vectors import along, dot, minus, row

NEIGHBOURS = 16  # agents that one avoids, the nearest
MARGIN = 0.03  # of the radius; half-spaces keep so much more distance
BODIES_AHEAD = 1.5  # seconds; for how long a velocity avoids moving bodies
WALLS_AHEAD = 0.3  # seconds; for how long it avoids bodies that stand: plans lead around them
AGENTS_AHEAD = 2.0  # seconds; for how long it avoids other agents
SPEEDS = (1.0, 0.5)  # of the highest speed, for evasive velocities


class Crowd(NamedTuple):
    """The agents of a fleet, a row each, in world units and seconds."""

    position: np.ndarray
    velocity: np.ndarray  # of the last frame
    wanted: np.ndarray
    radius: np.ndarray
    speed: np.ndarray  # highest
    acceleration: np.ndarray  # highest; infinite unless limited
    turn: np.ndarray  # highest, in radians a second; infinite unless limited
    spared: np.ndarray  # number of the body that the agent may touch, or -1
    order: np.ndarray  # in which velocities are chosen
    chosen: np.ndarray  # the result
    decided: np.ndarray  # whether an agent has chosen


class Surroundings(NamedTuple):
    """The bodies: their poses at some times from now on, and the box that agents stay in."""

    solids: Solids
    poses: np.ndarray
    times: np.ndarray  # the first is 0, the second the end of the frame
    low: np.ndarray
    high: np.ndarray


class Room(NamedTuple):
    """Memory of the kernel."""

    planes: np.ndarray
    scratch: np.ndarray
    near: np.ndarray  # solids
    others: np.ndarray  # agents
    gaps: np.ndarray
    stack: np.ndarray


@kernel
def choose_velocities(crowd, world, room, reciprocal_only):
    """Write the velocity of each agent for the next frame to `crowd.chosen`.

    With `reciprocal_only` the result of the linear program is taken as it is, for comparison.
    """
    n = len(crowd.radius)
    for a in range(n):
        v = velocity_by_half_spaces(crowd, world, room, a)
        if math.isinf(crowd.acceleration[a]) and math.isinf(crowd.turn[a]):
            put(crowd.chosen, a, v)
        else:
            put(crowd.chosen, a, reachable(crowd, a, v, world.times[1]))
        crowd.decided[a] = reciprocal_only
    if not reciprocal_only:
        for a in crowd.order:
            put(crowd.chosen, a, checked_velocity(crowd, world, room, a))
            crowd.decided[a] = True


@kernel
def put(rows, i, v):
    """Write a vector."""
    rows[i, 0], rows[i, 1], rows[i, 2] = v[0], v[1], v[2]


@kernel
def velocity_by_half_spaces(crowd, world, room, a):
    """Return the velocity nearest to the wanted one that avoids everything near agent `a`."""
    planes, step = room.planes, world.times[1]
    p, own, wanted = row(crowd.position, a), row(crowd.velocity, a), row(crowd.wanted, a)
    radius, speed, brake = crowd.radius[a], crowd.speed[a], crowd.acceleration[a]
    wide = (1.0 + MARGIN) * radius
    m = 0
    for k in range(3):
        for sign, gap in (
            (1.0, p[k] - wide - world.low[k]),
            (-1.0, world.high[k] - wide - p[k]),
        ):
            if gap < max(speed * WALLS_AHEAD, 0.5 * speed * speed / brake):
                limit = gap / WALLS_AHEAD if gap > 0.0 else gap / step
                if gap > 0.0 and brake < INF:
                    limit = min(limit, math.sqrt(2.0 * brake * gap))
                normal = (sign * (k == 0), sign * (k == 1), sign * (k == 2))
                write(planes[m], normal, -limit)
                m += 1
    for i in range(len(world.solids.body)):
        b = world.solids.body[i]
        now, soon, last = world.poses[0, b], world.poses[1, b], world.poses[-1, b]
        if soon[PRESENT] == 0.0 or b == crowd.spared[a]:
            continue
        moves = False
        for k in range(PRESENT):
            moves = moves or now[k] != last[k]
        horizon = BODIES_AHEAD if moves else WALLS_AHEAD
        if brake < INF:
            horizon = max(horizon, speed / brake)
        scale = horizon / world.times[-1]
        start = (now[0], now[1], now[2])
        way = ((last[0] - now[0]) * scale, (last[1] - now[1]) * scale, (last[2] - now[2]) * scale)
        far = world.solids.reach[i] + wide + speed * horizon
        if point_to_segment(p, start, along(start, way, 1.0)) < far * far:
            times = (step, horizon, brake)
            avoid_solid(world.solids, i, now, soon, p, own, wanted, wide, times, planes[m])
            m += 1
            if m == len(planes) - NEIGHBOURS:
                break
    hard = m
    for k in range(nearest_agents(crowd, room, a)):
        other = room.others[k]
        place = minus(row(crowd.position, other), p)
        near = wide + (1.0 + MARGIN) * crowd.radius[other]
        slow = min(brake, crowd.acceleration[other])
        horizon = AGENTS_AHEAD if math.isinf(slow) else max(AGENTS_AHEAD, speed / slow)
        velocity = row(crowd.velocity, other)
        avoid_agent(place, own, velocity, near, horizon, step, 0.5, planes[m])
        m += 1
    return best_velocity(planes, m, hard, speed, wanted, room.scratch)


@kernel
def nearest_agents(crowd, room, a):
    """Write the agents that may come near agent `a`, the nearest ones; return how many."""
    n, p = 0, row(crowd.position, a)
    for other in range(len(crowd.radius)):
        if other == a:
            continue
        apart = minus(row(crowd.position, other), p)
        far = crowd.radius[a] + crowd.radius[other]
        far += (crowd.speed[a] + crowd.speed[other]) * AGENTS_AHEAD
        gap = dot(apart, apart)
        if gap >= far * far or (n == NEIGHBOURS and gap >= room.gaps[n - 1]):
            continue
        k = min(n, NEIGHBOURS - 1)
        while k > 0 and room.gaps[k - 1] > gap:
            room.gaps[k], room.others[k] = room.gaps[k - 1], room.others[k - 1]
            k -= 1
        room.gaps[k], room.others[k] = gap, other
        n = min(n + 1, NEIGHBOURS)
    return n


@kernel
def reachable(crowd, a, v, step):
    """Return the velocity nearest to `v` that agent `a` can have after a frame."""
    own = row(crowd.velocity, a)
    slow = math.sqrt(dot(own, own))
    fast = math.sqrt(dot(v, v))
    most, angle = crowd.acceleration[a] * step, crowd.turn[a] * step
    if slow > 1e-9 and fast > 1e-9 and angle < math.pi:
        cosine = dot(own, v) / (slow * fast)
        if cosine < math.cos(angle):
            ahead = (own[0] / slow, own[1] / slow, own[2] / slow)
            side = along(v, ahead, -dot(v, ahead))
            size = math.sqrt(dot(side, side))
            if size < 1e-9 * fast:  # straight back: turn to any side
                across = (-ahead[1], ahead[0], 0.0)
                if abs(ahead[2]) > 0.9:
                    across = (0.0, -ahead[2], ahead[1])
                side, size = across, math.sqrt(dot(across, across))
            fast = max(fast * cosine, 0.1 * crowd.speed[a])
            c, s = fast * math.cos(angle), fast * math.sin(angle) / size
            v = (
                c * ahead[0] + s * side[0],
                c * ahead[1] + s * side[1],
                c * ahead[2] + s * side[2],
            )
    change = minus(v, own)
    size = math.sqrt(dot(change, change))
    return along(own, change, most / size) if size > most else v


@kernel
def braking(crowd, a, step):
    """Return the velocity of agent `a` after a frame of braking."""
    own = row(crowd.velocity, a)
    speed = math.sqrt(dot(own, own))
    most = crowd.acceleration[a] * step
    if speed <= most:
        return (0.0, 0.0, 0.0)
    part = 1.0 - most / speed
    return (part * own[0], part * own[1], part * own[2])


@kernel
def stop_after(crowd, a, v):
    """Return how many seconds agent `a` flies on at this velocity, as far as it needs to stop."""
    return 0.5 * math.sqrt(dot(v, v)) / crowd.acceleration[a]


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

"""Choose the velocity of each agent of a fleet for the next frame, in one kernel.

First each agent solves the linear program of its half-spaces, knowing how all moved last. Then the
velocities are fixed one agent after the other, and checked (see `checks`).
"""

import math

from noctule.core.jit import INF, kernel
from noctule.fleet.orca.checks import checked_velocity
from noctule.fleet.orca.crowd import put, reachable
from noctule.fleet.orca.half_spaces import avoid_agent, avoid_solid, write
from noctule.fleet.orca.linear_program import best_velocity
from noctule.worlds.geometry.distances import point_to_segment
from noctule.worlds.geometry.solids import PRESENT
from noctule.worlds.geometry.vectors import along, dot, minus, row

NEIGHBOURS = 16  # agents that one avoids, the nearest
MARGIN = 0.03  # of the radius; half-spaces keep so much more distance
BODIES_AHEAD = 1.5  # seconds; for how long a velocity avoids moving bodies
WALLS_AHEAD = 0.3  # seconds; for how long it avoids bodies that stand: plans lead around them
AGENTS_AHEAD = 2.0  # seconds; for how long it avoids other agents


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

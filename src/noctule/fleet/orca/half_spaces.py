"""Half-spaces of velocities that avoid an agent or a body: optimal reciprocal collision avoidance.

Berg, Guy, Lin, Manocha 2011, in three dimensions. A half-space is a row (x, y, z, b) with a unit
normal: the velocities v with v . (x, y, z) >= b. A velocity in it keeps two balls, or a ball and a
solid, apart for `horizon` seconds, as long as the other one keeps its velocity or, between agents,
takes its half of the change as well.
"""

import math

from noctule.core.jit import INF, kernel
from noctule.worlds.geometry.distances import in_frame, outside_box
from noctule.worlds.geometry.rotations import rotate
from noctule.worlds.geometry.vectors import along, cross, dot, minus, row

TINY = 1e-9


@kernel
def direction(v):
    """Return the direction of a vector, or along x if it has none, and its length."""
    length = math.sqrt(dot(v, v))
    if length < TINY:
        return (1.0, 0.0, 0.0), length
    return (v[0] / length, v[1] / length, v[2] / length), length


@kernel
def change_out_of_cone(place, velocity, near, horizon, step):
    """Return the least change of a relative velocity that keeps two balls apart.

    `place` is the position of the other ball relative to this one, `velocity` that of this one
    relative to the other, `near` the sum of both radii. Balls that overlap are to part within
    `step` seconds. Returns the direction of the change, and its length, below 0 if the velocity is
    free already.
    """
    square = dot(place, place)
    if square <= near * near:
        apart = along(velocity, place, -1.0 / step)
        normal, length = direction(apart)
        return normal, near / step - length
    apart = along(velocity, place, -1.0 / horizon)
    ahead = dot(apart, place)
    if ahead < 0.0 and ahead * ahead > near * near * dot(apart, apart):  # at the rounded end
        normal, length = direction(apart)
        return normal, near / horizon - length
    b = dot(place, velocity)
    turned = cross(place, velocity)
    c = dot(velocity, velocity) - dot(turned, turned) / (square - near * near)
    t = (b + math.sqrt(max(b * b - square * c, 0.0))) / square
    apart = along(velocity, place, -t)
    normal, length = direction(apart)
    if length < TINY:  # along the axis: any direction across it
        across = (0.0, 0.0, 1.0) if abs(place[2]) < abs(place[0]) else (1.0, 0.0, 0.0)
        normal, _ = direction(cross(place, across))
    return normal, near * t - length


@kernel
def avoid_agent(place, own, other, near, horizon, step, share, plane):
    """Write the half-space that avoids another agent, of which this one does a share."""
    normal, change = change_out_of_cone(place, minus(own, other), near, horizon, step)
    write(plane, normal, dot(normal, own) + share * change)


@kernel
def write(plane, normal, b):
    """Write a half-space."""
    plane[0], plane[1], plane[2], plane[3] = normal[0], normal[1], normal[2], b


@kernel
def nearest_on_triangle(p, a, b, c):
    """Return the point of a triangle that is nearest to a point."""
    u, v, w = minus(b, a), minus(c, a), minus(p, a)
    d1, d2 = dot(u, w), dot(v, w)
    if d1 <= 0.0 and d2 <= 0.0:
        return a
    w = minus(p, b)
    d3, d4 = dot(u, w), dot(v, w)
    if d3 >= 0.0 and d4 <= d3:
        return b
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return along(a, u, d1 / (d1 - d3))
    w = minus(p, c)
    d5, d6 = dot(u, w), dot(v, w)
    if d6 >= 0.0 and d5 <= d6:
        return c
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return along(a, v, d2 / (d2 - d6))
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        return along(b, minus(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6)))
    total = va + vb + vc
    return along(along(a, u, vb / total), v, vc / total)


@kernel
def nearest_on_solid(solids, i, p):
    """Return the nearest surface point of solid `i`, the direction from there, and the distance.

    In body coordinates. The distance is negative for a point inside.
    """
    if solids.radius[i] > 0.0:
        centre = row(solids.vertex, solids.first_vertex[i])
        normal, length = direction(minus(p, centre))
        return along(centre, normal, solids.radius[i]), normal, length - solids.radius[i]
    if solids.is_box[i]:
        gap = outside_box(row(solids.low, i), row(solids.high, i), p)
        normal, length = direction(gap)
        if length > TINY:
            return minus(p, gap), normal, length
    best, nearest = INF, p
    height, face = -INF, (1.0, 0.0, 0.0)
    for t in range(solids.first_triangle[i], solids.first_triangle[i + 1]):
        a = row(solids.vertex, solids.triangle[t, 0])
        b = row(solids.vertex, solids.triangle[t, 1])
        c = row(solids.vertex, solids.triangle[t, 2])
        normal, _ = direction(cross(minus(b, a), minus(c, a)))
        above = dot(minus(p, a), normal)
        if above > height:
            height, face = above, normal
        if above > -TINY:
            point = nearest_on_triangle(p, a, b, c)
            gap = minus(p, point)
            if dot(gap, gap) < best:
                best, nearest = dot(gap, gap), point
    normal, length = direction(minus(p, nearest))
    if height < 0.0 or length < TINY:  # inside, or at the surface
        return along(p, face, -height), face, height
    return nearest, normal, length


@kernel
def avoid_solid(solids, i, now, soon, p, own, wanted, radius, times, plane):
    """Write the half-space that avoids solid `i`; return the distance of the agent from it.

    The solid is at pose `now` and, `times[0]` seconds later, at pose `soon`. Of two half-spaces,
    that of the plane between both, and that of the ball around the solid, the one is written that
    changes the wanted velocity less; each is enough. `times[1]` is the horizon. With a deceleration
    `times[2]`, the agent must be able to stop in front of the plane.
    """
    step, horizon, brake = times[0], times[1], times[2]
    place = in_frame(now, p[0], p[1], p[2])
    point, normal, gap = nearest_on_solid(solids, i, place)
    normal = rotate(now[3], now[4], now[5], now[6], normal[0], normal[1], normal[2])
    here = rotate(now[3], now[4], now[5], now[6], point[0], point[1], point[2])
    there = rotate(soon[3], soon[4], soon[5], soon[6], point[0], point[1], point[2])
    moves = (
        (there[0] + soon[0] - here[0] - now[0]) / step,
        (there[1] + soon[1] - here[1] - now[1]) / step,
        (there[2] + soon[2] - here[2] - now[2]) / step,
    )
    gap -= radius
    approach = gap / horizon if gap > 0.0 else gap / step
    if gap > 0.0 and brake < INF:
        approach = min(approach, math.sqrt(2.0 * brake * gap))
    b = dot(moves, normal) - approach
    to_centre = (now[0] - p[0], now[1] - p[1], now[2] - p[2])
    near = solids.reach[i] + radius
    write(plane, normal, b)
    if dot(to_centre, to_centre) > near * near:
        travels = (
            (soon[0] - now[0]) / step,
            (soon[1] - now[1]) / step,
            (soon[2] - now[2]) / step,
        )
        across, change = change_out_of_cone(to_centre, minus(own, travels), near, horizon, step)
        c = dot(across, own) + change
        if c - dot(across, wanted) < b - dot(normal, wanted):
            write(plane, across, c)
    return gap

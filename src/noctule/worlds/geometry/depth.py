"""Signed distance of segments from convex solids: below zero, the penetration depth."""

import math

from noctule.core.jit import INF, kernel
from noctule.worlds.geometry.distances import point_to_segment, segment_to_solid
from noctule.worlds.geometry.vectors import cross, dot, minus, row

ROUNDING = 1e-12  # part of the size of a solid; tolerance of distances


@kernel
def signed_distance(solids, i, p, q):
    """Return the signed distance of a segment, in body coordinates, from solid `i`.

    If they meet, the result is minus the depth of the deepest point of the segment.
    """
    if solids.radius[i] > 0.0:
        centre = row(solids.vertex, solids.first_vertex[i])
        return math.sqrt(point_to_segment(centre, p, q)) - solids.radius[i]
    gap = segment_to_solid(solids, i, p, q)
    return gap if gap > ROUNDING * solids.reach[i] else min_height_above_faces(solids, i, p, q)


@kernel
def min_height_above_faces(solids, i, p, q):
    """Return the minimum over a segment of the height above the highest face.

    The height above the highest face is the maximum of linear functions, one per face, so it is
    convex and piecewise linear. The minimum lies between a falling and a rising line: at their
    intersection, unless another face is higher there, which then replaces one of the lines.
    """
    t0, t1 = 0.0, 1.0
    height0, rise0 = highest_face(solids, i, p, q, t0)
    if rise0 >= 0.0:
        return height0
    height1, rise1 = highest_face(solids, i, p, q, t1)
    if rise1 <= 0.0:
        return height1
    for _ in range(solids.first_triangle[i + 1] - solids.first_triangle[i]):
        t = (height1 - rise1 * t1 - height0 + rise0 * t0) / (rise0 - rise1)
        t = min(max(t, t0), t1)
        height, rise = highest_face(solids, i, p, q, t)
        if height <= height0 + rise0 * (t - t0) + ROUNDING * solids.reach[i]:
            return height
        if rise < 0.0:
            t0, height0, rise0 = t, height, rise
        else:
            t1, height1, rise1 = t, height, rise
    return min(height0, height1)


@kernel
def highest_face(solids, i, p, q, t):
    """Return the largest height of a point above a face of polyhedron `i`, and its slope.

    The point is at parameter `t` in [0, 1] of the segment from `p` to `q`. The slope is the
    derivative of the height with respect to `t`.
    """
    highest, slope = -INF, 0.0
    for k in range(solids.first_triangle[i], solids.first_triangle[i + 1]):
        a = row(solids.vertex, solids.triangle[k, 0])
        b = row(solids.vertex, solids.triangle[k, 1])
        c = row(solids.vertex, solids.triangle[k, 2])
        normal = cross(minus(b, a), minus(c, a))
        size = math.sqrt(dot(normal, normal))
        if size > 0.0:
            above, rise = dot(minus(p, a), normal) / size, dot(minus(q, p), normal) / size
            if above + t * rise > highest:
                highest, slope = above + t * rise, rise
    return highest, slope

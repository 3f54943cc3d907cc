"""How deep segments enter convex solids."""

import math

from noctule.core.jit import INF, kernel
from noctule.worlds.geometry.distances import point_to_segment, segment_to_solid
from noctule.worlds.geometry.vectors import cross, dot, minus, row

ROUNDING = 1e-12  # of the size of a solid; distances are as exact as that


@kernel
def signed_distance(solids, i, p, q):
    """Distance of a segment, in the frame of the body, from solid `i`.

    Where they meet it is below zero: how far the deepest point of the segment is from the surface.
    """
    if solids.radius[i] > 0.0:
        centre = row(solids.vertex, solids.first_vertex[i])
        return math.sqrt(point_to_segment(centre, p, q)) - solids.radius[i]
    gap = segment_to_solid(solids, i, p, q)
    return gap if gap > ROUNDING * solids.reach[i] else lowest_above_faces(solids, i, p, q)


@kernel
def lowest_above_faces(solids, i, p, q):
    """Return the least height, over a segment, of its points above the face they are highest above.

    This height is convex along the segment, and the line of one face between two bends. Two lines,
    one that falls and one that rises, enclose the minimum: it is where they cross, unless another
    face is higher there and takes the place of one of them.
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
    """Return how high a point is above the face of polyhedron `i` that it is highest above.

    The point is at `t` on the segment from `p` to `q`; also return the slope of this height there.
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

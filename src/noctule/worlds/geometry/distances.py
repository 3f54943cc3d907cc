"""Distances of points and segments from convex solids, exact up to rounding."""

import math

from noctule.core.jit import INF, kernel
from noctule.worlds.geometry.rotations import rotate
from noctule.worlds.geometry.solids import PRESENT
from noctule.worlds.geometry.vectors import along, clamp, cross, dot, minus, row


@kernel
def squared_distance(a, b):
    """Return the squared distance of two points."""
    d = minus(a, b)
    return dot(d, d)


@kernel
def point_to_segment(p, a, b):
    """Return the squared distance of a point from a segment."""
    d = minus(b, a)
    length = dot(d, d)
    t = clamp(dot(minus(p, a), d) / length) if length > 0.0 else 0.0
    return squared_distance(p, along(a, d, t))


@kernel
def segment_to_segment(p, q, a, b):
    """Return the squared distance of two segments."""
    d, e = minus(q, p), minus(b, a)
    w = minus(p, a)
    dd, ee, de = dot(d, d), dot(e, e), dot(d, e)
    best = min(
        point_to_segment(p, a, b),
        point_to_segment(q, a, b),
        point_to_segment(a, p, q),
        point_to_segment(b, p, q),
    )
    area = dd * ee - de * de
    if area > 1e-24 * dd * ee:  # not parallel: the nearest points of the lines are unique
        s = (de * dot(e, w) - ee * dot(d, w)) / area
        t = (dd * dot(e, w) - de * dot(d, w)) / area
        if 0.0 < s < 1.0 and 0.0 < t < 1.0:
            best = min(best, squared_distance(along(p, d, s), along(a, e, t)))
    return best


@kernel
def projects_into_triangle(p, a, b, c, normal):
    """Whether the projection of `p` onto the plane of a triangle lies in the triangle."""
    return (
        dot(cross(minus(b, a), minus(p, a)), normal) >= 0.0
        and dot(cross(minus(c, b), minus(p, b)), normal) >= 0.0
        and dot(cross(minus(a, c), minus(p, c)), normal) >= 0.0
    )


@kernel
def segment_to_face(p, q, a, b, c):
    """Return the squared distance of a segment from the interior of a triangle.

    Infinite if the nearest point of the triangle may lie on an edge.
    """
    normal = cross(minus(b, a), minus(c, a))
    size = dot(normal, normal)
    above, beyond = dot(minus(p, a), normal), dot(minus(q, a), normal)
    nearer = p if abs(above) <= abs(beyond) else q
    least = min(above * above, beyond * beyond)
    if above * beyond < 0.0:
        nearer, least = along(p, minus(q, p), above / (above - beyond)), 0.0
    return least / size if size > 0.0 and projects_into_triangle(nearer, a, b, c, normal) else INF


@kernel
def is_inside(solids, i, p):
    """Whether a point, in body coordinates, lies inside polyhedron `i`."""
    for t in range(solids.first_triangle[i], solids.first_triangle[i + 1]):
        a = row(solids.vertex, solids.triangle[t, 0])
        b = row(solids.vertex, solids.triangle[t, 1])
        c = row(solids.vertex, solids.triangle[t, 2])
        if dot(minus(p, a), cross(minus(b, a), minus(c, a))) > 0.0:
            return False
    return True


@kernel
def segment_to_box(low, high, p, q):
    """Return the squared distance of a segment from an axis-aligned box.

    Along the segment it is convex, and quadratic between the planes of the faces. Between the two
    planes that enclose the minimum, its slope is linear.
    """
    d = minus(q, p)
    if slope_at(low, high, p, d, 0.0) >= 0.0:
        return point_to_box(low, high, p)
    if slope_at(low, high, p, d, 1.0) <= 0.0:
        return point_to_box(low, high, q)
    t0, t1 = 0.0, 1.0
    for k in range(3):
        if d[k] != 0.0:
            for face in (low[k], high[k]):
                t = (face - p[k]) / d[k]
                if t0 < t < t1:
                    if slope_at(low, high, p, d, t) < 0.0:
                        t0 = t
                    else:
                        t1 = t
    falls, rises = slope_at(low, high, p, d, t0), slope_at(low, high, p, d, t1)
    t = t0 + (t1 - t0) * falls / (falls - rises)
    return point_to_box(low, high, along(p, d, t))


@kernel
def slope_at(low, high, p, d, t):
    """Return half the derivative of the squared distance from a box, at `p + t * d`."""
    return dot(outside_box(low, high, along(p, d, t)), d)


@kernel
def point_to_box(low, high, p):
    """Return the squared distance of a point from an axis-aligned box."""
    gap = outside_box(low, high, p)
    return dot(gap, gap)


@kernel
def outside_box(low, high, p):
    """Return the vector from an axis-aligned box to a point; 0 along an axis if inside."""
    return (
        min(p[0] - low[0], 0.0) + max(p[0] - high[0], 0.0),
        min(p[1] - low[1], 0.0) + max(p[1] - high[1], 0.0),
        min(p[2] - low[2], 0.0) + max(p[2] - high[2], 0.0),
    )


@kernel
def segment_to_solid(solids, i, p, q, enough=0.0):
    """Return the distance of a segment, in body coordinates, from solid `i`; 0 if they meet.

    A distance below `enough` is not exact: the computation stops early.
    """
    if solids.radius[i] > 0.0:
        centre = row(solids.vertex, solids.first_vertex[i])
        return max(math.sqrt(point_to_segment(centre, p, q)) - solids.radius[i], 0.0)
    if solids.is_box[i]:
        return math.sqrt(segment_to_box(row(solids.low, i), row(solids.high, i), p, q))
    if is_inside(solids, i, p):
        return 0.0
    best = INF
    for t in range(solids.first_triangle[i], solids.first_triangle[i + 1]):
        a = row(solids.vertex, solids.triangle[t, 0])
        b = row(solids.vertex, solids.triangle[t, 1])
        c = row(solids.vertex, solids.triangle[t, 2])
        best = min(best, segment_to_face(p, q, a, b, c))
        for k in range(3):
            d = row(solids.vertex, solids.triangle[t, k])
            e = row(solids.vertex, solids.triangle[t, (k + 1) % 3])
            best = min(best, segment_to_segment(p, q, d, e))
        if best < enough * enough:
            break
    return math.sqrt(best)


@kernel
def in_frame(pose, x, y, z):
    """Transform a point from world coordinates to those of a body with this pose."""
    return rotate(-pose[3], -pose[4], -pose[5], pose[6], x - pose[0], y - pose[1], z - pose[2])


@kernel
def may_be_near(solids, i, p, q, far):
    """Whether a segment, in body coordinates, meets the bounding box of solid `i` grown by `far`.

    If not, the solid is farther away than `far`. Takes a hundredth of the time of the distance.
    """
    enters, leaves = 0.0, 1.0
    for k in range(3):
        low, high = solids.low[i, k] - far, solids.high[i, k] + far
        d = q[k] - p[k]
        if d == 0.0:
            if p[k] < low or p[k] > high:
                return False
        else:
            a, b = (low - p[k]) / d, (high - p[k]) / d
            enters, leaves = max(enters, min(a, b)), min(leaves, max(a, b))
    return enters <= leaves + 1e-9


@kernel
def classify_by_faces(solids, i, p, q, far):
    """Compare a segment, in body coordinates, with the planes of the faces of polyhedron `i`.

    Returns 1 if the segment meets the solid, -1 if it is at least `far` from the plane of a face,
    else 0: then the distance must be computed, which takes ten times as long.
    """
    enters, leaves = 0.0, 1.0
    for t in range(solids.first_triangle[i], solids.first_triangle[i + 1]):
        a = row(solids.vertex, solids.triangle[t, 0])
        b = row(solids.vertex, solids.triangle[t, 1])
        c = row(solids.vertex, solids.triangle[t, 2])
        normal = cross(minus(b, a), minus(c, a))
        above, beyond = dot(minus(p, a), normal), dot(minus(q, a), normal)
        nearer = min(above, beyond)
        if nearer > 0.0:
            if nearer * nearer >= far * far * dot(normal, normal):
                return -1
            leaves = -1.0  # outside, but not far enough
        elif above > 0.0:
            enters = max(enters, above / (above - beyond))
        elif beyond > 0.0:
            leaves = min(leaves, above / (above - beyond))
    return 1 if enters < leaves else 0


@kernel
def nearest_solid(solids, poses, p, q, enough):
    """Return the body nearest to a segment and its distance; -1 and `enough` if none is nearer."""
    nearest, distance = -1, enough
    for i in range(len(solids.body)):
        pose = poses[solids.body[i]]
        if pose[PRESENT] == 0.0:
            continue
        centre = (pose[0], pose[1], pose[2])
        if math.sqrt(point_to_segment(centre, p, q)) - solids.reach[i] >= distance:
            continue
        u, v = in_frame(pose, p[0], p[1], p[2]), in_frame(pose, q[0], q[1], q[2])
        if not may_be_near(solids, i, u, v, distance):
            continue
        gap = segment_to_solid(solids, i, u, v)
        if gap < distance:
            nearest, distance = solids.body[i], gap
    return nearest, distance


@kernel
def is_near(solids, poses, i, p, q, radius):
    """Whether solid `i` is present and nearer to a segment than `radius`."""
    pose = poses[solids.body[i]]
    if pose[PRESENT] == 0.0:
        return False
    far = solids.reach[i] + radius
    if point_to_segment((pose[0], pose[1], pose[2]), p, q) >= far * far:
        return False
    u, v = in_frame(pose, p[0], p[1], p[2]), in_frame(pose, q[0], q[1], q[2])
    if not may_be_near(solids, i, u, v, radius):
        return False
    if solids.radius[i] == 0.0 and not solids.is_box[i]:
        side = classify_by_faces(solids, i, u, v, radius)
        if side != 0:
            return side == 1
    return segment_to_solid(solids, i, u, v, radius) < radius


@kernel
def any_solid(solids, poses, p, q, radius, last):
    """Return a solid that is nearer to a segment than `radius`, or -1.

    `last` caches the solids that were found most recently; they are tested first.
    """
    for k in range(len(last)):
        if last[k] < len(solids.body) and is_near(solids, poses, last[k], p, q, radius):
            return move_to_front(last, k, last[k])
    for i in range(len(solids.body)):
        if is_near(solids, poses, i, p, q, radius):
            return move_to_front(last, len(last) - 1, i)
    return -1


@kernel
def move_to_front(numbers, k, i):
    """Move the first `k` numbers back by one, overwriting the next; put `i` first and return it."""
    for j in range(k, 0, -1):
        numbers[j] = numbers[j - 1]
    numbers[0] = i
    return i

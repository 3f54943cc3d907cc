"""Continuous collision detection between a flying ball and moving bodies, over one frame.

During a frame, the ball and the origin of each body move along lines at constant speed, and the
body rotates at a constant rate. In the coordinates of the body, the ball then follows a curve. Its
deviation from a chord is bounded by its curvature, so a large distance from the chord excludes
contact; otherwise the time interval is halved.

Distances are signed: a negative radius means contact at that penetration depth.
"""

from noctule.core.jit import kernel
from noctule.worlds.geometry.depth import signed_distance
from noctule.worlds.geometry.distances import in_frame, point_to_segment
from noctule.worlds.geometry.rotations import angle_between, slerp
from noctule.worlds.geometry.solids import PRESENT
from noctule.worlds.geometry.vectors import dot, minus

SHORTEST = 2.0**-22  # part of a frame; precision of the time of contact


@kernel
def first_contact(solids, before, after, p, q, radius, stack):
    """Return the first body that a ball touches between `p` and `q`, and the time in [0, 1].

    `before` and `after` are the poses at the ends of the frame. A body that appears is checked
    against the ball at the end of the frame. Returns -1 and 2 if there is no contact. `stack` is
    memory.
    """
    body, moment = -1, 2.0
    for i in range(len(solids.body)):
        b = solids.body[i]
        if after[b, PRESENT] == 0.0:
            continue
        appears = before[b, PRESENT] == 0.0
        first, start = (after[b], q) if appears else (before[b], p)
        t = time_of_contact(solids, i, first, after[b], start, q, radius, stack)
        if appears and t <= 1.0:
            t = 1.0
        if t < moment:
            body, moment = b, t
    return body, moment


@kernel
def time_of_contact(solids, i, before, after, p, q, radius, stack):
    """Return the first time in [0, 1] of contact between a ball and solid `i`; 2 if none."""
    u = (p[0] - before[0], p[1] - before[1], p[2] - before[2])
    v = (q[0] - after[0], q[1] - after[1], q[2] - after[2])
    near = radius + solids.reach[i]
    if near <= 0.0 or point_to_segment((0.0, 0.0, 0.0), u, v) >= near * near:
        return 2.0
    turn = angle_between(
        before[3], before[4], before[5], before[6], after[3], after[4], after[5], after[6]
    )
    move = minus(v, u)
    farthest = max(dot(u, u), dot(v, v)) ** 0.5
    curvature = turn * turn * farthest + 2.0 * turn * dot(move, move) ** 0.5
    stack[0, 0], stack[0, 1] = 0.0, 1.0
    top = 1
    while top > 0:
        top -= 1
        start, end = stack[top, 0], stack[top, 1]
        a = position_in_body_frame(before, after, u, v, start)
        b = position_in_body_frame(before, after, u, v, end)
        deviation = curvature * (end - start) ** 2 / 8.0
        if signed_distance(solids, i, a, b) - deviation >= radius:
            continue
        if end - start <= SHORTEST:
            return start
        middle = 0.5 * (start + end)
        stack[top, 0], stack[top, 1] = middle, end
        stack[top + 1, 0], stack[top + 1, 1] = start, middle
        top += 2
    return 2.0


@kernel
def position_in_body_frame(before, after, u, v, t):
    """Return the position of the ball at time `t`, in the coordinates of the body."""
    x, y, z, w = slerp(
        before[3], before[4], before[5], before[6], after[3], after[4], after[5], after[6], t
    )
    pose = (0.0, 0.0, 0.0, x, y, z, w)
    s = 1.0 - t
    return in_frame(pose, s * u[0] + t * v[0], s * u[1] + t * v[1], s * u[2] + t * v[2])

"""The velocity in some half-spaces that is nearest to a wanted one: a linear program in space.

As in Berg, Guy, Lin, Manocha 2011: half-spaces are added one by one, and the result moves to the
plane of the new one if it is outside. Where no velocity is in all of them, the one is found that
violates none by more than it must. Rows of `planes` are (x, y, z, b), as in `half_spaces`.
"""

import math

from noctule.core.jit import kernel
from noctule.worlds.geometry.vectors import along, cross, dot, minus

TINY = 1e-9


@kernel
def normal_of(planes, i):
    """Return the normal of a half-space."""
    return planes[i, 0], planes[i, 1], planes[i, 2]


@kernel
def on_line(planes, k, point, way, speed, wanted, farthest):
    """Solve on a line, for the first `k` half-spaces; return whether there is a solution, and it.

    With `farthest`, `wanted` is a direction to go as far as possible in.
    """
    b = dot(point, way)
    root = b * b + speed * speed - dot(point, point)
    if root < 0.0:
        return False, point
    low, high = -b - math.sqrt(root), -b + math.sqrt(root)
    for i in range(k):
        normal = normal_of(planes, i)
        missing, gain = planes[i, 3] - dot(normal, point), dot(normal, way)
        if abs(gain) < TINY:
            if missing > TINY:
                return False, point
        elif gain > 0.0:
            low = max(low, missing / gain)
        else:
            high = min(high, missing / gain)
        if low > high:
            return False, point
    if farthest:
        t = high if dot(wanted, way) > 0.0 else low
    else:
        t = min(max(dot(way, minus(wanted, point)), low), high)
    return True, along(point, way, t)


@kernel
def on_plane(planes, k, speed, wanted, farthest):
    """Solve on the plane of half-space `k`, for those before it."""
    normal, b = normal_of(planes, k), planes[k, 3]
    foot = (b * normal[0], b * normal[1], b * normal[2])
    if abs(b) > speed:
        return False, foot
    reach = math.sqrt(speed * speed - b * b)
    if farthest:
        flat = along(wanted, normal, -dot(wanted, normal))
        size = math.sqrt(dot(flat, flat))
        result = along(foot, flat, reach / size) if size > TINY else foot
    else:
        result = along(wanted, normal, b - dot(wanted, normal))
        if dot(result, result) > speed * speed:
            flat = minus(result, foot)
            result = along(foot, flat, reach / math.sqrt(dot(flat, flat)))
    for i in range(k):
        other = normal_of(planes, i)
        missing = planes[i, 3] - dot(other, result)
        if missing > TINY:
            way = cross(other, normal)
            size = math.sqrt(dot(way, way))
            if size < TINY:
                return False, result
            way = (way[0] / size, way[1] / size, way[2] / size)
            across = cross(way, normal)
            t = (planes[i, 3] - dot(other, foot)) / dot(across, other)
            found, result = on_line(planes, i, along(foot, across, t), way, speed, wanted, farthest)
            if not found:
                return False, result
    return True, result


@kernel
def in_space(planes, n, speed, wanted, farthest):
    """Return how many half-spaces, in their order, have a common velocity, and the best one."""
    result = wanted
    size = math.sqrt(dot(wanted, wanted))
    if farthest or size > speed:
        part = speed / size if size > TINY else 0.0
        result = (part * wanted[0], part * wanted[1], part * wanted[2])
    for i in range(n):
        if dot(normal_of(planes, i), result) < planes[i, 3] - TINY:
            found, better = on_plane(planes, i, speed, wanted, farthest)
            if not found:
                return i, result
            result = better
    return n, result


@kernel
def least_violation(planes, n, hard, first, speed, result, scratch):
    """Return the velocity whose largest violation of the half-spaces from `first` on is least.

    The first `hard` ones count as walls for the others.
    """
    violation = 0.0
    for i in range(first, n):
        normal = normal_of(planes, i)
        if planes[i, 3] - dot(normal, result) <= violation:
            continue
        m = 0
        for j in range(i):
            other = normal_of(planes, j)
            if j < hard and i >= hard:
                for k in range(4):
                    scratch[m, k] = planes[j, k]
                m += 1
                continue
            apart = minus(other, normal)
            size = math.sqrt(dot(apart, apart))
            if size < TINY:
                continue  # parallel, on the same side
            for k in range(3):
                scratch[m, k] = apart[k] / size
            # Where both are violated alike: (n_j - n_i) . v = b_j - b_i.
            scratch[m, 3] = (planes[j, 3] - planes[i, 3]) / size
            m += 1
        count, better = in_space(scratch, m, speed, normal, True)
        if count == m:  # else rounding: the old result is as good
            result = better
        violation = planes[i, 3] - dot(normal, result)
    return result


@kernel
def best_velocity(planes, n, hard, speed, wanted, scratch):
    """Return the velocity nearest to the wanted one, of at most this speed, in all half-spaces."""
    count, result = in_space(planes, n, speed, wanted, False)
    if count < n:
        result = least_violation(planes, n, hard, count, speed, result, scratch)
    return result

"""The cheapest way across a cell to a side of it, where costs are known at the corners of the side.

Between corners the cost to go is interpolated linearly: along an edge in the plane, over the two
triangles of a face in space. The minimum is in closed form. Corners may cost infinity.
"""

import math

from noctule.core.jit import INF, kernel

SQRT2, SQRT3 = math.sqrt(2.0), math.sqrt(3.0)


@kernel
def over_edge(c, b, g1, g2):  # ComputeCost() of Ferguson and Stentz (2006)
    """Return the least cost from corner s of a square cell of cost `c` over its edge s1 s2.

    s1 is the neighbour of s along an axis, with g1, and s2 the diagonal one, with g2; `b` is the
    cost of the cell across s s1. A path goes to s1, to a point of the edge, or along s s1 first.
    """
    if min(c, b) == INF:
        return INF
    if g1 <= g2:
        return min(c, b) + g1
    f = g1 - g2
    if f <= b:
        if c <= f:
            return c * SQRT2 + g2
        y = min(f / math.sqrt(c * c - f * f), 1.0)
        return c * math.sqrt(1.0 + y * y) + f * (1.0 - y) + g2
    if c <= b:
        return c * SQRT2 + g2
    x = 1.0 - min(b / math.sqrt(c * c - b * b), 1.0)
    return c * math.sqrt(1.0 + (1.0 - x) ** 2) + b * x + g2


@kernel
def over_face(c, g00, g10, g01, g11):
    """Return the least cost from a corner of a cubic cell of cost `c` over an opposite face.

    g00 belongs to the nearest corner of the face, g11 to the farthest one.
    """
    best = min(c + g00, SQRT2 * c + min(g10, g01), SQRT3 * c + g11)
    best = min(best, over_triangle(c, g00, g10, g11), over_triangle(c, g00, g01, g11))
    return min(best, over_side(c, 1.0, 1.0 / SQRT2, g00, g11))


@kernel
def over_triangle(c, g00, g10, g11):
    """Return the least cost over the inside of half a face, or over one of its two outer sides.

    A path to (1, x, y), where 0 < y < x < 1, costs c √(1 + x² + y²) + g00 + α x + β y.
    """
    alpha, beta = g10 - g00, g11 - g10
    square = c * c - alpha * alpha - beta * beta
    if square > 0.0:
        r = math.sqrt(square)
        if 0.0 < -beta < -alpha < r:
            return g00 + r
    return min(over_side(c, 1.0, 1.0, g00, g10), over_side(c, SQRT2, 1.0, g10, g11))


@kernel
def over_side(c, distance, per_length, g1, g2):
    """Return the least cost over the inside of a side of a face that begins right opposite.

    The side from g1 to g2 is 1 / `per_length` long, and its beginning lies at this distance.
    """
    f = (g1 - g2) * per_length
    if 0.0 < f < c:
        r = math.sqrt(c * c - f * f)
        if f * distance * per_length < r:
            return g1 + distance * r
    return INF


@kernel
def point_on_side(c, distance, foot, length, g1, g2):
    """Return where on a side of this length a path from any point crosses it, and the g there.

    The point lies at this distance from the line of the side, with its foot there.
    """
    if g1 == INF or g2 == INF:
        return (length, g2) if g1 == INF else (0.0, g1)
    slope = (g2 - g1) / length
    if abs(slope) >= c:
        return (length, g2) if slope < 0.0 else (0.0, g1)
    t = foot - slope * distance / math.sqrt(c * c - slope * slope)
    if t < NEAR * length:
        return 0.0, g1
    if t > length - NEAR * length:
        return length, g2
    return t, g1 + slope * t


NEAR = 1e-6  # of the length of a side: so near to a corner, a path goes through it

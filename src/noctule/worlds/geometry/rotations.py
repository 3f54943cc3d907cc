"""Rotations as unit quaternions (x, y, z, w).

A rotation by 90 degrees about z maps +x to +y.
"""

import math

from noctule.core.jit import kernel

Quaternion = tuple[float, float, float, float]
Vector = tuple[float, float, float]

IDENTITY: Quaternion = (0.0, 0.0, 0.0, 1.0)


def rotation_about(axis: Vector, degrees: float) -> Quaternion:
    """Return the rotation about an axis, which may have any length above 0."""
    half = math.radians(degrees) / 2
    scale = math.sin(half) / math.hypot(*axis)
    return (axis[0] * scale, axis[1] * scale, axis[2] * scale, math.cos(half))


def compose(second: Quaternion, first: Quaternion) -> Quaternion:
    """Return the rotation `first` followed by `second`."""
    ax, ay, az, aw = second
    bx, by, bz, bw = first
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def normalised(q: Quaternion) -> Quaternion:
    """Return a quaternion scaled to length 1."""
    length = math.hypot(*q)
    return (q[0] / length, q[1] / length, q[2] / length, q[3] / length)


@kernel
def rotate(qx, qy, qz, qw, x, y, z):
    """Rotate the vector (x, y, z) by a unit quaternion."""
    # v + 2 q × (q × v + w v)
    cx = qy * z - qz * y + qw * x
    cy = qz * x - qx * z + qw * y
    cz = qx * y - qy * x + qw * z
    return (
        x + 2.0 * (qy * cz - qz * cy),
        y + 2.0 * (qz * cx - qx * cz),
        z + 2.0 * (qx * cy - qy * cx),
    )


@kernel
def angle_between(ax, ay, az, aw, bx, by, bz, bw):
    """Return the angle between two rotations, in radians from 0 to π."""
    dot = abs(ax * bx + ay * by + az * bz + aw * bw)
    # For small angles, the difference is more exact than the arc cosine of the product.
    sign = 1.0 if ax * bx + ay * by + az * bz + aw * bw >= 0.0 else -1.0
    gap = math.sqrt(
        (ax - sign * bx) ** 2
        + (ay - sign * by) ** 2
        + (az - sign * bz) ** 2
        + (aw - sign * bw) ** 2
    )
    return 2.0 * math.acos(min(dot, 1.0)) if gap > 0.1 else 4.0 * math.asin(0.5 * gap)


@kernel
def slerp(ax, ay, az, aw, bx, by, bz, bw, t):
    """Interpolate between two rotations at a constant rate; `t` is from 0 to 1."""
    angle = 0.5 * angle_between(ax, ay, az, aw, bx, by, bz, bw)
    sign = 1.0 if ax * bx + ay * by + az * bz + aw * bw >= 0.0 else -1.0
    if angle < 1e-8:
        u, v = 1.0 - t, sign * t
    else:
        u = math.sin((1.0 - t) * angle) / math.sin(angle)
        v = sign * math.sin(t * angle) / math.sin(angle)
    x, y, z, w = u * ax + v * bx, u * ay + v * by, u * az + v * bz, u * aw + v * bw
    length = math.sqrt(x * x + y * y + z * z + w * w)
    return x / length, y / length, z / length, w / length

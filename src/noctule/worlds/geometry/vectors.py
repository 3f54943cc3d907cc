"""Vectors as tuples of three numbers."""

from noctule.core.jit import kernel


@kernel
def dot(a, b):
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def minus(a, b):
    """Return the difference of two vectors."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def cross(a, b):
    """Return the cross product."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@kernel
def along(a, d, t):
    """Return `a + t * d`."""
    return a[0] + t * d[0], a[1] + t * d[1], a[2] + t * d[2]


@kernel
def row(array, i):
    """Return row `i` of an (n, 3) array as a tuple."""
    return array[i, 0], array[i, 1], array[i, 2]


@kernel
def clamp(t):
    """Clamp a number to [0, 1]."""
    return min(max(t, 0.0), 1.0)

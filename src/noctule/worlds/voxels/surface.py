"""Cells whose open cube meets a triangle, by the separating axis theorem.

A triangle and a cube are disjoint exactly if their projections onto some axis are: an axis of the
cube, the normal of the triangle, or the cross product of an edge and an axis of the cube (Akenine-
Möller, "Fast 3D Triangle-Box Overlap Testing", 2001). The axes of the cube give the range of cells;
the other ten are computed once for a triangle, and cells of a long row that they exclude are
skipped. With coordinates of few bits, touching is told from overlap exactly.

A triangle in the plane between two cells meets no open cube. It counts for the cell behind it, the
one that its normal points away from, so that nothing passes a surface that lies between cells.
"""

import math

from noctule.core.jit import kernel

AXES = 10
FLAT = 1e-12  # a normal shorter than this, relative to the edges, separates nothing
SHORT_ROW = 6  # cells; in longer rows, those that no axis excludes are computed


@kernel
def mark_surface(vertices, faces, behind, axes, blocked):
    """Mark the cells that triangles meet; `behind`: also behind those between two cells."""
    for f in range(len(faces)):
        mark_triangle(vertices, faces[f, 0], faces[f, 1], faces[f, 2], behind, axes, blocked)


@kernel
def mark_triangle(vertices, p, q, r, behind, axes, blocked):
    """Mark the cells that one triangle meets."""
    ax, ay, az = vertices[p, 0], vertices[p, 1], vertices[p, 2]
    bx, by, bz = vertices[q, 0], vertices[q, 1], vertices[q, 2]
    cx, cy, cz = vertices[r, 0], vertices[r, 1], vertices[r, 2]
    # Edges are differences of coordinates, so that the same edge is the same in two triangles.
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - bx, cy - by, cz - bz
    wx, wy, wz = ax - cx, ay - cy, az - cz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    if ax == bx == cx and ax == math.floor(ax):
        if not behind or nx == 0.0:
            return
        ax = bx = cx = ax - 0.5 if nx > 0.0 else ax + 0.5
    if ay == by == cy and ay == math.floor(ay):
        if not behind or ny == 0.0:
            return
        ay = by = cy = ay - 0.5 if ny > 0.0 else ay + 0.5
    if az == bz == cz and az == math.floor(az):
        if not behind or nz == 0.0:
            return
        az = bz = cz = az - 0.5 if nz > 0.0 else az + 0.5
    i0, i1 = cells_between(min(ax, bx, cx), max(ax, bx, cx), blocked.shape[0])
    j0, j1 = cells_between(min(ay, by, cy), max(ay, by, cy), blocked.shape[1])
    k0, k1 = cells_between(min(az, bz, cz), max(az, bz, cz), blocked.shape[2])
    if i0 > i1 or j0 > j1 or k0 > k1:
        return
    if i0 == i1 and j0 == j1 and k0 == k1:  # its own box is in one cell
        inside = min(ax, bx, cx) >= i0 and max(ax, bx, cx) <= i0 + 1
        inside = inside and min(ay, by, cy) >= j0 and max(ay, by, cy) <= j0 + 1
        if inside and min(az, bz, cz) >= k0 and max(az, bz, cz) <= k0 + 1:
            blocked[i0, j0, k0] = True
            return
    n = 0
    span = max(abs(ux), abs(uy), abs(uz)) * max(abs(vx), abs(vy), abs(vz))
    if max(abs(nx), abs(ny), abs(nz)) > FLAT * span:
        d = nx * ax + ny * ay + nz * az
        n = add_axis(axes, n, nx, ny, nz, d, d, d)
    for e in range(3):
        dx, dy, dz = (ux, uy, uz) if e == 0 else (vx, vy, vz) if e == 1 else (wx, wy, wz)
        n = add_axis(axes, n, 0.0, -dz, dy, dy * az - dz * ay, dy * bz - dz * by, dy * cz - dz * cy)
        n = add_axis(axes, n, dz, 0.0, -dx, dz * ax - dx * az, dz * bx - dx * bz, dz * cx - dx * cz)
        n = add_axis(axes, n, -dy, dx, 0.0, dx * ay - dy * ax, dx * by - dy * bx, dx * cy - dy * cx)
    mark_box(axes, n, i0, i1, j0, j1, k0, k1, blocked)


@kernel
def cells_between(low, high, n):
    """Return the first and last of `n` cells whose open interval meets [low, high]."""
    first, last = math.floor(low), math.ceil(high) - 1
    return int(max(first, 0)), int(min(max(last, first) if low == high else last, n - 1))


@kernel
def add_axis(axes, n, x, y, z, a, b, c):
    """Add an axis, and the open interval of projected centres of the cells that it does not
    separate from the triangle, whose corners it projects to a, b and c; skip a zero vector."""
    half = 0.5 * (abs(x) + abs(y) + abs(z))
    if half == 0.0:
        return n
    axis = axes[n]
    axis[0], axis[1], axis[2] = x, y, z
    axis[3], axis[4] = min(a, b, c) - half, max(a, b, c) + half
    return n + 1


@kernel
def mark_box(axes, n, i0, i1, j0, j1, k0, k1, blocked):
    """Mark the cells of a box that no axis separates from the triangle."""
    for i in range(i0, i1 + 1):
        for j in range(j0, j1 + 1):
            first, last = k0, k1
            if last - first >= SHORT_ROW:
                first, last = part_of_row(axes, n, i + 0.5, j + 0.5, k0, k1)
            for k in range(first, last + 1):
                if not blocked[i, j, k] and meets(axes, n, i + 0.5, j + 0.5, k + 0.5):
                    blocked[i, j, k] = True


@kernel
def meets(axes, n, x, y, z):
    """Whether no axis separates the triangle from the cell with this centre."""
    for a in range(n):
        axis = axes[a]
        d = axis[0] * x + axis[1] * y + axis[2] * z
        if d <= axis[3] or d >= axis[4]:
            return False
    return True


@kernel
def part_of_row(axes, n, x, y, k0, k1):
    """Return the first and last cell of a row that may meet the triangle, and one more each."""
    first, last = float(k0), float(k1)
    for a in range(n):
        axis = axes[a]
        d = axis[0] * x + axis[1] * y
        if axis[2] == 0.0:
            if d <= axis[3] or d >= axis[4]:
                return 1, 0
        else:
            low, high = (axis[3] - d) / axis[2], (axis[4] - d) / axis[2]
            first = max(first, min(low, high) - 1.5)
            last = min(last, max(low, high) + 0.5)
    return math.floor(first), math.ceil(min(last, float(k1)))

"""Find the long edges of a hybrid graph: step in one, two or three directions.

Side, edge and vertex neighbours as in the second thesis (5.2.1.2). Two cells are joined if they see
each other past everything that is ever blocked.
"""

from noctule.core.jit import kernel
from noctule.graphs.protocol import line_of_sight


@kernel
def first_along(blocked, used, x, y, z, dx, dy, dz):
    """Return the steps to the first used cell in one direction, or -1 and the steps to a wall."""
    nx, ny, nz = used.shape
    steps = 0
    while True:
        steps += 1
        x, y, z = x + dx, y + dy, z + dz
        inside = 0 <= x < nx and 0 <= y < ny and 0 <= z < nz
        if not inside or blocked[x, y, z]:
            return -1, steps
        if used[x, y, z]:
            return steps, steps


@kernel
def first_across(blocked, used, x, y, z, dx, dy, dz, across):
    """Return the first used cell found by stepping along one axis and scanning along another.

    The direction has two parts; `across` is the axis to scan along; x = -1 if there is none. A cell
    whose first step across meets a wall ends the search: the wall hides all beyond.
    """
    ax, ay, az = (dx, 0, 0) if across == 0 else (0, dy, 0) if across == 1 else (0, 0, dz)
    px, py, pz = dx - ax, dy - ay, dz - az
    nx, ny, nz = used.shape
    while True:
        x, y, z = x + px, y + py, z + pz
        inside = 0 <= x < nx and 0 <= y < ny and 0 <= z < nz
        if not inside or blocked[x, y, z]:
            return -1, -1, -1
        found, steps = first_along(blocked, used, x, y, z, ax, ay, az)
        if found > 0:
            return x + found * ax, y + found * ay, z + found * az
        if steps <= 1:
            return -1, -1, -1


@kernel
def first_in_space(blocked, used, x, y, z, dx, dy, dz):
    """Do the same for a direction with three parts: step along x, then scan along y and z."""
    while True:
        x += dx
        if not 0 <= x < used.shape[0] or blocked[x, y, z]:
            return -1, -1, -1
        fx, fy, fz = first_across(blocked, used, x, y, z, 0, dy, dz, 2)
        if fx >= 0:
            return fx, fy, fz


@kernel
def first_used(blocked, used, x, y, z, dx, dy, dz):
    """Return the first used cell from (x, y, z) in one of the 26 directions; x = -1 for none."""
    parts = abs(dx) + abs(dy) + abs(dz)
    if parts == 1:
        found, _ = first_along(blocked, used, x, y, z, dx, dy, dz)
        if found < 0:
            return -1, -1, -1
        return x + found * dx, y + found * dy, z + found * dz
    nx, ny, nz = used.shape
    for k in range(3):  # the cells beside must be free
        a = x + (dx if k == 0 else 0)
        b = y + (dy if k == 1 else 0)
        c = z + (dz if k == 2 else 0)
        inside = 0 <= a < nx and 0 <= b < ny and 0 <= c < nz
        if not inside or blocked[a, b, c]:
            return -1, -1, -1
    if parts == 2:
        return first_across(blocked, used, x, y, z, dx, dy, dz, 2 if dz != 0 else 1)
    return first_in_space(blocked, used, x, y, z, dx, dy, dz)


@kernel
def find_long_edges(graph, blocked, used, sources, edges):
    """Write pairs of nodes that see each other and do not touch; return how many.

    In `graph` all cells are blocked that ever are; edges start at the cells `sources`.
    """
    lattice = graph.lattice
    n = 0
    for i in range(len(sources)):
        x, y, z = sources[i, 0], sources[i, 1], sources[i, 2]
        s = (x + 1) * lattice.sx + (y + 1) * lattice.sy + z + 1
        for k in range(27):
            dx, dy, dz = k // 9 - 1, k // 3 % 3 - 1, k % 3 - 1
            if k == 13:
                continue
            fx, fy, fz = first_used(blocked, used, x, y, z, dx, dy, dz)
            if fx < 0 or max(abs(fx - x), abs(fy - y), abs(fz - z)) <= 1:
                continue
            t = (fx + 1) * lattice.sx + (fy + 1) * lattice.sy + fz + 1
            if line_of_sight(graph, s, t):
                edges[n, 0], edges[n, 1] = s, t
                n += 1
    return n

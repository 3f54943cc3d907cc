"""Move waypoints with their bodies, and find the edges that are free.

All is exact: a line is free if no body comes nearer to it than the agent's radius. Only lines that
a moved body can have changed are tested again.
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.core.jit import INF, kernel
from noctule.graphs.heuristics import STEP_1
from noctule.worlds.geometry.distances import any_solid, in_frame, is_near
from noctule.worlds.geometry.rotations import rotate

FREE, OUTSIDE = -1, -2  # what blocks a node or an edge, if it is not a body


class Rig(NamedTuple):
    """The waypoints in the frames of their bodies, and their state."""

    local: np.ndarray
    body: np.ndarray  # of each waypoint
    edge: np.ndarray  # pairs of waypoints of one body
    edge_length: np.ndarray
    node_blocker: np.ndarray  # what blocks it: a body, or FREE or OUTSIDE
    edge_blocker: np.ndarray
    nearest: np.ndarray  # the nearest visible waypoints of other bodies, -1 for none
    reach: np.ndarray  # distance from a waypoint within which a change can alter these
    low: np.ndarray  # by body: the corners of the box around its solids and waypoints
    high: np.ndarray
    moved: np.ndarray  # by body: whether it has moved since the last update
    old: np.ndarray  # by body: its pose in the last update


class Bins(NamedTuple):
    """Free waypoints sorted into cubes of space: those of bin b are first[b] to first[b + 1]."""

    size: float
    nx: int
    ny: int
    nz: int
    first: np.ndarray
    end: np.ndarray  # of each bin, while it is filled
    node: np.ndarray
    found: np.ndarray  # candidates, and their distances
    far: np.ndarray


@kernel
def place_nodes(rig, poses, at, cell, x, y, z):
    """Move the waypoints of moved bodies; return the largest distance of one, in cells."""
    longest = 0.0
    for s in range(len(at)):
        b = rig.body[s]
        if rig.moved[b]:
            p = poses[b]
            u, v, w = rig.local[s, 0], rig.local[s, 1], rig.local[s, 2]
            u, v, w = rotate(p[3], p[4], p[5], p[6], u, v, w)
            u, v, w = (u + p[0] - x) / cell, (v + p[1] - y) / cell, (w + p[2] - z) / cell
            du, dv, dw = u - at[s, 0], v - at[s, 1], w - at[s, 2]
            longest = max(longest, math.sqrt(du * du + dv * dv + dw * dw))
            at[s, 0], at[s, 1], at[s, 2] = u, v, w
    return longest


@kernel
def is_inside(world, x, y, z):
    """Whether the agent is inside the box of the world."""
    e = world.edge
    return e <= x <= world.nx - e and e <= y <= world.ny - e and e <= z <= world.nz - e


@kernel
def body_between(world, rig, a, b, only_moved):
    """Return a body that is too near to the line between two places (in cells), or FREE."""
    solids, size = world.solids, world.cell
    p = (world.x + a[0] * size, world.y + a[1] * size, world.z + a[2] * size)
    q = (world.x + b[0] * size, world.y + b[1] * size, world.z + b[2] * size)
    if not only_moved:
        i = any_solid(solids, world.poses, p, q, world.radius, world.last)
        return solids.body[i] if i >= 0 else FREE
    for i in range(len(solids.body)):
        body = solids.body[i]
        if rig.moved[body] and is_near(solids, world.poses, i, p, q, world.radius):
            return body
    return FREE


@kernel
def find_blocker(world, rig, blocker, moved, a, b):
    """Return what blocks a line now, given what did, and whether the line itself has moved."""
    if not moved and blocker >= 0 and not rig.moved[blocker]:
        return blocker
    if not (is_inside(world, a[0], a[1], a[2]) and is_inside(world, b[0], b[1], b[2])):
        return OUTSIDE
    return body_between(world, rig, a, b, blocker == FREE and not moved)


@kernel
def update_nodes(world, rig, at):
    """Find the blocked waypoints, and make `reach` negative where that has changed."""
    for s in range(len(at)):
        p = (at[s, 0], at[s, 1], at[s, 2])
        now = find_blocker(world, rig, rig.node_blocker[s], rig.moved[rig.body[s]], p, p)
        if (now == FREE) != (rig.node_blocker[s] == FREE):
            rig.reach[s] = -1.0
        rig.node_blocker[s] = now


@kernel
def update_mesh_edges(world, rig, at):
    """Find the free edges along the bodies."""
    for e in range(len(rig.edge)):
        s, t = rig.edge[e, 0], rig.edge[e, 1]
        a, b = (at[s, 0], at[s, 1], at[s, 2]), (at[t, 0], at[t, 1], at[t, 2])
        moved = rig.moved[rig.body[s]]
        rig.edge_blocker[e] = find_blocker(world, rig, rig.edge_blocker[e], moved, a, b)


@kernel
def fill_bins(rig, bins, at):
    """Sort the free waypoints into bins."""
    bins.first[:] = 0
    for s in range(len(at)):
        if rig.node_blocker[s] == FREE:
            bins.first[bin_of(bins, at, s) + 1] += 1
    for b in range(len(bins.first) - 1):
        bins.first[b + 1] += bins.first[b]
        bins.end[b] = bins.first[b]
    for s in range(len(at)):
        if rig.node_blocker[s] == FREE:
            b = bin_of(bins, at, s)
            bins.node[bins.end[b]] = s
            bins.end[b] += 1


@kernel
def bin_of(bins, at, s):
    """Return the bin of a free waypoint."""
    i = min(int(at[s, 0] / bins.size), bins.nx - 1)
    j = min(int(at[s, 1] / bins.size), bins.ny - 1)
    return (i * bins.ny + j) * bins.nz + min(int(at[s, 2] / bins.size), bins.nz - 1)


@kernel
def is_affected(world, rig, at, s):
    """Whether a moved body may have changed what waypoint `s` sees within its reach."""
    if rig.reach[s] < 0.0 or rig.reach[s] == INF or rig.moved[rig.body[s]]:
        return True
    size, poses = world.cell, world.poses
    p = (world.x + at[s, 0] * size, world.y + at[s, 1] * size, world.z + at[s, 2] * size)
    far = rig.reach[s] * size + world.radius
    for b in range(len(rig.moved)):
        if rig.moved[b] and (
            is_near_box(rig, b, poses[b], p, far) or is_near_box(rig, b, rig.old[b], p, far)
        ):
            return True
    return False


@kernel
def is_near_box(rig, b, pose, p, far):
    """Whether a point is at most `far` from the box around all of a body at this pose."""
    u = in_frame(pose, p[0], p[1], p[2])
    square = 0.0
    for k in range(3):
        gap = max(rig.low[b, k] - u[k], u[k] - rig.high[b, k], 0.0)
        square += gap * gap
    return square <= far * far


@kernel
def candidates(rig, bins, at, s, inner, reach):
    """Collect the free waypoints of other bodies at distances from `inner` to `reach`.

    Sort them by distance, and return how many there are.
    """
    size, n = bins.size, 0
    x, y, z = at[s, 0], at[s, 1], at[s, 2]
    for i in range(max(int((x - reach) / size), 0), min(int((x + reach) / size) + 1, bins.nx)):
        for j in range(max(int((y - reach) / size), 0), min(int((y + reach) / size) + 1, bins.ny)):
            low = max(int((z - reach) / size), 0)
            high = min(int((z + reach) / size), bins.nz - 1)
            row = (i * bins.ny + j) * bins.nz
            for e in range(bins.first[row + low], bins.first[row + high + 1]):
                t = bins.node[e]
                dx, dy, dz = at[t, 0] - x, at[t, 1] - y, at[t, 2] - z
                d = math.sqrt(dx * dx + dy * dy + dz * dz)
                if d <= inner or d > reach or rig.body[t] == rig.body[s]:
                    continue
                m = n
                while m > 0 and (
                    bins.far[m - 1] > d or (bins.far[m - 1] == d and bins.found[m - 1] > t)
                ):
                    bins.far[m], bins.found[m] = bins.far[m - 1], bins.found[m - 1]
                    m -= 1
                bins.far[m], bins.found[m] = d, t
                n += 1
    return n


@kernel
def find_nearest(world, rig, bins, at, s, widest):
    """Find the nearest visible waypoints of other bodies, and the distance of the last."""
    k = rig.nearest.shape[1]
    reach, inner, count = bins.size, -1.0, 0
    while True:
        for c in range(candidates(rig, bins, at, s, inner, reach)):
            t = bins.found[c]
            a, b = (at[s, 0], at[s, 1], at[s, 2]), (at[t, 0], at[t, 1], at[t, 2])
            if body_between(world, rig, a, b, False) == FREE:
                rig.nearest[s, count] = t
                count += 1
                if count == k:
                    rig.reach[s] = bins.far[c]
                    return
        if reach >= widest:
            break
        inner, reach = reach, 2.0 * reach
    rig.nearest[s, count:] = -1
    rig.reach[s] = INF


@kernel
def update_nearest(world, rig, bins, at, widest):
    """Find the nearest visible waypoints again wherever they may have changed."""
    for s in range(len(at)):
        if rig.node_blocker[s] != FREE:
            rig.nearest[s, :] = -1
            rig.reach[s] = 0.0
        elif is_affected(world, rig, at, s):
            find_nearest(world, rig, bins, at, s, widest)


@kernel
def is_first_end(rig, s, t):
    """Whether the edge to `t` is written from `s`: not if `t` has it, too, and comes first."""
    for k in range(rig.nearest.shape[1]):
        if rig.nearest[t, k] == s:
            return s < t
    return True


@kernel
def write_edges(rig, at, first, target, length, whole, widest):
    """Write all free edges, in both directions."""
    n = len(at)
    first[:] = 0
    for turn in range(2):  # count, then write
        for e in range(len(rig.edge)):
            if rig.edge_blocker[e] == FREE:
                join(
                    rig.edge[e, 0], rig.edge[e, 1], rig.edge_length[e], turn, first, target, length
                )
        for s in range(n):
            for k in range(rig.nearest.shape[1]):
                t = rig.nearest[s, k]
                if t >= 0 and is_first_end(rig, s, t):
                    dx, dy, dz = at[t, 0] - at[s, 0], at[t, 1] - at[s, 1], at[t, 2] - at[s, 2]
                    d = math.sqrt(dx * dx + dy * dy + dz * dz)
                    join(s, t, d, turn, first, target, length)
        if turn == 0:
            widest[0] = 0
            for s in range(n):
                widest[0] = max(widest[0], first[s])
            total = 0
            for s in range(n + 1):
                total, first[s] = total + first[s], total
    for s in range(n, 0, -1):
        first[s] = first[s - 1]
    first[0] = 0
    for e in range(first[n]):
        whole[e] = math.ceil(length[e] * STEP_1)


@kernel
def join(s, t, d, turn, first, target, length):
    """Count an edge at both of its ends, or write it at the next position of each end."""
    for k in range(2):
        a, b = (s, t) if k == 0 else (t, s)
        if turn == 1:
            target[first[a]], length[first[a]] = b, d
        first[a] += 1

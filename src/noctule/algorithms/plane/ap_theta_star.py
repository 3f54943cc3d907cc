"""Angle-Propagation Theta* (Nash, Daniel, Koenig, Felner, "Theta*: Any-Angle Path Planning on
Grids", AAAI 2007, figure 5; Journal of Artificial Intelligence Research 39, 2010).

Theta* without line-of-sight checks, on the corners of a grid in the plane. Each node that is
expanded has a range of angles, as seen from its parent and measured from the ray to the node: its
neighbours within that range are visible from the parent. The range follows from the blocked cells
around the node and from the ranges of its neighbours. It may be too small, so paths are slightly
longer than those of Theta*. The work for an expansion is constant.

In space a range of directions would be a polygon on a sphere, with any number of corners.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from noctule.algorithms.best_first import (
    BestFirst,
    compute_cost,
    improve,
    new_tree,
    set_vertex,
)
from noctule.algorithms.search_engine import parent_of
from noctule.algorithms.theta_star import shortcut_cost
from noctule.core.jit import INF, kernel
from noctule.graphs.grid.lattice import coordinates
from noctule.graphs.protocol import neighbours
from noctule.queues.heap import Heap

ROUNDING = 1e-9  # of sums of angles


class APThetaStar(NamedTuple):
    """Options, as for Theta*."""

    weight: float
    heuristic: int
    equal: bool


class AngleTree(NamedTuple):
    """Memory of a search: the tree of `best_first`, and the range of angles of each node."""

    g: np.ndarray
    parent: np.ndarray
    generation: np.ndarray
    open: Heap
    stats: np.ndarray
    lower: np.ndarray  # valid for closed nodes
    upper: np.ndarray


def new_angle_tree(n: int) -> AngleTree:
    """Reserve memory for searches on a graph of `n` nodes."""
    return AngleTree(*new_tree(n), np.empty(n), np.empty(n))


@parent_of.register
def _(tree: AngleTree, s):
    return np.int64(tree.parent[s])


@kernel
def angle(px, py, sx, sy, qx, qy):
    """Return the angle at p from the ray to s to the ray to q; exactly 0 if they are one line."""
    ax, ay, bx, by = sx - px, sy - py, qx - px, qy - py
    cross, dot = ax * by - ay * bx, ax * bx + ay * by
    if cross == 0:
        return 0.0 if dot >= 0 else math.pi
    return math.atan2(float(cross), float(dot))


@kernel
def bounded_by(px, py, sx, sy, x, y):
    """Return whether the blocked cell with low corner (x, y) bounds the range below, and above."""
    below = above = True
    for i in range(2):
        for j in range(2):
            qx, qy = x + i, y + j
            if qx == px and qy == py:
                continue
            theta = angle(px, py, sx, sy, qx, qy)
            near = (qx - px) ** 2 + (qy - py) ** 2 <= (sx - px) ** 2 + (sy - py) ** 2
            on_ray = theta == 0.0 and near
            below = below and (theta < 0.0 or on_ray)
            above = above and (theta > 0.0 or on_ray)
    return below, above


@set_vertex.register
def _(algorithm: APThetaStar, graph, tree, s):  # UpdateBounds(s)
    p, closed = tree.parent[s], tree.stats[0].generation + 1
    low, high = -INF, INF
    lattice = graph.lattice
    px, py, _ = coordinates(lattice, p)
    sx, sy, _ = coordinates(lattice, s)
    if p == s:
        tree.lower[s], tree.upper[s] = low, high
        return
    for i in range(2):
        for j in range(2):
            if lattice.free3[s - i * lattice.sx - j * lattice.sy] & 2 == 0:
                below, above = bounded_by(px, py, sx, sy, sx - i, sy - j)
                low = 0.0 if below else low
                high = 0.0 if above else high
    for q, _ in neighbours(graph, s):
        if q == p:
            continue
        qx, qy, _ = coordinates(lattice, q)
        theta = angle(px, py, sx, sy, qx, qy)
        if tree.generation[q] == closed and tree.parent[q] == p:
            if tree.lower[q] + theta <= ROUNDING:
                low = max(low, tree.lower[q] + theta)
            if tree.upper[q] + theta >= -ROUNDING:
                high = min(high, tree.upper[q] + theta)
        elif (qx - px) ** 2 + (qy - py) ** 2 < (sx - px) ** 2 + (sy - py) ** 2:
            low = max(low, theta) if theta < 0.0 else low
            high = min(high, theta) if theta > 0.0 else high
    tree.lower[s], tree.upper[s] = low, high


@compute_cost.register
def _(algorithm: APThetaStar, graph, tree, s, t, c):
    p = tree.parent[s]
    if p != s:
        px, py, _ = coordinates(graph.lattice, p)
        sx, sy, _ = coordinates(graph.lattice, s)
        tx, ty, _ = coordinates(graph.lattice, t)
        theta = angle(px, py, sx, sy, tx, ty)
        if tree.lower[s] - ROUNDING <= theta <= tree.upper[s] + ROUNDING:
            c2 = shortcut_cost(algorithm, graph, tree, s, t, c)
            if c2 < INF:
                improve(tree, p, t, c2)  # path 2
                return
    improve(tree, s, t, c)  # path 1


class AngleEngine(BestFirst):
    """The reference engine, with memory for ranges of angles."""

    new_memory: Any = staticmethod(new_angle_tree)

"""Worlds for taut paths, and the law that these keep, by a check that is not the kernel's."""

import math

import numpy as np

import noctule as nt

RADII = (0.0, 0.3, 0.5, 1.2, 3.0)  # in cells
TOLERANCE = 0.01  # in cells, unless another one is asked for
CHORDS = 12  # tried at each bend


MAKE = {
    "cells": nt.CellGrid,
    "past bodies": lambda scene: nt.CellGrid(scene, sight="bodies"),
    "hybrid": nt.Hybrid,
    "waypoints": lambda scene: nt.Waypoints(scene, 0.5 * scene.space.cell, 2.0 * scene.space.cell),
}


def random_grid(rng):
    """Noise or boxes, in the plane or in space, anywhere; and a radius."""
    dimension, radius = int(rng.integers(2, 4)), float(rng.choice(RADII))
    size = (30 if dimension == 2 else 12) + (10 if radius > 1 else 0)
    shape = tuple(int(n) for n in rng.integers(size // 2, size, dimension))
    blocked = np.zeros(shape, bool)
    if rng.random() < 0.5:
        blocked = rng.random(shape) < rng.choice((0.1, 0.2, 0.3)) * (1 if radius < 1 else 0.05)
    else:
        for _ in range(int(rng.integers(1, 10))):
            low = rng.integers(0, shape)
            high = low + rng.integers(1, 7, dimension)
            blocked[tuple(slice(a, b) for a, b in zip(low, high, strict=True))] = True
    nodes = "corners" if rng.random() < 0.3 else "centres"
    cell = float(rng.choice((1.0, 0.1, 64.0)))
    origin = [float(rng.choice((0.0, -3.3, 5.5e6))) * cell] * dimension
    return nt.Grid(blocked, cell, origin, nodes=nodes), radius * cell


def random_ends(rng, grid, radius):
    if rng.random() < 0.5:
        return [grid.centre(rng.integers(0, grid.shape)) for _ in range(2)]
    size = np.array(grid.shape) * grid.cell
    margin = np.minimum(radius * 1.01, size / 2)
    return [grid.origin + margin + rng.random(grid.dimension) * (size - 2 * margin) for _ in "ab"]


def law(path, is_free, rng, tolerance):
    """Assert that no corner can be left out, and no chord at a bend saves more than `tolerance`."""
    leaves, enters = path.blocked_ends
    points = path.points[int(leaves) : len(path.points) - int(enters)]
    for a, v, b in zip(points, points[1:], points[2:], strict=False):
        to_a, to_b = math.dist(v, a), math.dist(v, b)
        # A line as near to a solid as the ball may come can be judged either way.
        assert to_a + to_b - math.dist(a, b) < 1e-6 * tolerance or not is_free(a, b)
        same, parts = rng.random((CHORDS // 3, 1)), rng.random((CHORDS // 3, 2))
        ends = np.concatenate([np.repeat(same, 2, 1), parts, parts * rng.random((len(parts), 1))])
        ends[-1, 0] = ends[-2, 1] = 1.0
        for part_a, part_b in ends:
            p, q = v + part_a * (a - v), v + part_b * (b - v)
            saved = part_a * to_a + part_b * to_b - math.dist(p, q)
            assert saved <= tolerance or not is_free(p, q), (part_a, part_b, saved / tolerance)


def judge(world, radius):
    """Whether a segment is free, by `verify`."""
    return lambda p, q: nt.verify(np.array([p, q]), world, radius)

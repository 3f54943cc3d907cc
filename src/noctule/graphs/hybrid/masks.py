"""Boolean masks of cells, and operations on them."""

import itertools

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


def corners_of(walls: Mask) -> Mask:
    """Return the free cells at convex edges and corners of walls: diagonal, not beside a face."""
    found = np.zeros_like(walls)
    for step in itertools.product((-1, 0, 1), repeat=3):
        parts = [k for k in range(3) if step[k]]
        if len(parts) < 2:
            continue
        here = ~walls & shifted(walls, step)
        for n in range(1, len(parts)):
            for some in itertools.combinations(parts, n):
                here &= ~shifted(walls, tuple(step[k] if k in some else 0 for k in range(3)))
        found |= here
    return found


def shifted(cells: Mask, step: tuple[int, ...]) -> Mask:
    """Return for each cell whether the one a step on is set; none is outside."""
    found = np.zeros_like(cells)
    here = tuple(slice(max(-d, 0), n - max(d, 0)) for d, n in zip(step, cells.shape, strict=True))
    there = tuple(slice(max(d, 0), n - max(-d, 0)) for d, n in zip(step, cells.shape, strict=True))
    found[here] = cells[there]
    return found


def layers_to(cells: Mask) -> NDArray[np.int64]:
    """Return for each cell its distance to `cells` in layers."""
    found, near = np.zeros(cells.shape, np.int64), cells
    while near.any() and not near.all():
        found += ~near
        near = grown(near)
    return found


def grown(cells: Mask) -> Mask:
    """Return `cells` with all the cells around them."""
    found = cells.copy()
    for step in itertools.product((-1, 0, 1), repeat=3):
        found |= shifted(cells, step)
    return found

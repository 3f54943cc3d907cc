"""OctoMap files: .bt (free, solid, unknown) and .ot (with probabilities)."""

import math
import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noctule.core.validation import at_least, finite_point, positive, show
from noctule.files import MAX_CELLS, File, FileError, check_size, error_in, reading
from noctule.worlds.formats.octree import (
    ENDED,
    FREE,
    SIDE,
    SOLID,
    STACK,
    UNKNOWN,
    unpack_binary,
    unpack_full,
)
from noctule.worlds.resolution import FINEST
from noctule.worlds.voxels.solids import Voxels

EXTRA_BYTES = {"OcTree": 0, "ColorOcTree": 3}  # a node of an .ot file, after its number
MIDDLE = SIDE // 2  # the smallest cell whose low corner is at 0


def read_octomap(
    file: File,
    cell: float | None = None,
    unknown: Any = "solid",
    bounds: ArrayLike | None = None,
    max_cells: int = MAX_CELLS,
) -> Voxels:
    """Return the cells of an OctoMap; `unknown` cells are free, solid, or cost a number."""
    if unknown not in ("free", "solid"):
        try:
            unknown = at_least(1, "unknown", float(unknown))
        except (TypeError, ValueError):
            raise ValueError(
                f"unknown is {unknown!r}; allowed are 'free', 'solid' and a cost of at least 1"
            ) from None
    check_size(file, "bytes", os.stat(file).st_size, max_cells)
    with open(file, "rb") as stream:
        raw = stream.read()
    tree = _Tree(file, raw)
    low, high = tree.corners(tree.empty)
    step = 1 if cell is None else _step(file, cell, tree.size)
    if bounds is not None:
        low, high = _cut(file, low, high, bounds, tree.size)
    low, high = low // step * step, -(-high // step) * step
    n = int(np.prod((high - low).astype(object)))
    check_size(file, "cells", n, max_cells)
    states = np.full(tuple(high - low), UNKNOWN, np.uint8)
    tree.corners(states, low)
    if step > 1:
        x, y, z = (high - low) // step
        states = states.reshape(x, step, y, step, z, step).max(axis=(1, 3, 5))
    origin = np.asarray((low - MIDDLE) * tree.size, np.float64)
    blocked = states == SOLID if unknown != "solid" else states != FREE
    if blocked.all():
        raise FileError(
            f"{os.fspath(file)}: no cell is free: its known cells are solid, "
            f"and the others are unknown; unknown='free' makes those free"
        )
    cost = np.where(states == UNKNOWN, unknown, 1.0) if isinstance(unknown, float) else None
    return Voxels(blocked, step * tree.size, origin, cost)


class _Tree:
    """The bytes of a tree, and what its header says."""

    empty = np.empty((0, 0, 0), np.uint8)

    def __init__(self, file: File, raw: bytes) -> None:
        self.file = file
        first, _, _ = raw.partition(b"\n")
        forms = {b"# Octomap OcTree binary file": True, b"# Octomap OcTree file": False}
        if first.strip() not in forms:
            got = repr(first[:60].decode("latin-1"))
            raise error_in(
                file, 1, "'# Octomap OcTree binary file' or '# Octomap OcTree file'", got
            )
        self.binary = forms[first.strip()]
        head, found, body = raw.partition(b"\ndata\n")
        if not found:
            raise error_in(file, None, "a header that ends in a line 'data'", "none")
        lines = [line.split() for line in head.decode("latin-1").splitlines()]
        self.header = {line[0]: line[1:] for line in lines if line and line[0] != "#"}
        with reading(file, "a header with lines 'id', 'size' and 'res'"):
            self.kind = self.header["id"][0]
            self.size = positive("res", float(self.header["res"][0]))
            self.nodes = int(self.header["size"][0])
        if self.kind not in EXTRA_BYTES or (self.binary and self.kind != "OcTree"):
            allowed = "OcTree" if self.binary else " or ".join(EXTRA_BYTES)
            raise error_in(file, None, f"id {allowed}", self.kind)
        self.data = np.frombuffer(body, np.uint8)
        self.values = np.empty(0, np.float32)
        if not self.binary:
            width = 5 + EXTRA_BYTES[self.kind]
            whole = self.data[: len(self.data) // width * width].reshape(-1, width)
            numbers = np.ascontiguousarray(whole[:, :4]).view("<f4").reshape(-1)
            self.values = numbers.astype(np.float32)
        if self.nodes == 0 or not len(self.data):
            raise FileError(f"{os.fspath(file)}: the tree is empty")

    def corners(
        self, states: NDArray[np.uint8], first: Any = (0, 0, 0)
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Unpack the tree into states; return the box around its known cells."""
        low, high = np.full(3, SIDE, np.int64), np.zeros(3, np.int64)
        stack, start = np.empty((STACK, 4), np.int64), np.array(first, np.int64)
        if self.binary:
            read = unpack_binary(self.data, stack, low, high, start, states)
        else:
            extra = EXTRA_BYTES[self.kind]
            read = unpack_full(self.data, self.values, extra, stack, low, high, start, states)
        if read == ENDED or read != len(self.data):
            got = "data that ends within the tree" if read == ENDED else "more data than that"
            raise error_in(self.file, None, "one complete octree of depth 16", got)
        if not (low < high).all():
            raise FileError(f"{os.fspath(self.file)}: the tree holds no known cell")
        return low, high


def _step(file: File, cell: float, size: float) -> int:
    """Return how many of the file's cells make one of ours."""
    ratio = positive("cell", cell) / size
    step = round(ratio)
    if step < 1 or not math.isclose(ratio, step, rel_tol=FINEST):
        raise ValueError(
            f"cell is {cell:g}; the cells of {os.fspath(file)} measure {size:g}: "
            f"allowed are whole multiples of it, such as {2 * size:g}"
        )
    return step


def _cut(file: File, low: Any, high: Any, bounds: ArrayLike, size: float) -> tuple[Any, Any]:
    corners = np.asarray(bounds, np.float64)
    if corners.shape != (2, 3):
        raise ValueError(f"bounds have shape {corners.shape}; expected a low and a high corner")
    least, most = (finite_point("bounds", corner, 3) / size + MIDDLE for corner in corners)
    first = np.maximum(np.floor(least + FINEST), low).astype(np.int64)
    last = np.minimum(np.ceil(most - FINEST), high).astype(np.int64)
    if not (first < last).all():
        span = f"{show((low - MIDDLE) * size)} to {show((high - MIDDLE) * size)}"
        raise ValueError(f"bounds hold no cell of {os.fspath(file)}, which spans {span}")
    return first, last

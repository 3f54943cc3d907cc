"""Points and boxes on the command line: in world units, or as indices of cells with --cells."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path as File

    import numpy as np
    from numpy.typing import NDArray

    import noctule as nt
    from noctule.commands.shared.options import GraphOptions

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
BOX = re.compile(r"([^:=]+):([^:=]+)=(\S+)")


def read_numbers(name: str, text: str, dimension: int, whole: bool) -> list[float]:
    """Parse numbers with commas between, like 12.5,40,7."""
    words = [word.strip() for word in text.split(",")]
    form = re.compile(r"[-+]?\d+") if whole else NUMBER
    if len(words) != dimension or not all(form.fullmatch(word) for word in words):
        kind, example = ("whole numbers", "12,40,7") if whole else ("numbers", "12.5,40.5,7.5")
        if dimension == 2:
            example = example.rpartition(",")[0]
        raise ValueError(f"{name} is {text!r}; expected {dimension} {kind} like {example}")
    return [float(word) for word in words]


def read_origin(text: str | None, dimension: int) -> list[float] | None:
    """Parse --origin."""
    return None if text is None else read_numbers("--origin", text, dimension, False)


def unit_of(graph: "GraphOptions", file: "File | None" = None) -> str:
    """Return the name of the world unit: cells, unless the size of a cell is given or stored."""
    if graph.unit is not None or graph.cell is not None:
        return graph.unit or "m"
    if file is None:
        return "cells"
    from noctule.graphs.sources.load_world import MAPS, VOXELS, world_suffix

    return "cells" if world_suffix(file) in MAPS + VOXELS else "m"


def read_point(name: str, text: str, grid: "nt.Grid", in_cells: bool) -> "NDArray[np.float64]":
    """Parse a point on the map; with `in_cells`, the index of a cell (or corner)."""
    import numpy as np

    values = read_numbers(name, text, grid.dimension, in_cells)
    if in_cells:
        cell = [int(value) for value in values]
        check_cell(name, cell, grid)
        return point_of(grid, cell)
    point = np.array(values)
    if not grid.contains(point):
        low, high = (show_numbers(corner) for corner in corners_of(grid))
        hint = ""
        if all(
            value.is_integer() and 0 <= value < n
            for value, n in zip(values, grid.shape, strict=True)
        ):
            hint = "; --cells takes indices of cells"
        raise ValueError(
            f"{name} is {show_numbers(values)}, outside the map, which spans {low} to {high}{hint}"
        )
    return point


def read_box(text: str, grid: "nt.Grid", in_cells: bool) -> "tuple[NDArray[np.int64], float]":
    """Parse --avoid: a box and a cost; return the cells that it overlaps, and the cost."""
    import numpy as np

    three = grid.dimension == 3
    example = "10,0,5:20,30,15=8" if three else "10,0:20,30=8"
    kind = "two cells" if in_cells else "two points"
    found = BOX.fullmatch(text)
    try:
        corners = [
            read_numbers("corner", part, grid.dimension, in_cells)
            for part in (found.groups()[:2] if found else ("",))
        ]
    except ValueError:
        raise ValueError(
            f"--avoid is {text!r}; expected {kind} and a cost like {example}"
        ) from None
    assert found is not None
    try:
        value = float(found.group(3))
    except ValueError:
        raise ValueError(f"--avoid is {text!r}; its cost is no number") from None
    for corner in corners:
        _check_corner(text, corner, grid, in_cells)
    low, high = np.array(corners).min(axis=0), np.array(corners).max(axis=0)
    if not in_cells:
        shape = np.array(grid.shape)
        first, last = ((end - grid.origin) / grid.cell for end in (low, high))
        low = np.minimum(np.floor(first + grid.resolution), shape - 1)
        high = np.maximum(np.ceil(last - grid.resolution) - 1, low)
    sides = [np.arange(a, b + 1) for a, b in zip(low.astype(int), high.astype(int), strict=True)]
    cells = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, grid.dimension)
    return cells, value


def _check_corner(text: str, corner: list[float], grid: "nt.Grid", in_cells: bool) -> None:
    inside = (
        all(0 <= i < n for i, n in zip(corner, grid.shape, strict=True))
        if in_cells
        else grid.contains(corner)
    )
    if not inside:
        what = "cell" if in_cells else "point"
        low, high = (show_numbers(end) for end in corners_of(grid))
        span = f"of {size(grid)} cells" if in_cells else f"from {low} to {high}"
        raise ValueError(
            f"--avoid is {text!r}; {what} {show_numbers(corner)} lies outside the map {span}"
        )


def check_cell(name: str, cell: Sequence[int], grid: "nt.Grid") -> None:
    """Refuse a cell (or corner) that is not on the map."""
    highest = [n - 1 if grid.nodes == "centres" else n for n in grid.shape]
    if not all(0 <= i <= n for i, n in zip(cell, highest, strict=True)):
        raise ValueError(
            f"{name} is {show_numbers(cell)}, outside the map of {size(grid)} cells; "
            f"allowed are {show_numbers([0] * grid.dimension)} to {show_numbers(highest)}"
        )


def point_of(grid: "nt.Grid", cell: Sequence[int]) -> "NDArray[np.float64]":
    """Return the centre of a cell, or the corner with these indices if nodes are corners."""
    import numpy as np

    shift = 0.5 if grid.nodes == "centres" else 0.0
    return grid.origin + (np.asarray(cell) + shift) * grid.cell


def corners_of(grid: "nt.Grid") -> "tuple[Any, Any]":
    """Return the low and the high corner of a map in world units."""
    return grid.origin, grid.origin + [n * grid.cell for n in grid.shape]


def show_numbers(values: Sequence[float] | Any) -> str:
    """Return coordinates as one types them."""
    return ",".join(f"{value + 0.0:.10g}" for value in values)


def size(grid: "nt.Grid") -> str:
    """Return the size of a map as text."""
    return " x ".join(map(str, grid.shape))

"""`--cost` and `--avoid`: what cells of a map cost."""

import re
from dataclasses import dataclass
from pathlib import Path as File
from typing import Annotated

from cyclopts import Parameter

import noctule as nt
from noctule.commands.shared_options import WORLD, option

BOX = re.compile(r"(-?\d+(?:,-?\d+)+):(-?\d+(?:,-?\d+)+)=(\S+)")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class CostOptions:
    """What a path pays for its length in each cell."""

    cost: Annotated[
        File | None, option("Costs of all cells, from 1 on: a .npy or .npz file.", WORLD)
    ] = None
    avoid: Annotated[
        tuple[str, ...],
        Parameter(
            help="Cost of a box of cells, like 10,0,5:20,30,15=8 (both corners are in it).",
            group=WORLD,
            negative="",
            show_default=False,
        ),
    ] = ()

    def apply(self, grid: "nt.Grid") -> "nt.Grid":
        """Return a grid with these costs."""
        if self.cost is not None:
            from noctule.worlds.io.costs import load_costs

            costs = load_costs(self.cost)
            grid = nt.Grid(grid.blocked, neighbours=grid.neighbours, nodes=grid.nodes, cost=costs)
        for text in self.avoid:
            avoid(grid, text)
        return grid


def avoid(grid: "nt.Grid", text: str) -> None:
    """Set the cost of a box of cells, given as text."""
    import numpy as np

    example = "10,0,5:20,30,15=8" if grid.dimension == 3 else "10,0:20,30=8"
    found = BOX.fullmatch(text)
    corners = [[int(i) for i in part.split(",")] for part in found.groups()[:2]] if found else []
    if found is None or any(len(corner) != grid.dimension for corner in corners):
        raise ValueError(f"--avoid is {text!r}; expected two cells and a cost like {example}")
    try:
        value = float(found.group(3))
    except ValueError:
        raise ValueError(f"--avoid is {text!r}; its cost is no number") from None
    sides = [np.arange(min(a, b), max(a, b) + 1) for a, b in zip(*corners, strict=True)]
    outside = [
        corner
        for corner in corners
        if not all(0 <= i < n for i, n in zip(corner, grid.shape, strict=True))
    ]
    if outside:
        size = " x ".join(map(str, grid.shape))
        raise ValueError(
            f"--avoid is {text!r}; cell {','.join(map(str, outside[0]))} lies outside the map of "
            f"{size} cells"
        )
    cells = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, grid.dimension)
    grid.set_cost(cells, value)

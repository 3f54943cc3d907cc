"""`MapQuery`: a map and two cells of it, read from the command line."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from cyclopts import Parameter

import noctule as nt
from noctule.commands.shared_options import WORLD, GraphOptions, option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from noctule.path import Path

BUILT_IN = "built-in asteroid field"
BUILT_IN_RADIUS = 0.4
BOX = re.compile(r"(-?\d+(?:,-?\d+)+):(-?\d+(?:,-?\d+)+)=(\S+)")

MapFile = Annotated[
    File | None,
    Parameter(name="MAP", help="A .3dmap[.gz], .map[.gz], .npy or .npz file; else built in."),
]
Start = Annotated[
    str | None,
    Parameter(
        name="START",
        allow_leading_hyphen=True,  # -1,2,3 is a wrong cell, not an unknown option
        help="Cell to start from, like 12,40,7; 12,40 in the plane.",
    ),
]
Goal = Annotated[
    str | None, Parameter(name="GOAL", allow_leading_hyphen=True, help="Cell to reach.")
]


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


class MapQuery(NamedTuple):
    """A map, and the start and goal cells (or corners)."""

    map: str
    grid: "nt.Grid"
    start: Sequence[int]
    goal: Sequence[int]

    @property
    def ends(self) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
        """Start and goal in world units."""
        return point_of(self.grid, self.start), point_of(self.grid, self.goal)

    @property
    def built_in(self) -> bool:
        """Whether the user named no map."""
        return self.map == BUILT_IN

    def values(self) -> dict[str, object]:
        """Return the query as values for JSON."""
        return {"map": self.map, "start": self.start, "goal": self.goal}

    def facts(self) -> list[tuple[str, str]]:
        """Return the query as names and values for a table."""
        corner = " (corner)" if self.grid.nodes == "corners" else ""
        return [
            ("map", describe_map(self.map, self.grid)),
            ("start", show_cell(self.start) + corner),
            ("goal", show_cell(self.goal) + corner),
        ]

    def draw(self, paths: "list[Path]", file: File) -> None:
        """Save a picture of the map and paths through it."""
        from noctule.pictures import picture

        title = f"{File(self.map).name}: {show_cell(self.start)} to {show_cell(self.goal)}"
        radius = paths[0].radius
        picture(self.grid, paths, file, title + (f", radius {radius:g}" if radius else ""))


def read_query(
    map_file: File | None,
    start: str | None,
    goal: str | None,
    graph: GraphOptions,
    names: tuple[str, str] = ("START", "GOAL"),
) -> MapQuery:
    """Load the map and the cells that the user named; without a map, the built-in query."""
    if map_file is None:
        from noctule.worlds.generated import asteroid_field, field_ends

        grid = nt.Grid(asteroid_field(), neighbours=graph.neighbours, nodes=graph.nodes)
        return MapQuery(BUILT_IN, grid, *field_ends(grid.shape))
    ends = tuple(zip(names, (start, goal), strict=True))
    for name, text in ends:
        if text is None:
            raise ValueError(f"{name} is missing; expected a cell like 12,40,7 after the map")
    grid = read_grid(map_file, graph)
    cells = [_read_cell(name, text or "", grid) for name, text in ends]
    return MapQuery(str(map_file), grid, *cells)


def read_grid(map_file: File, graph: GraphOptions) -> "nt.Grid":
    """Load a map as a grid."""
    blocked = nt.load_map(map_file, graph.max_cells)
    return nt.Grid(blocked, neighbours=graph.neighbours, nodes=graph.nodes)


def _read_cell(name: str, text: str, grid: "nt.Grid") -> Sequence[int]:
    """Parse a cell like 12,40,7."""
    words = text.split(",")
    if len(words) != grid.dimension or not all(re.fullmatch(r"\s*-?\d+\s*", w) for w in words):
        example = "12,40,7" if grid.dimension == 3 else "12,40"
        raise ValueError(
            f"{name} is {text!r}; expected {grid.dimension} whole numbers like {example}"
        )
    cell = tuple(map(int, words))
    check_cell(name, cell, grid)
    return cell


def check_cell(name: str, cell: Sequence[int], grid: "nt.Grid") -> None:
    """Refuse a cell (or corner) that is not on the map."""
    highest = [n - 1 if grid.nodes == "centres" else n for n in grid.shape]
    if not all(0 <= i <= n for i, n in zip(cell, highest, strict=True)):
        raise ValueError(
            f"{name} is {show_cell(cell)}, outside the map of {size(grid)} cells; "
            f"allowed are {show_cell([0] * grid.dimension)} to {show_cell(highest)}"
        )


def point_of(grid: "nt.Grid", cell: Sequence[int]) -> "NDArray[np.float64]":
    """Return the centre of a cell, or the corner with these indices if nodes are corners."""
    import numpy as np

    shift = 0.5 if grid.nodes == "centres" else 0.0
    return grid.origin + (np.asarray(cell) + shift) * grid.cell


def warm_up(grid: "nt.Grid", options: dict[str, Any]) -> None:
    """Plan in a small world of the same kind: loading compiled code is not planning time."""
    import numpy as np

    side = 4 + 2 * min(math.ceil(options.get("radius", 0)), 10)
    blocked = np.zeros((side,) * grid.dimension, bool)
    blocked[(0,) * grid.dimension] = True
    cost = np.ones(blocked.shape) if grid.has_costs else None
    small = nt.Grid(blocked, neighbours=grid.neighbours, nodes=grid.nodes, cost=cost)
    search = {
        k: v
        for k, v in options.items()
        if k not in ("try_straight_line", "max_expanded", "time_limit")
    }
    rock, a, b = (point_of(small, [i] * grid.dimension) for i in (0, side // 2 - 1, side // 2))
    planner = nt.Planner(small, **search)
    for goal in (b, a, rock):  # with a search, without one, without a path
        path = planner.plan(a, goal)
    planner.warm_up(a, b)
    small.line_of_sight(a, b, path.radius)


def show_cell(cell: Sequence[int]) -> str:
    """Return a cell as one types it."""
    return ",".join(map(str, cell))


def size(grid: "nt.Grid") -> str:
    """Return the size of a map as text."""
    return " x ".join(map(str, grid.shape))


def describe_map(name: str, grid: "nt.Grid") -> str:
    """Return the name of a map file, and the size of the map."""
    return f"{File(name).name}, {size(grid)} cells"

"""`MapQuery`: a map and two points on it, read from the command line."""

import math
from dataclasses import dataclass
from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from cyclopts import Parameter

import noctule as nt
from noctule.commands.maps.units import (
    point_of,
    read_box,
    read_origin,
    read_point,
    show_numbers,
    size,
    unit_of,
)
from noctule.commands.maps.world_options import load_grid
from noctule.commands.shared.options import WORLD, GraphOptions, option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from noctule.path import Path

BUILT_IN = "built-in asteroid field"
BUILT_IN_RADIUS = 0.4

MapFile = Annotated[
    File | None,
    Parameter(name="MAP", help="A map, mesh, point cloud, OctoMap or terrain; else built in."),
]
Start = Annotated[
    str | None,
    Parameter(
        name="START",
        allow_leading_hyphen=True,  # -1,2,3 is a point, not an unknown option
        help="Point to start from, in world units: 12.5,40.5,7.5, or 12.5,40.5 in 2D.",
    ),
]
Goal = Annotated[
    str | None, Parameter(name="GOAL", allow_leading_hyphen=True, help="Point to reach.")
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
            help="Cost of all cells in a box between two points, like 10,0,5:20,30,15=8.",
            group=WORLD,
            negative="",
            show_default=False,
        ),
    ] = ()

    def apply(self, grid: "nt.Grid", in_cells: bool) -> "nt.Grid":
        """Return a grid with these costs; boxes are in world units, or in cells."""
        if self.cost is not None:
            from noctule.worlds.io.costs import load_costs

            costs = load_costs(self.cost)
            grid = nt.Grid(
                grid.blocked, grid.cell, grid.origin, grid.neighbours, grid.nodes, cost=costs
            )
        for text in self.avoid:
            grid.set_cost(*read_box(text, grid, in_cells))
        return grid


class MapQuery(NamedTuple):
    """A map, and the points to plan between."""

    map: str
    grid: "nt.Grid"
    start: "NDArray[np.float64]"  # in world units
    goal: "NDArray[np.float64]"
    unit: str = "cells"
    up: str = "y"

    @property
    def ends(self) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
        """Start and goal."""
        return self.start, self.goal

    @property
    def built_in(self) -> bool:
        """Whether the user named no map."""
        return self.map == BUILT_IN

    def values(self) -> dict[str, object]:
        """Return the query as values for JSON: points in world units, cells under their own key."""
        start, goal = self.ends
        return {
            "map": self.map,
            "unit": self.unit,
            "cell": self.grid.cell,
            "origin": self.grid.origin.tolist(),
            "start": start.tolist(),
            "goal": goal.tolist(),
            "start_cell": list(self.grid.cell_of(start)),
            "goal_cell": list(self.grid.cell_of(goal)),
        }

    def facts(self) -> list[tuple[str, str]]:
        """Return the query as names and values for a table."""
        return [
            ("map", describe_map(self.map, self.grid, self.unit)),
            ("start", self.place(self.start)),
            ("goal", self.place(self.goal)),
        ]

    def place(self, point: "NDArray[np.float64]") -> str:
        """Return a point with its unit and cell."""
        cell = show_numbers(self.grid.cell_of(point))
        return f"{show_numbers(point)} {self.unit} (cell {cell})"

    def radius(self, path: "Path") -> str:
        """Return the radius of the agent with its unit; empty for a point."""
        return f"radius {path.radius:g} {self.unit}" if path.radius else ""

    def draw(self, paths: "list[Path]", file: File, **options: Any) -> None:
        """Save a picture of the map and paths through it."""
        from noctule.pictures import picture

        title = f"{File(self.map).name}: {show_numbers(self.start)} to {show_numbers(self.goal)}"
        words = [f"{title} {self.unit}", *filter(None, [self.radius(paths[0])])]
        picture(self.grid, paths, file, ", ".join(words), up=self.up, unit=self.unit, **options)


def read_query(
    map_file: File | None,
    start: str | None,
    goal: str | None,
    graph: GraphOptions,
    names: tuple[str, str] = ("START", "GOAL"),
) -> MapQuery:
    """Load the map and the points that the user named; without a map, the built-in query."""
    if map_file is None:
        from noctule.worlds.generated import asteroid_field, field_ends

        grid = _grid(asteroid_field(), graph)
        first, last = (grid.centre(cell) for cell in field_ends(grid.shape))
        return MapQuery(BUILT_IN, grid, first, last, unit_of(graph), graph.up or "y")
    ends = tuple(zip(names, (start, goal), strict=True))
    for name, text in ends:
        if text is None:
            raise ValueError(
                f"{name} is missing; expected a point like 12.5,40.5,7.5 after the map"
            )
    grid = read_grid(map_file, graph)
    first, last = (read_point(name, text or "", grid, graph.as_cells) for name, text in ends)
    up = up_in_pictures(map_file, grid, graph)
    return MapQuery(str(map_file), grid, first, last, unit_of(graph, map_file), up)


def up_in_pictures(map_file: File, grid: "nt.Grid", graph: GraphOptions) -> str:
    """Return the axis that points up in pictures of a map."""
    from noctule.graphs.sources.load_world import MAPS, up_of, world_suffix

    suffix = world_suffix(map_file)
    if grid.flat and suffix == ".map":
        return "-y"  # rows go downwards, as these maps are shown everywhere
    return graph.up or "y" if suffix in MAPS else up_of(map_file)


def read_grid(map_file: File, graph: GraphOptions) -> "nt.Grid":
    """Load a map as a grid."""
    return load_grid(map_file, graph)


def _grid(blocked: "NDArray[np.bool_]", graph: GraphOptions) -> "nt.Grid":
    from noctule.core.validation import positive

    cell = 1.0 if graph.cell is None else positive("--cell", graph.cell)
    origin = read_origin(graph.origin, blocked.ndim)
    return nt.Grid(blocked, cell, origin, neighbours=graph.neighbours, nodes=graph.nodes)


def warm_up(grid: "nt.Grid", options: dict[str, Any]) -> None:
    """Plan in a small world of the same kind: loading compiled code is not planning time."""
    import numpy as np

    side = 4 + 2 * min(math.ceil(options.get("radius", 0) / grid.cell), 10)
    blocked = np.zeros((side,) * grid.dimension, bool)
    blocked[(0,) * grid.dimension] = True
    cost = np.ones(blocked.shape) if grid.has_costs else None
    small = nt.Grid(blocked, grid.cell, None, grid.neighbours, grid.nodes, cost)
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


def describe_map(name: str, grid: "nt.Grid", unit: str) -> str:
    """Return the name of a map file, and the size of the map and of its cells."""
    of = "" if unit == "cells" else f" of {grid.cell:g} {unit}"
    return f"{File(name).name}, {size(grid)} cells{of}"

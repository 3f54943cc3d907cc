"""What several commands read from the command line: options, maps and cells."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from cyclopts import Group, Parameter

import noctule as nt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Cell = tuple[int, ...]

# Groups of options, in the order in which the help shows them.
SEARCH, WORLD, SCENARIOS, OUTPUT = (
    Group(name, sort_key=place)
    for place, name in enumerate(("Search", "World", "Scenarios", "Output"), 1)
)

BUILT_IN = "built-in asteroid field"
BUILT_IN_RADIUS = 0.4

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
Radius = Annotated[
    float | None,
    Parameter(group=SEARCH, help="Radius of the agent, a ball, in cells. [default: 0]"),
]
Weight = Annotated[
    float | None,
    Parameter(group=SEARCH, help="Inflation of the heuristic: from 1 on, faster but longer."),
]
Json = Annotated[
    bool,
    Parameter(
        name="--json", group=OUTPUT, negative="", show_default=False, help="Print JSON, no tables."
    ),
]
Picture = Annotated[
    File | None, Parameter(group=OUTPUT, help="Draw into this file: .png, .pdf, .svg.")
]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class GraphOptions:
    """The search graph on the cells of the map."""

    neighbours: Annotated[
        int | None,
        Parameter(group=WORLD, help="4 or 8 in the plane; 6, 18 or 26 in space. [default: most]"),
    ] = None
    nodes: Annotated[
        Literal["centres", "corners"],
        Parameter(
            group=WORLD, help="Whether paths, START and GOAL use centres or corners of cells."
        ),
    ] = "centres"


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How to search; what is None is left to `noctule.plan`."""

    algorithm: Annotated[
        str | None,
        Parameter(
            group=SEARCH,
            help="One of those that 'noctule algorithms' lists. [default: a*]",
        ),
    ] = None
    radius: Radius = None
    weight: Weight = None
    heuristic: Annotated[
        Literal["straight", "voxel", "octile", "manhattan", "zero"] | None,
        Parameter(group=SEARCH, help="Estimate of what is left. [default: the tightest]"),
    ] = None
    step: Annotated[
        Literal["length", "equal"] | None,
        Parameter(group=SEARCH, help="What a step costs. [default: length]"),
    ] = None
    coarse: Annotated[
        bool,
        Parameter(
            group=SEARCH,
            negative="",
            show_default=False,
            help="Follow a coarse level: soon there in big buildings.",
        ),
    ] = False
    direct: Annotated[
        bool,
        Parameter(
            group=SEARCH,
            negative="",
            show_default=False,
            help="Take the straight line if it is free.",
        ),
    ] = False
    max_expanded: Annotated[
        int | None, Parameter(group=SEARCH, help="Stop after so many expanded nodes.")
    ] = None
    budget: Annotated[float | None, Parameter(group=SEARCH, help="Stop after so many seconds.")] = (
        None
    )

    def given(self) -> dict[str, Any]:
        """The options that were asked for, as keywords of `noctule.Planner`."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {k: value for k, value in values.items() if value is not None and value is not False}


class Task(NamedTuple):
    """A map, and the two cells (or corners) of it between which to plan."""

    map: str
    grid: "nt.Grid"
    start: Cell
    goal: Cell

    @property
    def ends(self) -> tuple["NDArray[np.float64]", "NDArray[np.float64]"]:
        """Start and goal in world units."""
        return point_of(self.grid, self.start), point_of(self.grid, self.goal)

    @property
    def built_in(self) -> bool:
        """Whether the user brought no map."""
        return self.map == BUILT_IN


def read_task(
    map_file: File | None, start: str | None, goal: str | None, graph: GraphOptions
) -> Task:
    """Load what the user named, or the built-in map if nothing was."""
    if map_file is None:
        from noctule.worlds.samples import asteroid_field, field_ends

        grid = nt.Grid(asteroid_field(), neighbours=graph.neighbours, nodes=graph.nodes)
        return Task(BUILT_IN, grid, *field_ends(grid.shape))
    for name, text in (("START", start), ("GOAL", goal)):
        if text is None:
            raise ValueError(f"{name} is missing; expected a cell like 12,40,7 after the map")
    grid = read_grid(map_file, graph)
    return Task(
        str(map_file),
        grid,
        read_cell("START", start or "", grid),
        read_cell("GOAL", goal or "", grid),
    )


def read_grid(map_file: File, graph: GraphOptions) -> "nt.Grid":
    """The world in a map file."""
    return nt.Grid(nt.load_map(map_file), neighbours=graph.neighbours, nodes=graph.nodes)


def read_cell(name: str, text: str, grid: "nt.Grid") -> Cell:
    """A cell like 12,40,7, refused unless the map has it."""
    words = text.split(",")
    if len(words) != grid.dimension or not all(re.fullmatch(r"\s*-?\d+\s*", w) for w in words):
        example = "12,40,7" if grid.dimension == 3 else "12,40"
        raise ValueError(
            f"{name} is {text!r}; expected {grid.dimension} whole numbers like {example}"
        )
    cell = tuple(int(word) for word in words)
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


def names_of(algorithms: str | None) -> list[str]:
    """The names in the catalogue of what was asked for, each once; all if nothing was."""
    from noctule.registry import find_algorithm

    if algorithms is None:
        return [row.name for row in nt.algorithms()]
    words = [word for word in algorithms.split(",") if word.strip()]
    if not words:
        raise ValueError(f"--algorithms is {algorithms!r}; expected names like a*,theta*")
    return list(dict.fromkeys(find_algorithm(word).name for word in words))


def check_picture(file: File | None) -> None:
    """Refuse a picture that could not be saved, before time is spent on what it shows."""
    if file is None:
        return
    from noctule.pictures import require_matplotlib

    require_matplotlib()
    if file.suffix.lower() not in (".png", ".pdf", ".svg"):
        raise ValueError(f"--picture is '{file}'; expected a name that ends in .png, .pdf or .svg")
    if not file.parent.is_dir():
        raise ValueError(f"--picture is '{file}'; there is no folder '{file.parent}'")


def point_of(grid: "nt.Grid", cell: Sequence[int]) -> "NDArray[np.float64]":
    """Where a cell's centre is, or the corner with these indices if nodes are corners."""
    import numpy as np

    shift = 0.5 if grid.nodes == "centres" else 0.0
    return grid.origin + (np.asarray(cell) + shift) * grid.cell


def show_cell(cell: Sequence[int]) -> str:
    """A cell as one types it."""
    return ",".join(map(str, cell))


def size(grid: "nt.Grid") -> str:
    """The size of a map as one reads it."""
    return " x ".join(map(str, grid.shape))


def describe_map(name: str, grid: "nt.Grid") -> str:
    """A map by the name of its file, and its size."""
    return f"{File(name).name}, {size(grid)} cells"


def title_of(task: Task, radius: float) -> str:
    """A line to put above a picture."""
    title = f"{File(task.map).name}: {show_cell(task.start)} to {show_cell(task.goal)}"
    return title + (f", radius {radius:g}" if radius else "")

"""Options that several commands share, and checks of them."""

from dataclasses import dataclass, fields
from pathlib import Path as File
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter

import noctule as nt
from noctule.commands.maps.world_options import WorldOptions
from noctule.files import MAX_CELLS

# Groups of options, in the order of the help.
SEARCH, WORLD, SCENARIOS, OUTPUT = (
    Group(name, sort_key=place)
    for place, name in enumerate(("Search", "World", "Scenarios", "Output"), 1)
)


def given(**options: Any) -> dict[str, Any]:
    """Return the options that are neither None nor False."""
    return {k: value for k, value in options.items() if value is not None and value is not False}


def option(text: str, group: Group | None = None) -> Parameter:
    """Return an option that takes a value."""
    return Parameter(help=text, **given(group=group))


def flag(text: str, group: Group | None = None, name: str | None = None) -> Parameter:
    """Return an option that takes no value and is off by default."""
    return Parameter(help=text, negative="", show_default=False, **given(group=group, name=name))


Radius = Annotated[
    float | None, option("Radius of the agent, a ball, in world units. [default: 0]", SEARCH)
]
Weight = Annotated[
    float | None, option("Heuristic weight, 1 or more: faster, but longer. [default: 1]", SEARCH)
]
Engine = Annotated[
    Literal["fast", "reference"] | None,
    option(
        "Which engine searches: the fastest, or the algorithm's own file. [default: fast]", SEARCH
    ),
]
Algorithm = Annotated[str, option("One of those that 'noctule algorithms' lists.", SEARCH)]
Prediction = Annotated[
    bool, option("Whether to keep out of cells that bodies will touch soon.", SEARCH)
]
Variant = Annotated[str | None, option("A variant of the scene.", WORLD)]
Destination = Annotated[
    str | None,
    option("How it moves: static, vertical or horizontal. [default: the scene's]", WORLD),
]
MaxCells = Annotated[int, option("Refuse files of more cells, or bytes of a trace.", WORLD)]
Json = Annotated[bool, flag("Print JSON, no tables.", OUTPUT, "--json")]
Picture = Annotated[File | None, option("Draw into this file: .png, .pdf, .svg.", OUTPUT)]


CellSize = Annotated[
    float | None,
    option(
        "Edge length of a cell of the map, in metres, say. [default: 1, or as the file has it]",
        WORLD,
    ),
]
Origin = Annotated[
    str | None,
    Parameter(
        help="Low corner of the map in world units, like 12.5,0,-3. [default: 0,0,0]",
        group=WORLD,
        allow_leading_hyphen=True,
    ),
]
Unit = Annotated[
    str | None,
    option("Name of the world unit in results. [default: cells; with --cell m]", WORLD),
]
AsCells = Annotated[
    bool, flag("Points are indices of cells, like 12,40,7, not world units.", WORLD, "--cells")
]
Up = Annotated[
    Literal["y", "z"] | None,
    option(
        "Axis that points up in the file and in pictures. [default: as the format has it]", WORLD
    ),
]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class GraphOptions(WorldOptions):
    """The map: its cells, its units, and the search graph on it."""

    neighbours: Annotated[
        int | None, option("4 or 8 in the plane; 6, 18 or 26 in space. [default: most]", WORLD)
    ] = None
    nodes: Annotated[
        Literal["centres", "corners"],
        option("Whether paths lead over centres or corners of cells.", WORLD),
    ] = "centres"
    cell: CellSize = None
    origin: Origin = None
    unit: Unit = None
    as_cells: AsCells = False
    up: Up = None
    max_cells: MaxCells = MAX_CELLS


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """Options of the search; None leaves the choice to `noctule.plan`."""

    algorithm: Annotated[
        str | None,
        option(
            "One of those that 'noctule algorithms' lists. "
            "[default: taut; a* where it cannot serve, and with --scenarios]",
            SEARCH,
        ),
    ] = None
    engine: Engine = None
    radius: Radius = None
    weight: Weight = None
    heuristic: Annotated[
        Literal["straight", "voxel", "octile", "manhattan", "zero"] | None,
        option("Estimate of the remaining cost. [default: the tightest]", SEARCH),
    ] = None
    allow_inadmissible: Annotated[
        bool, flag("Accept a heuristic that may overestimate.", SEARCH)
    ] = False
    fewest_steps: Annotated[bool, flag("Minimise the number of steps, not the length.", SEARCH)] = (
        False
    )
    hierarchical: Annotated[
        bool,
        flag("Hierarchical search: faster in large indoor maps, path not optimal.", SEARCH),
    ] = False
    try_straight_line: Annotated[bool, flag("Take the straight line if it is free.", SEARCH)] = (
        False
    )
    prefer_clearance: Annotated[
        float | None,
        option("Distance in cells to keep from solids where there is room.", SEARCH),
    ] = None
    max_expanded: Annotated[int | None, option("Limit of expanded nodes.", SEARCH)] = None
    time_limit: Annotated[float | None, option("Limit of time in seconds.", SEARCH)] = None

    def given(self) -> dict[str, Any]:
        """Return the options that were set, as keywords of `noctule.Planner`."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values["cost"] = "steps" if values.pop("fewest_steps") else None
        return given(**values)


def algorithm_names(text: str | None) -> list[str]:
    """Return the registered names in a list with commas, each once; all if there is no list."""
    from noctule.registry import find_algorithm

    if text is None:
        return [row.name for row in nt.algorithms()]
    words = [word for word in text.split(",") if word.strip()]
    if not words:
        raise ValueError(f"--algorithms is {text!r}; expected names like a*,theta*")
    return list(dict.fromkeys(find_algorithm(word).name for word in words))


def refuse_options(options: dict[str, Any], why: str) -> None:
    """Raise ValueError for the first option that was given."""
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{name} is {str(value)!r}; {why}")


def check_file(option: str, file: File, *suffixes: str) -> None:
    """Refuse a file that could not be saved, before time is spent on its content."""
    if file.suffix.lower() not in suffixes:
        allowed = " or ".join(", ".join(suffixes).rsplit(", ", 1))
        raise ValueError(f"{option} is '{file}'; expected a name that ends in {allowed}")
    if not file.parent.is_dir():
        raise ValueError(f"{option} is '{file}'; there is no folder '{file.parent}'")


def check_picture(file: File | None) -> None:
    """Refuse a picture that could not be saved."""
    if file is not None:
        from noctule.pictures import require_matplotlib

        require_matplotlib()
        check_file("--picture", file, ".png", ".pdf", ".svg")

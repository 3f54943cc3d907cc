"""Options that say how a file of another program becomes cells."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from noctule.commands.maps.units import read_numbers

if TYPE_CHECKING:
    from pathlib import Path as File

    import noctule as nt

IMPORT = Group("Files of other programs", sort_key=3)


def _option(text: str) -> Parameter:
    return Parameter(help=text, group=IMPORT)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class WorldOptions:
    """How meshes, point clouds, OctoMaps and terrain become cells; None leaves the default."""

    solid: Annotated[
        bool,
        Parameter(
            help="The inside of a closed mesh is solid, too.",
            group=IMPORT,
            negative="",
            show_default=False,
        ),
    ] = False
    unknown: Annotated[
        str | None,
        _option("Unknown cells of an OctoMap: free, solid, or a cost. [default: solid]"),
    ] = None
    min_points: Annotated[
        int | None, _option("Points that make a cell of a cloud solid. [default: 1]")
    ] = None
    point_radius: Annotated[
        float | None, _option("Radius of a ball around each point, in world units. [default: 0]")
    ] = None
    scale: Annotated[
        float | None,
        _option("World units for one of the file: 0.001 for millimetres. [default: 1]"),
    ] = None
    margin: Annotated[
        float | None, _option("Free room around meshes and clouds, in world units. [default: 0]")
    ] = None
    bounds: Annotated[
        str | None,
        Parameter(
            help="Part to load, from a low to a high corner, like 0,0,0:20,20,5.",
            group=IMPORT,
            allow_leading_hyphen=True,
        ),
    ] = None
    height: Annotated[
        float | None, _option("Top of the world over terrain. [default: 10 cells above it]")
    ] = None

    def world(self) -> dict[str, Any]:
        """Return the options that were given, as keywords of `noctule.load_world`."""
        values = {field.name: getattr(self, field.name) for field in fields(WorldOptions)}
        if self.bounds is not None:
            values["bounds"] = read_bounds(self.bounds)
        return {name: value for name, value in values.items() if value not in (None, False)}


def read_bounds(text: str) -> list[list[float]]:
    """Parse --bounds: two points with a colon between.

    >>> read_bounds("0,0,0:4,5,2.5")
    [[0.0, 0.0, 0.0], [4.0, 5.0, 2.5]]
    """
    corners = text.split(":")
    if len(corners) != 2:
        raise ValueError(f"--bounds is {text!r}; expected two points like 0,0,0:20,20,5")
    return [read_numbers("--bounds", corner, 3, False) for corner in corners]


def load_grid(map_file: "File", graph: Any) -> "nt.Grid":
    """Load a map as the options of a command say."""
    import noctule as nt
    from noctule.commands.maps.units import read_origin
    from noctule.core.validation import positive
    from noctule.graphs.sources.load_world import ALLOWED, MAPS, world_suffix

    cell = None if graph.cell is None else positive("--cell", graph.cell)
    options = graph.world()
    suffix = world_suffix(map_file)
    if graph.up == "y" or "up" in ALLOWED[suffix]:  # all others have z up
        options |= {"up": graph.up} if suffix not in MAPS else {}
    is_array = suffix in (".npy", ".npz")  # of two or three dimensions
    if graph.origin is not None and not is_array:
        options["origin"] = read_origin(graph.origin, 2 if suffix == ".map" else 3)
    grid = nt.load_world(
        map_file,
        cell,
        **options,
        neighbours=graph.neighbours,
        nodes=graph.nodes,
        max_cells=graph.max_cells,
    )
    if graph.origin is None or not is_array:
        return grid
    origin = read_origin(graph.origin, grid.dimension)
    return nt.Grid(grid.blocked, grid.cell, origin, neighbours=grid.neighbours, nodes=grid.nodes)

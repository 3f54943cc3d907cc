"""`noctule verify`: prove that the path of a mission is free in a world."""

from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

import noctule as nt
from noctule.commands.maps.map_query import describe_map, read_grid, up_in_pictures
from noctule.commands.maps.mission_options import Heading, Home, read_home
from noctule.commands.maps.units import corners_of, show_numbers, unit_of
from noctule.commands.shared.options import GraphOptions, Json, option
from noctule.commands.shared.tables import console, facts, notes, print_json, verdict

if TYPE_CHECKING:
    from rich.text import Text

SHOWN = 5  # violations
TOLERANCE = 1e-3


def verify(
    mission: Annotated[
        File,
        Parameter(name="FILE", help=".plan, .waypoints, .geojson, .kml, .gpx, .csv or .json."),
    ],
    world: Annotated[
        File, Parameter(name="WORLD", help="A map, mesh, point cloud, OctoMap or terrain.")
    ],
    /,
    *,
    radius: Annotated[float, option("Radius of the vehicle, a ball, in world units.")],
    tolerance: Annotated[
        float,
        option("How much nearer than the radius a path may come: files round coordinates."),
    ] = TOLERANCE,
    home: Home = None,
    heading: Heading = 0.0,
    graph: GraphOptions | None = None,
    as_json: Json = False,
) -> int:
    """Prove that a mission is free of solids, for the tests of other projects."""
    from noctule.core.validation import at_least
    from noctule.missions.load import IN_WORLD, READABLE, load_mission
    from noctule.missions.save import mission_suffix

    graph = graph or GraphOptions()
    at_least(0, "--radius", radius)
    at_least(0, "--tolerance", tolerance)
    points = load_mission(mission, read_home(home), heading)
    with notes().status(f"reading {world.name}"):
        grid = read_grid(world, graph)
    unit, up = unit_of(graph, world), up_in_pictures(world, grid, graph)
    if up == "y" and mission_suffix(mission, READABLE) not in IN_WORLD:  # missions have z up
        points = points[:, [0, 2, 1]] * (1, 1, -1)
    if points.shape[1] != grid.dimension:
        raise ValueError(
            f"{mission}: points of {points.shape[1]} numbers; the world has {grid.dimension} axes"
        )
    wrong = []
    for i in range(len(points)):
        if not grid.contains(points[i]):
            low, high = (show_numbers(corner) for corner in corners_of(grid))
            place = show_numbers(points[i].round(6))
            wrong.append(f"point {i} at {place} is outside the world, {low} to {high}")
    if not wrong:
        found = nt.violations(points, grid, radius=max(radius - tolerance, 0.0))
        wrong = [str(violation) for violation in found]
    if as_json:
        about = {"file": str(mission), "world": str(world), "points": points.tolist()}
        about |= {"radius": radius, "tolerance": tolerance}
        print_json(about | {"verified": not wrong, "violations": wrong})
    else:
        rows: list[tuple[str, str | Text]] = [
            ("mission", f"{mission.name}, {len(points)} points"),
            ("world", describe_map(str(world), grid, unit)),
            ("radius", f"{radius:g} {unit}, less a tolerance of {tolerance:g}"),
            ("verified", verdict(not wrong)),
        ]
        console().print(facts(rows))
        for text in wrong[:SHOWN]:
            console().print(text, soft_wrap=True)
        if len(wrong) > SHOWN:
            console().print(f"and {len(wrong) - SHOWN:,} more")
    return 1 if wrong else 0

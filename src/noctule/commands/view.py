"""`noctule view`: a live flight, or a map with paths, in the browser."""

import contextlib
import webbrowser
from pathlib import Path as File
from typing import Annotated, Any

from cyclopts import Parameter

from noctule.commands.maps.map_query import CostOptions, read_query
from noctule.commands.maps.world_options import WorldOptions
from noctule.commands.shared.options import (
    OUTPUT,
    SEARCH,
    WORLD,
    Algorithm,
    AsCells,
    CellSize,
    Destination,
    GraphOptions,
    Json,
    MaxCells,
    Origin,
    Prediction,
    Unit,
    Up,
    Variant,
    Weight,
    algorithm_names,
    flag,
    given,
    option,
)
from noctule.commands.shared.tables import console, notes, print_json
from noctule.files import MAX_CELLS

NoOpen = Annotated[
    bool, flag("Do not open the browser; the page stays there until Ctrl-C.", OUTPUT, "--no-open")
]
Port = Annotated[int | None, option("Port on this machine. [default: any that is free]", OUTPUT)]


def view(
    scene: Annotated[
        str,
        Parameter(name="SCENE", help="A scene's name or .json file, or a map with --from, --to."),
    ] = "test-environment",
    /,
    *,
    variant: Variant = None,
    graph: Annotated[str, option("Search graph of a scene, as in 'noctule fly'.", WORLD)] = "cells",
    destination: Destination = None,
    start: Annotated[
        str | None,
        Parameter(name="--from", group=WORLD, help="On a map: a point like 12.5,40.5,7.5."),
    ] = None,
    goal: Annotated[
        str | None, Parameter(name="--to", group=WORLD, help="On a map: the point to reach.")
    ] = None,
    cell: CellSize = None,
    origin: Origin = None,
    unit: Unit = None,
    as_cells: AsCells = False,
    up: Up = None,
    imported: WorldOptions | None = None,
    algorithm: Algorithm = "aamt-d*-lite",
    algorithms: Annotated[
        str | None, option("On a map: names with commas between. [default: taut]", SEARCH)
    ] = None,
    weight: Weight = None,
    prediction: Prediction = True,
    radius: Annotated[
        float | None,
        option("Of the agent, in world units. [default: the scene's; on a map 0]", SEARCH),
    ] = None,
    max_cells: MaxCells = MAX_CELLS,
    costs: CostOptions | None = None,
    seed: Annotated[int, option("Draws the moment at which the flight starts.")] = 0,
    port: Port = None,
    no_open: NoOpen = False,
    as_json: Json = False,
) -> int:
    """Watch flights in the browser, and disturb them; or look at paths through a map."""
    from noctule.viewer.page_base import require_viser

    require_viser()
    from noctule.graphs.sources.load_world import SUFFIXES

    if scene.lower().removesuffix(".gz").endswith(SUFFIXES):
        from noctule.registry import DEFAULT

        options = given(radius=radius, weight=weight)
        units: dict[str, Any] = {"cell": cell, "origin": origin, "unit": unit, "as_cells": as_cells}
        units |= vars(imported or WorldOptions())
        about = GraphOptions(**units, up=up, max_cells=max_cells)
        page = _map_page(scene, start, goal, algorithms or DEFAULT, options, port, about, costs)
        watch(page, no_open, as_json, {"map": scene})
        return 0
    of_maps: dict[str, object] = {"--from": start, "--to": goal, "--algorithms": algorithms}
    if costs is not None:
        of_maps |= {"--cost": costs.cost, "--avoid": costs.avoid or None}
    for name, value in of_maps.items():
        if value is not None:
            raise ValueError(f"{name} is {str(value)!r}; that is for maps ({', '.join(SUFFIXES)})")
    from noctule.registry import find_algorithm
    from noctule.viewer.live_page import LivePage
    from noctule.viewer.page_base import close_server, open_server, url_of
    from noctule.viewer.preparation_page import PreparationPage
    from noctule.viewer.session import Settings, prepare

    settings = Settings(
        scene, variant, graph, find_algorithm(algorithm).name, weight or 1.0, radius, destination,
        prediction, seed=seed, max_cells=max_cells,
    )  # fmt: skip
    server = open_server(port)
    announce(url_of(server), no_open, as_json, {"scene": scene})
    page = PreparationPage(server)
    try:
        world = prepare(settings, report=page.report)
    except BaseException:
        close_server(server)
        raise
    page.close()
    run_page(LivePage(world, server), no_open)
    return 0


def _map_page(
    file: str,
    start: str | None,
    goal: str | None,
    algorithms: str,
    options: dict[str, Any],
    port: int | None,
    graph: GraphOptions,
    costs: CostOptions | None,
) -> Any:
    """Return the page of a map and paths through it."""
    import noctule as nt
    from noctule.viewer.map_page import MapPage

    with notes().status("reading the map and planning"):
        query = read_query(File(file), start, goal, graph, ("--from", "--to"))
        query = query._replace(grid=(costs or CostOptions()).apply(query.grid, graph.as_cells))
        planners = [nt.Planner(query.grid, name, **options) for name in algorithm_names(algorithms)]
        page = MapPage(query.grid, planners, query.ends, File(file).name, port, query.up)
    if page.scale > 1:
        notes().print(
            f"The map is shown with {page.scale} cells a side joined: it has too many faces.",
            soft_wrap=True,
        )
    return page


def watch(page: Any, no_open: bool, as_json: bool, about: dict[str, Any]) -> None:
    """Print the address of a page, open it, and run it until it is closed."""
    announce(page.loop.url, no_open, as_json, about)
    run_page(page, no_open)


def announce(url: str, no_open: bool, as_json: bool, about: dict[str, Any]) -> None:
    """Print the address of a page and open it."""
    opened = False if no_open else webbrowser.open(url)
    if as_json:
        print_json({"url": url, "opened": opened} | about)
        return
    console().print(f"Watch it at {url}", soft_wrap=True)
    if not no_open and not opened:
        text = "No browser could be opened here; open the address in one."
        notes().print(text, soft_wrap=True)
    notes().print("Ctrl-C ends it." if no_open else "Closing the page, or Ctrl-C, ends it.")


def run_page(page: Any, no_open: bool) -> None:
    """Run a page until it is closed, or until Ctrl-C."""
    with contextlib.suppress(KeyboardInterrupt):
        page.loop.run(end_with_page=not no_open)

"""`noctule view`: a live flight, or a map with paths, in the browser."""

import contextlib
import webbrowser
from pathlib import Path as File
from typing import Annotated, Any

from cyclopts import Parameter

from noctule.commands.shared_options import (
    OUTPUT,
    SEARCH,
    WORLD,
    GraphOptions,
    Json,
    Weight,
    names_of,
    point_of,
    read_cell,
    read_grid,
)
from noctule.commands.tables import console, notes, print_json

MAPS = (".3dmap", ".map", ".npy", ".npz")

NoOpen = Annotated[
    bool,
    Parameter(
        name="--no-open",
        group=OUTPUT,
        negative="",
        show_default=False,
        help="Do not open the browser; the page stays there until Ctrl-C.",
    ),
]
Port = Annotated[
    int | None, Parameter(group=OUTPUT, help="Port on this machine. [default: any that is free]")
]


def view(
    scene: Annotated[
        str,
        Parameter(name="SCENE", help="A scene's name or .json file, or a map with --from, --to."),
    ] = "test-environment",
    /,
    *,
    variant: Annotated[str | None, Parameter(group=WORLD, help="A variant of the scene.")] = None,
    graph: Annotated[
        str, Parameter(group=WORLD, help="Search graph of a scene, as for 'noctule fly'.")
    ] = "cells",
    destination: Annotated[
        str | None, Parameter(group=WORLD, help="How it moves. [default: as the scene has it]")
    ] = None,
    start: Annotated[
        str | None, Parameter(name="--from", group=WORLD, help="On a map: a cell like 12,40,7.")
    ] = None,
    goal: Annotated[
        str | None, Parameter(name="--to", group=WORLD, help="On a map: the cell to reach.")
    ] = None,
    algorithm: Annotated[
        str, Parameter(group=SEARCH, help="One of those that 'noctule algorithms' lists.")
    ] = "a*",
    algorithms: Annotated[
        str | None,
        Parameter(group=SEARCH, help="On a map: names with commas between. [default: a*,theta*]"),
    ] = None,
    weight: Weight = None,
    prediction: Annotated[
        bool,
        Parameter(group=SEARCH, help="Whether to keep out of cells that bodies will touch soon."),
    ] = True,
    radius: Annotated[
        float | None,
        Parameter(group=SEARCH, help="Of the agent; on a map in cells. [default: the scene's, 0]"),
    ] = None,
    seed: Annotated[int, Parameter(help="Draws the moment at which the flight starts.")] = 0,
    port: Port = None,
    no_open: NoOpen = False,
    as_json: Json = False,
) -> int:
    """Watch flights in the browser, and disturb them; or look at paths through a map."""
    from noctule.viewer.page_base import require_viser

    require_viser()
    if scene.removesuffix(".gz").endswith(MAPS):
        options = {"radius": radius, "weight": weight}
        given = {name: value for name, value in options.items() if value is not None}
        page = _map_page(scene, (start, goal), algorithms or "a*,theta*", given, port)
        watch(page, no_open, as_json, {"map": scene})
        return 0
    for name, value in (("--from", start), ("--to", goal), ("--algorithms", algorithms)):
        if value is not None:
            raise ValueError(f"{name} is {value!r}; that is for maps ({', '.join(MAPS)})")
    from noctule.registry import find_algorithm
    from noctule.viewer.live_page import LivePage
    from noctule.viewer.session import Settings, prepare

    settings = Settings(
        scene, variant, graph, find_algorithm(algorithm).name, weight or 1.0, radius, destination,
        prediction, seed=seed,
    )  # fmt: skip
    with notes().status("preparing the flight"):  # shows itself on terminals only
        world = prepare(settings)
    watch(LivePage(world, port), no_open, as_json, {"scene": scene})
    return 0


def _map_page(
    file: str,
    cells: tuple[str | None, str | None],
    algorithms: str,
    options: dict[str, Any],
    port: int | None,
) -> Any:
    """A map, and paths through it."""
    import noctule as nt
    from noctule.viewer.map_page import MapPage

    for name, text in zip(("--from", "--to"), cells, strict=True):
        if text is None:
            raise ValueError(f"{name} is missing; on a map, expected a cell like 12,40,7")
    with notes().status("reading the map and planning"):
        grid = read_grid(File(file), GraphOptions())
        start, goal = (
            point_of(grid, read_cell(name, text or "", grid))
            for name, text in zip(("--from", "--to"), cells, strict=True)
        )
        planners = [nt.Planner(grid, name, **options) for name in names_of(algorithms)]
        page = MapPage(grid, planners, (start, goal), File(file).name, port)
    if page.scale > 1:
        notes().print(
            f"The map is shown with {page.scale} cells a side joined: it has too many faces.",
            soft_wrap=True,
        )
    return page


def watch(page: Any, no_open: bool, as_json: bool, about: dict[str, Any]) -> None:
    """Open a page, and keep it until it is closed."""
    with contextlib.suppress(KeyboardInterrupt):  # the way to end it
        announce(page.loop.url, no_open, as_json, about)
        page.loop.run(end_with_page=not no_open)


def announce(url: str, no_open: bool, as_json: bool, about: dict[str, Any]) -> None:
    """Say where the page is, and open it."""
    opened = False if no_open else webbrowser.open(url)
    if as_json:
        print_json({"url": url, "opened": opened} | about)
        return
    console().print(f"Watch it at {url}", soft_wrap=True)
    if not no_open and not opened:
        notes().print("No browser could be opened here; open the address in one.", soft_wrap=True)
    notes().print("Ctrl-C ends it." if no_open else "Closing the page, or Ctrl-C, ends it.")

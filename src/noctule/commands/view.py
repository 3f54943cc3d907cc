"""`noctule view`: a live flight in the browser."""

import webbrowser
from typing import Annotated

from cyclopts import Parameter

from noctule.commands.arguments import OUTPUT, SEARCH, WORLD, Json, Weight
from noctule.commands.tables import console, notes, print_json

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
        Parameter(name="SCENE", help="A scene's name, or its .json file."),
    ] = "test-environment",
    /,
    *,
    variant: Annotated[str | None, Parameter(group=WORLD, help="A variant of the scene.")] = None,
    graph: Annotated[
        str, Parameter(group=WORLD, help="Search graph, as for 'noctule fly'.")
    ] = "cells",
    destination: Annotated[
        str | None, Parameter(group=WORLD, help="How it moves. [default: as the scene has it]")
    ] = None,
    algorithm: Annotated[
        str, Parameter(group=SEARCH, help="One of those that 'noctule algorithms' lists.")
    ] = "a*",
    weight: Weight = None,
    radius: Annotated[
        float | None, Parameter(group=SEARCH, help="Of the agent. [default: the scene's]")
    ] = None,
    seed: Annotated[int, Parameter(help="Draws the moment at which the flight starts.")] = 0,
    port: Port = None,
    no_open: NoOpen = False,
    as_json: Json = False,
) -> int:
    """Watch flights in the browser, and disturb them."""
    from noctule.viewer.pages import require_viser

    require_viser()
    from noctule.searches.catalogue import find_algorithm
    from noctule.viewer.live import LivePage
    from noctule.viewer.sessions import Settings, prepare

    settings = Settings(
        scene, variant, graph, find_algorithm(algorithm).name, weight or 1.0, radius, destination,
        seed=seed,
    )  # fmt: skip
    with notes().status("preparing the flight"):  # shows itself on terminals only
        world = prepare(settings)
    page = LivePage(world, port)
    try:
        announce(page.url, no_open, as_json, {"scene": scene})
        page.run(end_with_page=not no_open)
    except KeyboardInterrupt:
        pass  # the way to end it
    finally:
        page.close()
    return 0


def announce(url: str, no_open: bool, as_json: bool, about: dict[str, str]) -> None:
    """Say where the page is, and open it."""
    opened = False if no_open else webbrowser.open(url)
    if as_json:
        print_json({"url": url, "opened": opened} | about)
        return
    console().print(f"Watch it at {url}", soft_wrap=True)
    if not no_open and not opened:
        notes().print("No browser could be opened here; open the address in one.", soft_wrap=True)
    notes().print("Ctrl-C ends it." if no_open else "Closing the page, or Ctrl-C, ends it.")

"""`noctule scenes`: the built-in scenes, as a list or as pictures."""

from pathlib import Path as File
from typing import Any

import noctule as nt
from noctule.commands.shared.options import Json, Picture, check_picture
from noctule.commands.shared.tables import columns, console, print_json, print_note, styled

TEST_ENVIRONMENT = "the obstacle course of two theses (HAW Hamburg, 2019 and 2021); y up"


def scenes(*, picture: Picture = None, as_json: Json = False) -> int:
    """List the built-in scenes, or draw them."""
    check_picture(picture)
    from noctule.worlds.built_in import BUILT_IN

    loaded = {name: nt.Scene.load(name) for name in nt.scenes()}
    rows: list[dict[str, Any]] = []
    for name, variants in nt.scenes().items():
        scene = loaded[name]
        made = BUILT_IN.get(name)
        rows.append(
            {
                "name": name,
                "summary": TEST_ENVIRONMENT if made is None else made.summary,
                "variants": variants,
                "bodies": len(scene.bodies),
                "moving": sum(body.moves for body in scene.bodies),
                "cells": list(scene.space.cells),
                "cell": scene.space.cell,
                "up": scene.space.up,
                "destination": list(scene.destination.modes),
            }
        )
    if picture is not None:
        _draw(list(loaded.values()), picture)
    if as_json:
        print_json(rows)
        return 0
    table = columns("scene", "what it shows", "variants", "goal", "bodies", "moving", left=4)
    for row in rows:
        named, modes = ", ".join(row["variants"]) or "-", ", ".join(row["destination"])
        numbers = str(row["bodies"]), str(row["moving"])
        table.add_row(styled(row["name"], "bold"), row["summary"], named, modes, *numbers)
    console().print(table)
    console().print("\nFly through one: noctule fly city; watch it: noctule view city")
    if picture is not None:
        print_note(f"Picture saved: {picture}", False)
    return 0


def _draw(loaded: "list[nt.Scene]", file: File) -> None:
    """Draw all scenes into one picture."""
    from noctule.pictures import require_matplotlib
    from noctule.pictures.figures import save_figure

    columns_, rows = 2, -(-len(loaded) // 2)
    figure = require_matplotlib()(figsize=(12.0, 4.6 * rows), layout="constrained")
    panels = list(figure.subplots(rows, columns_, squeeze=False).flat)
    for axes in panels:
        axes.axis("off")
    for axes, scene in zip(panels, loaded, strict=False):
        nt.draw(scene, ax=axes)
    save_figure(figure, file)

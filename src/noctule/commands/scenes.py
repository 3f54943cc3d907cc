"""`noctule scenes`: the scenes that come with noctule."""

from typing import Any

import noctule as nt
from noctule.commands.shared_options import Json
from noctule.commands.tables import columns, console, print_json


def scenes(*, as_json: Json = False) -> int:
    """List the scenes that come with noctule."""
    rows: list[dict[str, Any]] = []
    for name, variants in nt.scenes().items():
        scene = nt.Scene.load(name)
        rows.append(
            {
                "name": name,
                "variants": variants,
                "bodies": len(scene.bodies),
                "moving": sum(body.moves for body in scene.bodies),
                "cells": list(scene.space.cells),
                "destination": list(scene.destination.modes),
            }
        )
    if as_json:
        print_json(rows)
        return 0
    table = columns("scene", "variants", "destination", "bodies", "moving", "cells", left=3)
    for row in rows:
        named, modes = ", ".join(row["variants"]) or "-", ", ".join(row["destination"])
        cells = " x ".join(map(str, row["cells"]))
        table.add_row(row["name"], named, modes, str(row["bodies"]), str(row["moving"]), cells)
    console().print(table)
    return 0

"""`noctule info`: what a file holds, as a world of cells."""

from pathlib import Path as File
from typing import Annotated, Any

from cyclopts import Parameter

import noctule as nt
from noctule.commands.maps.map_query import read_grid, up_in_pictures
from noctule.commands.maps.units import corners_of, show_numbers, size, unit_of
from noctule.commands.shared.options import GraphOptions, Json, Picture, check_picture
from noctule.commands.shared.tables import console, facts, notes, print_json, save_picture


def info(
    file: Annotated[
        File, Parameter(name="FILE", help="A map, mesh, point cloud, OctoMap or terrain.")
    ],
    /,
    *,
    graph: GraphOptions | None = None,
    picture: Picture = None,
    as_json: Json = False,
) -> int:
    """Load a world from a file and report its size, cells and memory."""
    graph = graph or GraphOptions()
    check_picture(picture)
    with notes().status(f"reading {file.name}"):
        grid = read_grid(file, graph)
    unit, up = unit_of(graph, file), up_in_pictures(file, grid, graph)
    blocked = grid.blocked
    low, high = corners_of(grid)
    about: dict[str, Any] = {
        "file": str(file),
        "unit": unit,
        "shape": list(grid.shape),
        "cell": grid.cell,
        "low": low.tolist(),
        "high": high.tolist(),
        "up": up.removeprefix("-"),
        "cells": blocked.size,
        "solid": int(blocked.sum()),
        "costs": grid.has_costs,
        "bytes": grid.node_count,
    }
    if as_json:
        print_json(about)
    else:
        spans = f"{show_numbers(low)} to {show_numbers(high)}"
        share = about["solid"] / blocked.size
        rows = [
            ("file", f"{file.name}, {file.stat().st_size / 1e6:,.1f} MB"),
            ("spans", spans if unit == "cells" else f"{spans} {unit}"),
            ("up", about["up"]),
            ("cells", f"{size(grid)} of {grid.cell:g} {'' if unit == 'cells' else unit}".rstrip()),
            ("solid", f"{about['solid']:,} of {blocked.size:,} cells ({share:.1%})"),
            ("costs", "yes" if grid.has_costs else "none"),
            ("memory", f"{grid.node_count / 1e6:,.1f} MB"),
        ]
        console().print(facts(rows))

    def draw(target: File) -> None:
        nt.draw(grid, up=up, title=file.name, unit="" if unit == "cells" else unit).save(target)

    save_picture(draw, picture, None, as_json)
    return 0

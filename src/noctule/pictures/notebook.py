"""How paths, worlds and flights show themselves in notebooks."""

import base64
import html
from typing import Any

from noctule.flight.results import FlightResult
from noctule.graphs.grid.grid import Grid
from noctule.path import Path
from noctule.pictures.drawing import draw
from noctule.worlds.scene import Scene

MOST_CELLS = 20_000_000  # worlds with more are not drawn unless asked for


def png_of(value: Any) -> bytes | None:
    """Return a picture of a path, world or flight; None where it has none."""
    if isinstance(value, Path):
        world = value.world
        return None if world is None or not _drawable(world) else draw(world, value)._repr_png_()
    if isinstance(value, FlightResult):
        return None if value.trace is None else draw(value)._repr_png_()
    if isinstance(value, Scene) or (isinstance(value, Grid) and _drawable(value)):
        return draw(value)._repr_png_()
    return None


def html_of(value: Any) -> str | None:
    """Return the numbers of a path, world or flight, and its picture."""
    rows = "".join(
        f'<tr><td style="text-align:left;opacity:.65">{html.escape(name)}</td>'
        f'<td style="text-align:left">{html.escape(text)}</td></tr>'
        for name, text in facts_of(value)
    )
    png = png_of(value)
    image = ""
    if png is not None:
        data = base64.b64encode(png).decode()
        image = f'<img style="max-width:100%" src="data:image/png;base64,{data}" alt="picture">'
    return f"<div>{image}<table>{rows}</table></div>"


def facts_of(value: Any) -> list[tuple[str, str]]:
    """Return names and values of a path, world or flight."""
    if isinstance(value, Path):
        length = f"{value.length:.4f}" if len(value.points) else "-"
        return [
            ("algorithm", value.algorithm),
            ("found", "yes" if value.found else f"no: {value.reason}"),
            ("length", length),
            *([("cost", f"{value.cost:.4f}")] if value.cell_cost is not None else []),
            ("radius", f"{value.radius:g}"),
            ("points", f"{len(value.points)}"),
            ("expanded", f"{value.expanded:,}"),
            ("time", f"{1e3 * value.seconds:.2f} ms"),
        ]
    if isinstance(value, FlightResult):
        return [
            ("reached", "yes" if value.reached else "no"),
            ("ended", value.reason),
            ("time", f"{value.seconds:.2f} s"),
            ("travelled", f"{value.travelled:.2f}"),
            ("plans", f"{len(value.plan_ms):,}"),
            ("plan", f"{value.plan_ms.mean():.2f} ms" if len(value.plan_ms) else "-"),
        ]
    if isinstance(value, Scene):
        space = value.space
        return [
            ("scene", value.name),
            ("size", " x ".join(f"{n * space.cell:g}" for n in space.cells)),
            ("cells", " x ".join(map(str, space.cells)) + f" of {space.cell:g}"),
            ("bodies", f"{len(value.bodies)}, {len(value.moving)} of them moving"),
            *([("agent", _agent(value))] if value.has_agent else []),
        ]
    blocked = value.blocked
    return [
        ("cells", " x ".join(map(str, value.shape)) + f" of {value.cell:g}"),
        ("origin", ", ".join(f"{v:g}" for v in value.origin)),
        ("blocked", f"{int(blocked.sum()):,} ({100 * blocked.mean():.1f} %)"),
        ("graph", f"{value.neighbours} neighbours, {value.nodes}"),
    ]


def _agent(scene: Scene) -> str:
    return f"radius {scene.agent.radius:g}, speed {scene.agent.speed:g}"


def _drawable(world: Any) -> bool:
    return isinstance(world, Grid) and world.blocked.size <= MOST_CELLS

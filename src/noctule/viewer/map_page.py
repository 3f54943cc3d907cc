"""`MapPage`: a grid in the browser, and paths of several algorithms through it."""

import colorsys
import html
import queue
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid.grid import Grid
from noctule.path import Path
from noctule.pictures.styles import style_of
from noctule.planning.planner import Planner
from noctule.verification.verify import verify
from noctule.viewer.camera import CameraPose, camera_for, move_camera, set_initial_camera
from noctule.viewer.cost_layers import add_costs
from noctule.viewer.maps.picking import cells_on_ray
from noctule.viewer.maps.surface_mesh import drawable_faces
from noctule.viewer.maps.watch import Watch
from noctule.viewer.page_base import Loop, open_server
from noctule.viewer.scene_view import (
    AGENT,
    DESTINATION,
    NO_POINTS,
    Colour,
    add_lines,
    colour_of,
    segments,
)

ROCK = (150, 158, 172)
MAX_NODES = 30_000_000  # searches of larger graphs are not drawn
OPACITY, FLAT_OPACITY = 0.2, 0.9  # initial opacity of blocked cells, in 3D and in 2D
CLICKS = ("turns the view", "shows a node", "paints a cell", "erases a cell")
VIEWS = ("front", "angled", "paths")
NEAR = 0.15  # margin around the paths in their view, as part of their size

Array = NDArray[np.float64]


class MapPage:
    """Shows a map and paths while its `loop` runs; start and goal (`ends`) can be dragged.

    The path of the first planner is drawn below the others. By default a free port is used.
    """

    def __init__(
        self,
        grid: Grid,
        planners: Sequence[Planner],
        ends: tuple[Any, Any],
        title: str,
        port: int | None = None,
        up: str = "y",
        drawn: Sequence[Path] = (),
    ) -> None:
        self._grid, self._planners, self._up = grid, list(planners), up
        self._names = [planner.options.algorithm.name for planner in planners]
        self._colours = [on_dark(style_of(name).colour) for name in self._names]
        self._ends = [np.asarray(end, float) for end in ends]
        self.paths: list[Path] = []
        self.server = open_server(port)
        self.loop = Loop(self.server, self.update)
        self._watch_again = False
        self._requests: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._low = self._in_space(grid.origin)
        self._high = self._in_space(grid.origin + np.array(grid.shape) * grid.cell)
        if grid.flat:
            self._low[2], self._high[2] = 0.0, grid.cell
        self._rock: Any = None
        self._mesh: tuple[Any, Any, dict[str, Any]] | None = None
        self._opacity = FLAT_OPACITY if grid.flat else OPACITY
        self.scale = self._draw_rock()
        self.costs = add_costs(self.server.scene, grid, self._low)
        size = max(0.35 * grid.cell, 0.006 * float((self._high - self._low).max()))
        self.balls = [self._ball(i, size) for i in range(2)]
        widest = 3.5 + 2.0 * (len(self._planners) - 1)  # earlier paths stay visible under later
        self._lines = [
            add_lines(self.server.scene, f"/paths/{i}", NO_POINTS, colour, widest - 2.0 * i)
            for i, colour in enumerate(self._colours)
        ]
        self._add_controls(title)
        set_initial_camera(self.server, self._camera("front" if grid.flat else "angled"))
        self._plan()  # warm-up: loads compiled code
        self._plan()
        self._draw_given(drawn)

    def update(self, seconds: float) -> None:
        """Handle requests, and go on playing a search."""
        while not self._requests.empty():
            self._requests.get()()
        if self._watch_again:  # once for all moves since the last update
            self._watch_again = False
            self.watch.follow((self._ends[0], self._ends[1]), self.paths, self._mesh)
        self.watch.update(seconds)

    # ------------------------------------------------------------------ drawing

    def _draw_rock(self) -> int:
        if self._rock is not None:
            self._rock.remove()
        self._rock = self._mesh = None
        blocked = self._grid.blocked
        faces, scale = drawable_faces(blocked[..., None] if self._grid.flat else blocked)
        self._contents = np.array([self._in_space(end) for end in self._ends])
        if faces.number:
            corners = faces.corners * (scale * self._grid.cell) + self._low
            self._contents = np.concatenate(
                [self._contents, [corners.min(axis=0), corners.max(axis=0)]]
            )
            style: dict[str, Any] = {
                "color": ROCK,
                "flat_shading": True,
                "side": "double",
                "cast_shadow": False,
                "receive_shadow": False,
                "opacity": self._opacity,
            }
            self._mesh = corners.astype(np.float32), faces.triangles, style
            self._rock = self.server.scene.add_mesh_simple("/rock", *self._mesh[:2], **style)
        return scale

    def _camera(self, view: str) -> CameraPose:
        """Return a camera that shows blocked cells, start and goal, or ("paths") the paths."""
        if view != "paths":
            high = self._contents.max(axis=0) + self.watch.width
            return camera_for(view, self._contents.min(axis=0), high, self._up)
        points = [self._in_space(point) for path in self.paths for point in path.points]
        points += [self._in_space(end) for end in self._ends]
        low, high = np.min(points, axis=0), np.max(points, axis=0)
        around = max(NEAR * float((high - low).max()), 2 * self._grid.cell)
        view = "front" if self._grid.flat else "angled"
        return camera_for(view, low - around, high + around, self._up)

    def _look(self) -> None:
        """Move the cameras of all pages to all that is shown."""
        view = self._camera("front" if self._grid.flat else "angled")
        for client in self.server.get_clients().values():
            move_camera(client, view)

    def _ball(self, which: int, size: float) -> Any:
        """Add the start (0) or the goal (1), which can be dragged."""
        ball = self.server.scene.add_icosphere(
            ("/start", "/goal")[which],
            radius=size,
            color=(AGENT, DESTINATION)[which],
            position=self._in_space(self._ends[which]),
            cast_shadow=False,
            receive_shadow=False,
        )

        @ball.on_drag("left")
        async def _(event: Any) -> None:
            point = event.end_position
            self._requests.put(lambda: self.move_end(which, point))

        return ball

    def _in_space(self, point: Any) -> Array:
        """Return a point in 3D; a 2D point gets the middle of the layer as z."""
        values = np.asarray(point, float)
        return np.append(values, 0.5 * self._grid.cell) if self._grid.flat else values.copy()

    # ------------------------------------------------------------------ planning

    def move_end(self, which: int, point: Any) -> None:
        """Move the start (0) or the goal (1), and replan."""
        edge = 0.5 * self._grid.cell
        place = np.asarray(point, float)
        place = place if len(place) == 3 else self._in_space(place)
        inside = np.clip(place, self._low + edge, self._high - edge)
        self._ends[which] = inside = inside[: self._grid.dimension]
        while self._given:
            self._given.pop().remove()
        self.balls[which].position = self._in_space(inside)
        self._plan()

    def _plan(self) -> None:
        self.paths = [planner.plan(*self._ends) for planner in self._planners]
        with self.server.atomic():
            for path, line in zip(self.paths, self._lines, strict=True):
                line.points = segments([self._in_space(point) for point in path.points])
            self._table.content = self._numbers()
        self._watch_again = True

    def _draw_given(self, paths: Sequence[Path]) -> None:
        """Draw paths that were planned before until start or goal are moved."""
        self._given = []
        for i, path in enumerate(paths):
            points = segments([self._in_space(point) for point in path.points])
            colour = on_dark(style_of(path.algorithm).colour)
            line = add_lines(self.server.scene, f"/given/{i}", points, colour, 2.0)
            self._given.append(line)

    # ------------------------------------------------------------------ clicks

    def _clicked(self, event: Any) -> None:
        ray = np.array(event.ray_origin), np.array(event.ray_direction)
        self._requests.put(lambda: self.click(*ray))

    def click(self, eye: Any, ray: Any) -> None:
        """Show the node at a click, or block or free the cell there."""
        action = self.clicks.value
        if action == CLICKS[1]:
            self.watch.inspect(eye, ray)
        elif action in CLICKS[2:]:
            hit = cells_on_ray(self._grid, eye, ray)
            cell = hit.free if action == CLICKS[2] else hit.solid
            taken = [self._grid.cell_of(end) for end in self._ends]
            if cell is None or cell in taken:
                return
            (self._grid.block if action == CLICKS[2] else self._grid.free)(cell)
            self._draw_rock()
            self._plan()

    # ------------------------------------------------------------------ the panel

    def _add_controls(self, title: str) -> None:
        gui = self.server.gui
        size = " x ".join(map(str, self._grid.shape))
        joined = f", drawn in blocks of {self.scale} cells per side" if self.scale > 1 else ""
        gui.add_markdown(f"**{title}**, {size} cells{joined}")
        self._table = gui.add_html("")
        views = gui.add_button_group("Camera", VIEWS)

        @views.on_click
        def _(event: Any) -> None:
            move_camera(event.client, self._camera(event.target.value))

        rock = gui.add_slider("Opacity", 0.05, 1.0, 0.05, self._opacity)

        @rock.on_update
        def _(_: Any) -> None:
            self._opacity = rock.value
            if self._rock is not None:
                self._rock.opacity = rock.value

        watched = self._planners if self._grid.node_count <= MAX_NODES else []
        drawn = watched, self._colours, self._in_space
        self.watch = Watch(self.server, self._grid, *drawn, self._requests.put, self._look)
        self.clicks = gui.add_dropdown("A click", CLICKS)
        self.server.scene.on_click()(self._clicked)
        for name, line in zip(self._names, self._lines, strict=True):
            box = gui.add_checkbox(f"Show {name}", True)
            box.on_update(lambda _, box=box, line=line: setattr(line, "visible", box.value))
        gui.add_markdown("Drag start (yellow) and goal (pink) with the mouse.")

    def _numbers(self) -> str:
        heads = ("cost",) if self._grid.has_costs else ()
        names = ("", "length", *heads, "expanded", "ms", "free")
        rows = ["<tr>" + "".join(f"<th>{name}</th>" for name in names) + "</tr>"]
        for path, colour in zip(self.paths, self._colours, strict=True):
            length = f"{path.length:.2f}" if len(path.points) else "none"
            free = "-" if not len(path.points) else "yes" if verify(path, self._grid) else "NO"
            cost = (f"{path.cost:.2f}" if len(path.points) else "none",) if heads else ()
            numbers = (length, *cost, f"{path.expanded:,}", f"{1e3 * path.seconds:.1f}", free)
            rows.append(
                '<tr><td style="text-align:left;white-space:nowrap">'
                f'<span style="color:rgb{colour}">&#9632;</span> {path.algorithm}</td>'
                + "".join(f"<td>{value}</td>" for value in numbers)
                + "</tr>"
            )
        style = "font-size:12px;margin:.2em .6em;border-spacing:.5em .1em;text-align:right"
        reasons = dict.fromkeys(path.reason for path in self.paths if path.reason)
        below = "".join(
            f"<div style='margin:0 1.2em'>{html.escape(text)}</div>" for text in reasons
        )
        return f'<table id="paths" style="{style}">{"".join(rows)}</table>{below}'


def on_dark(colour: str) -> Colour:
    """Brighten a colour of the studies for a dark background.

    >>> on_dark("#12304f")
    (48, 128, 211)
    """
    hue, strength, light = colorsys.rgb_to_hsv(*(value / 255 for value in colour_of(colour)))
    r, g, b = colorsys.hsv_to_rgb(hue, strength, 0.75 + 0.25 * light)
    return (round(255 * r), round(255 * g), round(255 * b))

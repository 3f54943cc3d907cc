"""`MapPage`: a map of cells in the browser, and paths of several algorithms through it."""

import colorsys
import html
import queue
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid.grid import Grid
from noctule.path import Path
from noctule.planning.planner import Planner
from noctule.studies.report.styles import look_of
from noctule.verification.verify import verify
from noctule.viewer.page_base import Shot, begin_with, open_server, shot, take_shot
from noctule.viewer.refresh_loop import Loop
from noctule.viewer.scene_view import AGENT, DESTINATION, NO_POINTS, Colour, colour_of
from noctule.viewer.search_layers import SearchWatcher
from noctule.viewer.surface_mesh import drawable_faces

ROCK = (150, 158, 172)
MOST_NODES = 30_000_000  # of a graph whose searched nodes are looked for
NOBODY = "nobody"
THROUGH = 0.2  # how much rock hides at first
VIEWS = ("front", "angled", "paths")
NEAR = 0.15  # of the size of the paths: how much is seen around them

Array = NDArray[np.float64]


class MapPage:
    """Shows a map and paths while its `loop` runs; start and goal can be dragged.

    Parameters
    ----------
    grid : Grid
        The map, in space or in the plane.
    planners : sequence of Planner
        Who plans; the first one's path is drawn below the others.
    ends : pair of points
        From where to where, in world units.
    title : str
        What to call it.
    port : int, optional
        On this machine; any that is free unless given.
    """

    def __init__(
        self,
        grid: Grid,
        planners: Sequence[Planner],
        ends: tuple[Any, Any],
        title: str,
        port: int | None = None,
    ) -> None:
        self._grid, self._planners = grid, list(planners)
        self._ends = [np.asarray(end, float) for end in ends]
        self.paths: list[Path] = []
        self.server = open_server(port, "Noctule")
        self.loop = Loop(self.server, self.update)
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._low = self._in_space(grid.origin)
        self._high = self._in_space(grid.origin + np.array(grid.shape) * grid.cell)
        if grid.flat:
            self._low[2], self._high[2] = 0.0, grid.cell
        self._rock: Any = None
        self.scale = self._draw_rock()
        self._draw_ends()
        begin_with(self.server, self._shot("front" if grid.flat else "angled"))
        self._lines = [self._line(i) for i in range(len(self._planners))]
        self._cloud: Any = None
        self._add_controls(title)
        self._plan()  # loads compiled code, which is not time spent planning
        self._plan()

    def update(self, seconds: float) -> None:
        """Do what was asked for."""
        while not self._asked.empty():
            self._asked.get()()

    # ------------------------------------------------------------------ drawing

    def _draw_rock(self) -> int:
        blocked = self._grid.blocked
        faces, scale = drawable_faces(blocked[..., None] if self._grid.flat else blocked)
        self._seen = np.array([self._in_space(end) for end in self._ends])
        if faces.number:
            corners = faces.corners * (scale * self._grid.cell) + self._low
            self._seen = np.concatenate([self._seen, [corners.min(axis=0), corners.max(axis=0)]])
            self._rock = self.server.scene.add_mesh_simple(
                "/rock",
                corners.astype(np.float32),
                faces.triangles,
                color=ROCK,
                flat_shading=True,
                side="double",
                cast_shadow=False,
                receive_shadow=False,
                opacity=THROUGH,
            )
        return scale

    def _shot(self, view: str) -> Shot:
        """A camera that sees what there is: vast maps are empty for the most part."""
        if view != "paths":
            return shot(view, self._seen.min(axis=0), self._seen.max(axis=0))
        points = [self._in_space(point) for path in self.paths for point in path.points]
        points += [self._in_space(end) for end in self._ends]
        low, high = np.min(points, axis=0), np.max(points, axis=0)
        around = max(NEAR * float((high - low).max()), 2 * self._grid.cell)
        return shot("front" if self._grid.flat else "angled", low - around, high + around)

    def _draw_ends(self) -> None:
        size = max(0.35 * self._grid.cell, 0.006 * float((self._high - self._low).max()))
        self.balls = [
            self.server.scene.add_icosphere(
                f"/{name}",
                radius=size,
                color=colour,
                position=self._in_space(end),
                cast_shadow=False,
                receive_shadow=False,
            )
            for name, colour, end in zip(
                ("start", "goal"), (AGENT, DESTINATION), self._ends, strict=True
            )
        ]
        for which, ball in enumerate(self.balls):
            self._let_drag(ball, which)

    def _let_drag(self, ball: Any, which: int) -> None:
        @ball.on_drag("left")
        async def _(event: Any) -> None:
            point = event.end_position
            self._asked.put(lambda: self.move_end(which, point))

    def _line(self, i: int) -> Any:
        """Where paths run together, the earlier ones show on both sides of the later."""
        wide = 3.5 + 2.0 * (len(self._planners) - 1 - i)
        return self.server.scene.add_line_segments(
            f"/paths/{i}", NO_POINTS, self._colour(i), thickness=wide, thickness_units="screen"
        )

    def _colour(self, i: int) -> Colour:
        return on_dark(look_of(self._planners[i].options.algorithm.name).colour)

    def _in_space(self, point: Any) -> Array:
        """A point of the plane lies in the middle of the layer."""
        values = np.asarray(point, float)
        return np.append(values, 0.5 * self._grid.cell) if self._grid.flat else values.copy()

    # ------------------------------------------------------------------ planning

    def move_end(self, which: int, point: Any) -> None:
        """Move the start (0) or the goal (1), and plan anew."""
        n = self._grid.dimension
        edge = 0.5 * self._grid.cell
        inside = np.clip(np.asarray(point, float), self._low + edge, self._high - edge)[:n]
        self._ends[which] = inside
        self.balls[which].position = self._in_space(inside)
        self._plan()

    def _plan(self) -> None:
        self.paths = [planner.plan(*self._ends) for planner in self._planners]
        with self.server.atomic():
            for path, line in zip(self.paths, self._lines, strict=True):
                points = np.array([self._in_space(p) for p in path.points]).reshape(-1, 3)
                some = len(points) > 1
                line.points = np.stack([points[:-1], points[1:]], axis=1) if some else NO_POINTS
            self._table.content = self._numbers()
            self._draw_search()

    def _draw_search(self) -> None:
        """What one of the algorithms expanded, coloured by order."""
        if self._cloud is not None:
            self._cloud.remove()
            self._cloud = None
        names = [planner.options.algorithm.name for planner in self._planners]
        if self._searched.value == NOBODY or self._grid.node_count > MOST_NODES:
            return
        planner = self._planners[names.index(self._searched.value)]
        planner.plan(*self._ends)  # others have used the same memory since
        layers = SearchWatcher(self._grid, planner.options).look(
            planner.search_snapshot(), self._ends[1]
        )
        points, colours = layers.expanded
        if len(points):
            self._cloud = self.server.scene.add_point_cloud(
                "/searched",
                points + (np.array([0, 0, 0.5 * self._grid.cell]) if self._grid.flat else 0),
                colours,
                point_size=0.25 * self._grid.cell,
                point_shape="circle",
                point_shading="flat",
                precision="float32",
            )

    # ------------------------------------------------------------------ the panel

    def _add_controls(self, title: str) -> None:
        gui = self.server.gui
        size = " x ".join(map(str, self._grid.shape))
        joined = f", shown with {self.scale} cells a side joined" if self.scale > 1 else ""
        gui.add_markdown(f"**{title}**, {size} cells{joined}")
        self._table = gui.add_html("")
        views = gui.add_button_group("Camera", VIEWS)

        @views.on_click
        def _(event: Any) -> None:
            take_shot(event.client, self._shot(event.target.value))

        if self._rock is not None:
            rock = gui.add_slider("Rock", 0.05, 1.0, 0.05, THROUGH)

            @rock.on_update
            def _(_: Any) -> None:
                self._rock.opacity = rock.value

        names = [planner.options.algorithm.name for planner in self._planners]
        self._searched = gui.add_dropdown("Expanded by", (NOBODY, *names))
        self._searched.on_update(lambda _: self._asked.put(self._draw_search))
        for i, name in enumerate(names):
            self._let_hide(gui.add_checkbox(f"Show {name}", True), i)
        gui.add_markdown("Drag start (yellow) and goal (pink) with the mouse.")

    def _let_hide(self, box: Any, i: int) -> None:
        @box.on_update
        def _(_: Any) -> None:
            self._lines[i].visible = box.value

    def _numbers(self) -> str:
        rows = [
            "<tr><th></th><th>length</th><th>expanded</th><th>ms</th><th>free</th></tr>",
            *(self._row(i, path) for i, path in enumerate(self.paths)),
        ]
        style = "font-size:12px;margin:.2em .6em;border-spacing:.5em .1em;text-align:right"
        reasons = dict.fromkeys(path.reason for path in self.paths if path.reason)
        below = "".join(
            f"<div style='margin:0 1.2em'>{html.escape(text)}</div>" for text in reasons
        )
        return f'<table id="paths" style="{style}">{"".join(rows)}</table>{below}'

    def _row(self, i: int, path: Path) -> str:
        name = f'<span style="color:rgb{self._colour(i)}">&#9632;</span> {path.algorithm}'
        length = f"{path.length:.2f}" if len(path.points) else "none"
        free = "-" if not len(path.points) else "yes" if verify(path, self._grid) else "NO"
        numbers = (length, f"{path.expanded:,}", f"{1e3 * path.seconds:.1f}", free)
        cells = "".join(f"<td>{value}</td>" for value in numbers)
        return f'<tr><td style="text-align:left;white-space:nowrap">{name}</td>{cells}</tr>'


def on_dark(colour: str) -> Colour:
    """A colour of the studies, whose paper is white, for a dark background: as bright as it gets.

    >>> on_dark("#12304f")
    (48, 128, 211)
    """
    hue, strength, light = colorsys.rgb_to_hsv(*(value / 255 for value in colour_of(colour)))
    r, g, b = colorsys.hsv_to_rgb(hue, strength, 0.75 + 0.25 * light)
    return (round(255 * r), round(255 * g), round(255 * b))

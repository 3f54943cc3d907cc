"""`Watch`: play the expansions of one search, or of two side by side."""

import html
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid.grid import Grid
from noctule.path import Path
from noctule.planning.planner import Planner
from noctule.viewer.maps.order import NOBODY, SearchOrder, search_order
from noctule.viewer.maps.picking import nearest_point
from noctule.viewer.scene_view import NO_POINTS, Colour, add_cloud, add_lines, segments
from noctule.viewer.search_layers import MAX_POINTS, evenly_spread, order_colours

NONE = "none"
SECONDS = 8.0  # that a whole search takes
UPDATES = 0.1  # seconds between two updates while it plays
APART = 1.08  # distance of two maps, in widths of a map
PARENT: Colour = (255, 255, 255)
DARK: Colour = (255, 170, 60)  # the next node

Array = NDArray[np.float64]


class Shown:
    """A search on one of the maps."""

    def __init__(self, scene: Any, name: str, order: SearchOrder, points: Array, size: float):
        self.order, self.points, self._size = order, points, size
        self._scene, self._name, self._cloud = scene, name, None
        self._drawn = 0
        self._colours = order_colours(max(len(points), 1))

    def show(self, share: float) -> int:
        """Draw the first part of the expanded nodes; return how many these are."""
        n = round(share * len(self.points))
        kept = evenly_spread(n, MAX_POINTS)
        points, colours = self.points[kept].astype(np.float32), self._colours[kept]
        if n and n < len(self.points):
            colours = np.concatenate([colours[:-1], [DARK]]).astype(np.uint8)
        if self._cloud is not None:
            self._cloud.remove()
            self._cloud = None
        if n:
            self._drawn += 1  # a new name, so that the page does not remove it with the old one
            name = f"{self._name}/{self._drawn}"
            self._cloud = add_cloud(self._scene, name, points, colours, self._size)
        return n

    def remove(self) -> None:
        """Remove the points."""
        if self._cloud is not None:
            self._cloud.remove()


class Watch:
    """The controls of a replay, and what it draws.

    `in_space` turns points of the map into points of the page; `ask` calls a function in the thread
    that draws; `look` moves the cameras to what is shown.
    """

    def __init__(
        self,
        server: Any,
        grid: Grid,
        planners: list[Planner],
        colours: list[Colour],
        in_space: Callable[[Any], Array],
        ask: Callable[[Callable[[], None]], None],
        look: Callable[[], None],
    ) -> None:
        self._server, self._grid, self._in_space = server, grid, in_space
        self._planners = {planner.options.algorithm.name: planner for planner in planners}
        self._colours = dict(zip(self._planners, colours, strict=False))
        self._ends: tuple[Any, Any] = ((), ())
        self._paths: dict[str, Path] = {}
        self._mesh: tuple[Any, Any, dict[str, Any]] | None = None
        self.shown: list[Shown] = []
        self._marks: list[Any] = []  # of the node that was clicked
        self._beside: list[Any] = []  # the second map
        self.playing, self._since = False, 0.0
        gui, names = server.gui, (NONE, *self._planners)
        with gui.add_folder("Watch a search"):
            self.first = gui.add_dropdown("Expanded by", names)
            self.second = gui.add_dropdown("Beside it", names)
            self.slider = gui.add_slider("Expanded, %", 0.0, 100.0, 0.5, 100.0)
            self.button = gui.add_button("Play")
            self.text = gui.add_html("")
        self.first.on_update(lambda _: ask(self.search_again))
        self.second.on_update(lambda _: ask(self._choose_second))
        self._look = look
        self.button.on_click(lambda _: ask(self.play_or_pause))

        @self.slider.on_update
        def _(event: Any) -> None:
            if event.client is not None:  # moved by a person, not by `update`
                ask(self._draw)

    # ------------------------------------------------------------------ what is shown

    def follow(
        self,
        ends: tuple[Any, Any],
        paths: list[Path],
        mesh: tuple[Any, Any, dict[str, Any]] | None,
    ) -> None:
        """Show the searches for another query, or on a changed map."""
        self._ends, self._mesh = ends, mesh
        self._paths = {path.algorithm: path for path in paths}
        self.search_again()

    def _choose_second(self) -> None:
        self.search_again()
        self._look()

    def search_again(self) -> None:
        """Search with the chosen algorithms, and draw their expansions."""
        for old in (*self.shown, *self._beside, *self._marks):
            old.remove()
        self.shown, self._beside, self._marks = [], [], []
        for place, choice in enumerate((self.first, self.second)):
            if choice.value == NONE:
                continue
            planner = self._planners[choice.value]
            radius = planner.options.radius
            order = search_order(self._grid, choice.value, self._ends, radius)
            points = self._positions(order.nodes) + self.shift(place)
            size = 0.28 * self._grid.cell
            name = f"/searched/{place}"
            self.shown.append(Shown(self._server.scene, name, order, points, size))
            if place:
                self._draw_beside(choice.value)
        self._draw()

    @property
    def width(self) -> Array:
        """By how much the maps that are shown reach beyond one map."""
        return self.shift(1) if self._beside else self.shift(0)

    def shift(self, place: int) -> Array:
        """Return by how much a map is moved: the second one lies beside the first."""
        return np.array([place * APART * self._grid.shape[0] * self._grid.cell, 0.0, 0.0])

    def _positions(self, nodes: NDArray[np.int64]) -> Array:
        points = self._grid.positions(nodes)
        if self._grid.flat:
            high = np.full((len(points), 1), self._grid.cell)
            points = np.concatenate([points, high], axis=1)
        return points

    def _draw_beside(self, name: str) -> None:
        scene, shift = self._server.scene, self.shift(1)
        if self._mesh is not None:
            corners, triangles, style = self._mesh
            moved = (corners + shift).astype(np.float32)
            self._beside.append(scene.add_mesh_simple("/beside/rock", moved, triangles, **style))
        path = self._paths.get(name)
        if path is not None and len(path.points) > 1:
            points = segments([self._in_space(point) + shift for point in path.points])
            self._beside.append(add_lines(scene, "/beside/path", points, self._colours[name], 3.0))
        start = self._in_space(self._ends[0]) + shift
        self._beside.append(scene.add_label("/beside/name", name, position=start))

    def _draw(self) -> None:
        share = float(self.slider.value) / 100
        with self._server.atomic():
            lines = []
            for choice, shown in zip(self._chosen(), self.shown, strict=True):
                n = shown.show(share)
                how = "" if shown.order.exact else ", in the order of their costs"
                lines.append(f"{choice}: {n:,} of {len(shown.points):,} nodes{how}")
            self._write(lines)

    def _chosen(self) -> list[str]:
        return [one.value for one in (self.first, self.second) if one.value != NONE]

    def _write(self, lines: list[str]) -> None:
        text = "".join(f"<div>{html.escape(line)}</div>" for line in lines)
        self.text.content = f'<div id="watch" style="font-size:12px;margin:0 1em">{text}</div>'

    # ------------------------------------------------------------------ playing

    def play_or_pause(self) -> None:
        """Play from where the slider is, or from the start; or pause."""
        if not self.playing and self.slider.value >= 100:
            self.slider.value = 0.0
        self._play(not self.playing and bool(self.shown))

    def _play(self, playing: bool) -> None:
        self.playing, self.button.label = playing, "Pause" if playing else "Play"

    def update(self, seconds: float) -> None:
        """Go on playing."""
        if not self.playing:
            return
        self._since += seconds
        if self._since < UPDATES:
            return
        self.slider.value = min(100.0, float(self.slider.value) + 100 * self._since / SECONDS)
        self._since = 0.0
        self._draw()
        if self.slider.value >= 100:
            self._play(False)

    # ------------------------------------------------------------------ one node

    def inspect(self, eye: Any, ray: Any) -> str:
        """Mark the node at a click, with its cost and the way from its parent; describe it."""
        for mark in self._marks:
            mark.remove()
        self._marks = []
        for place, shown in enumerate(self.shown):
            count = round(float(self.slider.value) / 100 * len(shown.points))
            k = nearest_point(shown.points[:count], eye, ray)
            if k is not None:
                return self._mark(place, shown, k)
        return ""

    def _mark(self, place: int, shown: Shown, k: int) -> str:
        order, scene, points = shown.order, self._server.scene, shown.points
        node = int(order.nodes[k])
        text = f"{self._name(node)}: expansion {k + 1:,}, g = {order.g[k]:.3f}"
        parent, line = int(order.parent[k]), NO_POINTS
        if parent != NOBODY and parent != node:
            text += f", parent {self._name(parent)}"
            there = self._positions(np.array([parent]))[0] + self.shift(place)
            line = segments([points[k], there])
        self._marks = [
            add_lines(scene, "/node/parent", line, PARENT, 4.0),
            scene.add_label("/node/g", f"g = {order.g[k]:.2f}", position=points[k]),
        ]
        lines = [text]
        self._write(lines)
        return text

    def _name(self, node: int) -> str:
        index = self._grid.indices(np.array([node]))[0].tolist()
        return f"({', '.join(map(str, index))})"

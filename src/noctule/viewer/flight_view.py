"""`Drawing`: draw the bodies, the last search and the graph of a session with viser."""

from collections.abc import Callable
from typing import Any

import numpy as np

from noctule.algorithms.snapshot import SearchSnapshot
from noctule.viewer.scene_view import NO_POINTS, SceneView, add_cloud, add_lines
from noctule.viewer.search_layers import SearchWatcher, graph_layers
from noctule.viewer.session import Session

SEARCH_EVERY, GRAPH_EVERY = 5, 30  # updates between two drawings

# Layers of a search: their names on the panel, and the sizes of their points in cells.
LABELS = {
    "expanded": "expanded nodes",
    "reexpanded": "re-expanded",
    "open": "open list",
    "predicted": "predicted cells",
    "sight": "lines of sight",
}
SIZES = {"expanded": 0.13, "reexpanded": 0.2, "open": 0.17, "predicted": 0.3}


class Drawing:
    """Draws a session; `shows` returns whether a layer is selected.

    `expanded` is the number of nodes that the drawn search expanded.
    """

    def __init__(self, server: Any, session: Session, shows: Callable[[str], bool]) -> None:
        self._server, self._session, self._shows = server, session, shows
        self._count = self.expanded = 0
        self._graph: dict[str, Any] = {}
        self.reset()

    def reset(self) -> None:
        """Draw the current world of the session from scratch."""
        session, scene = self._session, self._server.scene
        self.view = SceneView(self._server, session.about)
        self._about = session.about
        self._frame: Any = None  # the frame that is drawn
        self._path: Any = None
        self._watcher = SearchWatcher(session.world.graph, session.planner.options)
        point, colour = np.zeros((1, 3), np.float32), np.zeros((1, 3), np.uint8)
        cell = session.world.scene.space.cell
        self._search = {
            name: add_cloud(scene, f"/search/{name}", point, colour, size * cell)
            for name, size in SIZES.items()
        }
        empty = NO_POINTS.astype(np.float32), NO_POINTS.astype(np.uint8)
        self._search["sight"] = add_lines(scene, "/search/sight", *empty, 1.0)
        self.choose_layers()

    def choose_layers(self) -> None:
        """Show the selected layers, hide the others."""
        for name in ("path", "flown"):
            self.view.lines[name].visible = self._shows(name)
        for handle in self._graph.values():
            handle.remove()
        self._graph = {}
        self._draw_graph()
        self._path = None
        self._draw_search()

    def update(self, at_once: bool = False) -> None:
        """Draw all changes; searches and graphs only every few updates, unless `at_once`."""
        session, self._count = self._session, self._count + 1
        if session.about is not self._about:
            self._about = session.about
            self.view.set_bodies(session.about)
            self._frame = None
        frame = session.frame
        if frame is not self._frame:
            self._frame = frame
            self.view.show(frame.poses, frame.agent, frame.destination)
            self.view.show_line("path", [] if frame.path is None else frame.path.points)
            self.view.show_line("flown", [*session.trail, frame.agent])
        if at_once or self._count % SEARCH_EVERY == 0:
            self._draw_search()
        if self._count % GRAPH_EVERY == 0:
            self._draw_graph()

    def _draw_search(self) -> None:
        """Draw the last search unless it is already drawn."""
        frame = self._session.frame
        if frame.path is self._path:
            return
        self._path = frame.path
        self.expanded = 0 if frame.path is None else frame.path.expanded
        found = self._session.planner.search_snapshot() if self.expanded else SearchSnapshot()
        layers = self._watcher.update(found, frame.destination)._asdict()
        for name, layer in layers.items():
            handle = self._search[name]
            # Browsers log an error for a cloud without points.
            visible = self._shows(LABELS[name]) and len(layer.points) > 0
            if visible:
                handle.points, handle.colors = layer.points, layer.colours
            if handle.visible != visible:
                handle.visible = visible

    def _draw_graph(self) -> None:
        """Draw nodes and edges if selected."""
        world, scene = self._session.world, self._server.scene
        size = 0.12 * world.scene.space.cell
        for name, layer in graph_layers(world.graph).items() if self._shows("graph") else ():
            node = f"/graph/{name.replace(' ', '-')}"
            if len(layer.points) and layer.points.ndim == 3:
                self._graph[name] = add_lines(scene, node, *layer, 1.0)
            elif len(layer.points):
                self._graph[name] = add_cloud(scene, node, *layer, size)

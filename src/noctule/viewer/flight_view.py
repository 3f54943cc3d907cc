"""`Drawing`: a session on a viser scene: what moves, what was searched, and the graph."""

from collections.abc import Callable
from typing import Any

import numpy as np

from noctule.planning.snapshot import SearchSnapshot
from noctule.viewer.scene_view import Stage
from noctule.viewer.search_layers import Cloud, Lines, SearchWatcher, graph_layers
from noctule.viewer.session import Session

SEARCH_EVERY, GRAPH_EVERY = 5, 30  # updates between two

# Layers of a search: how they are called where they can be switched off, and the size of a point.
CLOUDS = {
    "expanded": ("expanded nodes", 0.13),
    "again": ("just expanded", 0.2),
    "open": ("open list", 0.17),
    "danger": ("danger cells", 0.3),
}
SIGHT = "lines of sight"


class Drawing:
    """Draws a session; `shows` says which layers are wanted.

    Attributes
    ----------
    expanded : int
        How many nodes the search expanded that is drawn.
    """

    def __init__(self, server: Any, session: Session, shows: Callable[[str], bool]) -> None:
        self._server, self._session, self._shows = server, session, shows
        self._count = self.expanded = 0
        self._graph: dict[str, Any] = {}
        self._search: dict[str, Any] = {}
        self.begin()

    def begin(self) -> None:
        """Draw the world of the session as it is now, from scratch."""
        session, world = self._session, self._session.world
        self.stage = Stage(self._server, session.about)
        self._about = session.about
        self._frame: Any = None  # what is drawn by now
        self._path: Any = None
        self._watcher = SearchWatcher(world.graph, session.planner.options)
        nothing = np.zeros((1, 3), np.float32), np.zeros((1, 3), np.uint8)
        cell = world.scene.space.cell
        for name, (_, size) in CLOUDS.items():
            self._search[name] = self._cloud(f"/search/{name}", Cloud(*nothing), size * cell)
        line = Lines(nothing[0][None].repeat(2, 1), nothing[1][None].repeat(2, 1))
        self._search["sight"] = self._lines("/search/sight", line)
        self.choose_layers()

    def choose_layers(self) -> None:
        """Show the layers that are wanted, and no others."""
        for name in ("path", "flown"):
            self.stage.lines[name].visible = self._shows(name)
        for handle in self._graph.values():
            handle.remove()
        self._graph = {}
        if self._shows("graph"):
            self._draw_graph()
        self._path = None
        self._draw_search()

    def update(self, at_once: bool = False) -> None:
        """Draw what has changed; searches and graphs not every time, unless `at_once`."""
        session, self._count = self._session, self._count + 1
        if session.about is not self._about:
            self._about = session.about
            self.stage.set_bodies(session.about)
            self._frame = None
        frame = session.frame
        if frame is not self._frame:
            self._frame = frame
            self.stage.show(frame.poses, frame.agent, frame.destination)
            self.stage.show_line("path", [] if frame.path is None else frame.path.points)
            self.stage.show_line("flown", [*session.trail, frame.agent])
        if at_once or self._count % SEARCH_EVERY == 0:
            self._draw_search()
        if self._count % GRAPH_EVERY == 0 and self._shows("graph"):
            self._draw_graph()

    def _draw_search(self) -> None:
        """The last search, unless it is drawn already."""
        frame = self._session.frame
        if frame.path is self._path:
            return
        self._path = frame.path
        self.expanded = 0 if frame.path is None else frame.path.expanded
        found = self._session.planner.search_snapshot() if self.expanded else SearchSnapshot()
        shown = self._watcher.look(found, frame.destination)
        for name, (label, _) in CLOUDS.items():
            self._fill(self._search[name], getattr(shown, name), self._shows(label))
        self._fill(self._search["sight"], shown.sight, self._shows(SIGHT))

    def _fill(self, handle: Any, layer: Cloud | Lines, wanted: bool) -> None:
        visible = wanted and len(layer.points) > 0  # pages complain of clouds without points
        if visible:
            handle.points, handle.colors = layer.points, layer.colours
        if handle.visible != visible:
            handle.visible = visible

    def _draw_graph(self) -> None:
        """Nodes and edges; which cells are blocked changes all the time."""
        world = self._session.world
        for name, layer in graph_layers(world.graph).items():
            node = f"/graph/{name.replace(' ', '-')}"
            if not len(layer.points):
                continue
            if isinstance(layer, Lines):
                self._graph[name] = self._lines(node, layer)
            else:
                self._graph[name] = self._cloud(node, layer, 0.12 * world.scene.space.cell)

    def _cloud(self, name: str, cloud: Cloud, size: float) -> Any:
        return self._server.scene.add_point_cloud(
            name,
            cloud.points,
            cloud.colours,
            point_size=size,
            point_shape="circle",
            point_shading="flat",
            precision="float32",
        )

    def _lines(self, name: str, lines: Lines) -> Any:
        return self._server.scene.add_line_segments(
            name, lines.points, lines.colours, thickness=1.0, thickness_units="screen"
        )

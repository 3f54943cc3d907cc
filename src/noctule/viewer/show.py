"""`show`: a world in the browser or in a notebook, while Python goes on."""

from __future__ import annotations

import sys
import threading
import webbrowser
from types import TracebackType
from typing import Any, Self

import numpy as np

from noctule.flight.recording import Trace
from noctule.flight.results import FlightResult
from noctule.flight.simulation import needs_safety_boxes
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.path import Path
from noctule.pictures.searched import ends_of
from noctule.planning.planner import Planner
from noctule.viewer.live_page import LivePage
from noctule.viewer.map_page import MapPage
from noctule.viewer.page_base import require_viser
from noctule.viewer.replay_page import ReplayPage
from noctule.viewer.session import Settings, World
from noctule.worlds.scene import Scene

HEIGHT = 560  # pixels of a page in a notebook


class Page:
    """A page that `show` opened; it lives until `close` or the end of the program.

    Parameters
    ----------
    page : object
        A page of `noctule.viewer`, with its loop.

    Attributes
    ----------
    url : str
        Its address on this machine.

    Examples
    --------
    >>> import noctule as nt
    >>> with nt.show(nt.Grid([[False, False]]), browser=False) as page:
    ...     page.url.startswith("http://127.0.0.1:")
    True
    """

    def __init__(self, page: Any) -> None:
        self._page, self.url = page, page.loop.url
        self._thread = threading.Thread(target=page.loop.run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the page.

        Examples
        --------
        >>> import noctule as nt
        >>> nt.show(nt.Grid([[False, False]]), browser=False).close()
        """
        self._page.loop.stop()
        self._thread.join()

    def wait(self) -> None:
        """Wait until the page is closed with Ctrl-C; at the end of a script, so that it stays."""
        try:
            self._thread.join()
        except KeyboardInterrupt:
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Page({self.url})"

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{HEIGHT}px;border:0"
        return f'<iframe src="{self.url}" style="{style}"></iframe><div>{self.url}</div>'


def show(
    world: Grid | Scene | FlightResult | Trace,
    *paths: Path,
    up: str | None = None,
    port: int | None = None,
    browser: bool | None = None,
) -> Page:
    """Show a world in the viewer: in a notebook below the cell, else in the browser.

    Start and goal of a grid can be dragged; scenes are flown; flights are played.

    Parameters
    ----------
    world : Grid, Scene, FlightResult or Trace
        The world. A flight needs `record=True`.
    *paths : Path
        Paths through a grid. Their algorithms plan again when start or goal are dragged.
    up : {"y", "z", "-y"}, optional
        The axis of a grid that points up; y unless given. A scene has its own.
    port : int, optional
        Port on this machine; a free one unless given.
    browser : bool, optional
        Whether to open the browser; unless given, outside of notebooks.

    Returns
    -------
    Page
        Its address, `close` and `wait`.

    Examples
    --------
    >>> import noctule as nt
    >>> grid = nt.Grid([[False, False], [True, False]])
    >>> path = nt.plan(grid, (0.5, 0.5), (1.5, 1.5))
    >>> nt.show(grid, path, browser=False).close()
    """
    require_viser()
    page = Page(_page_of(world, paths, up, port))
    if browser is None:
        browser = "ipykernel" not in sys.modules
    if browser:
        webbrowser.open(page.url)
    return page


def _page_of(world: Any, paths: tuple[Path, ...], up: str | None, port: int | None) -> Any:
    if isinstance(world, Grid):
        return _map_page(world, paths, up, port)
    if isinstance(world, Scene):
        from noctule.viewer.page_base import open_server

        settings = Settings(world)
        graph = CellGrid(world, safety=needs_safety_boxes("cells", settings.algorithm, True))
        return LivePage(World(settings, world, graph), open_server(port))
    trace = world.trace if isinstance(world, FlightResult) else world
    if isinstance(world, FlightResult) and trace is None:
        raise ValueError("this flight was not recorded; fly with record=True")
    if not isinstance(trace, Trace):
        raise ValueError(f"world is {world!r}; expected a Grid, Scene, FlightResult or Trace")
    return ReplayPage(trace, port)


def _map_page(grid: Grid, paths: tuple[Path, ...], up: str | None, port: int | None) -> MapPage:
    ends = next((ends_of(path) for path in paths if ends_of(path) is not None), None)
    if ends is None:
        free = np.argwhere(~grid.blocked)
        if not len(free):
            raise ValueError("the world has no free cell: there is nothing to show")
        ends = grid.centre(free[0].tolist()), grid.centre(free[-1].tolist())
    planners = {p.algorithm: Planner(grid, p.algorithm, radius=p.radius) for p in paths}
    if isinstance(grid, CellGrid):
        up = up or grid.scene.space.up
    return MapPage(
        grid, list(planners.values()) or [Planner(grid)], ends, "map", port, up or "y", paths
    )

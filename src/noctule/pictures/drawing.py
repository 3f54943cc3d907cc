"""`draw`: a picture of a map, a scene or a flight, for files and notebooks."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from typing import Any

from noctule.flight.recording import Trace
from noctule.flight.results import FlightResult
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.path import Path
from noctule.pictures.figures import INK, save_figure
from noctule.pictures.flights import flight_figure
from noctule.pictures.maps import draw_on, map_figure, reasons_of, view_of_map
from noctule.pictures.scenes import scene_figure
from noctule.worlds.scene import Scene


class Picture:
    """What `draw` made.

    Parameters
    ----------
    figure : matplotlib Figure
        The figure.
    axes : list of matplotlib Axes
        Its axes, or those that were drawn on.

    Examples
    --------
    >>> import noctule as nt
    >>> picture = nt.draw(nt.Grid([[False, True], [False, False]]))
    >>> len(picture.axes)
    1
    """

    def __init__(self, figure: Any, axes: list[Any]) -> None:
        self.figure, self.axes = figure, axes

    def save(self, file: str | os.PathLike[str]) -> None:
        """Save the picture; the suffix selects the format: .png, .pdf, .svg ...

        Parameters
        ----------
        file : path
            The file to write.

        Examples
        --------
        >>> import noctule as nt, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "map.png")
        ...     nt.draw(nt.Grid([[False, True], [False, False]])).save(file)
        ...     file.read_bytes()[1:4]
        b'PNG'
        """
        save_figure(self.figure, file)

    def _repr_png_(self) -> bytes:
        stream = io.BytesIO()
        self.figure.savefig(stream, format="png", dpi=110, facecolor="white")
        return stream.getvalue()


def draw(
    world: Grid | Scene | FlightResult | Trace,
    *paths: Path,
    ax: Any = None,
    up: str | None = None,
    title: str | None = None,
    unit: str = "",
    labels: Sequence[str] | None = None,
    searched: bool | None = None,
    cut: float | None = None,
) -> Picture:
    """Draw a world and paths through it.

    A 3D world is drawn at an angle; with `up="z"` its floor plan, too. The agent is drawn at its
    true radius. Where there is no path, start, goal and the nodes that were searched are drawn.
    More than four paths get a panel each.

    Parameters
    ----------
    world : Grid, Scene, FlightResult or Trace
        The world. A flight needs `record=True`.
    *paths : Path
        Paths through a grid or scene.
    ax : matplotlib Axes, optional
        Where to draw; a new figure unless given.
    up : {"y", "z", "-y"}, optional
        The axis that points up: that of a scene, else y. "-y" draws a 2D map with its first row on
        top, as benchmark maps are shown.
    title : str, optional
        Title of the picture.
    unit : str
        Name of the world unit, for lengths.
    labels : sequence of str, optional
        Names of the paths; their algorithm and length unless given.
    searched : bool, optional
        Whether to draw the nodes that each search expanded, which searches again. Unless given,
        only where there is no path.
    cut : float, optional
        Leave out all that is higher, in world units. Unless given, a world that hides the path is
        cut above it.

    Returns
    -------
    Picture
        The figure, which notebooks show, and `save`.

    Examples
    --------
    >>> import numpy as np
    >>> import noctule as nt
    >>> grid = nt.Grid(np.zeros((8, 6, 4), dtype=bool))
    >>> path = nt.plan(grid, (0.5, 0.5, 0.5), (7.5, 5.5, 3.5), "theta*")
    >>> picture = nt.draw(grid, path, title="free space", up="z")
    >>> [axes.get_title() for axes in picture.axes]
    ['from above, at the height of the path', '']
    """
    if isinstance(world, CellGrid):
        up = up or world.scene.space.up
    if isinstance(world, Grid):
        view = view_of_map(world, paths, up or "y", unit, labels, searched, cut)
        if ax is None:
            figure = map_figure(view, title)
            return Picture(figure, figure.axes)
        draw_on(view, [ax])
        caption = "\n".join(filter(None, [title, *reasons_of(paths, 60)]))
        if caption:
            ax.set_title(caption, color=INK, fontsize=10)
        if paths:
            ax.legend(frameon=False, fontsize=9)
        return Picture(ax.figure, [ax])
    if isinstance(world, Scene):
        figure = scene_figure(world, paths, up or world.space.up, title, ax)
        return Picture(figure, figure.axes if ax is None else [ax])
    trace = world.trace if isinstance(world, FlightResult) else world
    if not isinstance(trace, Trace):
        if isinstance(world, FlightResult):
            raise ValueError("this flight was not recorded; fly with record=True")
        raise ValueError(f"world is {world!r}; expected a Grid, Scene, FlightResult or Trace")
    outcome = world.reason if isinstance(world, FlightResult) else ""
    figure = flight_figure(trace, title, outcome, up, ax)
    return Picture(figure, figure.axes if ax is None else [ax])

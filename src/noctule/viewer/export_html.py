"""`record`: a trace as one page in a file, which plays anywhere without a network."""

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from noctule.flight.recording import Trace
from noctule.viewer.page_base import begin_with, close_server, open_server, shot
from noctule.viewer.scene_view import NO_POINTS, Stage

RATE = 20.0  # pictures a second
MOST = 6000  # pictures in all: five minutes

Progress = Callable[[int, int], None]


def record(trace: Trace, file: str | PathLike[str], progress: Progress | None = None) -> int:
    """Write a page that plays a flight; returns how many pictures it has.

    Parameters
    ----------
    trace : Trace
        The flight.
    file : path
        Where to save, .html.
    progress : function, optional
        Called with the number of pictures written and their number in all.
    """
    server = open_server(None, "Noctule")
    try:
        text, count = _play(server, trace, progress)
    finally:
        close_server(server)
    target = Path(file)
    half = target.with_name(f"{target.name}.half")  # nothing half-written under the name
    half.write_text(text, "utf-8")
    half.replace(target)
    return count


def _play(server: Any, trace: Trace, progress: Progress | None) -> tuple[str, int]:
    begin_with(server, shot("front", *box_of(trace.about)))
    show = Showing(server, trace)
    frames = pictures_of(trace)
    show.frame(0)
    serializer = server.get_scene_serializer()
    for n, i in enumerate(frames):
        with server.atomic():
            show.frame(int(i))
        if n + 1 < len(frames):
            serializer.insert_sleep(float(trace.time[frames[n + 1]] - trace.time[i]))
        if progress is not None:
            progress(n + 1, len(frames))
    return serializer.as_html(dark_mode=True), len(frames)


def pictures_of(trace: Trace, rate: float = RATE) -> Any:
    """The frames of a trace to show, so many a second, the last one always."""
    n = len(trace.time)
    if n == 0:
        raise ValueError("the trace is empty: there is nothing to show")
    seconds = float(trace.time[-1] - trace.time[0])
    wanted = min(max(round(seconds * rate) + 1, 1), MOST, n)
    return np.unique(np.linspace(0, n - 1, wanted).round().astype(int))


def box_of(about: dict[str, Any]) -> tuple[Any, Any]:
    """The corners of the world of a trace."""
    low = np.array(about["origin"], float)
    return low, low + np.array(about["cells"]) * about["cell"]


class Showing:
    """Shows the frames of a trace on a server; controls do not go into a file, so a label tells."""

    def __init__(self, server: Any, trace: Trace) -> None:
        self._trace = trace
        self._stage = Stage(server, trace.about)
        self._path: Any = None
        low, high = box_of(trace.about)
        self._label = server.scene.add_label(
            "/label",
            "",
            position=(low[0], low[1], high[2]),
            anchor="bottom-left",
        )
        if len(np.unique(trace.destination, axis=0)) > 1:
            self._stage.show_line("destination-way", trace.destination[_some(len(trace.time), 200)])

    def frame(self, i: int) -> None:
        """Show one frame."""
        trace = self._trace
        self._stage.show(trace.poses[i], trace.agent[i], trace.destination[i])
        path = trace.paths[i]
        if not len(path) and i + 1 == len(trace.paths):
            path = NO_POINTS[0][:0]
        if self._path is None or path is not self._path:
            self._stage.show_line("path", path)
            self._path = path
        self._stage.show_line("flown", trace.agent[_some(i + 1, 300)])
        self._label.text = f"{trace.about['algorithm']}   {trace.time[i] - trace.time[0]:.1f} s"


def _some(n: int, most: int) -> Any:
    """At most so many of the first `n` frames, the first and the last among them."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))

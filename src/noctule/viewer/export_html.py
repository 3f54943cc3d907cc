"""`record`: write a trace as one HTML file that plays offline."""

from collections.abc import Callable
from typing import Any

import numpy as np

from noctule.files import File, write_whole
from noctule.flight.recording import Trace
from noctule.pictures.body_drawing import space_of
from noctule.viewer.camera import camera_for, set_initial_camera
from noctule.viewer.guarded_server import with_title
from noctule.viewer.page_base import close_server, open_server
from noctule.viewer.scene_view import SceneView

RATE = 20.0  # pictures per second
MAX_PICTURES = 6000  # five minutes


def record(trace: Trace, file: File, progress: Callable[[int, int], None] | None = None) -> int:
    """Write an .html page that plays a flight; return its number of pictures.

    `progress` is called with the number of pictures written and their total number.
    """
    server = open_server(None)
    try:
        set_initial_camera(
            server, camera_for("front", *space_of(trace.about), trace.about.get("up", "y"))
        )
        player = TracePlayer(server, trace)
        frames = pictures_of(trace)
        player.show(0)
        serializer = server.get_scene_serializer()
        for n, i in enumerate(frames.tolist()):
            with server.atomic():
                player.show(i)
            if n + 1 < len(frames):
                serializer.insert_sleep(float(trace.time[frames[n + 1]] - trace.time[i]))
            if progress is not None:
                progress(n + 1, len(frames))
        text = with_title(serializer.as_html(dark_mode=True))
    finally:
        close_server(server)
    write_whole(file, text.encode())
    return len(frames)


def pictures_of(trace: Trace) -> Any:
    """Return the frames of a trace to show; the last one is included."""
    if not len(trace.time):
        raise ValueError("the trace is empty: there is nothing to show")
    seconds = float(trace.time[-1] - trace.time[0])
    return _spread(len(trace.time), min(max(round(seconds * RATE) + 1, 1), MAX_PICTURES))


class TracePlayer:
    """Shows the frames of a trace, with a label for the time."""

    def __init__(self, server: Any, trace: Trace) -> None:
        self._trace = trace
        self._view = SceneView(server, trace.about)
        self._path: Any = None
        low, high = space_of(trace.about)
        self._label = server.scene.add_label(
            "/label", "", position=(low[0], low[1], high[2]), anchor="bottom-left"
        )
        if len(np.unique(trace.destination, axis=0)) > 1:
            points = trace.destination[_spread(len(trace.time), 200)]
            self._view.show_line("goal-path", points)

    def show(self, i: int) -> None:
        """Show frame `i`."""
        trace = self._trace
        self._view.show(trace.poses[i], trace.agent[i], trace.destination[i])
        if trace.paths[i] is not self._path:
            self._path = trace.paths[i]
            self._view.show_line("path", self._path)
        self._view.show_line("flown", trace.agent[_spread(i + 1, 300)])
        self._label.text = f"{trace.about['algorithm']}   {trace.time[i] - trace.time[0]:.1f} s"


def _spread(n: int, most: int) -> Any:
    """Return at most `most` of the first `n` frames, evenly spread, with the first and the last."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))

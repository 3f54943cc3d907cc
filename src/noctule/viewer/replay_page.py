"""`ReplayPage`: play a saved trace in the browser."""

import math
import threading
from typing import Any

from noctule.flight.recording import Trace
from noctule.pictures.body_drawing import space_of
from noctule.viewer.camera import ANGLES, camera_for, move_camera, set_initial_camera
from noctule.viewer.export_html import TracePlayer
from noctule.viewer.page_base import Loop, open_server, speed_of

SPEEDS = ("1/4", "1/2", "1", "2", "4")


class ReplayPage:
    """Plays a trace while its `loop` runs; pages may be opened and closed."""

    def __init__(self, trace: Trace, port: int | None = None) -> None:
        if not len(trace.time):
            raise ValueError("the trace is empty: there is nothing to show")
        self._trace = trace
        self.server = open_server(port)
        self.loop = Loop(self.server, self.update)
        self.paused, self.speed, self.frame = False, 1.0, 0
        self._now = 0.0  # seconds since the start of the trace
        self._lock = threading.Lock()
        set_initial_camera(
            self.server, camera_for("front", *space_of(trace.about), trace.about.get("up", "y"))
        )
        self._player = TracePlayer(self.server, trace)
        self._shown = -1
        self._add_controls()

    @property
    def length(self) -> float:
        """Duration of the flight in seconds."""
        return float(self._trace.time[-1] - self._trace.time[0])

    def _add_controls(self) -> None:
        gui, about = self.server.gui, self._trace.about
        gui.add_markdown(f"**{about['scene']}**, {about['algorithm']}, {self.length:.1f} s")
        self._button = gui.add_button("Pause")
        self._slider = gui.add_slider("Second", 0.0, math.ceil(10 * self.length + 1) / 10, 0.1, 0.0)
        speeds = gui.add_button_group("Speed", SPEEDS)
        views = gui.add_button_group("Camera", tuple(ANGLES))

        @self._button.on_click
        def _(_: Any) -> None:
            with self._lock:
                if self._now >= self.length:
                    self._now = 0.0
                self._set_paused(not self.paused)

        @self._slider.on_update
        def _(event: Any) -> None:
            if event.client is not None:
                with self._lock:
                    self._now = float(event.target.value)

        @speeds.on_click
        def _(event: Any) -> None:
            self.speed = speed_of(event.target.value)

        @views.on_click
        def _(event: Any) -> None:
            move_camera(
                event.client, camera_for(event.target.value, *space_of(about), about.get("up", "y"))
            )

    def _set_paused(self, paused: bool) -> None:
        self.paused = paused
        self._button.label = "Play" if paused else "Pause"

    def update(self, seconds: float) -> None:
        """Advance by `seconds` of real time and draw; do nothing while no page is open."""
        if not self.server.get_clients():
            return
        with self._lock:
            if not self.paused:
                self._now = min(self._now + seconds * self.speed, self.length)
                if self._now >= self.length:
                    self._set_paused(True)
            now = self._now
        times = self._trace.time
        self.frame = min(int(times.searchsorted(times[0] + now + 1e-9)), len(times) - 1)
        if self.frame != self._shown:
            self._shown = self.frame
            with self.server.atomic():
                self._player.show(self.frame)
                self._slider.value = round(now, 1)

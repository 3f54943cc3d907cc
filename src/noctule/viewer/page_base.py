"""Common parts of all pages: the server, and the `Loop` that updates a page."""

import contextlib
import io
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from noctule.viewer.guarded_server import start_server

UPDATES = 30  # per second
CLOSED_FOR = 5.0  # seconds without any page after which the loop ends; a reload is shorter


def require_viser() -> Any:
    """Import viser; the error names the missing extra."""
    try:
        import viser
    except ModuleNotFoundError as missing:
        message = "the viewer needs viser: pip install 'noctule[viewer]'"
        raise ModuleNotFoundError(message, name=missing.name) from None
    return viser


def open_server(port: int | None) -> Any:
    """Start a server for this machine only, on the given port or on a free one."""
    viser = require_viser()
    if port is not None:
        _check_port(port)
    with contextlib.redirect_stdout(io.StringIO()):  # viser prints the address; the command too
        server = start_server(viser, port or 0)
    server.gui.configure_theme(
        dark_mode=True, show_logo=False, show_share_button=False, control_width="medium"
    )
    server.gui.main_panel.dock_right()
    scene = server.scene
    scene.set_up_direction("+y")
    scene.configure_default_lights(enabled=False)
    scene.configure_environment_map(hdri=None)
    scene.add_light_ambient("/light/ambient", intensity=0.9)
    scene.add_light_directional("/light/sun", intensity=1.1, position=(-0.5, 0.8, 1.0))
    return server


def url_of(server: Any) -> str:
    """Return the address of a server's page."""
    return f"http://127.0.0.1:{server.get_port()}"


def close_server(server: Any) -> None:
    """End the server and its threads."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def _check_port(port: int) -> None:
    """Refuse a port in use: viser would silently take the next one."""
    if not 1 <= port <= 65535:
        raise ValueError(f"--port is {port}; expected a number from 1 to 65535")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as problem:
            reason = (problem.strerror or "not available").lower()
            raise ValueError(
                f"--port is {port}: {reason}; without --port, a free port is used"
            ) from None


class Loop:
    """Calls `update` with the seconds passed, in the thread of `run`, then closes the server."""

    def __init__(self, server: Any, update: Callable[[float], None]) -> None:
        self._server, self._update = server, update
        self._stop = threading.Event()
        self._seen_pages, self._alone_since = False, 0.0

    @property
    def url(self) -> str:
        """The address of the page."""
        return url_of(self._server)

    def run(self, end_with_page: bool = False) -> None:
        """Update until `stop`, or until the last page has been closed; then close the server."""
        try:
            last = time.perf_counter()
            while not self._stop.is_set() and not (end_with_page and self._is_left()):
                now = time.perf_counter()
                self._update(now - last)
                last = now
                self._stop.wait(max(0.0, now + 1 / UPDATES - time.perf_counter()))
        finally:
            close_server(self._server)

    def stop(self) -> None:
        """End `run`; may be called from any thread."""
        self._stop.set()

    def _is_left(self) -> bool:
        """Whether all pages have been closed for `CLOSED_FOR` seconds."""
        if self._server.get_clients():
            self._seen_pages, self._alone_since = True, time.monotonic()
        return self._seen_pages and time.monotonic() - self._alone_since > CLOSED_FOR


def speed_of(text: str) -> float:
    """Parse a speed like "2" or "1/4"."""
    over, _, under = text.partition("/")
    return float(over) / float(under or 1)

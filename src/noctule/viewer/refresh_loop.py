"""`Loop`: keeps a page up to date until nobody needs it any more."""

import threading
import time
from collections.abc import Callable
from typing import Any

from noctule.viewer.page_base import close_server

UPDATES = 30  # a second
CLOSED_FOR = 5.0  # seconds without any page until all ends: one may load a page again


class Loop:
    """Calls `update` with the seconds that have passed, while somebody looks.

    Parameters
    ----------
    server : viser.ViserServer
        What serves the page; the loop closes it.
    update : function
        Called many times a second, always in the thread of `run`.
    """

    def __init__(self, server: Any, update: Callable[[float], None]) -> None:
        self._server, self._update = server, update
        self._stop = threading.Event()
        self._seen_pages, self._alone_since = False, 0.0

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self._server.get_port()}"

    def run(self, end_with_page: bool = False) -> None:
        """Go on until `stop`, or until the last page has been closed; then close the server."""
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
        """Let `run` return; from any thread."""
        self._stop.set()

    def _is_left(self) -> bool:
        """Whether there was a page, and there has been none for a while."""
        if self._server.get_clients():
            self._seen_pages, self._alone_since = True, time.monotonic()
        return self._seen_pages and time.monotonic() - self._alone_since > CLOSED_FOR


def speed_of(text: str) -> float:
    """A speed like 2 or 1/4."""
    over, _, under = text.partition("/")
    return float(over) / float(under or 1)

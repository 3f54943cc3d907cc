"""Progress of compilation on a page."""

from typing import Any


class PreparationPage:
    """A progress bar on the page of a server, shown until `close`."""

    def __init__(self, server: Any) -> None:
        self._text = server.gui.add_markdown("**Preparing the flight**")
        self._bar = server.gui.add_progress_bar(0.0, animated=True)

    def report(self, ready: int, total: int, left: float | None) -> None:
        """Show the number of ready kernels and the time left (seconds)."""
        about = "" if left is None else f", about {left:.0f} s left"
        text = f"**Preparing Noctule (once)**: {ready} of {total}{about}"
        self._text.content = text if ready < total else "**Preparing the flight**"
        self._bar.value = 100.0 * ready / total

    def close(self) -> None:
        """Remove the progress bar."""
        self._text.remove()
        self._bar.remove()

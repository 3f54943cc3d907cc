"""One line on the terminal that says how far a preparation is."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

EVERY = 5.0  # seconds between two lines where output is not a terminal

_shown = 0.0  # when a line was last written
_compiled = 0
_depth = 0


def show(text: str) -> None:
    """Write a line to the standard error: over the last one on a terminal, else now and then."""
    global _shown
    if sys.stderr is None:
        return
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
    elif time.monotonic() - _shown >= EVERY:
        sys.stderr.write(f"{text}\n")
        _shown = time.monotonic()
    sys.stderr.flush()


def clear() -> None:
    """Remove the line from the terminal."""
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


@contextmanager
def compiling() -> Iterator[None]:
    """Show that a kernel is being compiled because a call needs it."""
    global _compiled, _depth
    _depth += 1
    if _depth == 1 and not quiet:
        show(f"Preparing Noctule (once): compiling kernel {_compiled + 1}")
    try:
        yield
    finally:
        _depth -= 1
        _compiled += 1
        if _depth == 0 and not quiet:
            clear()


quiet = False  # while something else shows the progress

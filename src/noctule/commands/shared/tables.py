"""How the commands print: tables for people, JSON for programs.

Rich is imported here, when something is printed with it: JSON needs none of it.
"""

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path as File
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table
    from rich.text import Text

    from noctule.path import Path

Value = TypeVar("Value")


def console(stderr: bool = False) -> "Console":
    """Return the console for results."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def notes() -> "Console":
    """Return the console for progress and remarks: stderr, so that results can be piped."""
    return console(stderr=True)


def styled(text: str, style: str = "") -> "Text":
    """Return a text in a colour, or bold."""
    from rich.text import Text

    return Text(text, style)


@contextmanager
def stoppable(done: Callable[[], str]) -> Iterator[None]:
    """Let Ctrl-C say what has been done and kept, unless something within does."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(*(stop.args or [done()])) from None


def tracked(values: Iterable[Value], total: int, doing: str) -> Iterator[Value]:
    """Yield the values; on a terminal, show how many of them there have been."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield from values
        return
    with progress_bar() as bar:
        yield from bar.track(values, total, description=doing)


def progress_bar() -> "Progress":
    """Return a progress bar that vanishes at the end."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=notes(),
        transient=True,
        disable=not notes().is_terminal,
    )


def print_json(value: Any) -> None:
    """Print one line of valid JSON; numbers that are not finite become null."""
    print(json.dumps(_finite(value), allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_note(text: str, quiet: bool) -> None:
    """Print a line after the results, unless quiet."""
    if not quiet:
        console().print(f"\n{text}", soft_wrap=True)


def save_picture(
    draw: Callable[[File], None], file: File | None, default: str | None, quiet: bool
) -> None:
    """Draw into `file`, or else into `default`: only then may matplotlib or the folder fail."""
    if file is None and default is None:
        return
    target = file or File(default or "")
    try:
        draw(target)
    except (ModuleNotFoundError, OSError) as problem:
        if file is not None:
            raise
        print_note(f"No picture: {problem}", quiet)
    else:
        print_note(f"Picture saved: {target}", quiet)


def facts(rows: "Iterable[tuple[str, str | Text]]") -> "Table":
    """Return a table of names and values, one pair a line."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, value)
    return table


def columns(*names: str, left: int = 1) -> "Table":
    """Return an empty table; all columns but the first `left` are for numbers."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, header_style="bold")
    for i, name in enumerate(names):
        table.add_column(name, justify="left" if i < left else "right", overflow="fold")
    return table


def milliseconds(seconds: float) -> str:
    """Return a duration with about three digits."""
    ms = 1e3 * seconds
    return f"{ms:,.0f}" if ms >= 100 else f"{ms:.1f}" if ms >= 10 else f"{ms:.2f}"


def length(path: "Path", unit: str = "") -> str:
    """Return the length of a path with its unit, if there is a path."""
    return f"{path.length:.4f} {unit}".rstrip() if len(path.points) else "-"


def verdict(verified: bool | None) -> "Text":
    """Return yes or no; a dash where there is nothing to prove."""
    if verified is None:
        return styled("-")
    return styled("yes", "green") if verified else styled("NO", "bold red")

"""How the commands print: tables for people, JSON for programs."""

import json
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from noctule.path import Path


def console() -> Console:
    """Where results go."""
    return Console(highlight=False, markup=False, emoji=False)


def notes() -> Console:
    """Where progress and remarks go, so that results can be piped on their own."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def print_json(value: Any) -> None:
    """Print one line of valid JSON; numbers that are not finite become null."""
    console().out(json.dumps(finite(value), allow_nan=False), highlight=False)


def finite(value: Any) -> Any:
    """The same value with None for what JSON has no number for."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def facts(rows: Iterable[tuple[str, str | Text]]) -> Table:
    """A table of names and values, one pair a line."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, value)
    return table


def columns(*names: str, left: int = 1) -> Table:
    """An empty table with headings; all columns but the first `left` are for numbers."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, header_style="bold")
    for i, name in enumerate(names):
        table.add_column(name, justify="left" if i < left else "right", overflow="fold")
    return table


def milliseconds(seconds: float) -> str:
    """A duration with about three digits."""
    ms = 1e3 * seconds
    return f"{ms:,.0f}" if ms >= 100 else f"{ms:.1f}" if ms >= 10 else f"{ms:.2f}"


def length(path: "Path") -> str:
    """The length of a path, if there is one."""
    return f"{path.length:.4f}" if len(path.points) else "-"


def marked(text: str, best: bool) -> Text:
    """A number, with a star if it is the best of its column."""
    return Text(f"{text}*", "green") if best else Text(f"{text} ")


def verdict(verified: bool | None) -> Text:
    """Yes or no; a dash where there is nothing to prove."""
    if verified is None:
        return Text("-")
    return Text("yes", "green") if verified else Text("NO", "bold red")

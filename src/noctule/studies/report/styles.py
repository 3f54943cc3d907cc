"""Styles of algorithms (distinguishable in grey) and of axes in all plots."""

import colorsys
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from noctule.pictures import require_matplotlib
from noctule.studies.analysis.measures import MEASURES
from noctule.studies.analysis.summaries import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Style(NamedTuple):
    """Style of an algorithm."""

    colour: str
    marker: str
    hatch: str
    line: str


INK, FAINT = "#1f2937", "#9ca3af"

STYLES = {
    "dijkstra": Style("#6b7280", "x", "", ":"),
    "a*": Style("#12304f", "o", "", "-"),
    "jps": Style("#4f86c6", "s", "//", "--"),
    "theta*": Style("#c8364b", "^", "", "-"),
    "theta*-fast": Style("#ef8f9c", "v", "\\\\", "--"),
    "lazy-theta*": Style("#efb13a", "D", "..", "-."),
    "taut": Style("#2a9d8f", "H", "--", "-"),
    "visibility": Style("#8d99ae", "+", "", ":"),
    "ara*": Style("#7a4f9a", "P", "xx", "--"),
    "d*": Style("#5f7f4f", "<", "--", ":"),
    "d*-lite": Style("#65a30d", "v", "", "-"),
    "field-d*": Style("#9dbb75", ">", "||", "-."),
    "ad*": Style("#b79ad0", "X", "oo", ":"),
    "basic-mt-d*-lite": Style("#8fd0b0", "<", "//", "--"),
    "mt-d*-lite": Style("#0f766e", ">", "", "-"),
    "aamt-d*-lite": Style("#d97706", "p", "", "-"),
    "aamt-d*-lite-fast": Style("#f6c453", "h", "\\\\", "--"),
    "safe-intervals": Style("#111111", "*", "**", "-."),
    "ap-theta*": Style("#7f1d1d", "d", "++", ":"),
}
MARKERS, HATCHES, LINES = "o^vs<>DPXph*", ("", "//", "xx", "..", "||", "++"), ("-", "--", "-.", ":")


def style_of(algorithm: str) -> Style:
    """Return the style of an algorithm; that of one from another package follows from its name.

    >>> style_of("greedy") == style_of("greedy") != style_of("breadth-first")
    True
    """
    return STYLES.get(algorithm) or _style_by_name(algorithm)


def _style_by_name(name: str) -> Style:
    """Return a style drawn by a hash of the name; its colour is neither pale nor dark."""
    hue, lightness, saturation, *rest = hashlib.sha256(name.encode()).digest()
    parts = colorsys.hls_to_rgb(hue / 256, 0.35 + lightness / 1024, 0.45 + saturation / 768)
    colour = "#" + "".join(f"{round(255 * part):02x}" for part in parts)
    marker, hatch, line = (
        kinds[byte % len(kinds)]
        for kinds, byte in zip((MARKERS, HATCHES, LINES), rest[:3], strict=True)
    )
    return Style(colour, marker, hatch, line)


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure of this size in inches."""
    figure: Figure = require_matplotlib()(figsize=(width, height), layout="constrained")
    return figure


def short_labels(chosen: Sequence[Summary]) -> list[str]:
    """Return the labels without the comma-separated parts that all of them share."""
    parts = [one.label.split(", ") for one in chosen]
    shared = set(parts[0]).intersection(*parts) if len(parts) > 1 else set()
    return [", ".join(p for p in part if p not in shared) or ", ".join(part) for part in parts]


def name_axis(axis: Any, measure: str) -> None:
    """Label an axis with its measure and unit."""
    about = MEASURES[measure]
    unit = "%" if about.rate else about.unit
    axis.set_label_text(f"{about.title}, {unit}" if unit else about.title, color=INK, fontsize=9.5)


def few_ticks(axis: Any) -> None:
    """Use at most five ticks along an axis, with large numbers as in 1.5 M."""
    axis.get_major_locator().set_params(nbins=5)
    axis.set_major_formatter(lambda value, _: _short(value))


def _short(value: float) -> str:
    for unit, sign in ((1e6, " M"), (1e3, " k")):
        if abs(value) >= 10 * unit or (abs(value) >= unit and unit == 1e6):
            return f"{value / unit:g}{sign}"
    return f"{value:g}"


def style_axes(axes: "Axes", grid: Any) -> None:
    """Set faint grid lines, spines and ticks."""
    axes.grid(axis=grid, color=FAINT, alpha=0.3, lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(FAINT)
    axes.tick_params(colors=FAINT, labelcolor=INK, labelsize=8.5)

"""Styles of axes in all plots of studies."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from noctule.pictures import require_matplotlib
from noctule.pictures.styles import FAINT, INK
from noctule.studies.analysis.measures import MEASURES
from noctule.studies.analysis.summaries import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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

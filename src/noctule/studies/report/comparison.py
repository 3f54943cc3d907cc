"""`comparison_picture`: means of algorithms with their confidence intervals, side by side."""

import os
from collections.abc import Sequence
from typing import Any

from noctule.pictures.figures import INK, require_matplotlib, save_figure
from noctule.pictures.styles import FAINT, style_of

PANELS = (
    ("milliseconds", "ms per query", True),
    ("expanded", "nodes expanded per query", True),
    ("ratio", "length / published", False),
)


def comparison_picture(
    summaries: Sequence[dict[str, Any]], file: str | os.PathLike[str], title: str
) -> None:
    """Draw a row for each algorithm: its means and their 95 % intervals."""
    new_figure = require_matplotlib()
    from matplotlib.ticker import LogLocator, NullFormatter

    height = 1.5 + 0.34 * len(summaries)
    figure = new_figure(figsize=(11.0, height), layout="constrained")
    panels = figure.subplots(1, len(PANELS), sharey=True)
    for axes, (measure, name, logarithmic) in zip(panels, PANELS, strict=True):
        for place, one in enumerate(summaries):
            _mark(axes, place, one[measure], style_of(one["algorithm"]))
        if logarithmic:
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=8))
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel(name, color=INK, fontsize=9.5)
        axes.grid(axis="x", color=FAINT, alpha=0.3, lw=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(FAINT)
        axes.tick_params(colors=FAINT, labelcolor=INK, labelsize=8.5)
        axes.margins(x=0.12)
    panels[0].set_yticks(range(len(summaries)), [one["algorithm"] for one in summaries])
    panels[0].invert_yaxis()
    figure.suptitle(title, color=INK, fontsize=12)
    save_figure(figure, file)


def _mark(axes: Any, place: int, values: dict[str, float | None], style: Any) -> None:
    if values["mean"] is None:
        return
    if values["low"] is not None and values["high"] is not None:
        axes.plot([values["low"], values["high"]], [place, place], color=INK, lw=1.2, marker="|")
    axes.plot(values["mean"], place, color=style.colour, marker=style.marker, ms=8)
    text = f"{values['mean']:.3g}" if values["mean"] >= 100 else f"{values['mean']:.4g}"
    at = (max(values["mean"], values["high"] or 0.0), place)
    axes.annotate(text, at, (8, 0), textcoords="offset points", va="center", fontsize=8, color=INK)

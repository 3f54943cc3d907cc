"""`draw`: save the plots of a study as PNG and SVG."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from noctule.files import replacing
from noctule.pictures.styles import INK, style_of
from noctule.studies.analysis.claims import matches
from noctule.studies.analysis.summaries import Summary
from noctule.studies.definition import Study
from noctule.studies.report.bar_chart import bars
from noctule.studies.report.bubble_chart import bubbles
from noctule.studies.report.styles import (
    name_axis,
    new_figure,
    short_labels,
    style_axes,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_POINTS = 2000  # points per series in a scatter plot; more are subsampled
MAX_STEPS = 400  # points per line along frames; more frames are averaged


def draw(study: Study, summaries: Sequence[Summary], folder: Path) -> list[str]:
    """Save all plots of a study and return their names without suffix."""
    import matplotlib

    names = []
    # SVG files contain text as text, and are reproducible.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": study.name}):
        for number, plot in enumerate(study.plots, 1):
            patterns = plot.get("series", ["%"])
            chosen = [s for s in summaries if any(matches(s.label, p) for p in patterns)]
            figure = PLOT_KINDS[plot["kind"]](study, plot, chosen)
            if figure is None:
                continue
            figure.suptitle(plot.get("title", study.title), color=INK, fontsize=12)
            name = f"plot-{number}-{plot['kind']}"
            with replacing(folder / f"{name}.png") as file:
                figure.savefig(file, dpi=150, facecolor="white")
            with replacing(folder / f"{name}.svg") as file:
                figure.savefig(file, facecolor="white", metadata={"Date": None})
            names.append(name)
    return names


def _lines(study: Study, plot: dict[str, Any], chosen: list[Summary]) -> "Figure | None":
    """Draw one panel per measure, with a setting along x and one line per algorithm."""
    x, measures = plot["x"], plot["measures"]
    lines: dict[str, list[Summary]] = {}
    for one in chosen:
        rest = [str(one.settings[key]) for key in ("algorithm", "smooth") if key in one.settings]
        if x in one.settings:
            lines.setdefault(" + ".join(rest), []).append(one)
    if not lines:
        return None
    figure = new_figure(3.9 * len(measures), 3.7)
    panels = figure.subplots(1, len(measures), squeeze=False)[0]
    for axes, measure in zip(panels, measures, strict=True):
        for number, (name, points) in enumerate(lines.items()):
            style = style_of(points[0].algorithm)
            dashes = style.line if "smooth" not in points[0].settings else (0, (1, 1 + number))
            at = [one.settings[x] for one in points]
            means = [one.number(measure) for one in points]
            axes.plot(
                at, means, color=style.colour, ls=dashes, marker=style.marker, ms=5, label=name
            )
            lows, highs = zip(*(one.interval(measure) for one in points), strict=True)
            if None not in lows:
                axes.fill_between(at, lows, highs, color=style.colour, alpha=0.15, lw=0)
        axes.set_xlabel("blocked cells, %" if x == "percent" else x, color=INK)
        name_axis(axes.yaxis, measure)
        if plot.get("log"):
            axes.set_yscale("log")
        style_axes(axes, "y")
    _add_legend(figure, min(len(lines), 5))
    return figure


def _frames(study: Study, plot: dict[str, Any], chosen: list[Summary]) -> "Figure | None":
    """Draw the first run of each series over its frames, one panel per measure."""
    measures = plot["measures"]
    chosen = [one for one in chosen if measures[0] in one.values]
    if not chosen:
        return None
    figure = new_figure(8.6, 0.9 + 2.5 * len(measures))
    longest = max(len(one.values[measures[0]][0]) for one in chosen)
    together = -(-longest // MAX_STEPS)
    panels = figure.subplots(len(measures), sharex=True, squeeze=False)[:, 0]
    for axes, measure in zip(panels, measures, strict=True):
        for one, name in zip(chosen, short_labels(chosen), strict=True):
            values = np.array(one.values[measure][0], np.float64)
            at = np.arange(0, len(values), together)
            style = style_of(one.algorithm)
            back = one.settings.get("direction") == "backwards"
            axes.plot(
                at, [values[i : i + together].mean() for i in at], color=style.colour, lw=1.3,
                ls=":" if back else style.line, marker=style.marker, ms=4,
                markevery=max(1, len(at) // 9), label=name,
            )  # fmt: skip
            if together > 1:
                most = [values[i : i + together].max() for i in at]
                axes.plot(
                    at, most, ls="", marker=style.marker, ms=2.5, alpha=0.5, color=style.colour
                )
        name_axis(axes.yaxis, measure)
        if plot.get("log"):
            axes.set_yscale("symlog", linthresh=1.0 if measure.endswith("ms") else 10.0)
            axes.set_ylim(bottom=0)
        style_axes(axes, "y")
    note = f"; lines: means of {together} frames, marks: maxima" if together > 1 else ""
    axes.set_xlabel(f"frame of the first run{note}", color=INK)
    _add_legend(figure)
    return figure


def _scatter(study: Study, plot: dict[str, Any], chosen: list[Summary]) -> "Figure | None":
    """Draw one point per plan of all runs."""
    x, y = plot["x"], plot["y"]
    chosen = [one for one in chosen if x in one.values and y in one.values]
    if not chosen:
        return None
    figure = new_figure(7.2, 4.6)
    axes = figure.subplots()
    for one, name in zip(chosen, short_labels(chosen), strict=True):
        xs, ys = (
            np.concatenate([np.asarray(run, np.float64) for run in one.values[k]]) for k in (x, y)
        )
        shown = np.arange(0, min(len(xs), len(ys)), max(1, len(xs) // MAX_POINTS))
        style = style_of(one.algorithm)
        axes.plot(xs[shown], ys[shown], ls="", marker=style.marker, ms=3.5, alpha=0.6,
                  color=style.colour, label=name)  # fmt: skip
    name_axis(axes.xaxis, x)
    name_axis(axes.yaxis, y)
    if plot.get("log"):
        axes.set_xscale("log")
        axes.set_yscale("log")
    style_axes(axes, "both")
    _add_legend(figure)
    return figure


def _add_legend(figure: "Figure", columns: int = 3) -> None:
    labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(*labels, loc="outside lower center", ncols=columns, frameon=False, fontsize=9)


PLOT_KINDS: dict[str, Any] = {
    "bars": bars,
    "lines": _lines,
    "frames": _frames,
    "bubbles": bubbles,
    "scatter": _scatter,
}

"""`bars`: one panel per measure, one bar per series."""

from typing import TYPE_CHECKING, Any

from noctule.pictures.styles import FAINT, INK, style_of
from noctule.studies.analysis.measures import MEASURES, format_value
from noctule.studies.analysis.summaries import Summary
from noctule.studies.definition import Study
from noctule.studies.report.styles import (
    few_ticks,
    name_axis,
    new_figure,
    short_labels,
    style_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PUBLISHED: dict[str, Any] = {  # style of published values
    "color": "white",
    "edgecolors": "#b91c1c",
    "marker": "D",
    "s": 34,
    "linewidths": 1.6,
}


def bars(study: Study, plot: dict[str, Any], chosen: list[Summary]) -> "Figure | None":
    """Draw a bar with its interval per series; a marker on a logarithmic axis."""
    measures = [m for m in plot["measures"] if any(m in one.numbers for one in chosen)]
    if not measures:
        return None
    figure = new_figure(2.3 + 3.1 * len(measures), 1.5 + 0.36 * len(chosen))
    panels = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
    for axes, measure in zip(panels, measures, strict=True):
        for place, one in enumerate(chosen):
            _bar(axes, study, measure, place, one, bool(plot.get("log")))
        name_axis(axes.xaxis, measure)
        if MEASURES[measure].rate:
            axes.set_xticks(range(0, 101, 20))
            axes.set_xlim(0, 175)
        elif plot.get("log"):
            axes.set_xscale("log")
            axes.grid(axis="y", color=FAINT, alpha=0.3, lw=0.6)
            axes.set_xlim(right=14 * axes.get_xlim()[1])
        else:
            axes.set_xlim(0, 1.45 * axes.get_xlim()[1])
            few_ticks(axes.xaxis)
        style_axes(axes, "x")
    panels[0].set_yticks(range(len(chosen)), short_labels(chosen))
    panels[0].invert_yaxis()
    if any(_published(study, one.label, m) is not None for one in chosen for m in measures):
        panels[-1].scatter([], [], label="published, also in brackets", **PUBLISHED)
        figure.legend(loc="outside lower right", frameon=False, fontsize=9)
    return figure


def _bar(axes: "Axes", study: Study, measure: str, place: int, one: Summary, log: bool) -> None:
    value = one.number(measure)
    if value is None:
        axes.annotate("  not measured", (0, place), color=FAINT, va="center", fontsize=8,
                      annotation_clip=False)  # fmt: skip
        return
    scale = 100.0 if MEASURES[measure].rate else 1.0
    style = style_of(one.algorithm)
    if log:  # a bar has no origin on a logarithmic axis
        axes.plot(scale * value, place, color=style.colour, marker=style.marker, ms=9)
    else:
        axes.barh(place, scale * value, 0.68, color=style.colour, hatch=style.hatch,
                  edgecolor="white")  # fmt: skip
    low, high = one.interval(measure)
    end, text = value, format_value(measure, value)
    if low is not None and high is not None and high > low:
        ends = [scale * low, scale * high], [place, place]
        if not log:
            axes.plot(*ends, color="white", lw=3.5, marker="|", ms=8, mew=3.5)
        axes.plot(*ends, color=INK, lw=1.2, marker="|", ms=6)
        end = max(value, high)
    published = _published(study, one.label, measure)
    if published is not None:
        axes.scatter(scale * published, place, zorder=3, **PUBLISHED)
        end = max(end, published)
        text += f" ({format_value(measure, published)})"
    axes.annotate(
        text, (scale * end, place), (9, 0), textcoords="offset points",
        va="center", fontsize=8, color=INK,
    )  # fmt: skip


def _published(study: Study, label: str, measure: str) -> float | None:
    for entry in study.published:
        plain = "to" not in entry and entry.get("statistic", "mean") == "mean"
        if plain and entry["series"] == label and entry["measure"] == measure:
            return float(entry["value"])
    return None

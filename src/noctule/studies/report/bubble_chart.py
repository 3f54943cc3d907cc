"""`bubbles`: one circle per series; two measures give its position, one its size."""

from typing import TYPE_CHECKING, Any

import numpy as np

from noctule.pictures.styles import FAINT, INK, style_of
from noctule.studies.analysis.measures import MEASURES, format_value
from noctule.studies.analysis.summaries import Summary
from noctule.studies.definition import Study
from noctule.studies.report.styles import (
    name_axis,
    new_figure,
    short_labels,
    style_axes,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FONT = 8.0
LETTER, LINE = 0.58 * FONT, 1.25 * FONT  # points; approximate width of a letter, height of a line
MIN_AREA, MAX_AREA = 220.0, 2120.0  # areas of circles, in square points


def bubbles(study: Study, plot: dict[str, Any], chosen: list[Summary]) -> "Figure | None":
    """Draw one circle per series."""
    keys = [plot["x"], plot["y"], plot["size"]]
    rows: list[tuple[Summary, list[Any]]]
    rows = [(one, [one.number(key) for key in keys]) for one in chosen]
    known = [(one, row) for one, row in rows if None not in row]
    if not known:
        return None
    figure = new_figure(7.2, 5.2)
    axes = figure.subplots()
    sizes = np.array([row[2] for _, row in known], np.float64)
    low, high = float(sizes.min()), float(sizes.max())
    areas = MIN_AREA + (MAX_AREA - MIN_AREA) * (sizes - low) / (high - low if high > low else 1.0)
    for (one, row), area in zip(known, areas, strict=True):
        colour = style_of(one.algorithm).colour
        axes.scatter(row[0], row[1], area, color=colour, alpha=0.55, edgecolors=INK, lw=0.8)
    axes.margins(0.22)
    texts = [
        f"{name}\n{format_value(keys[2], row[2])} {MEASURES[keys[2]].unit}"
        for name, (_, row) in zip(short_labels([one for one, _ in known]), known, strict=True)
    ]
    middles = axes.transData.transform([row[:2] for _, row in known]) * 72 / figure.dpi
    places = free_places(middles, np.sqrt(areas / np.pi), texts)
    for (_, row), text, place in zip(known, texts, places, strict=True):
        axes.annotate(text, (row[0], row[1]), tuple(place), textcoords="offset points",
                      ha="center", va="center", fontsize=FONT, color=INK)  # fmt: skip
    name_axis(axes.xaxis, keys[0])
    name_axis(axes.yaxis, keys[1])
    axes.set_title(f"size: {MEASURES[keys[2]].title}, from {format_value(keys[2], low)} to "
                   f"{format_value(keys[2], high)}", fontsize=9, color=FAINT)  # fmt: skip
    style_axes(axes, "both")
    return figure


def free_places(middles: Any, radii: Any, texts: list[str]) -> list[Any]:
    """Return the offset (points) of each text from its circle that gives the least overlap."""
    circles = [(middle, np.full(2, radius)) for middle, radius in zip(middles, radii, strict=True)]
    written_at: list[tuple[Any, Any]] = []
    places = []
    for (middle, radius), text in zip(circles, texts, strict=True):
        lines = text.split("\n")
        half = np.array([LETTER * max(map(len, lines)), LINE * len(lines)]) / 2
        away = radius + half + 2
        sides = [away * side for side in ((0, 1), (0, -1), (1, 0), (-1, 0))]
        costs = [
            sum(_shared(middle + side, half, *other) for other in (*written_at, *circles))
            for side in sides
        ]
        best = sides[int(np.argmin(costs))]
        written_at.append((middle + best, half))
        places.append(best)
    return places


def _shared(a: Any, half_a: Any, b: Any, half_b: Any) -> float:
    """Return the area of the intersection of two boxes."""
    return float(np.prod(np.clip(half_a + half_b - np.abs(a - b), 0, None)))

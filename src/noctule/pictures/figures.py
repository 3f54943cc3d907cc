"""Figures of matplotlib: import the class, axes side by side, save a figure."""

import math
import zlib
from collections.abc import Sequence
from typing import Any

from noctule.files import File, replacing

DPI = 120
INK = "#1f2937"

# Inches around the views: for labels on the left, titles above, labels of x and a row of the legend
# below. A layout that matplotlib computes takes a quarter of the time of drawing.
LEFT, RIGHT, GAP, TOP, BOTTOM, ROW = 0.65, 0.15, 0.3, 0.6, 0.6, 0.25


def require_matplotlib() -> Any:
    """Return matplotlib's `Figure`; the error names the missing extra."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as missing:
        message = "pictures need matplotlib: pip install 'noctule[plot]'"
        raise ModuleNotFoundError(message, name=missing.name) from None
    return Figure


def views_in_a_row(
    widths: Sequence[float],
    height: float,
    title: str | None,
    rows: int,
    least: float,
    ticks: bool = True,
) -> tuple[Any, list[Any]]:
    """Return a figure and its axes, of these widths and this height in inches.

    Parameters
    ----------
    widths, height : float
        Of the axes.
    title : str, optional
        A line above them.
    rows : int
        How many rows the legend has, below them.
    least : float
        The least width of the figure; the axes are in its middle.
    ticks : bool
        Whether the axes have ticks and names.
    """
    bottom = BOTTOM if ticks else RIGHT
    width = LEFT + sum(widths) + GAP * (len(widths) - 1) + RIGHT
    left, width = LEFT + max(least - width, 0.0) / 2, max(width, least)
    low, whole = bottom + ROW * rows, TOP + height + bottom + ROW * rows
    figure, axes = require_matplotlib()(figsize=(width, whole)), []
    for wide in widths:
        axes.append(figure.add_axes((left / width, low / whole, wide / width, height / whole)))
        left += wide + GAP
    if title:
        figure.suptitle(title, y=1 - 0.1 / whole, va="top", color=INK, fontsize=13)
    return figure, axes


def legend_rows(texts: Sequence[str], width: float) -> tuple[int, int]:
    """Return the rows and columns of a legend with these texts in a figure of this width."""
    widest = 0.55 + 0.085 * max((len(text) for text in texts), default=0)
    columns = min(max(int(width / widest), 1), len(texts))
    return math.ceil(len(texts) / columns), columns


def save_figure(figure: Any, file: File) -> None:
    """Save a figure on white; the suffix selects the format.

    `savefig` draws a figure with a constrained layout twice. A .png needs only one pass.
    """
    figure.set(dpi=DPI, facecolor="white")
    with replacing(file) as half:
        if half.suffix.lower() == ".png":
            from matplotlib.backends.backend_agg import FigureCanvasAgg

            # Compressed in half the time, and a few per cent larger.
            FigureCanvasAgg(figure).print_png(half, pil_kwargs={"compress_type": zlib.Z_RLE})
        else:
            figure.savefig(half)

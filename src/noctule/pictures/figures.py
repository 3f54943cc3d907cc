"""Figures of matplotlib: their class, and saving one."""

import os
from pathlib import Path as File
from typing import Any

DPI = 120


def require_matplotlib() -> Any:
    """Return matplotlib's class of figures; the error names the extra to install."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as missing:
        message = "pictures need matplotlib: pip install 'noctule[plot]'"
        raise ModuleNotFoundError(message, name=missing.name) from None
    return Figure


def save_figure(figure: Any, file: str | os.PathLike[str]) -> None:
    """Save a figure on white; the suffix decides the format.

    `savefig` draws a figure with a constrained layout twice. Once will do for a .png: it is laid
    out as it is drawn.
    """
    figure.set(dpi=DPI, facecolor="white")
    if File(file).suffix.lower() == ".png":
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        FigureCanvasAgg(figure).print_png(file)
    else:
        figure.savefig(file)

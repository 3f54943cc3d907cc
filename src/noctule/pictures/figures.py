"""Figures of matplotlib: their class, and saving one."""

from typing import Any

from noctule.files import File, replacing

DPI = 120


def require_matplotlib() -> Any:
    """Return matplotlib's class of figures; the error names the extra to install."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as missing:
        message = "pictures need matplotlib: pip install 'noctule[plot]'"
        raise ModuleNotFoundError(message, name=missing.name) from None
    return Figure


def save_figure(figure: Any, file: File) -> None:
    """Save a figure on white; the suffix decides the format.

    `savefig` draws a figure with a constrained layout twice. Once will do for a .png: it is laid
    out as it is drawn.
    """
    figure.set(dpi=DPI, facecolor="white")
    with replacing(file) as half:
        if half.suffix.lower() == ".png":
            from matplotlib.backends.backend_agg import FigureCanvasAgg

            FigureCanvasAgg(figure).print_png(half)
        else:
            figure.savefig(half)

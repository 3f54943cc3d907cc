"""Figures of matplotlib: import the class, save a figure."""

from typing import Any

from noctule.files import File, replacing

DPI = 120


def require_matplotlib() -> Any:
    """Return matplotlib's `Figure`; the error names the missing extra."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as missing:
        message = "pictures need matplotlib: pip install 'noctule[plot]'"
        raise ModuleNotFoundError(message, name=missing.name) from None
    return Figure


def save_figure(figure: Any, file: File) -> None:
    """Save a figure on white; the suffix selects the format.

    `savefig` draws a figure with a constrained layout twice. A .png needs only one pass.
    """
    figure.set(dpi=DPI, facecolor="white")
    with replacing(file) as half:
        if half.suffix.lower() == ".png":
            from matplotlib.backends.backend_agg import FigureCanvasAgg

            FigureCanvasAgg(figure).print_png(half)
        else:
            figure.savefig(half)

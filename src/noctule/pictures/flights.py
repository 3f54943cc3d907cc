"""`flight_picture`: draw a flight through a scene, from the front and at an angle."""

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noctule.flight.recording import Trace
from noctule.pictures.body_drawing import (
    COLOURS,
    draw_bodies,
    in_world,
    opacity_of,
    rgb,
    space_of,
)
from noctule.pictures.figures import INK, require_matplotlib, save_figure, views_in_a_row
from noctule.pictures.maps import FAINT
from noctule.pictures.rendering import FINER, Canvas, view_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_WIDTH = 9.0  # inches
PIXELS = 1000  # width of the angled view
FLOWN, PLANNED, GOAL = "#8250df", "#e36209", "#1f2937"


def flight_picture(
    trace: Trace, file: str | os.PathLike[str], title: str | None = None, outcome: str = ""
) -> None:
    """Draw the bodies at the start, the flown path, and the first planned path.

    Parameters
    ----------
    trace : Trace
        A recorded flight.
    file : path
        Output file; the suffix selects the format: .png, .pdf, .svg ...
    title, outcome : str, optional
        Title of the picture, and the result of the flight.
    """
    require_matplotlib()
    low, high = space_of(trace.about)
    view = view_of(low, high, PIXELS)
    widths = [float((high - low)[0] / (high - low)[1]), view.size[0] / view.size[1]]
    tall = min(14.0 / sum(widths), 8.0)
    figure, views = views_in_a_row([w * tall for w in widths], tall, title, 1, LEAST_WIDTH)
    axes, angled = views
    _angled(angled, trace, Canvas(view, (1.0, 1.0, 1.0)))
    _bodies(axes, trace)
    _lines(axes, trace)
    axes.set_aspect("equal")
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel="x", ylabel="y")
    axes.tick_params(colors=FAINT, labelcolor=INK, labelsize=9)
    axes.spines[:].set_color(FAINT)
    front = f"from the front: {outcome}" if outcome else "from the front"
    for part, name in ((axes, front), (angled, "at an angle")):
        part.set_title(name, color=FAINT, fontsize=10)
    figure.legend(*axes.get_legend_handles_labels(), loc="lower center", ncols=5, frameon=False)
    save_figure(figure, file)


def _bodies(axes: "Axes", trace: Trace) -> None:
    """Draw the bodies from the front, the nearest (largest z) last."""
    from matplotlib.patches import Circle, Polygon

    order = np.argsort(trace.poses[0, :, 2], kind="stable")
    for b in order.tolist():
        body, pose = trace.about["bodies"][b], trace.poses[0, b]
        if not pose[7]:
            continue
        colour = rgb(COLOURS.get(body["colour"], body["colour"]))
        style: dict[str, Any] = {"facecolor": colour, "edgecolor": "#6b7280", "linewidth": 0.5}
        style["alpha"] = 0.9 * opacity_of(body)
        if body["radius"] > 0:
            axes.add_patch(Circle(pose[:2], body["radius"], **style))
        else:
            corners = in_world(np.array(body["vertices"]), pose)[:, :2]
            axes.add_patch(Polygon(_outline(corners), **style))


def _angled(axes: "Axes", trace: Trace, canvas: Canvas) -> None:
    """Draw the view from the upper left; lines are pale where a body hides them."""
    draw_bodies(canvas, trace, 0, np.arange(trace.poses.shape[1]))
    planned = next((path for path in trace.paths if len(path)), None)
    if planned is not None:
        canvas.line(planned, rgb(PLANNED), 2.5)
    canvas.line(trace.agent, rgb(FLOWN), 4.0)
    axes.imshow(canvas.image(), interpolation="antialiased")
    start, goal = canvas.view.place(np.stack([trace.agent[0], trace.destination[-1]])) / FINER
    axes.plot(*start[:2], "o", ms=9, mfc="white", mec=INK, mew=2.4)
    axes.plot(*goal[:2], "*", ms=17, mfc=INK, mec="white", mew=1.2)
    axes.axis("off")


def _lines(axes: "Axes", trace: Trace) -> None:
    """Draw the path of the goal, the first planned path, and the flown path."""
    goal, agent = trace.destination[:, :2], trace.agent[:, :2]
    planned = next((path for path in trace.paths if len(path)), None)
    if len(np.unique(goal, axis=0)) > 1:
        style: dict[str, Any] = {"color": GOAL, "lw": 1.2, "ls": ":", "zorder": 5}
        axes.plot(*goal.T, label="path of the goal", **style)
    if planned is not None:
        halo: dict[str, Any] = {"color": "white", "lw": 3.4, "alpha": 0.8, "zorder": 6}
        axes.plot(*planned[:, :2].T, **halo)
        axes.plot(*planned[:, :2].T, color=PLANNED, lw=1.6, ls="--", zorder=7, label="first plan")
    axes.plot(*agent.T, color="white", lw=4.6, alpha=0.9, zorder=8)
    axes.plot(*agent.T, color=FLOWN, lw=2.6, zorder=9, label="flown")
    marks: dict[str, Any] = {"linestyle": "none", "zorder": 10, "clip_on": False}
    axes.plot(*agent[0], "o", ms=9, mfc="white", mec=INK, mew=2.4, label="start", **marks)
    axes.plot(*goal[-1], "*", ms=17, mfc=INK, mec="white", mew=1.2, label="goal", **marks)


def _outline(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the corners of the convex hull of points in the plane, in order."""
    ordered = points[np.lexsort(points.T[::-1])].tolist()
    hull: list[Any] = []
    for run in (ordered, ordered[::-1]):
        half: list[Any] = []
        for x, y in run:
            while len(half) > 1:
                (ax, ay), (bx, by) = half[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                half.pop()
            half.append((x, y))
        hull += half[:-1]
    return np.array(hull)

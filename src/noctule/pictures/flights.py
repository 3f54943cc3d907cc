"""`flight_picture`: draw a flight at several moments, at an angle."""

import os
from typing import Any

import numpy as np

from noctule.flight.recording import Trace
from noctule.pictures.angled import FAINT
from noctule.pictures.body_drawing import draw_bodies, draw_floor, rgb, space_of
from noctule.pictures.figures import INK, require_matplotlib, save_figure
from noctule.pictures.rendering import FINER, Canvas, view_of

PIXELS = 760  # width of a view
MOMENTS = 4
FLOWN, PLANNED, AGENT, GOAL = "#8250df", "#e36209", "#fac70d", "#db268c"
RING = 9  # points; least size of the agent and the goal, so that they can be found


def flight_picture(
    trace: Trace, file: str | os.PathLike[str], title: str | None = None, outcome: str = ""
) -> None:
    """Draw bodies, agent, goal, plan and flown path at several moments, into a file.

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
    save_figure(flight_figure(trace, title, outcome), file)


def flight_figure(
    trace: Trace,
    title: str | None = None,
    outcome: str = "",
    up: str | None = None,
    ax: Any = None,
) -> Any:
    """Return the figure; on `ax`, draw the end of the flight only."""
    if not len(trace.time):
        raise ValueError("the trace is empty: there is nothing to show")
    frames = np.unique(np.linspace(0, len(trace.time) - 1, MOMENTS).round().astype(int))
    up = up or str(trace.about.get("up", "y"))
    view = view_of(*space_of(trace.about), PIXELS, up)
    if ax is not None:
        draw_moment(ax, trace, int(frames[-1]), Canvas(view, (1.0, 1.0, 1.0)), up)
        ax.set_title(title or "", color=INK, fontsize=10)
        return ax.figure
    columns = 2 if len(frames) > 1 else 1
    rows = -(-len(frames) // columns)
    tall = 6.2 * view.size[1] / view.size[0]
    figure = require_matplotlib()(
        figsize=(6.2 * columns + 0.2, rows * (tall + 0.35) + 0.9), layout="constrained"
    )
    panels = figure.subplots(rows, columns, squeeze=False).flat
    for axes, frame in zip(panels, frames.tolist(), strict=False):
        draw_moment(axes, trace, frame, Canvas(view, (1.0, 1.0, 1.0)), up)
        seconds = trace.time[frame] - trace.time[0]
        axes.set_title(f"{seconds:.1f} s", color=FAINT, fontsize=10)
    for axes in list(panels):
        axes.axis("off")
    words = [text for text in (title, outcome) if text]
    figure.suptitle("\n".join(words) or trace.about["scene"], color=INK, fontsize=12)
    handles, texts = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, texts, loc="outside lower center", ncols=5, frameon=False)
    return figure


def draw_moment(axes: Any, trace: Trace, frame: int, canvas: Canvas, up: str) -> None:
    """Draw the bodies in a frame, the path flown until then, the plan, the agent and the goal."""
    about = trace.about
    draw_floor(canvas, about, up)
    draw_bodies(canvas, trace, frame, np.arange(trace.poses.shape[1]))
    agent, goal = trace.agent[frame], trace.destination[frame]
    plan = [agent, *trace.paths[frame][1:]]
    canvas.line(trace.destination[: frame + 1], rgb(GOAL), 1.6)
    canvas.line(plan, rgb(PLANNED), 2.6)
    canvas.line(trace.agent[: frame + 1], rgb(FLOWN), 3.6)
    for point, radius, colour in (
        (goal, about["destination_radius"], GOAL),
        (agent, about["agent_radius"], AGENT),
    ):
        if radius > 0:
            canvas.ball(point, radius, rgb(colour), True)
    axes.imshow(canvas.image(), interpolation="antialiased")
    style: dict[str, Any] = {"linestyle": "none", "zorder": 10, "clip_on": False}
    for point, colour, name in ((agent, AGENT, "agent"), (goal, GOAL, "goal")):
        place = canvas.view.place(np.asarray(point, float)) / FINER
        axes.plot(*place[:2], "o", ms=RING + 4, mfc="none", mec="white", mew=4.4, **style)
        axes.plot(
            *place[:2], "o", ms=RING + 4, mfc="none", mec=colour, mew=2.2, label=name, **style
        )
    for colour, name in ((FLOWN, "flown"), (PLANNED, "plan")):
        axes.plot([], [], color=colour, lw=2.6, label=name)
    axes.axis("off")

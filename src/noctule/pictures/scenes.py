"""Draw a scene at its time, with the bodies that move also where they will be soon."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.flight.recording import Trace, describe
from noctule.path import Path
from noctule.pictures.angled import TOWARDS
from noctule.pictures.body_drawing import draw_bodies, draw_floor, in_world, rgb, space_of
from noctule.pictures.figures import INK, require_matplotlib
from noctule.pictures.flights import AGENT, GOAL, RING
from noctule.pictures.orientation import orientation_of
from noctule.pictures.rendering import FINER, Canvas, view_of
from noctule.pictures.styles import style_of
from noctule.worlds.bodies import poses_of
from noctule.worlds.scene import Scene

PIXELS = 1000  # width of the view
SOON = (4.5, 3.0, 1.5)  # seconds ahead at which moving bodies are drawn, paler
BEHIND = 0.04  # cells by which these lie behind, so that faces in one plane do not mix
PALE = 0.62  # how much of white is in the colour of the farthest
FULL = 0.3  # share of the space that bodies fill, from which on it is cut open
AHEAD = 12.0  # seconds of the path of the goal


def scene_figure(
    scene: Scene, paths: Sequence[Path], up: str, title: str | None = None, ax: Any = None
) -> Any:
    """Return a figure of a scene, or draw on `ax`."""
    trace = _moments(scene, orientation_of(up, 3).points(np.eye(3)) @ TOWARDS)
    view = view_of(*space_of(trace.about), PIXELS, up)
    canvas = Canvas(view, (1.0, 1.0, 1.0))
    shown = [*scene.bodies, *scene.zones]
    moving = np.array([i for i, body in enumerate(shown) if body.moves], np.int64)
    for frame in range(len(SOON)):
        pale = PALE * (1 - 0.5 * frame / len(SOON))
        draw_bodies(canvas, trace, frame, moving, pale)
    draw_floor(canvas, trace.about, up)
    draw_bodies(canvas, trace, len(SOON), _in_front_left_out(scene, up))
    if scene.has_destination:
        canvas.line(_way_of_goal(scene), rgb(GOAL), 2.0)
    for path in paths:
        canvas.line(path.points, rgb(style_of(path.algorithm).colour), 4.0)
    balls: list[tuple[Any, float, str, str]] = []
    if scene.has_agent:
        balls.append((scene.agent.start, scene.agent.radius, AGENT, "agent"))
    if scene.has_destination:
        there = scene.destination.at(scene.time)
        balls.append((there, scene.destination.radius, GOAL, "goal"))
    for point, radius, colour, _ in balls:
        if radius > 0:
            canvas.ball(point, radius, rgb(colour), True)
    size = (8.6, 8.6 * view.size[1] / view.size[0] + 0.7)
    figure = require_matplotlib()(figsize=size, layout="constrained") if ax is None else ax.figure
    axes = figure.subplots() if ax is None else ax
    axes.imshow(canvas.image(), interpolation="antialiased")
    axes.axis("off")
    style: dict[str, Any] = {"linestyle": "none", "mfc": "none", "ms": RING + 4, "clip_on": False}
    for point, _, colour, name in balls:
        spot = view.place(np.asarray(point, float))[:2] / FINER
        axes.plot(*spot, "o", mec="white", mew=4.4, **style)
        axes.plot(*spot, "o", mec=colour, mew=2.2, label=name, **style)
    for path in paths:
        label = f"{path.algorithm}  {path.length:.2f}"
        axes.plot([], [], color=style_of(path.algorithm).colour, lw=2.6, label=label)
    axes.set_title(title or scene.name, color=INK, fontsize=12)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=4, frameon=False)
    return figure


def _moments(scene: Scene, towards: Any) -> Trace:
    """Return the poses of the bodies soon, and last those of now."""
    shown = [*scene.bodies, *scene.zones]
    poses = poses_of(shown).reshape(-1, 8)
    frames = np.repeat(poses[None], len(SOON) + 1, axis=0)
    for k, ahead in enumerate(SOON):
        for i, body in enumerate(shown):
            if body.moves:
                position, rotation = body.pose(scene.time + ahead)
                frames[k, i, :3], frames[k, i, 3:7] = position, rotation
                if (frames[k, i, :7] == poses[i, :7]).all():
                    frames[k, i, 7] = 0.0  # it stays there
        frames[k, :, :3] -= (len(SOON) - k) * BEHIND * scene.space.cell * towards
    empty = np.empty((len(frames), 3))
    nothing = [np.empty((0, 3))] * len(frames)
    return Trace(describe(scene, ""), np.zeros(len(frames)), empty, empty, frames, nothing)


def _in_front_left_out(scene: Scene, up: str) -> NDArray[np.int64]:
    """Return the bodies to draw: of a world full of them, not those in front of the agent."""
    turned = orientation_of(up, 3)
    corners = [in_world(body.shape.vertices, pose) for body, pose in _with_poses(scene)]
    volume = sum(float(np.ptp(part, axis=0).prod()) for part in corners if len(part))
    size = np.array(scene.space.cells) * scene.space.cell
    if volume < FULL * float(size.prod()) or not scene.has_agent:
        return np.arange(len(corners) + len(scene.zones))
    front = float(turned.points(scene.agent.start)[2]) + scene.agent.radius
    kept = [not len(part) or turned.points(part)[:, 2].min() < front for part in corners]
    return np.flatnonzero(kept + [True] * len(scene.zones))


def _with_poses(scene: Scene) -> list[tuple[Any, Any]]:
    return list(zip(scene.bodies, poses_of(scene.bodies), strict=True))


def _way_of_goal(scene: Scene) -> list[Any]:
    times = scene.time + np.linspace(0.0, AHEAD, 60)
    return [scene.destination.at(t) for t in times.tolist()]

"""`picture`: a world and paths through it, drawn into a file.

A world in space is drawn twice, from the front and at an angle. Both are parallel projections
computed here: one exact order of drawing for all cells, and lines known to lie behind rock or not.
"""

import itertools
import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid import Grid
from noctule.path import Path

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

COLOURS = ("#d1242f", "#0969da", "#1a7f37", "#8250df", "#e36209", "#0891b2", "#bf3989", "#6f4e1f")
STYLES = ("-", "--", ":", "-.")  # when the colours begin again
INK, FAINT, MIST = "#1f2937", "#9ca3af", (0.985, 0.985, 0.99)
FLAT_ROCK, DEEP_ROCK = (0.72, 0.75, 0.80), (0.58, 0.64, 0.72)
# The faces of a cell that one sees: on its left, on top, in front.
ROCK = np.array([[0.64, 0.69, 0.77], [0.90, 0.92, 0.95], [0.77, 0.81, 0.87]])

MOST_FACES = 24_000  # more would take more than a second or two
MOST_CELLS = 2_000_000

# The angled view looks from the left and from above.
TURN, TILT = math.radians(-30), math.radians(24)
TOWARDS = np.array(
    [math.sin(TURN) * math.cos(TILT), math.sin(TILT), math.cos(TURN) * math.cos(TILT)]
)
FACING = [1 if part > 0 else -1 for part in TOWARDS]
RIGHT = np.array([math.cos(TURN), 0.0, -math.sin(TURN)])
SCREEN = np.stack([RIGHT, np.cross(TOWARDS, RIGHT)], axis=1)  # three coordinates to two


class _Scene(NamedTuple):
    """The part of the world that is drawn."""

    rock: NDArray[np.bool_]
    low: Array  # its corners in world units
    high: Array
    cell: float
    paths: list[Path]


def picture(
    grid: Grid, paths: Sequence[Path], file: str | os.PathLike[str], title: str | None = None
) -> None:
    """Draw paths and the part of the world around them.

    Parameters
    ----------
    grid : Grid
        The world, in the plane or in space.
    paths : sequence of Path
        What to draw in it; a path without points is left out.
    file : path
        Where to save; the suffix decides the format: .png, .pdf, .svg ...
    title : str, optional
        A line above the picture.

    Raises
    ------
    ModuleNotFoundError
        If matplotlib is not installed; the message says how to get it.
    """
    figure_class = require_matplotlib()
    scene = _scene(grid, [path for path in paths if len(path.points)])
    slopes = _slopes(scene)
    # Views of equal height fill the figure without gaps.
    widths = [1 / slope for slope in slopes]
    height = min((12.4 if len(slopes) == 2 else 7.4) / sum(widths), 8.0)
    width = max(height * sum(widths) + 0.6 * len(slopes), 6.0)
    rows = math.ceil((len(scene.paths) + 2) / (width // 2))
    figure = figure_class(figsize=(width, height + 1.3 + 0.25 * rows), layout="constrained")
    views = figure.subplots(1, len(slopes), width_ratios=widths, squeeze=False)[0]
    _front(views[0], scene)
    if len(views) == 2:
        _angled(views[1], scene)
    if title:
        figure.suptitle(title, color=INK, fontsize=13)
    marks = views[0].get_legend_handles_labels()
    columns = math.ceil(len(marks[0]) / rows)
    if marks[0]:
        figure.legend(*marks, loc="outside lower center", ncols=columns, frameon=False)
    figure.savefig(file, dpi=120, facecolor="white")


def require_matplotlib() -> Any:
    """Its class of figures, or an error that says how to get it."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as missing:
        message = "pictures need matplotlib: pip install 'noctule[plot]'"
        raise ModuleNotFoundError(message, name=missing.name) from None
    return Figure


def _scene(grid: Grid, paths: list[Path]) -> _Scene:
    """The surroundings of the paths: a short path in a vast world would be a dot."""
    blocked = grid.blocked
    low, high = np.zeros(grid.dimension, int), np.array(grid.shape)
    if paths:
        places = (np.concatenate([path.points for path in paths]) - grid.origin) / grid.cell
        margin = 4 + 0.25 * float(np.ptp(places, axis=0).max())
        low = np.maximum(low, np.floor(places.min(axis=0) - margin).astype(int))
        high = np.minimum(high, np.ceil(places.max(axis=0) + margin).astype(int))
    part = blocked[tuple(slice(i, j) for i, j in zip(low, high, strict=True))]
    return _Scene(
        part, grid.origin + low * grid.cell, grid.origin + high * grid.cell, grid.cell, paths
    )


def _slopes(scene: _Scene) -> list[float]:
    """Height by width of each view."""
    x, y, *z = scene.high - scene.low
    slopes = [y / x]
    if z:
        box = np.array(list(itertools.product(*zip(scene.low, scene.high, strict=True)))) @ SCREEN
        slopes.append(float(np.ptp(box[:, 1]) / np.ptp(box[:, 0])))
    return [min(max(slope, 0.2), 3.0) for slope in slopes]


# ---------------------------------------------------------------------- from the front


def _front(axes: "Axes", scene: _Scene) -> None:
    """X to the right, y up; in space, the more of the cells along z are blocked, the darker."""
    if scene.rock.ndim == 2:
        colour, strength = FLAT_ROCK, scene.rock.astype(float)
    else:
        share = scene.rock.mean(axis=2)
        colour, strength = DEEP_ROCK, 0.9 * np.sqrt(share / max(share.max(), 1e-9))
        axes.set_title("from the front", color=FAINT, fontsize=10)
    image = 1 + (np.array(colour) - 1) * strength.T[:, :, None]
    (left, bottom), (right, top) = scene.low[:2], scene.high[:2]
    axes.imshow(image, origin="lower", extent=(left, right, bottom, top), interpolation="none")
    for i, path in enumerate(scene.paths):
        label = f"{path.algorithm}  {path.length:.2f}" + ("" if path.found else " (partial)")
        _line(axes, [path.points[:, :2]], i, scene, label=label)
        _corners(axes, path.points[:, :2], i)
    _ends(axes, [path.points[:, :2] for path in scene.paths])
    axes.set_xlabel("x", color=INK)
    axes.set_ylabel("y", color=INK)
    axes.tick_params(colors=FAINT, labelcolor=INK, labelsize=9)
    for spine in axes.spines.values():
        spine.set_color(FAINT)


# ---------------------------------------------------------------------- at an angle


def _angled(axes: "Axes", scene: _Scene) -> None:
    """Seen from above on the left, y up; lines are pale where rock hides them."""
    from matplotlib.collections import PolyCollection

    rock, scale = _coarse(scene.rock)
    cell = scene.cell * scale
    corners, colours = _faces(rock)
    shapes = (scene.low + corners * cell) @ SCREEN
    axes.add_collection(
        PolyCollection(shapes, facecolors=colours, edgecolors=colours * 0.96, linewidths=0.4)
    )
    _box(axes, scene)
    for i, path in enumerate(scene.paths):
        points = _sampled(path.points)
        seen = _seen(rock, (points - scene.low) / cell)
        _line(axes, [path.points @ SCREEN], i, scene, hidden=True)
        _line(axes, _pieces(points @ SCREEN, seen), i, scene)
        _corners(axes, path.points @ SCREEN, i)
    _ends(axes, [path.points @ SCREEN for path in scene.paths])
    axes.set_title("at an angle", color=FAINT, fontsize=10)
    axes.set_aspect("equal")
    axes.axis("off")


def _coarse(blocked: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], int]:
    """The world with cells joined until it can be drawn, and how many along each side."""
    scale = max(1, math.ceil((blocked.size / MOST_CELLS) ** (1 / 3)))
    while True:
        joined = blocked
        for axis, n in enumerate(blocked.shape if scale > 1 else ()):
            joined = np.logical_or.reduceat(joined, np.arange(0, n, scale), axis=axis)
        if sum(int(shown.sum()) for shown in _bare(joined)) <= MOST_FACES:
            return joined, scale
        scale += 1


def _bare(blocked: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """Which cells show a face to the viewer: along x, y and z."""
    shown = []
    for axis, facing in enumerate(FACING):
        faces = np.zeros_like(blocked)
        rows, bare = blocked.swapaxes(0, axis)[::facing], faces.swapaxes(0, axis)[::facing]
        bare[:-1] = rows[:-1] & ~rows[1:]
        # A border that is mostly solid is the wall of a room: one looks in through it.
        if rows[-1].mean() < 0.5:
            bare[-1] = rows[-1]
        shown.append(faces)
    return shown


def _faces(blocked: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Corners (n, 4, 3) and colours (n, 3) of the faces, the farthest first; these are mistier."""
    corners, colours, nearness = [], [], []
    depth = float(np.array(blocked.shape) @ np.abs(TOWARDS))
    nearest = float(np.maximum(np.array(blocked.shape) * TOWARDS, 0).sum())
    for axis, shown in enumerate(_bare(blocked)):
        cells = np.argwhere(shown)
        square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
        square = np.insert(square, axis, max(FACING[axis], 0), axis=1)
        near = (cells + 0.5) @ TOWARDS
        mist = 0.6 * ((nearest - near) / depth)[:, None]
        corners.append(cells[:, None, :] + square)
        colours.append(ROCK[axis] + (MIST - ROCK[axis]) * mist)
        nearness.append(near)
    order = np.argsort(np.concatenate(nearness), kind="stable")
    return np.concatenate(corners)[order].astype(float), np.concatenate(colours)[order]


def _box(axes: "Axes", scene: _Scene) -> None:
    """The edges of the scene, three of them behind the rock, and the names of the axes."""
    ends = np.array([scene.low, scene.high])
    far = [0 if facing > 0 else 1 for facing in FACING]
    for axis, sides in itertools.product(range(3), itertools.product((0, 1), repeat=2)):
        others = [k for k in range(3) if k != axis]
        edge = ends.copy()
        edge[:, others] = [ends[side, k] for side, k in zip(sides, others, strict=True)]
        behind = list(sides) == [far[k] for k in others]
        axes.plot(
            *(edge @ SCREEN).T, color=FAINT, lw=0.8, alpha=0.7, zorder=0 if behind else 2
        )
    (x0, y0, z0), (x1, y1, z1) = ends
    for name, place, shift in (
        ("x", ((x0 + x1) / 2, y0, z1), (5, -11)),
        ("y", (x0, (y0 + y1) / 2, z0), (-11, 0)),
        ("z", (x0, y0, (z0 + z1) / 2), (-9, -8)),
    ):
        style = {"ha": "center", "va": "center", "color": INK, "textcoords": "offset points"}
        axes.annotate(name, np.array(place) @ SCREEN, shift, **style)


def _sampled(points: Array, count: int = 800) -> Array:
    """Points close together along a polyline, its corners among them."""
    steps = np.sqrt((np.diff(points, axis=0) ** 2).sum(axis=1))
    along = np.concatenate([[0.0], np.cumsum(steps)])
    places = np.union1d(along, np.linspace(0.0, along[-1], count))
    return np.stack([np.interp(places, along, column) for column in points.T], axis=1)


def _seen(blocked: NDArray[np.bool_], places: Array) -> NDArray[np.bool_]:
    """Which of the places (in cells) no rock hides."""
    seen = np.ones(len(places), bool)
    for step in np.arange(0.5, math.hypot(*blocked.shape), 0.5):
        cells = np.floor(places + step * TOWARDS).astype(int)
        inside = ((cells >= 0) & (cells < blocked.shape)).all(axis=1)
        seen[inside] &= ~blocked[tuple(cells[inside].T)]
    return seen


def _pieces(points: Array, seen: NDArray[np.bool_]) -> list[Array]:
    """The parts of a polyline that are seen."""
    ends = np.flatnonzero(np.diff(np.concatenate([[False], seen, [False]]).astype(int)))
    return [points[i:j] for i, j in zip(ends[::2], ends[1::2], strict=True) if j - i > 1]


# ---------------------------------------------------------------------- lines and marks


def _line(
    axes: "Axes",
    pieces: list[Array],
    number: int,
    scene: _Scene,
    label: str | None = None,
    hidden: bool = False,
) -> None:
    """One path. Where paths run together, the earlier ones show on both sides of the later."""
    rank = len(scene.paths) - 1 - number
    width = 2.2 + rank * min(1.6, 8.0 / max(len(scene.paths), 1))
    rounded = {"solid_capstyle": "round", "solid_joinstyle": "round"}
    colour = COLOURS[number % len(COLOURS)]
    style = STYLES[number // len(COLOURS) % len(STYLES)]
    for i, piece in enumerate(pieces):
        if not hidden:
            axes.plot(*piece.T, color="white", lw=width + 1.8, alpha=0.9, zorder=3, **rounded)
        axes.plot(
            *piece.T,
            color=colour,
            linestyle=style,
            lw=width,
            alpha=0.4 if hidden else 1.0,
            label=label if i == 0 else None,
            zorder=(2.5 if hidden else 4) + 0.001 * number,
            **rounded,
        )


def _corners(axes: "Axes", points: Array, number: int) -> None:
    if len(points) <= 40:  # paths that turn at every step have none worth a mark
        colour = COLOURS[number % len(COLOURS)]
        axes.plot(*points[1:-1].T, "o", ms=4.5, mfc="white", mec=colour, mew=1.4, zorder=5)


def _ends(axes: "Axes", lines: list[Array]) -> None:
    if lines:
        style = {"linestyle": "none", "zorder": 6, "clip_on": False}
        axes.plot(*lines[0][0], "o", ms=9, mfc="white", mec=INK, mew=2.6, label="start", **style)
        axes.plot(*lines[0][-1], "*", ms=17, mfc=INK, mec="white", mew=1.2, label="goal", **style)

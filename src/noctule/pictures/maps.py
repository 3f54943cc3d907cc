"""`picture`: draw a grid and paths through it into a file.

A 3D grid is drawn twice, from the front and at an angle. Both are parallel projections computed
here: cells are sorted by depth, and hidden parts of lines are known exactly.
"""

import itertools
import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid.grid import Grid
from noctule.path import Path
from noctule.pictures.cost_drawing import DEAR, relative_costs, tint_costs
from noctule.pictures.figures import INK, require_matplotlib, save_figure, views_in_a_row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

COLOURS = ("#d1242f", "#0969da", "#1a7f37", "#8250df", "#e36209", "#0891b2", "#bf3989", "#6f4e1f")
STYLES = ("-", "--", ":", "-.")  # once the colours repeat
FAINT, MIST = "#9ca3af", (0.985, 0.985, 0.99)
FLAT_ROCK, DEEP_ROCK = (0.72, 0.75, 0.80), (0.58, 0.64, 0.72)
# Colours of the visible faces of a blocked cell: left, top, front.
ROCK = np.array([[0.64, 0.69, 0.77], [0.90, 0.92, 0.95], [0.77, 0.81, 0.87]])

MAX_FACES = 24_000  # drawing more takes more than two seconds
MAX_CELLS = 2_000_000
LEAST_WIDTH = 6.0  # inches

# Camera of the angled view: from the left and from above.
TURN, TILT = math.radians(-30), math.radians(24)
TOWARDS = np.array(
    [math.sin(TURN) * math.cos(TILT), math.sin(TILT), math.cos(TURN) * math.cos(TILT)]
)
FACING = [1 if part > 0 else -1 for part in TOWARDS]
RIGHT = np.array([math.cos(TURN), 0.0, -math.sin(TURN)])
SCREEN = np.stack([RIGHT, np.cross(TOWARDS, RIGHT)], axis=1)  # projects 3D points to 2D


class _Scene(NamedTuple):
    """The part of the world that is drawn."""

    rock: NDArray[np.bool_]  # blocked cells
    low: Array  # corners in world units
    high: Array
    cell: float
    paths: list[Path]
    dear: Array | None  # 0 to 1 for a free cell that costs 1 to most, by the logarithm


def picture(
    grid: Grid, paths: Sequence[Path], file: str | os.PathLike[str], title: str | None = None
) -> None:
    """Draw paths and the part of the world around them.

    Parameters
    ----------
    grid : Grid
        The world, 2D or 3D.
    paths : sequence of Path
        Paths to draw; those without points are ignored.
    file : path
        Output file; the suffix selects the format: .png, .pdf, .svg ...
    title : str, optional
        Title of the picture.
    """
    require_matplotlib()
    scene = _scene(grid, [path for path in paths if len(path.points)])
    widths = _widths(scene)
    height = min((12.4 if len(widths) == 2 else 7.4) / sum(widths), 8.0)
    entries = len(scene.paths) + 2
    rows = math.ceil(entries / (max(height * sum(widths) + 0.8, LEAST_WIDTH) // 1.5))
    figure, views = views_in_a_row([w * height for w in widths], height, title, rows, LEAST_WIDTH)
    _front(views[0], scene)
    if len(views) == 2:
        _angled(views[1], scene)
    marks = views[0].get_legend_handles_labels()
    figure.legend(*marks, loc="lower center", ncols=math.ceil(entries / rows), frameon=False)
    save_figure(figure, file)


def _scene(grid: Grid, paths: list[Path]) -> _Scene:
    """Select the part of the grid around the paths if they are short compared with the grid."""
    low, high = np.zeros(grid.dimension, int), np.array(grid.shape)
    if paths:
        places = (np.concatenate([path.points for path in paths]) - grid.origin) / grid.cell
        first, last = np.floor(places.min(axis=0)), np.ceil(places.max(axis=0))
        reach = int((last - first).max())
        if max(grid.shape) > 2 * reach:
            low = np.maximum(low, first.astype(int) - reach // 5 - 4)
            high = np.minimum(high, last.astype(int) + reach // 5 + 4)
    rock = grid.blocked[tuple(map(slice, low, high))]
    dear = relative_costs(grid, rock, tuple(map(slice, low, high)))
    low, high = grid.origin + low * grid.cell, grid.origin + high * grid.cell
    return _Scene(rock, low, high, grid.cell, paths, dear)


def _widths(scene: _Scene) -> list[float]:
    """Return the widths of the views relative to their common height."""
    sizes = [(scene.high - scene.low)[:2]]
    if scene.rock.ndim == 3:
        box = np.array(list(itertools.product(*zip(scene.low, scene.high, strict=True))))
        sizes.append(np.ptp(box @ SCREEN, axis=0))
    widths = [min(max(float(x / y), 0.3), 4.0) for x, y in sizes]
    return [min(widths[0], 1.3 * widths[-1]), *widths[1:]]


def _front(axes: "Axes", scene: _Scene) -> None:
    """Draw x to the right and y up; in 3D, the shade is the share of blocked cells along z."""
    if scene.rock.ndim == 2:
        colour, strength = FLAT_ROCK, scene.rock.astype(float)
    else:
        share = scene.rock.mean(axis=2)
        colour, strength = DEEP_ROCK, 0.9 * np.sqrt(share / max(share.max(), 1e-9))
        axes.set_title("from the front", color=FAINT, fontsize=10)
    image = 1 + (np.array(colour) - 1) * strength.T[:, :, None]
    (left, bottom), (right, top) = scene.low[:2], scene.high[:2]
    axes.imshow(image, origin="lower", extent=(left, right, bottom, top), interpolation="none")
    if scene.dear is not None:
        tint_costs(axes, scene.dear, (left, right, bottom, top))
    for i, path in enumerate(scene.paths):
        what = "cost " if scene.dear is not None else ""
        label = f"{path.algorithm}  {what}{path.cost:.2f}" + ("" if path.found else " (partial)")
        _line(axes, path.points[:, :2], i, scene, label=label)
        _corners(axes, path.points[:, :2], i)
    _ends(axes, scene, np.eye(scene.rock.ndim, 2))
    axes.set(xlabel="x", ylabel="y")
    axes.tick_params(colors=FAINT, labelcolor=INK, labelsize=9)
    axes.spines[:].set_color(FAINT)


def _angled(axes: "Axes", scene: _Scene) -> None:
    """Draw the view from the upper left, y up; lines are pale where blocked cells hide them."""
    from matplotlib.collections import PolyCollection

    rock, scale = _downsampled(scene.rock)
    shown = np.any(_visible_faces(rock), axis=0)
    cell = scene.cell * scale
    corners, colours = _faces(rock)
    shapes = (scene.low + corners * cell) @ SCREEN
    axes.add_collection(
        PolyCollection(shapes, facecolors=colours, edgecolors=colours * 0.96, linewidths=0.4)
    )
    if scene.dear is not None:
        zones, scale = _downsampled(scene.dear > 0)
        shapes = (scene.low + _faces(zones)[0] * scene.cell * scale) @ SCREEN
        axes.add_collection(PolyCollection(shapes, facecolors=(*DEAR, 0.12), linewidths=0))
    _box(axes, scene)
    for i, path in enumerate(scene.paths):
        _line(axes, path.points @ SCREEN, i, scene, alpha=0.4, zorder=2.5)
        points = _sampled(path.points)
        for piece in _pieces(points @ SCREEN, _visible(shown, (points - scene.low) / cell)):
            _line(axes, piece, i, scene)
        _corners(axes, path.points @ SCREEN, i)
    _ends(axes, scene, SCREEN)
    axes.set_title("at an angle", color=FAINT, fontsize=10)
    axes.set_aspect("equal")
    axes.axis("off")


def _downsampled(blocked: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], int]:
    """Downsample blocked cells until they can be drawn; return them and the scale.

    A box of cells counts as blocked if its share of blocked cells is at least the average. So thin
    walls in an empty world remain, and gaps in a crowded one.
    """
    first = max(1, math.ceil((blocked.size / MAX_CELLS) ** (1 / 3)))
    share = box_sums(blocked.view(np.uint8), first) / first**3
    for step in itertools.count(1):
        part = box_sums(share, step) / step**3
        rock = (part > 0) & (part >= share.mean())
        if sum(int(shown.sum()) for shown in _visible_faces(rock)) <= MAX_FACES:
            break
    return rock, first * step


def box_sums(values: NDArray[Any], scale: int) -> NDArray[Any]:
    """Return the sums over boxes of `scale` (at most 255) cells per side, padded with 0."""
    for axis in range(3 if scale > 1 else 0):
        if axis == (2 if scale < 16 else 1):  # before this axis, sums of 0 and 1 fit into a byte
            values = values.astype(float)
        rows = np.moveaxis(values, axis, 0)
        total = rows[::scale].copy()
        for i in range(1, scale):
            total[: len(rows[i::scale])] += rows[i::scale]
        values = np.moveaxis(total, 0, axis)
    return values


def _visible_faces(blocked: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """Return masks of the cells whose face along x, y and z is visible to the viewer."""
    shown = []
    for axis, facing in enumerate(FACING):
        faces = np.zeros_like(blocked)
        rows, bare = blocked.swapaxes(0, axis)[::facing], faces.swapaxes(0, axis)[::facing]
        bare[:-1] = rows[:-1] & ~rows[1:]
        # A border that is mostly blocked is the wall of a room: omit it to show the inside.
        if rows[-1].mean() < 0.5:
            bare[-1] = rows[-1]
        shown.append(faces)
    return shown


def _faces(blocked: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Return corners (n, 4, 3) and colours (n, 3) of the visible faces, the farthest first."""
    corners, colours, nearness = [], [], []
    depth = float(np.array(blocked.shape) @ np.abs(TOWARDS))
    nearest = float(np.maximum(np.array(blocked.shape) * TOWARDS, 0).sum())
    for axis, shown in enumerate(_visible_faces(blocked)):
        cells = np.argwhere(shown)
        square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
        square = np.insert(square, axis, max(FACING[axis], 0), axis=1)
        near = (cells + 0.5) @ TOWARDS
        fog = 0.6 * ((nearest - near) / depth)[:, None]
        corners.append(cells[:, None, :] + square)
        colours.append(ROCK[axis] + (MIST - ROCK[axis]) * fog)
        nearness.append(near)
    order = np.argsort(np.concatenate(nearness), kind="stable")
    return np.concatenate(corners)[order].astype(float), np.concatenate(colours)[order]


def _box(axes: "Axes", scene: _Scene) -> None:
    """Draw the edges of the scene, three of them behind the cells, and the names of the axes."""
    ends = np.array([scene.low, scene.high])
    far = [0 if facing > 0 else 1 for facing in FACING]
    for axis, sides in itertools.product(range(3), itertools.product((0, 1), repeat=2)):
        others = [k for k in range(3) if k != axis]
        edge = ends.copy()
        edge[:, others] = [ends[side, k] for side, k in zip(sides, others, strict=True)]
        behind = list(sides) == [far[k] for k in others]
        axes.plot(*(edge @ SCREEN).T, color=FAINT, lw=0.8, alpha=0.7, zorder=0 if behind else 2)
    (x, y, z), corner = ends.mean(axis=0), scene.low
    places = [(x, corner[1], scene.high[2]), (corner[0], y, corner[2]), (*corner[:2], z)]
    centred: dict[str, Any] = {"ha": "center", "va": "center", "color": INK}
    for name, place, shift in zip("xyz", places, [(5, -11), (-11, 0), (-9, -8)], strict=True):
        axes.annotate(name, np.array(place) @ SCREEN, shift, "data", "offset points", **centred)


def _sampled(points: Array, count: int = 800) -> Array:
    """Return dense samples of a polyline, including its corners."""
    steps = np.sqrt((np.diff(points, axis=0) ** 2).sum(axis=1))
    along = np.concatenate([[0.0], np.cumsum(steps)])
    places = np.union1d(along, np.linspace(0.0, along[-1], count))
    return np.stack([np.interp(places, along, column) for column in points.T], axis=1)


def _visible(shown: NDArray[np.bool_], places: Array) -> NDArray[np.bool_]:
    """Return a mask of the positions (in cells) that no drawn cell hides."""
    seen = np.ones(len(places), bool)
    for step in np.arange(0.5, math.hypot(*shown.shape), 0.5):
        cells = np.floor(places + step * TOWARDS).astype(int)
        inside = ((cells >= 0) & (cells < shown.shape)).all(axis=1)
        seen[inside] &= ~shown[tuple(cells[inside].T)]
    return seen


def _pieces(points: Array, seen: NDArray[np.bool_]) -> list[Array]:
    """Return the visible parts of a polyline."""
    ends = np.flatnonzero(np.diff(np.concatenate([[False], seen, [False]]).astype(int)))
    return [points[i:j] for i, j in zip(ends[::2], ends[1::2], strict=True) if j - i > 5]


def _line(axes: "Axes", points: Array, number: int, scene: _Scene, **style: Any) -> None:
    """Draw a path. Earlier paths are wider, so they stay visible under later ones."""
    later = len(scene.paths) - 1 - number
    style = {"lw": 2.6 + later * min(1.5, 6.0 / len(scene.paths)), "zorder": 4} | style
    style |= {"solid_capstyle": "butt", "solid_joinstyle": "round"}
    if style["zorder"] == 4:
        halo = {"color": "white", "lw": style["lw"] + 1.8, "alpha": 0.9, "zorder": 3}
        axes.plot(*points.T, **style | halo | {"label": None})
    dashes = STYLES[number // len(COLOURS) % len(STYLES)]
    axes.plot(*points.T, color=COLOURS[number % len(COLOURS)], linestyle=dashes, **style)


def _corners(axes: "Axes", points: Array, number: int) -> None:
    if len(points) <= 24:  # paths with more corners get no marks
        colour = COLOURS[number % len(COLOURS)]
        axes.plot(*points[1:-1].T, "o", ms=4.5, mfc="white", mec=colour, mew=1.4, zorder=5)


def _ends(axes: "Axes", scene: _Scene, screen: Array) -> None:
    """Mark the start, and the goal if a path was found."""
    style: dict[str, Any] = {"linestyle": "none", "zorder": 6, "clip_on": False}
    for path in scene.paths[:1]:
        place = path.points[0] @ screen
        axes.plot(*place, "o", ms=9, mfc="white", mec=INK, mew=2.6, label="start", **style)
    for path in [path for path in scene.paths if path.found][:1]:
        place = path.points[-1] @ screen
        axes.plot(*place, "*", ms=17, mfc=INK, mec="white", mew=1.2, label="goal", **style)

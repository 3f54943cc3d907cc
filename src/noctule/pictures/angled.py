"""The angled view of a world of cells: faces sorted by depth, and lines pale where hidden."""

import itertools
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

FAINT, MIST = "#9ca3af", (0.985, 0.985, 0.99)
# Colours of the visible faces of a blocked cell: left, top, front.
ROCK = np.array([[0.55, 0.61, 0.71], [0.88, 0.90, 0.94], [0.71, 0.76, 0.84]])

MAX_FACES = 24_000  # drawing more takes more than two seconds
MAX_CELLS = 2_000_000
PIXELS = 1100  # longer side of a view that is drawn once for many panels

# Camera: from the left and from above.
TURN, TILT = math.radians(-30), math.radians(24)
TOWARDS = np.array(
    [math.sin(TURN) * math.cos(TILT), math.sin(TILT), math.cos(TURN) * math.cos(TILT)]
)
FACING = [1 if part > 0 else -1 for part in TOWARDS]
RIGHT = np.array([math.cos(TURN), 0.0, -math.sin(TURN)])
SCREEN = np.stack([RIGHT, np.cross(TOWARDS, RIGHT)], axis=1)  # projects 3D points to 2D


class Rock(NamedTuple):
    """Blocked cells as drawn, in coordinates to the right, up, and towards the viewer."""

    shown: NDArray[np.bool_]  # cells of which a face is drawn
    low: Array  # of the cells
    cell: float  # edge length of these, perhaps larger, cells
    corners: Array  # of the faces, on the screen
    colours: Array

    @classmethod
    def of(cls, blocked: NDArray[np.bool_], low: Array, cell: float) -> "Rock":
        """Return the rock of these cells, joined to larger ones if they are too many to draw."""
        rock, scale = downsampled(blocked)
        corners, colours = faces(rock)
        shown = np.any(visible_faces(rock), axis=0)
        on_screen = (low + corners * cell * scale) @ SCREEN
        return cls(shown, low, cell * scale, on_screen, colours)

    def sees(self, points: Array) -> NDArray[np.bool_]:
        """Return a mask of the points that no drawn cell hides."""
        return visible(self.shown, (points - self.low) / self.cell)

    def draw(self, axes: "Axes") -> None:
        """Draw the faces, the farthest first."""
        from matplotlib.collections import PolyCollection

        style: dict[str, Any] = {"linewidths": 0.3, "zorder": 1}
        axes.add_collection(
            PolyCollection(
                list(self.corners),
                facecolors=self.colours,
                edgecolors=self.colours * 0.965,
                **style,
            )
        )

    def image(self, low: Array, high: Array) -> NDArray[np.uint8]:
        """Return the faces between two corners of the screen as a picture, to draw it often."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        size = (high - low) / float((high - low).max()) * PIXELS / 100
        figure = Figure(figsize=(float(size[0]), float(size[1])), dpi=100, facecolor="white")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.axis("off")
        self.draw(axes)
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()


def downsampled(blocked: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], int]:
    """Downsample blocked cells until they can be drawn; return them and the scale.

    A box of cells counts as blocked if its share of blocked cells is at least the average. So thin
    walls in an empty world remain, and gaps in a crowded one.
    """
    first = max(1, math.ceil((blocked.size / MAX_CELLS) ** (1 / 3)))
    share = box_sums(np.ascontiguousarray(blocked).view(np.uint8), first) / first**3
    for step in itertools.count(1):
        part = box_sums(share, step) / step**3
        rock = (part > 0) & (part >= share.mean())
        if sum(int(shown.sum()) for shown in visible_faces(rock)) <= MAX_FACES:
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


def visible_faces(blocked: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
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


def faces(blocked: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Return corners (n, 4, 3) and colours (n, 3) of the visible faces, the farthest first."""
    corners, colours, nearness = [], [], []
    depth = float(np.array(blocked.shape) @ np.abs(TOWARDS))
    nearest = float(np.maximum(np.array(blocked.shape) * TOWARDS, 0).sum())
    for axis, shown in enumerate(visible_faces(blocked)):
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


def sampled(points: Array, count: int = 800) -> Array:
    """Return dense samples of a polyline, including its corners."""
    steps = np.sqrt((np.diff(points, axis=0) ** 2).sum(axis=1))
    along = np.concatenate([[0.0], np.cumsum(steps)])
    places = np.union1d(along, np.linspace(0.0, along[-1], count))
    return np.stack([np.interp(places, along, column) for column in points.T], axis=1)


def visible(shown: NDArray[np.bool_], places: Array) -> NDArray[np.bool_]:
    """Return a mask of the positions (in cells) that no drawn cell hides."""
    seen = np.ones(len(places), bool)
    for step in np.arange(0.5, math.hypot(*shown.shape), 0.5):
        cells = np.floor(places + step * TOWARDS).astype(int)
        inside = ((cells >= 0) & (cells < shown.shape)).all(axis=1)
        seen[inside] &= ~shown[tuple(cells[inside].T)]
    return seen


def pieces(points: Array, seen: NDArray[np.bool_]) -> list[Array]:
    """Return the visible parts of a polyline."""
    ends = np.flatnonzero(np.diff(np.concatenate([[False], seen, [False]]).astype(int)))
    return [points[i:j] for i, j in zip(ends[::2], ends[1::2], strict=True) if j - i > 5]


def draw_box(axes: "Axes", low: Array, high: Array, names: list[str]) -> None:
    """Draw the edges of a box, three of them behind the cells, and the names of its axes."""
    ends = np.array([low, high])
    far = [0 if facing > 0 else 1 for facing in FACING]
    for axis, sides in itertools.product(range(3), itertools.product((0, 1), repeat=2)):
        others = [k for k in range(3) if k != axis]
        edge = ends.copy()
        edge[:, others] = [ends[side, k] for side, k in zip(sides, others, strict=True)]
        behind = list(sides) == [far[k] for k in others]
        axes.plot(*(edge @ SCREEN).T, color=FAINT, lw=0.8, alpha=0.7, zorder=0 if behind else 2)
    (x, y, z), corner = ends.mean(axis=0), low
    places = [(x, corner[1], high[2]), (corner[0], y, corner[2]), (*corner[:2], z)]
    style: dict[str, Any] = {"va": "top", "color": "#4b5563", "fontsize": 8.5}
    shifts, sides_of = [(0, -5), (-5, 4), (-4, -3)], ("center", "right", "right")
    for name, place, shift, side in zip(names, places, shifts, sides_of, strict=True):
        on_screen = np.array(place) @ SCREEN
        axes.annotate(name, on_screen, shift, "data", "offset points", ha=side, **style)


def screen_of(low: Array, high: Array) -> tuple[Array, Array]:
    """Return the low and the high corner of a box on the screen."""
    corners = np.array(list(itertools.product(*zip(low, high, strict=True)))) @ SCREEN
    return corners.min(axis=0), corners.max(axis=0)

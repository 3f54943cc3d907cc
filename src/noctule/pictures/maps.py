"""Draw a grid and paths through it: one view, two for buildings, or a panel for each path."""

import math
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid.grid import Grid
from noctule.path import Path
from noctule.pictures.angled import Rock, sampled, screen_of
from noctule.pictures.cost_drawing import relative_costs
from noctule.pictures.figures import (
    INK,
    legend_rows,
    require_matplotlib,
    save_figure,
    views_in_a_row,
)
from noctule.pictures.orientation import Orientation, orientation_of
from noctule.pictures.panels import draw_above, draw_angled, draw_flat
from noctule.pictures.searched import Searched, searched_by
from noctule.pictures.styles import style_of

Array = NDArray[np.float64]

PALETTE = ("#d1242f", "#0969da", "#1a7f37", "#8250df", "#e36209", "#0891b2", "#bf3989", "#6f4e1f")
TOGETHER = 4  # paths in one view; more get a panel each
COLUMNS = 4  # of panels
LEAST_WIDTH = 6.0  # inches
HIDDEN = 0.3  # share of a path to be seen, below which the world is cut above it


class MapView(NamedTuple):
    """What is drawn."""

    grid: Grid
    part: tuple[slice, ...]  # the cells that are drawn
    low: Array  # their corners in world units
    high: Array
    turned: Orientation
    up: str
    paths: list[Path]
    labels: list[str]
    colours: list[str]
    searched: list[Searched | None]  # what each search expanded
    rock: Rock | None  # in 3D
    cut: float | None  # cells above are left out, in world units
    dear: Array | None  # costs of cells from 0 to 1, by the logarithm

    def backdrop(self) -> NDArray[np.uint8]:
        """Return the blocked cells of the angled view as a picture."""
        assert self.rock is not None
        return self.rock.image(*screen_of(*self.turned.box(self.low, self.high)))


def picture(
    grid: Grid,
    paths: Sequence[Path],
    file: str | os.PathLike[str],
    title: str | None = None,
    **options: Any,
) -> None:
    """Draw paths and the part of the world around them into a file.

    `options` are those of `noctule.draw`.
    """
    save_figure(map_figure(view_of_map(grid, paths, **options), title), file)


def view_of_map(
    grid: Grid,
    paths: Sequence[Path],
    up: str = "y",
    unit: str = "",
    labels: Sequence[str] | None = None,
    searched: bool | None = None,
    cut: float | None = None,
) -> MapView:
    """Choose what to draw; `noctule.draw` describes the options."""
    require_matplotlib()
    paths = list(paths)
    if labels is not None and len(labels) != len(paths):
        raise ValueError(f"labels has {len(labels)} entries for {len(paths)} paths")
    turned = orientation_of(up, grid.dimension)
    names = _labels(paths, unit, grid.has_costs) if labels is None else list(labels)
    found = [searched_by(grid, p) if _shows_search(p, searched) else None for p in paths]
    low, high = _part_around(grid, paths, found)
    rock = None
    if grid.dimension == 3:
        rock, high, cut = _rock(grid, paths, turned, low, high, cut)
    part = tuple(map(slice, low, high))
    blocked = grid.blocked[part]
    corners = grid.origin + low * grid.cell, grid.origin + high * grid.cell
    return MapView(
        grid, part, *corners, turned, up, paths, names, _colours(paths), found, rock, cut,
        relative_costs(grid, blocked, part),
    )  # fmt: skip


def map_figure(view: MapView, title: str | None = None) -> Any:
    """Return a figure of a map."""
    if len(view.paths) > TOGETHER:
        return _panel_for_each(view, title)
    widths = [_aspect(view, False)] if view.grid.flat or view.up == "z" else []
    widths += [] if view.grid.flat else [_aspect(view, True)]
    height = min((12.4 if len(widths) == 2 else 8.4) / sum(widths), 8.0)
    wide = max(height * sum(widths) + 0.8, LEAST_WIDTH)
    reasons = reasons_of(view.paths, round(wide * 13))
    marks = [*view.labels, "start", "goal"]
    rows, columns = legend_rows(marks, wide)
    whole = [w * height for w in widths], height, title, rows + len(reasons), LEAST_WIDTH
    figure, axes = views_in_a_row(*whole, ticks=view.grid.flat or len(widths) == 2)
    draw_on(view, axes)
    handles, texts = axes[0].get_legend_handles_labels()
    if texts:
        figure.legend(
            handles, texts, loc="lower center", ncols=columns, frameon=False, fontsize=9,
            bbox_to_anchor=(0.5, 0.26 * len(reasons) / figure.get_figheight()),
        )  # fmt: skip
    _write_reasons(figure, reasons)
    return figure


def draw_on(view: MapView, axes: Sequence[Any]) -> None:
    """Draw all paths on axes: a 2D map, or the view from above where `up` is z, and at an angle."""
    which = range(len(view.paths))
    if view.grid.flat:
        draw_flat(axes[0], view, which)
        return
    if len(axes) == 2:
        draw_above(axes[0], view, which)
    draw_angled(axes[-1], view, which)


def _panel_for_each(view: MapView, title: str | None) -> Any:
    """Return a figure with a small panel for each path, on the same background."""
    angled = not view.grid.flat
    backdrop = view.backdrop() if angled else None
    columns = min(COLUMNS, len(view.paths))
    rows = math.ceil(len(view.paths) / columns)
    wide = 12.6 / columns
    tall = min(0.95 * wide / _aspect(view, angled), 4.5)
    height = rows * (tall + 0.3) + 0.6
    figure = require_matplotlib()(figsize=(columns * wide + 0.4, height), layout="constrained")
    for i, axes in enumerate(figure.subplots(rows, columns, squeeze=False).flat):
        if i >= len(view.paths):
            axes.axis("off")
        elif angled:
            draw_angled(axes, view, [i], backdrop)
        else:
            draw_flat(axes, view, [i])
        if i < len(view.paths):
            axes.set(xlabel="", ylabel="", xticks=[], yticks=[])
            axes.set_title(view.labels[i], fontsize=9, color=INK)
    figure.suptitle(title or "", color=INK, fontsize=13)
    reasons = reasons_of(view.paths, 150)
    if reasons:
        figure.supxlabel("\n".join(reasons), fontsize=9, color="#b91c1c")
    return figure


def reasons_of(paths: Sequence[Path], width: int) -> list[str]:
    """Return why paths were not found, in lines of at most `width` characters."""
    from textwrap import wrap

    reasons = dict.fromkeys(p.reason for p in paths if not p.found and p.reason)
    return [line for reason in reasons for line in wrap(f"no path: {reason}", max(width, 40))]


def _write_reasons(figure: Any, lines: Sequence[str]) -> None:
    style = {"ha": "center", "va": "bottom", "color": "#b91c1c", "fontsize": 9}
    for i, line in enumerate(reversed(lines)):
        figure.text(0.5, (0.08 + 0.22 * i) / figure.get_figheight(), line, **style)


# ---------------------------------------------------------------------- what is drawn


def _labels(paths: Sequence[Path], unit: str, costs: bool) -> list[str]:
    labels = []
    for path in paths:
        value = f"cost {path.cost:.2f}" if costs else f"{path.length:.2f}"
        ends = "" if path.found else " (partial)"
        text = f"{value} {unit}".rstrip() + ends if len(path.points) else "no path"
        labels.append(f"{path.algorithm}  {text}")
    return labels


def _colours(paths: Sequence[Path]) -> list[str]:
    """Return the colour of each algorithm; further paths of the same one get another."""
    colours: list[str] = []
    for path in paths:
        own = style_of(path.algorithm).colour
        free = [c for c in PALETTE if c not in colours]
        again = (free or PALETTE)[len(colours) % len(free or PALETTE)]
        colours.append(again if own in colours else own)
    return colours


def _shows_search(path: Path, searched: bool | None) -> bool:
    return (not path.found) if searched is None else searched


def _part_around(
    grid: Grid, paths: Sequence[Path], searched: Sequence[Searched | None]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the cells around the paths if they are short compared with the grid; else all."""
    low, high = np.zeros(grid.dimension, np.int64), np.array(grid.shape, np.int64)
    places = [np.asarray(p.points, float) for p in paths if len(p.points)]
    places += [np.array(p.ends, float) for p in paths if p.ends is not None and not len(p.points)]
    places += [s.points for s in searched if s is not None and len(s.points)]
    if places:
        cells = (np.concatenate(places) - grid.origin) / grid.cell
        first, last = np.floor(cells.min(axis=0)), np.ceil(cells.max(axis=0))
        reach = int((last - first).max())
        if max(grid.shape) > 2 * reach:
            low = np.maximum(low, first.astype(int) - reach // 5 - 4)
            high = np.minimum(high, last.astype(int) + reach // 5 + 4)
            low = np.minimum(low, high - 1)
    return low, high


def _rock(
    grid: Grid,
    paths: Sequence[Path],
    turned: Orientation,
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    cut: float | None,
) -> tuple[Rock, NDArray[np.int64], float | None]:
    """Return the rock below the cut, and the cut: given, or above paths that cannot be seen."""
    axis = turned.order[1]  # that points up
    whole = high.copy()
    if cut is not None:
        layers = math.ceil((cut - grid.origin[axis]) / grid.cell - 1e-9)
        high = high.copy()
        high[axis] = min(max(layers, int(low[axis]) + 1), int(high[axis]))
    rock = _rock_between(grid, turned, low, high)
    drawn = [turned.points(sampled(p.points, 200)) for p in paths if len(p.points) > 1]
    if cut is None and drawn and not rock.sees(np.concatenate(drawn)).mean() > HIDDEN:
        wide = max(p.radius for p in paths) + grid.cell
        top = max(float(points[:, 1].max()) for points in drawn) + wide
        if top < grid.origin[axis] + whole[axis] * grid.cell:
            return _rock(grid, paths, turned, low, high, top)
    return rock, high, cut


def _rock_between(
    grid: Grid, turned: Orientation, low: NDArray[np.int64], high: NDArray[np.int64]
) -> Rock:
    blocked = turned.cells(grid.blocked[tuple(map(slice, low, high))])
    corner, _ = turned.box(grid.origin + low * grid.cell, grid.origin + high * grid.cell)
    return Rock.of(blocked, corner, grid.cell)


def _aspect(view: MapView, angled: bool) -> float:
    """Return the width of a view relative to its height."""
    if angled:
        low, high = screen_of(*view.turned.box(view.low, view.high))
    else:
        low, high = view.low[:2], view.high[:2]
    x, y = high - low
    return min(max(float(x / y), 0.3), 4.0)

"""The views of a map: a 2D map, a building from above, and a world at an angle."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noctule.pictures.angled import FAINT, SCREEN, TOWARDS, draw_box, pieces, sampled, screen_of
from noctule.pictures.cost_drawing import DEAR, dots_of_costs, tint_costs
from noctule.pictures.figures import INK
from noctule.pictures.searched import Searched, ends_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from noctule.pictures.maps import MapView

Array = NDArray[np.float64]

FLAT_ROCK, DEEP_ROCK = (0.66, 0.70, 0.76), (0.50, 0.56, 0.65)
FIRST, LAST = np.array([0.78, 0.90, 0.97]), np.array([0.42, 0.72, 0.86])  # expanded first, last
MOST_DOTS = 6_000
MOST_CORNERS = 24  # paths with more get no marks at their corners


def draw_flat(axes: "Axes", view: "MapView", which: Iterable[int]) -> None:
    """Draw a 2D map: x to the right, y up; with `up="-y"` down, as rows of a text file."""
    blocked = view.grid.blocked[view.part]
    which = list(which)
    image = np.ones((*blocked.shape, 3))
    for i in which:
        _tint_searched(image, view, view.searched[i])
    image[blocked] = FLAT_ROCK
    _show_cells(axes, view, image)
    _draw_paths(axes, view, which, np.eye(2))
    if view.up == "-y":
        axes.invert_yaxis()


def draw_above(axes: "Axes", view: "MapView", which: Iterable[int]) -> None:
    """Draw a floor plan: the share of blocked cells along z, at the height of the paths."""
    which = list(which)
    cells = view.grid.blocked[view.part]
    heights = [view.paths[i].points[:, 2] for i in which if len(view.paths[i].points)]
    if heights:
        z = (np.concatenate(heights) - view.low[2]) / view.grid.cell
        first = max(int(z.min()), 0)
        cells = cells[:, :, first : max(int(np.ceil(z.max())), first + 1)]
    strength = np.sqrt(cells.mean(axis=2))[..., None]
    _show_cells(axes, view, 1 + (np.array(DEEP_ROCK) - 1) * strength)
    _draw_paths(axes, view, which, np.eye(3, 2))
    axes.set_title("from above, at the height of the path", color=FAINT, fontsize=9)


def draw_angled(
    axes: "Axes",
    view: "MapView",
    which: Iterable[int],
    backdrop: NDArray[np.uint8] | None = None,
) -> None:
    """Draw the view from the upper left; lines are pale where blocked cells hide them.

    `backdrop` is a picture of the blocked cells, where the same is drawn more than once.
    """
    assert view.rock is not None
    which, turned = list(which), view.turned
    low, high = turned.box(view.low, view.high)
    left, right = screen_of(low, high)
    if backdrop is None:
        view.rock.draw(axes)
    else:
        extent = (left[0], right[0], left[1], right[1])
        axes.imshow(backdrop, extent=extent, aspect="auto", zorder=0.5)
    if view.dear is not None:
        _dots(axes, view, *dots_of_costs(view), (*DEAR,))
    for i in which:
        found = view.searched[i]
        if found is not None:
            colours = FIRST + (LAST - FIRST) * found.order[:, None]
            _dots(axes, view, found.points, 0.35, colours * 0.85)
    order = list(turned.order)
    spans = zip(turned.names, view.low[order], view.high[order], strict=True)
    names = (
        [f"{name}  {a:g} to {b:g}" for name, a, b in spans] if backdrop is None else ["", "", ""]
    )
    draw_box(axes, low, high, names)
    for i in which:
        points = turned.points(view.paths[i].points)
        if len(points) > 1:
            _line(axes, view, points @ SCREEN, i, alpha=0.4, zorder=2.5)
            along = sampled(points)
            for piece in pieces(along @ SCREEN, view.rock.sees(along)):
                _line(axes, view, piece, i)
            _corners(axes, points @ SCREEN, view.colours[i])
        axes.plot([], [], color=view.colours[i], lw=2.4, label=view.labels[i])
    _ends(axes, view, which, SCREEN)
    if view.cut is not None:
        name = turned.names[1]
        axes.set_title(f"cut at {name} = {view.cut:g}", color=FAINT, fontsize=9)
    pad = 0.03 * (right - left).max()
    axes.set(xlim=(left[0] - pad, right[0] + pad), ylim=(left[1] - pad, right[1] + pad))
    axes.set_aspect("equal")
    axes.axis("off")


# ---------------------------------------------------------------------- cells


def _show_cells(axes: "Axes", view: "MapView", image: Array) -> None:
    (left, bottom), (right, top) = view.low[:2], view.high[:2]
    extent = (float(left), float(right), float(bottom), float(top))
    axes.imshow(image.swapaxes(0, 1), origin="lower", extent=extent, interpolation="none", zorder=0)
    if view.dear is not None:
        tint_costs(axes, view.dear, extent)
    axes.set(xlabel="x", ylabel="y", xlim=(left, right), ylim=(bottom, top))
    axes.tick_params(colors=FAINT, labelcolor=INK, labelsize=9)
    axes.spines[:].set_color(FAINT)


def _tint_searched(image: Array, view: "MapView", found: Searched | None) -> None:
    """Colour the cells that a search expanded, the first ones paler."""
    if found is None:
        return
    shift = 0.0 if view.grid.nodes == "centres" else 0.5
    cells = np.floor((found.points - view.low) / view.grid.cell - shift + 1e-9).astype(int)
    inside = ((cells >= 0) & (cells < image.shape[:2])).all(axis=1)
    image[tuple(cells[inside].T)] = FIRST + (LAST - FIRST) * found.order[inside, None]


def _dots(axes: "Axes", view: "MapView", points: Array, alpha: float, colours: Any) -> None:
    """Draw points at an angle, the farthest first."""
    kept = np.linspace(0, len(points) - 1, min(len(points), MOST_DOTS)).astype(int)
    places = view.turned.points(points[kept])
    order = np.argsort(places @ TOWARDS, kind="stable")
    shades: Any = np.asarray(colours)
    shades = shades[kept][order] if shades.ndim == 2 else [tuple(shades)]
    x, y = (places[order] @ SCREEN).T
    axes.scatter(x, y, s=5, c=shades, alpha=alpha, lw=0, zorder=2.2)


# ---------------------------------------------------------------------- paths


def _draw_paths(axes: "Axes", view: "MapView", which: list[int], screen: Array) -> None:
    for i in which:
        points = view.paths[i].points
        if len(points):
            _line(axes, view, points @ screen, i, label=view.labels[i])
            _corners(axes, points @ screen, view.colours[i])
        else:
            axes.plot([], [], color=view.colours[i], label=view.labels[i])
    _ends(axes, view, which, screen)


def _line(axes: "Axes", view: "MapView", points: Array, number: int, **style: Any) -> None:
    """Draw a path. Of several, earlier ones are a little wider, so they stay visible."""
    later = len(view.paths) - 1 - number if len(view.paths) <= 4 else 0
    style = {"lw": 2.2 + 0.7 * later, "zorder": 4} | style
    style |= {"solid_capstyle": "round", "solid_joinstyle": "round"}
    if style["zorder"] == 4:
        halo = {"color": "white", "lw": style["lw"] + 1.8, "alpha": 0.9, "zorder": 3}
        axes.plot(*points.T, **style | halo | {"label": None})
    axes.plot(*points.T, color=view.colours[number], **style)


def _corners(axes: "Axes", points: Array, colour: str) -> None:
    if len(points) <= MOST_CORNERS:
        axes.plot(*points[1:-1].T, "o", ms=4.5, mfc="white", mec=colour, mew=1.4, zorder=5)


def _ends(axes: "Axes", view: "MapView", which: list[int], screen: Array) -> None:
    """Mark start and goal, and draw the agent there and at corners, at its true radius."""
    from matplotlib.patches import Circle

    style: dict[str, Any] = {"linestyle": "none", "zorder": 6, "clip_on": False}
    marked: set[tuple[float, ...]] = set()
    at_angle = screen is SCREEN
    for i in which:
        path, ends = view.paths[i], ends_of(view.paths[i])
        if ends is None:
            continue
        corners = path.points if 1 < len(path.points) <= MOST_CORNERS else np.array(ends)
        if not path.partial and len(which) == 1:
            corners = np.concatenate([corners, np.array(ends)])
        if path.radius > 0 and (len(which) == 1 or i == which[0]):
            for point in (view.turned.points(corners) if at_angle else corners) @ screen:
                colour = view.colours[i]
                disc: dict[str, Any] = {"fc": colour, "ec": "none", "alpha": 0.18, "zorder": 3.5}
                ring: dict[str, Any] = {"fill": False, "ec": colour, "lw": 0.8, "zorder": 3.6}
                axes.add_patch(Circle(point, path.radius, **disc))
                axes.add_patch(Circle(point, path.radius, **ring))
        drawn = [("start", ends[0])]
        drawn += [] if path.partial else [("goal", ends[1])]
        for name, point in drawn:
            if tuple(point) in marked:
                continue
            label = None if name in axes.get_legend_handles_labels()[1] else name
            marked.add(tuple(point))
            place = (view.turned.points(point) if at_angle else point) @ screen
            if name == "start":
                axes.plot(*place, "o", ms=8, mfc="white", mec=INK, mew=2.4, label=label, **style)
            else:
                axes.plot(*place, "*", ms=16, mfc=INK, mec="white", mew=1.2, label=label, **style)

"""`verify`: check that a path is free, by plain code that shares nothing with the searches.

For a point agent the check uses rational numbers. A segment is cut where it crosses the faces of
cells; the crossings and the midpoints between them give every cell that it meets. For a ball, the
distance from the segment to each blocked cell near it is computed in floating point.
A coordinate within the `resolution` of the world of a multiple of half a cell is rounded to it; the
same tolerance applies to the distance of a ball.
In a scene, a segment that leaves or enters blocked cells is checked against the bodies (`bodies`),
and so are all segments on a waypoint graph.
"""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noctule.core.validation import at_least
from noctule.graphs.base import SearchGraph
from noctule.graphs.explicit.graph import Graph
from noctule.graphs.explicit.waypoints import Waypoints
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.path import Path, polyline_length
from noctule.verification.bodies import Array, bodies_near, is_in_space, slack
from noctule.verification.costs import states_its_cost
from noctule.verification.timed import violations_in_time
from noctule.worlds.scene import Scene


class Violation(NamedTuple):
    """A place where a path is not free.

    Attributes
    ----------
    segment : int
        Index of the segment; -1 if the whole path is wrong.
    cell : tuple of int
        The blocked cell, or one beyond the border.
    distance : float
        Distance from the segment to the cell or body in world units; below 0, the depth.
    body : str
        Name of the body, if the segment was checked against bodies.

    Examples
    --------
    >>> import noctule as nt
    >>> grid = nt.Grid([[False, True], [False, False]])
    >>> next(nt.violations([(0.5, 0.5), (1.5, 1.5)], grid, radius=0.4))
    Violation(segment=0, cell=(0, 1), distance=0.0, body='')
    """

    segment: int
    cell: tuple[int, ...]
    distance: float
    body: str = ""

    def __str__(self) -> str:
        if self.segment < 0:
            return "the stated length or cost of the path is wrong, or it leaves the world"
        if self.body and self.distance < 0:
            return f"segment {self.segment} enters body {self.body!r} by {-self.distance:g}"
        if self.body:
            return f"segment {self.segment} comes within {self.distance:g} of body {self.body!r}"
        if not self.cell:
            return f"segment {self.segment} is neither an edge of the graph nor in line of sight"
        return f"segment {self.segment} comes within {self.distance:g} of blocked cell {self.cell}"


def verify(
    path: "Path | ArrayLike", world: "SearchGraph | Scene", radius: float | None = None
) -> bool:
    """Check that a path is free for an agent of this radius.

    Parameters
    ----------
    path : Path or array (n, dimension)
        Points in world units. A path without points is valid.
    world : SearchGraph or Scene
        The current world. A `Graph` is checked with its `sight`. A timed path is checked in
        continuous time against the bodies of the scene (or of the scene of a `CellGrid`) as they
        will move until `path.foreseen`.
    radius : float, optional
        Radius of the agent in world units. Default: the radius that the path was planned for.

    Returns
    -------
    bool
        Whether the ball meets no solid anywhere on the path. `violations` yields the places where
        it does.

    Examples
    --------
    >>> import noctule as nt
    >>> grid = nt.Grid([[False, True], [False, False]])
    >>> nt.verify([(0.5, 0.5), (1.5, 0.5), (1.5, 1.5)], grid, radius=0.5)
    True
    >>> nt.verify([(0.5, 0.5), (1.5, 1.5)], grid, radius=0.0)
    False
    """
    return next(violations(path, world, radius), None) is None


def violations(
    path: "Path | ArrayLike", world: "SearchGraph | Scene", radius: float | None = None
) -> "Iterator[Violation]":
    """Yield every place where a path is not free.

    Parameters
    ----------
    path : Path or array (n, dimension)
        Points in world units.
    world : SearchGraph or Scene
        The current world, as for `verify`.
    radius : float, optional
        Radius of the agent in world units. Default: the radius that the path was planned for.

    Yields
    ------
    Violation
        The segment, and what it meets.

    Examples
    --------
    >>> import noctule as nt
    >>> grid = nt.Grid([[False, True], [False, False]])
    >>> [str(v) for v in nt.violations([(0.5, 0.5), (1.5, 1.5)], grid, radius=0.4)]
    ['segment 0 comes within 0 of blocked cell (0, 1)']
    """
    points = np.asarray(path.points if isinstance(path, Path) else path, np.float64)
    if radius is None:
        radius = path.radius if isinstance(path, Path) else 0.0
    radius = at_least(0, "radius", radius)
    scene = world if isinstance(world, Scene) else getattr(world, "scene", None)
    if isinstance(path, Path) and path.times is not None and scene is not None:
        yield from _violations_in_time(path, path.times, scene, radius)
        return
    length_is_right = not isinstance(path, Path) or _has_stated_length(path)
    if isinstance(world, Graph) and not isinstance(world, Waypoints):
        if world.world is None:
            yield from _segments_off_edges(points, world, length_is_right)
            return
        world = world.world
    elif isinstance(world, SearchGraph) and not isinstance(world, Grid | Waypoints):
        yield from _segments_off_edges(points, world, length_is_right)
        return
    if isinstance(world, Scene):
        raise ValueError("a path without times is checked on a grid: noctule.CellGrid(scene)")
    if isinstance(world, Waypoints):
        margin = radius - slack(world.scene.space)
        places, inside = points, is_in_space(points, world.scene, margin)
    else:
        places, inside = _in_cells(points, world)
    if not len(points):
        return
    if isinstance(path, Path) and path.cell_cost is not None and isinstance(world, Grid):
        length_is_right = length_is_right and states_its_cost(path.cell_cost, places, world)
    if not (inside and length_is_right):
        yield Violation(-1, (), math.nan)
        return
    leaves, enters = path.blocked_ends if isinstance(path, Path) else (False, False)
    last = max(len(points) - 2, 0)
    for i in range(last + 1):
        at_end = (leaves and i == 0) or (enters and i == last)
        if isinstance(world, Waypoints) or (
            isinstance(world, CellGrid) and (at_end or world.sight == "bodies")
        ):
            safety = world.safety and not at_end
            for name, gap in bodies_near(world.scene, points[i : i + 2], radius, safety):
                yield Violation(i, (), gap, name)
            continue
        p, q = places[i], places[min(i + 1, len(places) - 1)]
        if radius / world.cell > world.resolution:  # a smaller ball is a point, as places go
            hits = _cells_near_ball(world, p, q, radius / world.cell)
        else:
            hits = _cells_met_by_point(world, p, q, touching_allowed=world.nodes == "corners")
        for cell, gap in hits:
            yield Violation(i, cell, gap * world.cell)


def _in_cells(points: Array, world: Grid) -> tuple[Array, bool]:
    """Return points in cells, rounded to near multiples of 0.5, and whether all are inside."""
    if points.ndim != 2 or (len(points) and points.shape[1] != world.dimension):
        raise ValueError(f"path has shape {points.shape}; expected (n, {world.dimension})")
    places = (points.reshape(-1, world.dimension) - world.origin) / world.cell
    halves = np.round(2 * places) / 2
    places = np.where(np.abs(places - halves) <= world.resolution, halves, places)
    inside = np.isfinite(places) & (places >= 0) & (places <= world.shape)
    return places, bool(inside.all())


def _violations_in_time(
    path: Path, times: Array, scene: Scene, radius: float
) -> Iterator[Violation]:
    """Yield the violations of a timed path: its border, its times and length, and all bodies."""
    points = path.points
    inside = is_in_space(points, scene, radius - slack(scene.space))
    legs = np.linalg.norm(np.diff(points, axis=0), axis=1)
    jumps = (np.diff(times) < 0).any() or ((np.diff(times) == 0) & (legs > 0)).any()
    if len(times) != len(points) or not inside or jumps or not _has_stated_length(path):
        yield Violation(-1, (), math.nan)
        return
    for leg, body, gap in violations_in_time(points, times, scene, radius, path.foreseen):
        yield Violation(leg, (), gap, body)


def _segments_off_edges(
    points: Array, graph: SearchGraph, length_is_right: bool
) -> Iterator[Violation]:
    """Yield the segments that are neither edges of a graph nor allowed by its `sight`."""
    if not length_is_right:
        yield Violation(-1, (), math.nan)
    for i, (p, q) in enumerate(itertools.pairwise(points)):
        if not graph.is_free(p, q):
            yield Violation(i, (), 0.0)


def _has_stated_length(path: Path) -> bool:
    return math.isclose(path.length, polyline_length(path.points), rel_tol=1e-9, abs_tol=1e-12)


def _solid_box(
    world: Grid, p: Array, q: Array, reach: float
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the low corner and the blocked cells of the box around a segment, plus one cell."""
    low = np.maximum(np.floor(np.minimum(p, q) - reach) - 1, -1).astype(np.int64)
    high = np.minimum(np.floor(np.maximum(p, q) + reach) + 1, world.shape).astype(np.int64)
    return low, world.blocked_within(low.tolist(), high.tolist())


def _cells_met_by_point(
    world: Grid, p: Array, q: Array, touching_allowed: bool
) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield each blocked cell that a point agent meets, with distance 0.

    If touching is not allowed, the surface of a cell counts. If it is, a piece of the segment is
    blocked only if all cells around it are, up to the tolerance.
    """
    start = [Fraction(float(v)) for v in p]
    along = [Fraction(float(w)) - v for v, w in zip(start, q, strict=True)]
    faces = {Fraction(0), Fraction(1)}
    for v, d in zip(start, along, strict=True):
        if d:
            low, high = sorted((v, v + d))
            faces.update((n - v) / d for n in range(math.ceil(low), math.floor(high) + 1))
    times = sorted(faces)
    middles = [(a + b) / 2 for a, b in itertools.pairwise(times)]
    corner, blocked = _solid_box(world, p, q, 0.0)
    seen = set()
    for t in middles if touching_allowed else times + middles:
        point = [v + t * d for v, d in zip(start, along, strict=True)]
        around = list(_cells_around(point, Fraction(world.resolution if touching_allowed else 0)))
        solid = [cell for cell in around if blocked[tuple(np.array(cell) - corner)]]
        stopped = len(solid) == len(around) if touching_allowed else bool(solid)
        for cell in solid if stopped else ():
            if cell not in seen:
                seen.add(cell)
                yield cell, 0.0


def _cells_around(point: list[Fraction], near: Fraction) -> Iterator[tuple[int, ...]]:
    """Return the closed cells that contain a point; a point on a face is in two."""
    sides = []
    for v in point:
        n = round(v)
        sides.append((n - 1, n) if abs(v - n) <= near else (math.floor(v),))
    return itertools.product(*sides)


def _cells_near_ball(
    world: Grid, p: Array, q: Array, radius: float
) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield each blocked cell that is nearer to the segment than `radius`, with its distance."""
    reach = radius - world.resolution
    for axis, n in enumerate(world.shape):  # the border is a plane
        gap = float(min(p[axis], q[axis], n - p[axis], n - q[axis]))
        if gap < reach:
            yield (-1,) * world.dimension, gap
    pieces = max(1, math.ceil(np.abs(q - p).max() / 8))  # short pieces: their boxes hold few cells
    seen = set()
    for k in range(pieces):
        a, b = p + (q - p) * (k / pieces), p + (q - p) * ((k + 1) / pieces)
        corner, blocked = _solid_box(world, a, b, radius)
        cells = np.argwhere(blocked) + corner
        for cell, gap in zip(cells.tolist(), _distances(p, q, cells).tolist(), strict=True):
            if gap < reach and tuple(cell) not in seen:
                seen.add(tuple(cell))
                yield tuple(cell), gap


def _distances(p: Array, q: Array, cells: NDArray[np.int64]) -> Array:
    """Return the distance of each cell from the segment.

    Along the segment the squared distance is convex, and quadratic between crossings of the planes
    of the cell's faces: the minimum is at a crossing, at an end, or where the slope is 0.
    """
    d = q - p
    with np.errstate(divide="ignore", invalid="ignore"):
        crossings = np.concatenate([(cells - p) / d, (cells + 1 - p) / d], axis=1)
    ends = np.broadcast_to([0.0, 1.0], (len(cells), 2))
    times = np.concatenate(
        [np.nan_to_num(crossings, nan=0.0, posinf=1.0, neginf=0.0), ends], axis=1
    )
    times = np.sort(np.clip(times, 0.0, 1.0), axis=1)

    def gaps(t: Array) -> Array:
        point = p + t[..., None] * d
        low = cells[:, None, :] - point
        return np.where(low > 0, -low, np.maximum(-low - 1, 0.0))

    middles = (times[:, 1:] + times[:, :-1]) / 2
    outside = gaps(middles)
    active = outside != 0
    curve = (active * d**2).sum(axis=2)
    slope = (outside * d).sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        flat = np.where(curve > 0, middles - slope / curve, middles)
    flat = np.clip(flat, times[:, :-1], times[:, 1:])
    candidates = np.concatenate([times, flat], axis=1)
    squares: NDArray[np.float64] = (gaps(candidates) ** 2).sum(axis=2).min(axis=1, initial=np.inf)
    return np.sqrt(squares)

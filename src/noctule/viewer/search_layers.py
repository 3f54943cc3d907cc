"""Searches and graphs as points, lines and colours; no page is needed for it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.snapshot import SearchSnapshot
from noctule.graphs import heuristics
from noctule.graphs.explicit.graph import Graph
from noctule.graphs.explicit.waypoints import Waypoints
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.hybrid.hybrid import Hybrid
from noctule.graphs.hybrid.hybrid_graph import DYNAMIC, NEIGHBOUR, STATIC
from noctule.planning.options import Options

MOST_POINTS = 10_000  # of a layer: what a page without a graphics card can still turn
MOST_LINES = 1_500

OPEN = (70, 235, 200)
DANGER = (245, 40, 75)
AGAIN = (255, 255, 255)
FREE, SHUT = (30, 190, 60), (235, 25, 35)
STATIC_NODES, DYNAMIC_NODES, NEIGHBOURS = (210, 215, 225), (235, 90, 70), (90, 160, 255)
CELLS = (150, 160, 175)
BLOCKED = (220, 150, 90)
EDGES = (90, 110, 140)
# First expanded to last: from violet over blue and green to yellow.
_ORDER = np.array([[88, 40, 140], [50, 90, 190], [40, 150, 160], [90, 200, 90], [250, 230, 60]])
_SHADES = np.stack(
    [np.interp(np.linspace(0, 4, 256), range(5), column) for column in _ORDER.T], axis=1
).astype(np.uint8)


class Layer(NamedTuple):
    """Points (n, 3) or segments (n, 2, 3), and a colour for each of their points."""

    points: NDArray[np.float32]
    colours: NDArray[np.uint8]


class SearchLayers(NamedTuple):
    """What is drawn of a search."""

    expanded: Layer
    again: Layer  # just expanded by an incremental search
    open: Layer
    danger: Layer  # cells that bodies will touch soon
    sight: Layer


class SearchWatcher:
    """Turns searches of one planner into layers.

    An incremental search has expanded a node again where its g differs from the last `look`.
    """

    def __init__(self, grid: Grid | Graph, options: Options) -> None:
        self._grid, self._options = grid, options
        self._g: NDArray[np.float64] | None = None

    def look(self, found: SearchSnapshot, goal: Any) -> SearchLayers:
        """Return the layers of a search towards a goal (in world units)."""
        again = found.expanded[self._changed(found)] if found.incremental else found.expanded[:0]
        kept = thinned(len(found.expanded), MOST_POINTS)
        expanded, g = found.expanded[kept], found.g[kept]
        order = ranked(self._keys(found, expanded, g, goal))
        sight = np.concatenate([found.free, found.shut])
        colours = np.repeat([FREE, SHUT], [len(found.free), len(found.shut)], axis=0)
        if not self._options.algorithm.any_angle:
            sight, colours = sight[:0], colours[:0]
        predicted = self._grid.predicted_cells if isinstance(self._grid, CellGrid) else again[:0]
        return SearchLayers(
            self._nodes(expanded[order], in_order(len(expanded))),
            self._nodes(again, AGAIN),
            self._nodes(found.open, OPEN),
            self._nodes(predicted, DANGER),
            _lines(self._grid, sight, colours),
        )

    def _keys(
        self, found: SearchSnapshot, nodes: NDArray[np.int64], g: NDArray[np.float64], goal: Any
    ) -> NDArray[np.float64]:
        """Return the order of expansion: f = g + w h, or g where nothing else is known."""
        if found.incremental or self._options.algorithm.timed or not len(nodes):
            return g
        left = np.abs(self._grid.positions(nodes) - np.asarray(goal, float)) / self._grid.cell
        return g + self._options.weight * estimates(self._options.heuristic, left)

    def _changed(self, found: SearchSnapshot) -> NDArray[np.bool_]:
        g = np.full(self._grid.node_count, np.nan)
        g[found.expanded] = found.g
        before, self._g = self._g, g
        if before is None:
            return np.zeros(len(found.expanded), bool)
        return np.asarray(found.g != before[found.expanded], bool)

    def _nodes(self, nodes: NDArray[np.int64], colours: Any) -> Layer:
        kept = thinned(len(nodes), MOST_POINTS)
        return _cloud(self._grid.positions(nodes[kept]), colours)


def ranked(keys: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the order of keys; those that differ by little may come in any order."""
    known = keys[np.isfinite(keys)]
    if not len(known):
        return np.arange(len(keys))
    low, wide = known.min(), max(float(np.ptp(known)), 1e-9)
    steps = np.minimum((keys - low) * (65_000 / wide), 65_535)
    return np.argsort(steps.astype(np.uint16), kind="stable")  # sorting whole numbers is quick


def in_order(n: int) -> NDArray[np.uint8]:
    """Return colours of `n` nodes, the first expanded first."""
    return _SHADES[np.linspace(0, len(_SHADES) - 1, n).astype(np.int64)]


def thinned(n: int, most: int) -> NDArray[np.int64]:
    """Return which of `n` things to show if at most `most` can be shown: evenly spread."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(np.int64)


def estimates(heuristic: int, left: NDArray[np.float64]) -> NDArray[np.float64]:
    """`heuristics.real_estimate` for many differences (n, dimension) at once."""
    a, b, c = np.pad(left, ((0, 0), (0, 3 - left.shape[1]))).T
    low, high = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
    middle = a + b + c - low - high
    estimate: NDArray[np.float64]
    if heuristic == heuristics.ZERO:
        estimate = np.zeros(len(left))
    elif heuristic == heuristics.MANHATTAN:
        estimate = left.sum(axis=1)
    elif heuristic == heuristics.STRAIGHT:
        estimate = np.sqrt((left * left).sum(axis=1))
    elif heuristic == heuristics.STEPS:
        estimate = high
    elif heuristic == heuristics.VOXEL_18:
        diagonal = high + (np.sqrt(2) - 1) * (middle + low)
        estimate = np.maximum(diagonal, (high + middle + low) / np.sqrt(2))
    else:
        estimate = high + (np.sqrt(2) - 1) * middle + (np.sqrt(3) - np.sqrt(2)) * low
    return estimate


def graph_layers(grid: Grid | Graph) -> dict[str, Layer]:
    """Return nodes and edges of a graph by kind; edges between neighbour cells are left out."""
    if isinstance(grid, Waypoints):
        return {
            "waypoints": _cloud(grid.positions(np.flatnonzero(~grid.blocked)), STATIC_NODES),
            "covered waypoints": _cloud(grid.positions(np.flatnonzero(grid.blocked)), BLOCKED),
            "edges": _lines(grid, grid.edges, EDGES),
        }
    assert isinstance(grid, Grid), "the graphs of a scene are cells or waypoints"
    if isinstance(grid, Hybrid):
        dynamic, neighbour = grid.kind & DYNAMIC > 0, grid.kind & NEIGHBOUR > 0
        graph = grid.kernel_graph()
        source = np.repeat(np.arange(len(graph.first) - 1), np.diff(graph.first))
        pairs = np.stack([source, graph.target], axis=1)
        return {
            "static nodes": _cells(grid, grid.kind == STATIC, STATIC_NODES),
            "dynamic nodes": _cells(grid, dynamic, DYNAMIC_NODES),
            "neighbour nodes": _cells(grid, neighbour & ~dynamic, NEIGHBOURS),
            "long edges": _lines(grid, pairs[source < graph.target], EDGES),
        }
    return {
        "free cells": _cells(grid, ~grid.blocked, CELLS),
        "blocked cells": _cells(grid, grid.blocked, BLOCKED),
    }


def _cells(grid: Grid, chosen: NDArray[np.bool_], colour: tuple[int, int, int]) -> Layer:
    return _cloud(grid.origin + (np.argwhere(chosen) + 0.5) * grid.cell, colour)


def _cloud(places: NDArray[np.float64], colours: Any) -> Layer:
    """Return points as a layer; `colours` is one colour, or one for each."""
    kept = thinned(len(places), MOST_POINTS)
    shades = np.broadcast_to(colours, (len(places), 3))[kept]
    return Layer(_in_space(places[kept]), shades.astype(np.uint8))


def _lines(grid: Grid | Graph, pairs: NDArray[np.int64], colours: Any) -> Layer:
    """Return lines between pairs of nodes as a layer; `colours` is one colour, or one for each."""
    kept = thinned(len(pairs), MOST_LINES)
    points = _in_space(grid.positions(pairs[kept].reshape(-1))).reshape(-1, 2, 3)
    shades = np.broadcast_to(colours, (len(pairs), 3))[kept]
    return Layer(points, np.repeat(shades[:, None], 2, axis=1).astype(np.uint8))


def _in_space(points: NDArray[np.float64]) -> NDArray[np.float32]:
    """Give points of the plane a z."""
    if points.shape[1] == 2:
        points = np.pad(points, ((0, 0), (0, 1)))
    return points.astype(np.float32)

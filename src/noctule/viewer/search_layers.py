"""Convert searches and graphs to points, lines and colours; independent of viser."""

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

MAX_POINTS = 10_000  # per layer; a page can still be turned without a graphics card
MAX_LINES = 1_500  # per layer

OPEN = (70, 235, 200)
PREDICTED = (245, 40, 75)
REEXPANDED = (255, 255, 255)
VISIBLE, BLOCKED_SIGHT = (30, 190, 60), (235, 25, 35)
STATIC_NODES, DYNAMIC_NODES, NEIGHBOURS = (210, 215, 225), (235, 90, 70), (90, 160, 255)
CELLS = (150, 160, 175)
BLOCKED = (220, 150, 90)
EDGES = (90, 110, 140)
# Colours from the first to the last expanded node: violet, blue, green, yellow.
_ORDER = np.array([[88, 40, 140], [50, 90, 190], [40, 150, 160], [90, 200, 90], [250, 230, 60]])
_SHADES = np.stack(
    [np.interp(np.linspace(0, 4, 256), range(5), column) for column in _ORDER.T], axis=1
).astype(np.uint8)


class Layer(NamedTuple):
    """Points (n, 3) or segments (n, 2, 3), and a colour for each of their points."""

    points: NDArray[np.float32]
    colours: NDArray[np.uint8]


class SearchLayers(NamedTuple):
    """The layers of a search."""

    expanded: Layer
    reexpanded: Layer  # nodes expanded again by an incremental search
    open: Layer
    predicted: Layer  # cells that bodies will touch soon
    sight: Layer  # line-of-sight checks


class SearchWatcher:
    """Converts searches of one planner to layers.

    A node counts as re-expanded by an incremental search if its g has changed since the last
    `update`.
    """

    def __init__(self, grid: Grid | Graph, options: Options) -> None:
        self._grid, self._options = grid, options
        self._g: NDArray[np.float64] | None = None

    def update(self, found: SearchSnapshot, goal: Any) -> SearchLayers:
        """Return the layers of a search for a goal (in world units)."""
        again = found.expanded[self._changed(found)] if found.incremental else found.expanded[:0]
        kept = evenly_spread(len(found.expanded), MAX_POINTS)
        expanded, g = found.expanded[kept], found.g[kept]
        order = expansion_order(self._keys(found, expanded, g, goal))
        sight = np.concatenate([found.free, found.shut])
        numbers = len(found.free), len(found.shut)
        colours = np.repeat([VISIBLE, BLOCKED_SIGHT], numbers, axis=0)
        if not self._options.algorithm.any_angle:
            sight, colours = sight[:0], colours[:0]
        predicted = self._grid.predicted_cells if isinstance(self._grid, CellGrid) else again[:0]
        return SearchLayers(
            self._nodes(expanded[order], order_colours(len(expanded))),
            self._nodes(again, REEXPANDED),
            self._nodes(found.open, OPEN),
            self._nodes(predicted, PREDICTED),
            _lines(self._grid, sight, colours),
        )

    def _keys(
        self, found: SearchSnapshot, nodes: NDArray[np.int64], g: NDArray[np.float64], goal: Any
    ) -> NDArray[np.float64]:
        """Return keys of expanded nodes: f = g + w h, or g for incremental and timed searches."""
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
        kept = evenly_spread(len(nodes), MAX_POINTS)
        return _cloud(self._grid.positions(nodes[kept]), colours)


def expansion_order(keys: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the order of keys, sorted up to 1/65000 of their range."""
    known = keys[np.isfinite(keys)]
    if not len(known):
        return np.arange(len(keys))
    low, wide = known.min(), max(float(np.ptp(known)), 1e-9)
    steps = np.minimum((keys - low) * (65_000 / wide), 65_535)
    return np.argsort(steps.astype(np.uint16), kind="stable")  # radix sort


def order_colours(n: int) -> NDArray[np.uint8]:
    """Return the colours of `n` nodes in the order of expansion."""
    return _SHADES[np.linspace(0, len(_SHADES) - 1, n).astype(np.int64)]


def evenly_spread(n: int, most: int) -> NDArray[np.int64]:
    """Return at most `most` of `n` indices, evenly spread."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(np.int64)


def estimates(heuristic: int, left: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `heuristics.real_estimate` of an array of differences (n, dimension)."""
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
    """Return nodes and edges of a graph by kind, without edges between neighbour cells."""
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
    """Return points as a layer; `colours` is one colour, or one per point."""
    kept = evenly_spread(len(places), MAX_POINTS)
    shades = np.broadcast_to(colours, (len(places), 3))[kept]
    return Layer(_in_space(places[kept]), shades.astype(np.uint8))


def _lines(grid: Grid | Graph, pairs: NDArray[np.int64], colours: Any) -> Layer:
    """Return lines between pairs of nodes as a layer; `colours` is one colour, or one per pair."""
    kept = evenly_spread(len(pairs), MAX_LINES)
    points = _in_space(grid.positions(pairs[kept].reshape(-1))).reshape(-1, 2, 3)
    shades = np.broadcast_to(colours, (len(pairs), 3))[kept]
    return Layer(points, np.repeat(shades[:, None], 2, axis=1).astype(np.uint8))


def _in_space(points: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return points in 3D; 2D points get z = 0."""
    if points.shape[1] == 2:
        points = np.pad(points, ((0, 0), (0, 1)))
    return points.astype(np.float32)

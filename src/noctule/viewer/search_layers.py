"""What a search and a graph look like, as points, lines and colours; no page is needed for it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.graphs import heuristics
from noctule.graphs.explicit.graph import Graph
from noctule.graphs.explicit.waypoints import Waypoints
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.hybrid.hybrid import DYNAMIC, NEIGHBOUR, STATIC, Hybrid
from noctule.planning.options import Options
from noctule.planning.snapshot import SearchSnapshot

Points = NDArray[np.float32]
Colours = NDArray[np.uint8]

MOST_POINTS = 10_000  # of a cloud: what a page without a graphics card can still turn
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


class Cloud(NamedTuple):
    """Points of one layer and their colours."""

    points: Points
    colours: Colours


class Lines(NamedTuple):
    """Segments (n, 2, 3) of one layer and their colours."""

    points: Points
    colours: Colours


NO_POINTS = Cloud(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.uint8))
NO_LINES = Lines(np.zeros((0, 2, 3), np.float32), np.zeros((0, 2, 3), np.uint8))


class SearchLayers(NamedTuple):
    """What is drawn of a search."""

    expanded: Cloud = NO_POINTS
    again: Cloud = NO_POINTS  # just expanded by a search that remembers
    open: Cloud = NO_POINTS
    danger: Cloud = NO_POINTS  # cells that bodies will touch soon
    sight: Lines = NO_LINES


class SearchWatcher:
    """Turns what a planner searched into layers; remembers what it saw last.

    A search that remembers has expanded a node again where its g is another than at the last look.
    """

    def __init__(self, grid: Grid | Graph, options: Options) -> None:
        self._grid, self._options = grid, options
        self._g: NDArray[np.float64] | None = None

    def look(self, found: SearchSnapshot, goal: Any) -> SearchLayers:
        """The layers of a search towards a goal (in world units)."""
        again = found.expanded[self._changed(found)] if found.remembers else found.expanded[:0]
        kept = thinned(len(found.expanded), MOST_POINTS)
        expanded, keys = found.expanded[kept], found.g[kept]
        order = ranked(self._keys(found, expanded, keys, goal))
        sight = np.concatenate([found.free, found.shut])
        tested = np.repeat([FREE, SHUT], [len(found.free), len(found.shut)], axis=0)
        return SearchLayers(
            self._cloud(expanded[order], in_order(len(expanded))),
            self._cloud(again, np.array([AGAIN])),
            self._cloud(found.open, np.array([OPEN])),
            self._cloud(self._dangers(), np.array([DANGER])),
            self._lines(sight, tested) if self._options.algorithm.any_angle else NO_LINES,
        )

    def _dangers(self) -> NDArray[np.int64]:
        return (
            self._grid.predicted_cells
            if isinstance(self._grid, CellGrid)
            else np.empty(0, np.int64)
        )

    def _keys(
        self, found: SearchSnapshot, nodes: NDArray[np.int64], g: NDArray[np.float64], goal: Any
    ) -> NDArray[np.float64]:
        """What nodes are expanded by: f = g + w h, or g where nothing else is known."""
        if found.remembers or self._options.algorithm.timed or not len(nodes):
            return g
        _, places = self._grid.places(nodes)
        left = np.abs(places - np.asarray(goal, float)) / self._grid.cell
        return g + self._options.weight * estimates(self._options.heuristic, left)

    def _changed(self, found: SearchSnapshot) -> NDArray[np.bool_]:
        g = np.full(self._grid.node_count, np.nan)
        g[found.expanded] = found.g
        before, self._g = self._g, g
        if before is None:
            return np.zeros(len(found.expanded), bool)
        return np.asarray(found.g != before[found.expanded], bool)

    def _cloud(self, nodes: NDArray[np.int64], colours: NDArray[Any]) -> Cloud:
        kept = thinned(len(nodes), MOST_POINTS)
        _, points = self._grid.places(nodes[kept])
        shown = colours[kept] if len(colours) == len(nodes) else np.repeat(colours, len(kept), 0)
        return Cloud(_in_space(points), shown.astype(np.uint8))

    def _lines(self, pairs: NDArray[np.int64], colours: NDArray[Any]) -> Lines:
        kept = thinned(len(pairs), MOST_LINES)
        nodes = pairs[kept].reshape(-1)
        points = _in_space(self._grid.places(nodes)[1])
        both = np.repeat(colours[kept][:, None], 2, axis=1).astype(np.uint8)
        return Lines(points.reshape(-1, 2, 3), both)


def ranked(keys: NDArray[np.float64]) -> NDArray[np.int64]:
    """The order of keys; those that differ by little may come in any order."""
    known = keys[np.isfinite(keys)]
    if not len(known):
        return np.arange(len(keys))
    low, wide = known.min(), max(float(np.ptp(known)), 1e-9)
    steps = np.minimum((keys - low) * (65_000 / wide), 65_535)
    return np.argsort(steps.astype(np.uint16), kind="stable")  # sorting whole numbers is quick


def in_order(n: int) -> NDArray[np.uint8]:
    """Colours of `n` nodes, the first expanded first."""
    return _SHADES[np.linspace(0, len(_SHADES) - 1, n).astype(np.int64)]


def thinned(n: int, most: int) -> NDArray[np.int64]:
    """Which of `n` things to show if at most so many can be shown: evenly spread."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(np.int64)


def estimates(heuristic: int, left: NDArray[np.float64]) -> NDArray[np.float64]:
    """`heuristics.real_estimate` for many differences (n, dimension) at once."""
    if heuristic == heuristics.ZERO:
        return np.zeros(len(left))
    if heuristic == heuristics.MANHATTAN:
        return left.sum(axis=1)
    if heuristic == heuristics.STRAIGHT:
        return np.sqrt((left * left).sum(axis=1))
    a, b, c = np.pad(left, ((0, 0), (0, 3 - left.shape[1]))).T
    low, high = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
    middle = a + b + c - low - high
    if heuristic == heuristics.STEPS:
        return high
    if heuristic == heuristics.VOXEL_18:
        diagonal = high + (np.sqrt(2) - 1) * (middle + low)
        return np.maximum(diagonal, (high + middle + low) / np.sqrt(2))
    return high + (np.sqrt(2) - 1) * middle + (np.sqrt(3) - np.sqrt(2)) * low


def graph_layers(grid: Grid | Graph) -> dict[str, Cloud | Lines]:
    """Nodes and edges of a graph, by kind; those that all cells have are left out."""
    if isinstance(grid, Waypoints):
        free, shut = ~grid.blocked, grid.blocked
        return {
            "waypoints": _cloud(grid.positions(np.flatnonzero(free)), STATIC_NODES),
            "covered waypoints": _cloud(grid.positions(np.flatnonzero(shut)), BLOCKED),
            "edges": _edges(grid, grid.edges),
        }
    assert isinstance(grid, Grid), "the graphs of a scene are cells or waypoints"
    if isinstance(grid, Hybrid):
        kinds = {
            "static nodes": (grid.kind == STATIC, STATIC_NODES),
            "dynamic nodes": (grid.kind & DYNAMIC > 0, DYNAMIC_NODES),
            "neighbour nodes": (
                (grid.kind & NEIGHBOUR > 0) & (grid.kind & DYNAMIC == 0),
                NEIGHBOURS,
            ),
        }
        layers: dict[str, Cloud | Lines] = {
            name: _cells(grid, np.argwhere(cells), colour)
            for name, (cells, colour) in kinds.items()
        }
        return layers | {"long edges": _edges(grid, _long_edges(grid))}
    return {
        "free cells": _cells(grid, np.argwhere(~grid.blocked), CELLS),
        "blocked cells": _cells(grid, np.argwhere(grid.blocked), BLOCKED),
    }


def _cells(grid: Grid, cells: NDArray[np.int64], colour: tuple[int, int, int]) -> Cloud:
    return _cloud(grid.origin + (cells + 0.5) * grid.cell, colour)


def _cloud(places: NDArray[np.float64], colour: tuple[int, int, int]) -> Cloud:
    kept = places[thinned(len(places), MOST_POINTS)]
    return Cloud(_in_space(kept), np.repeat([colour], len(kept), axis=0).astype(np.uint8))


def _long_edges(grid: Hybrid) -> NDArray[np.int64]:
    """Pairs of nodes, each once."""
    graph = grid.graph()
    source = np.repeat(np.arange(len(graph.first) - 1), np.diff(graph.first))
    pairs = np.stack([source, graph.target], axis=1)
    return pairs[pairs[:, 0] < pairs[:, 1]]


def _edges(grid: Grid | Graph, pairs: NDArray[np.int64]) -> Lines:
    kept = pairs[thinned(len(pairs), MOST_LINES)]
    points = grid.places(kept.reshape(-1))[1].reshape(-1, 2, 3)
    colours = np.broadcast_to(np.array(EDGES, np.uint8), (len(kept), 2, 3)).copy()
    return Lines(points.astype(np.float32), colours)


def _in_space(points: NDArray[np.float64]) -> Points:
    """Points of a world in the plane get a z."""
    if points.shape[1] == 2:
        points = np.pad(points, ((0, 0), (0, 1)))
    return points.astype(np.float32)

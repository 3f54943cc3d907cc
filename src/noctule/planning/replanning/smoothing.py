"""Smoothing in flight: new paths are pulled taut in the time that is left."""

import math
from time import perf_counter
from typing import Any, Literal

import numpy as np

from noctule.core.validation import PointLike
from noctule.graphs.compiled import CompiledGraph
from noctule.path import Path
from noctule.planning.planner import Planner
from noctule.planning.smoothing import TOLERANCE, pull_taut, taut
from noctule.registry import Algorithm

Smooth = Literal["taut"]


def check_smooth(smooth: Any, row: Algorithm, graph: Any) -> Smooth | None:
    """Return how to smooth paths; raise ValueError where that is not possible."""
    if smooth is None:
        return None
    if smooth != "taut":
        raise ValueError(f"smooth is {smooth!r}; allowed are 'taut' and None")
    if row.timed:
        raise ValueError(f"smooth is 'taut'; {row.name} smooths its paths in time: use nt.Timing")
    if not isinstance(graph, CompiledGraph) or not graph.has_sight:
        raise ValueError(f"smooth is 'taut'; that needs lines of sight, and {graph!r} has none")
    return "taut"


def pulled_taut(path: Path, planner: Planner, deadline: float = math.inf) -> Path:
    """Return a path of a planner pulled taut, or as taut as it can be at the deadline."""
    if len(path.points) < 3 or planner.options.algorithm.tightened:
        return path
    graph = planner.graph.kernel_graph(path.radius)
    until = None if deadline == math.inf else deadline
    return taut(path, planner.graph, graph, TOLERANCE, perf_counter(), until)


def warm_up_smoothing(planner: Planner, start: PointLike) -> None:
    """Compile, or load, what pulling paths taut needs."""
    graph = planner.graph
    assert isinstance(graph, CompiledGraph)
    points = np.repeat(np.asarray(start, np.float64)[None], 3, axis=0)
    pull_taut(graph, graph.kernel_graph(planner.options.radius), points, TOLERANCE)

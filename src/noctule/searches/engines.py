"""Which engine runs a search: the fast one for cells, the general one, or one that remembers."""

from typing import Any

from noctule.graphs.cells import Cells
from noctule.graphs.grid import Grid
from noctule.searches.a_star import AStar
from noctule.searches.best_first import BestFirst
from noctule.searches.grid_engine import GridEngine
from noctule.searches.options import Options
from noctule.searches.remembering import Remembering

Engine = BestFirst | GridEngine | Remembering
Counts = tuple[int, int, int]  # nodes expanded, lines of sight asked for, lines of sight walked


def choose_engines(grid: Grid, graph: Any, options: Options) -> list[Engine]:
    """The fast engine where it can do what is asked, and the general one, which always can."""
    if options.algorithm.remembers:
        return [options.algorithm.options(grid, graph, options.weight, options.heuristic)]
    algorithm = options.algorithm.options(options.weight, options.heuristic, options.equal_steps)
    engines: list[Engine] = [BestFirst(graph, algorithm)]
    proven = options.bound <= options.weight  # else nothing says when the fast engine may end
    if isinstance(algorithm, AStar) and isinstance(graph, Cells) and proven:
        engines.insert(0, GridEngine(graph, algorithm.weight, algorithm.heuristic))
    return engines


def spent(memory: Any) -> Counts:
    """Nodes that a search expanded, lines of sight that it asked for, and those it walked."""
    _, expanded, checks, walks = memory.counts[:4].tolist()
    return expanded, checks, walks

"""Which engine runs a search: the fast one for cells, or the general one for everything."""

from typing import Any

from noctule.graphs.cells import Cells
from noctule.searches.a_star import AStar
from noctule.searches.best_first import BestFirst
from noctule.searches.grid_engine import GridEngine
from noctule.searches.jump_points import JumpPoints
from noctule.searches.options import Options

Engine = BestFirst | GridEngine
Counts = tuple[int, int, int]  # nodes expanded, lines of sight asked for, lines of sight walked


def choose_engines(graph: Any, options: Options) -> list[Engine]:
    """The fast engine where it can do what is asked, and the general one, which always can."""
    algorithm = options.algorithm.options(options.weight, options.heuristic, options.equal_steps)
    engines: list[Engine] = [BestFirst(graph, algorithm)]
    proven = options.bound <= options.weight  # else nothing says when the fast engine may end
    if isinstance(algorithm, AStar) and isinstance(graph, Cells) and proven:
        jumps = options.algorithm.name == "jps" and graph.lattice.moves.bit_count() in (8, 26)
        fast = JumpPoints if jumps else GridEngine
        engines.insert(0, fast(graph, algorithm.weight, algorithm.heuristic))
    return engines


def spent(memory: Any) -> Counts:
    """Nodes that a search expanded, lines of sight that it asked for, and those it walked."""
    _, expanded, checks, walks, _ = memory.counts.tolist()
    return expanded, checks, walks

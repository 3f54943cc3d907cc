"""Which engine runs a search: the fast one for cells, or the general one for everything."""

from typing import Any

from noctule.graphs.cells import Cells, Corners
from noctule.graphs.grid import Grid
from noctule.graphs.heuristics import MANHATTAN, ZERO
from noctule.searches.a_star import AStar
from noctule.searches.any_angle import AnyAngle
from noctule.searches.best_first import BestFirst
from noctule.searches.grid_engine import GridEngine
from noctule.searches.jump_points import JumpPoints
from noctule.searches.lazy_theta_star import LazyThetaStar
from noctule.searches.options import Options
from noctule.searches.theta_star import ThetaStar
from noctule.searches.two_stacks import HIGHEST, TwoStacks

Engine = BestFirst | GridEngine | TwoStacks | AnyAngle
Counts = tuple[int, int, int]  # nodes expanded, lines of sight asked for, lines of sight walked


def choose_engines(grid: Grid, graph: Any, options: Options) -> list[Engine]:
    """The fast engine where it can do what is asked, and the general one, which always can."""
    algorithm = options.algorithm.options(options.weight, options.heuristic, options.equal_steps)
    engines: list[Engine] = [BestFirst(graph, algorithm)]
    proven = options.bound <= options.weight  # else nothing says when the fast engine may end
    if isinstance(algorithm, AStar) and isinstance(graph, Cells) and proven:
        engines.insert(0, _fast_engine(grid, graph, algorithm, options.algorithm.name))
    any_angle = isinstance(algorithm, ThetaStar | LazyThetaStar) and not algorithm.equal
    if any_angle and isinstance(graph, Cells | Corners):
        engines.insert(0, AnyAngle(graph, algorithm, isinstance(algorithm, LazyThetaStar)))
    return engines


def _fast_engine(grid: Grid, graph: Cells, algorithm: AStar, name: str) -> Engine:
    weight, heuristic = algorithm
    f_has_two_values = heuristic == ZERO or (heuristic == MANHATTAN and weight == 1.0)
    if grid.neighbours in (4, 6) and f_has_two_values and max(grid.shape) <= HIGHEST:
        return TwoStacks(graph, heuristic)
    if name == "jps" and grid.neighbours in (8, 26):
        return JumpPoints(graph, weight, heuristic, grid.row_ages)
    return GridEngine(graph, weight, heuristic)


def spent(memory: Any) -> Counts:
    """Nodes that a search expanded, lines of sight that it asked for, and those it walked."""
    _, expanded, checks, walks, _ = memory.counts.tolist()
    return expanded, checks, walks

"""Which engine runs a search: the fast one for cells, the general one, or one that remembers."""

from typing import Any

from noctule.algorithms.a_star import AStar
from noctule.algorithms.best_first import BestFirst
from noctule.algorithms.incremental import Kept, Remembering
from noctule.algorithms.lazy_theta_star import LazyThetaStar
from noctule.algorithms.theta_star import ThetaStar
from noctule.engines.face_a_star import HIGHEST, TwoStacks
from noctule.engines.grid_engine import GridEngine
from noctule.engines.hierarchical import Coarse, ShortTry
from noctule.engines.hybrid_a_star import HybridEngine
from noctule.engines.jps import JumpPoints
from noctule.engines.lattice_theta import AnyAngle
from noctule.graphs.explicit.csr import CSRGraph
from noctule.graphs.grid.body_sight import BodyCells
from noctule.graphs.grid.lattice import Balls, Cells, Corners
from noctule.graphs.heuristics import MANHATTAN, ZERO
from noctule.graphs.hybrid.hybrid_graph import HybridCells
from noctule.planning.options import Options, default_heuristic, heuristic_code
from noctule.registry import find_algorithm

# At any angle a repair may take so much of a new search, whose expansions cost ten times those of
# A*. On a hybrid graph it may take less: the last path does meanwhile.
PATIENCE_ON_CELLS = 0.6

Engine = BestFirst | GridEngine | HybridEngine | TwoStacks | AnyAngle | Remembering
QUICK = (GridEngine, JumpPoints)  # their searches can be so short that every call counts
Counts = tuple[int, int, int]  # nodes expanded, lines of sight asked for, lines of sight walked


def choose_engines(grid: Any, graph: Any, options: Options) -> list[Engine]:
    """The fast engine where it can do what is asked, and the general one, which always can."""
    row = options.algorithm
    if isinstance(graph, BodyCells) and (row.remembers or not row.any_angle):
        graph = Cells(graph.lattice)  # the same steps, and no other lines
    if row.remembers:
        return _engines_that_remember(grid, graph, options)
    if options.coarse:
        h = options.heuristic
        return [ShortTry(graph, h), Coarse(grid, graph, h), BestFirst(graph, AStar(1.0, h))]
    algorithm = row.options(options.weight, options.heuristic, options.equal_steps)
    engines: list[Engine] = [BestFirst(graph, algorithm)]
    proven = options.bound <= options.weight  # else nothing says when the fast engine may end
    if isinstance(algorithm, AStar) and isinstance(graph, Cells) and proven:
        fast = _fast_engines(grid, graph, algorithm, options.algorithm.name)
        engines = [*fast, *engines]
    if isinstance(algorithm, AStar) and isinstance(graph, HybridCells) and proven:
        weights = _weights_to_try(algorithm.weight)
        engines = [*(HybridEngine(graph, w, algorithm.heuristic) for w in weights), *engines]
    any_angle = isinstance(algorithm, ThetaStar | LazyThetaStar) and not algorithm.equal
    if any_angle and isinstance(graph, Cells | Corners | HybridCells):
        engines.insert(0, AnyAngle(graph, algorithm, isinstance(algorithm, LazyThetaStar)))
    return engines


def _engines_that_remember(grid: Any, graph: Any, options: Options) -> list[Engine]:
    """One that repairs its search; where A* is quicker, with A* to begin anew, or to stand in."""
    row = options.algorithm
    engine: Remembering = row.options(grid, graph, options.weight, options.heuristic)
    if isinstance(graph, Balls | CSRGraph) or options.equal_steps or row.anytime:
        return [engine]
    if not row.any_angle:
        if engine.new_memory is Kept and isinstance(graph, Cells):
            engine.begin_with(GridEngine(graph, options.weight, options.heuristic))
        elif engine.new_memory is Kept and isinstance(graph, HybridCells):
            engine.begin_with(HybridEngine(graph, options.weight, options.heuristic))
        return [engine]
    engine.patient = False
    if not isinstance(graph, HybridCells):
        engine.patience = PATIENCE_ON_CELLS
    heuristic = heuristic_code(default_heuristic(find_algorithm("a*"), grid), grid)
    along_edges = AStar(options.weight, heuristic)
    again: list[Engine] = [BestFirst(graph, along_edges)]
    if isinstance(graph, Cells):
        again[:0] = _fast_engines(grid, graph, along_edges, "a*")
    elif isinstance(graph, HybridCells):
        again.insert(0, HybridEngine(graph, *along_edges))
    return [engine, *again]


def _fast_engines(grid: Any, graph: Cells, algorithm: AStar, name: str) -> list[Engine]:
    """Those that can search these cells, the fastest first."""
    weight, heuristic = algorithm
    f_has_two_values = heuristic == ZERO or (heuristic == MANHATTAN and weight == 1.0)
    if grid.neighbours in (4, 6) and f_has_two_values and max(grid.shape) <= HIGHEST:
        return [TwoStacks(graph, heuristic), GridEngine(graph, weight, heuristic)]
    if name == "jps" and grid.neighbours in (8, 26):
        ages = grid.row_ages
        return [JumpPoints(graph, w, heuristic, ages) for w in _weights_to_try(weight)]
    return [GridEngine(graph, w, heuristic) for w in _weights_to_try(weight)]


def _weights_to_try(weight: float) -> list[float]:
    """A weight, and 1: where a weight leads astray, the shortest path is found sooner."""
    return [weight] if weight == 1.0 else [weight, 1.0]


def spent(memory: Any) -> Counts:
    """Nodes that a search expanded, lines of sight that it asked for, and those it walked."""
    _, expanded, checks, walks = memory.counts[:4].tolist()
    return expanded, checks, walks

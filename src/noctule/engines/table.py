"""Which query takes which engine: the rows of `ENGINES`, tried in order.

An engine may give up (a path is too long for its packed nodes, a weight leads it astray); then the
next row answers. The last engine of a query is its reference: the algorithm's own file, on any
graph, which never gives up. `engine="reference"` skips the rows and uses the heap as open list.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from noctule.algorithms.a_star import AStar
from noctule.algorithms.best_first import BestFirst
from noctule.algorithms.field.engine import FieldEngine
from noctule.algorithms.field.field_d_star import FieldQuery
from noctule.algorithms.incremental.anytime import Anytime
from noctule.algorithms.incremental.memory import new_search
from noctule.algorithms.incremental.search import Incremental
from noctule.algorithms.incremental.state import IncrementalAlgorithm, RepairLimits
from noctule.algorithms.plane.ap_theta_star import AngleEngine, APThetaStar
from noctule.engines.face_a_star import MAX_SIDE, FaceAStar
from noctule.engines.hierarchical import Hierarchical, WeightedTry
from noctule.engines.hybrid_a_star import HybridAStar
from noctule.engines.jps import JumpPoints
from noctule.engines.lattice_a_star import LatticeAStar
from noctule.engines.lattice_theta import LatticeTheta
from noctule.engines.warm_start import WarmStart
from noctule.engines.weighted_a_star import WeightedAStar
from noctule.graphs.base import SearchGraph
from noctule.graphs.compiled import CompiledGraph
from noctule.graphs.costs.weighted import Weighted
from noctule.graphs.grid.body_sight import BodyCells
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.lattice import Cells, Corners
from noctule.graphs.grid.wide_cells import WideCells
from noctule.graphs.heuristics import MANHATTAN, STRAIGHT, VOXEL, VOXEL_18, ZERO
from noctule.graphs.hybrid.hybrid_graph import HybridCells
from noctule.plugins.outside_search import OutsideAlgorithm


class Task(NamedTuple):
    """What an engine is selected for: an algorithm with its options on a graph."""

    name: str  # of the algorithm
    search: Any  # its row's `search`
    grid: SearchGraph
    graph: Any  # as kernels see it
    weight: float
    heuristic: int
    equal_costs: bool = False  # whether every edge costs the same
    proven: bool = True  # whether a bound is proven beforehand: the heuristic is admissible
    hierarchical: bool = False

    @classmethod
    def of(cls, grid: SearchGraph, graph: Any, options: Any) -> "Task":
        """Return the task of a planner with these options."""
        row, weight, proven = options.algorithm, options.weight, options.bound <= options.weight
        more = options.heuristic, options.equal_steps, proven, options.hierarchical
        return cls(row.name, row.search, grid, graph, weight, *more)


class Row(NamedTuple):
    """An engine for some algorithms and graphs, where a condition holds."""

    algorithms: frozenset[str]
    graphs: tuple[type, ...]
    condition: Callable[[Task], bool]
    make: Callable[[Task], list[Any]]
    gain: str  # how many times faster than what comes after it, measured, and where
    gives_up: bool = True  # whether what comes after it is ever needed


def proven_bound(task: Task) -> bool:
    """The heuristic is admissible; else nothing says when the engine may stop."""
    return task.proven


def length_costs(task: Task) -> bool:
    """Edges cost their length."""
    return not task.equal_costs


def f_has_two_values(task: Task) -> bool:
    """With 4 or 6 neighbours and this heuristic, all open nodes have one of two values of f."""
    fits = task.heuristic == ZERO or (task.heuristic == MANHATTAN and task.weight == 1.0)
    small = isinstance(task.grid, Grid) and max(task.grid.shape) <= MAX_SIDE
    return task.proven and task.grid.neighbours in (4, 6) and fits and small


def moves_along_diagonals(task: Task) -> bool:
    """With 8 or 26 neighbours."""
    return task.proven and task.grid.neighbours in (8, 26)


def moves_step_by_step(task: Task) -> bool:
    """Whatever does not jump."""
    return task.proven and not (task.name in _JPS and moves_along_diagonals(task))


def _weights(task: Task) -> list[float]:
    """A weight, and 1: where a weight leads a search astray, the shortest path is found sooner."""
    return [task.weight] if task.weight == 1.0 else [task.weight, 1.0]


def _face(task: Task) -> list[Any]:
    return [FaceAStar(task.graph, task.heuristic)]


def _jump_points(task: Task) -> list[Any]:
    assert isinstance(task.grid, Grid)
    graph, h, ages = task.graph, task.heuristic, task.grid.row_ages
    return [JumpPoints(graph, weight, h, ages) for weight in _weights(task)]


def _lattice(task: Task) -> list[Any]:
    return [LatticeAStar(task.graph, weight, task.heuristic) for weight in _weights(task)]


def _weighted(task: Task) -> list[Any]:
    return [WeightedAStar(task.graph, weight, task.heuristic) for weight in _weights(task)]


def _hybrid(task: Task) -> list[Any]:
    return [HybridAStar(task.graph, weight, task.heuristic) for weight in _weights(task)]


def _theta(task: Task) -> list[Any]:
    return [LatticeTheta(task.graph, task.search(task.weight, task.heuristic, False))]


_A_STAR = frozenset({"a*", "dijkstra"})
_JPS = frozenset({"jps"})
_THETA = frozenset({"theta*", "theta*-fast", "lazy-theta*"})

ENGINES = (
    Row(
        _A_STAR | _JPS,
        (Cells, WideCells),
        f_has_two_values,
        _face,
        "2.7 to 3.4 x lattice A*: walls, rooms, test environment",
    ),
    Row(
        _JPS,
        (Cells,),
        moves_along_diagonals,
        _jump_points,
        "2 to 6 x lattice A*: open, large and indoor maps; 0.8 x on noise",
    ),
    Row(_A_STAR | _JPS, (Cells,), moves_step_by_step, _lattice, "3.7 to 8.8 x reference"),
    Row(_A_STAR | _JPS, (WideCells,), proven_bound, _lattice, "4.4 to 6.8 x reference"),
    Row(
        _A_STAR,
        (Weighted,),
        proven_bound,
        _weighted,
        "2.1 to 2.3 x reference: mines, a cost for every cell",
    ),
    Row(_A_STAR, (HybridCells,), proven_bound, _hybrid, "3.2 x reference"),
    Row(
        _THETA,
        (Cells, WideCells, Corners, HybridCells),
        length_costs,
        _theta,
        "1.6 to 2.7 x reference; 1.2 to 1.5 x on the hybrid graph",
        gives_up=False,
    ),
)

# A repair may cost this share of a new search. At any angle an expansion costs ten times one of A*,
# so A* answers while a repair takes longer; on the hybrid graph the last path does meanwhile.
ALONG_EDGES = RepairLimits()
ANY_ANGLE = RepairLimits(share=0.08, minimum=300, urgent_share=0.2)
ANY_ANGLE_ON_CELLS = ANY_ANGLE._replace(share=0.6)


def select(task: Task, reference: bool = False) -> list[Any]:
    """Return the engines for a task, to be tried in order."""
    if isinstance(task.search, OutsideAlgorithm):
        return [task.search.engine(task.grid, task.graph, reference)]
    if isinstance(task.search, IncrementalAlgorithm):
        return _select_incremental(task, task.search, reference)
    if isinstance(task.graph, BodyCells) and task.name not in _THETA:
        task = task._replace(graph=Cells(task.graph.lattice))  # the same edges; sight is not used
    options = task.search(task.weight, task.heuristic, task.equal_costs)
    engine = AngleEngine if isinstance(options, APThetaStar) else BestFirst
    last = engine(task.graph, options)
    if reference:
        return [last]
    if task.hierarchical:
        assert isinstance(task.grid, Grid)
        coarse = Hierarchical(task.grid, task.graph, task.heuristic)
        return [WeightedTry(task.graph, task.heuristic), coarse, last]
    engines: list[Any] = []
    for row in ENGINES if isinstance(task.grid, Grid) else ():
        fits = task.name in row.algorithms and isinstance(task.graph, row.graphs)
        if fits and row.condition(task):
            engines += row.make(task)
            if not row.gives_up:
                return engines
    return [*engines, last]


def _select_incremental(task: Task, algorithm: IncrementalAlgorithm, reference: bool) -> list[Any]:
    """Return the incremental search and, at any angle, A* for while its repair takes too long."""
    graph = task.graph
    if isinstance(graph, BodyCells):
        graph = Cells(graph.lattice)
    kind: type[Incremental] = Anytime if algorithm.suboptimality is not None else Incremental
    if algorithm.query is FieldQuery:
        kind = FieldEngine
    engine = kind(task.grid, graph, algorithm, task.weight, task.heuristic)
    if reference:
        engine.use_heap()
        return [engine]
    if not isinstance(task.grid, CompiledGraph):
        engine.use_heap()  # its costs may be larger than what fits into buckets
        return [engine]
    fast = isinstance(graph, Cells | WideCells | Corners | HybridCells) and not task.equal_costs
    if not fast or algorithm.suboptimality is not None:
        return [engine]
    if algorithm.any_angle:
        on_hybrid = isinstance(graph, HybridCells)
        engine.limits = ANY_ANGLE if on_hybrid else ANY_ANGLE_ON_CELLS
        stand_in = task._replace(
            name="a*",
            search=_a_star,
            graph=graph,
            heuristic=_along_edges(task.grid),
            proven=True,
        )
        return [engine, *select(stand_in)]
    if algorithm.new_search is new_search and isinstance(graph, Cells | WideCells | HybridCells):
        faster = _hybrid if isinstance(graph, HybridCells) else _lattice
        a_star, *_ = faster(task._replace(graph=graph))
        engine.warm_start = WarmStart(task.grid, engine.graph, a_star, engine.types)
        engine.limits = ALONG_EDGES
    return [engine]


def select_along_edges(task: Task, reference: bool = False) -> list[Any]:
    """Return the engines of the fastest search along edges, by jump points if that is possible.

    Its heuristic is the tightest there is, unless the task has another one than the straight line.
    """
    straight = task.heuristic == STRAIGHT
    along_edges = task._replace(
        name="a*" if task.grid.joins_many_nodes or isinstance(task.graph, Weighted) else "jps",
        search=_a_star,
        heuristic=_along_edges(task.grid) if straight else task.heuristic,
        proven=(straight or task.heuristic == ZERO) and not task.equal_costs,
    )
    return select(along_edges, reference)


def _a_star(weight: float, heuristic: int, equal_costs: bool) -> AStar:
    return AStar(weight, heuristic)


def _along_edges(grid: SearchGraph) -> int:
    """Return the tightest admissible heuristic of a search along edges."""
    if grid.joins_many_nodes:
        return STRAIGHT
    if grid.neighbours in (4, 6):
        return MANHATTAN
    return VOXEL_18 if grid.neighbours == 18 else VOXEL

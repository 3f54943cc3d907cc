"""The shell of the searches that remember: what they keep, when they repair, when they restart."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.best_first import (
    EXPANDED,
    FOUND,
    LAST_STAMP,
    SIGHT_WALKS,
    STAMP,
    STOPPED,
)
from noctule.algorithms.incremental_core import compute_shortest_path, initialize
from noctule.algorithms.remembered import (
    KM,
    LOOKS,
    NEVER,
    NO_NODE,
    PASS,
    TORN,
    Aim,
    new_search,
    trace_path,
)
from noctule.core.jit import INF, bind
from noctule.engines.grid_engine import GridEngine
from noctule.engines.lattice_a_star import GAVE_UP
from noctule.engines.warm_start import QuickStart
from noctule.graphs.explicit.csr import NO_SIGHT, CSRGraph
from noctule.graphs.explicit.graph import Graph
from noctule.graphs.grid.grid import Grid
from noctule.graphs.heuristics import STEP_1, STEP_2, STEP_3, WHOLE, ZERO
from noctule.graphs.hybrid.hybrid_graph import HybridCells

Changes = NDArray[np.int32]

# A changed cell costs a repair about as much as so many expansions cost a new search.
EXPANSIONS_A_CHANGE = 4
SMALL = 100  # expansions of a search that is not worth repairing if much has changed


class Kept:
    """What a planner remembers from plan to plan."""

    make: Callable[[int], Any] = staticmethod(new_search)
    urgent = False  # whether the last path is shut, so that another search will have to answer

    def __init__(self, n: int) -> None:
        self.search = self.make(n)
        self.version = 0  # of the grid, when the search last looked at it
        self.node_motion = 0.0  # how far its nodes had moved by then
        self.root = self.target = NO_NODE
        self.start = NO_NODE  # where the path begins: the root, or a node on the way from it
        self.restarted = True  # whether the last plan began anew
        self.growing = False  # whether a search that began anew has not found its target yet
        self.spent = 0  # expansions and looks since it began, or since the last path, before now
        self.size = 0  # how many it took the last one that began anew
        self.behind = False  # whether the last plan left work to this one
        self.path = np.empty(n, np.int64)  # the last path, from target to start
        self.path_size = 0
        self.room = np.zeros(n, np.uint8)  # for what A* finds out, when it begins a search
        self.weight = 1.0
        self.bound = INF  # how many times too long the path is at most

    @property
    def counts(self) -> NDArray[np.int64]:
        """The numbers of the last search."""
        return self.search.counts

    @property
    def torn(self) -> bool:
        """Whether a repair was broken off, and what is known is of no use."""
        return bool(self.counts[TORN])

    @property
    def work(self) -> int:
        """What the last plan cost."""
        return int(self.counts[EXPANDED] + self.counts[LOOKS])

    def forget(self) -> None:
        """Make the next plan begin anew, as if it were the first."""
        self.root = NO_NODE
        self.size = 0
        self.behind = self.growing = False

    def begin_anew(self) -> None:
        """Count for a new search; clear all marks if the numbers for them are used up."""
        self.growing, self.spent = True, -self.work
        if self.counts.max() >= LAST_STAMP:
            for name in ("mark", "closed", "seen"):
                if hasattr(self.search, name):
                    getattr(self.search, name)[:] = 0
            self.counts[PASS:] = self.counts[STAMP] = 0


class Remembering:
    """Runs one algorithm that keeps its search; `repair` is what the algorithms differ in."""

    new_memory = Kept
    backwards = False  # whether the search grows from the goal
    # Whether a repair may take as long as it does. Else one that takes more than this part of a new
    # search is given up: the search begins anew with A*, or A* finds the path and the next plan
    # goes on. No frame takes much longer than A* does.
    patient = True
    patience = 0.1
    least = 1500  # what is repaired for the price of calling A* and of what that finds out anyway
    quick: QuickStart | None = None  # A*, where its searches can be taken over

    def __init__(self, grid: Grid | Graph, graph: Any, weight: float, heuristic: int) -> None:
        self._grid = grid
        self._graph = with_integer_costs(graph)
        self._short_steps = isinstance(graph, CSRGraph)  # whether some may be shorter than a cell
        self._weight = 1.0 if heuristic == ZERO else weight
        self._heuristic = heuristic + WHOLE
        self._shortcuts: dict[Any, Callable[..., Any]] = {}

    def call(self, function: Any, *arguments: Any) -> Any:
        """Call a kernel, by a shortcut of this planner's."""
        if function not in self._shortcuts:
            self._shortcuts[function] = bind(function)
        return self._shortcuts[function](*arguments)

    def begin_with(self, a_star: GridEngine) -> None:
        """Begin anew with what A* finds out, and whenever that is quicker than to repair."""
        self.quick = QuickStart(self._grid, self._graph, a_star)
        self.patient = False

    def repair(self, kept: Kept, aim: Aim, changes: Changes) -> None:
        """Bring the search up to date: edges have changed, root and target may have moved."""
        raise NotImplementedError

    def warm_up(self, kept: Kept) -> None:
        """Compile, or load, what repairs need, by a search that nobody needs any more."""
        self.repair(kept, self.aim(kept, kept.root, kept.target), np.empty(0, np.int32))

    def can_repair(self, kept: Kept, root: int, target: int, changes: Changes) -> bool:
        """Whether what is known is of use for this root."""
        return root == kept.root

    def begin(self, kept: Kept, start: int, goal: int) -> None:
        """Prepare a search: repair what is known, or begin anew where that is cheaper."""
        root, target = (goal, start) if self.backwards else (start, goal)
        changes = self._grid.changes_since(kept.version)
        kept.version = self._grid.version if changes is None else kept.version + len(changes)
        kept.spent = kept.spent + kept.work if kept.behind or kept.growing else 0
        kept.counts[EXPANDED : SIGHT_WALKS + 1] = 0
        kept.counts[LOOKS : TORN + 1] = 0
        kept.path_size = 0
        moved, kept.node_motion = self._grid.node_motion - kept.node_motion, self._grid.node_motion
        aim = self.aim(kept, root, target)
        kept.restarted = (
            changes is None
            or not self.is_worth_repairing(kept, changes)
            or not self.can_repair(kept, root, target, changes)
        )
        if kept.restarted or changes is None:
            self.restart(kept, aim)
        else:
            self.node_motion(kept, moved)
            self.repair(kept, aim, changes)
        kept.root, kept.target, kept.start = root, target, root

    def node_motion(self, kept: Kept, moved: float) -> None:
        """Account for nodes that have moved: keys in the open list may be too high by so much."""
        if moved > 0.0:
            kept.search.keys[KM] += int(kept.weight * moved * STEP_1) + 2

    def is_worth_repairing(self, kept: Kept, changes: Changes) -> bool:
        """Whether there is a search, and to search anew would cost more than repairing it.

        A repair that two plans did not end is hardly ever worth a third.
        """
        if kept.root == NO_NODE or len(changes) * EXPANSIONS_A_CHANGE > max(kept.size, SMALL):
            return False
        return kept.growing or kept.spent < 1.5 * self.enough(kept)

    def aim(self, kept: Kept, root: int, target: int) -> Aim:
        """What kernels need to know of this plan."""
        return Aim(root, target, kept.weight, self._heuristic, closing=False)

    def restart(self, kept: Kept, aim: Aim) -> None:
        """Begin anew."""
        kept.begin_anew()
        kept.weight = self._weight
        aim = self.aim(kept, aim.root, aim.target)
        self.call(initialize, self._graph, kept.search, aim)

    def run(self, kept: Kept, goal: int, limit: int, partial: bool) -> int:
        """Search until the path is proven or `limit` nodes have been expanded in all.

        GAVE_UP if it is better to search anew for this once.
        """
        if self.quick is not None and not partial:
            return self.run_quickly(kept)
        enough = limit if partial else min(self.enough(kept), limit)
        status = STOPPED if kept.torn else self.search(kept, enough)
        kept.bound = kept.weight if status == FOUND else INF
        kept.behind = kept.torn or (status == STOPPED and enough < limit)
        if kept.torn:
            kept.root = NO_NODE
        elif kept.growing and status != STOPPED:
            kept.growing, kept.size = False, kept.spent + kept.work
        return GAVE_UP if kept.behind else status

    def run_quickly(self, kept: Kept) -> int:
        """Repair what is known; where A* is quicker, begin anew with what that finds out."""
        status = STOPPED if kept.restarted else self.search(kept, self.enough(kept))
        if status == STOPPED:
            self.begin_quickly(kept)
            status = self.search(kept, NEVER)
        kept.bound = kept.weight if status == FOUND else INF
        return status

    def begin_quickly(self, kept: Kept) -> None:
        """Let A* search from the root to the target, and take over what it finds out."""
        assert self.quick is not None
        kept.root, kept.restarted = kept.start, True
        aim = self.aim(kept, kept.root, kept.target)
        self.restart(kept, aim)
        kept.growing, kept.size = False, self.quick.begin(kept.search, aim, kept.room)
        kept.counts[EXPANDED] += kept.size

    def enough(self, kept: Kept) -> int:
        """How much work a plan may be."""
        if self.patient or kept.size == 0:
            return NEVER
        return int(max(self.patience * kept.size, self.least))

    def search(self, kept: Kept, limit: int) -> int:
        """Compute the shortest path by the weight of now."""
        return self.compute(kept, self.aim(kept, kept.root, kept.target), limit)

    def compute(self, kept: Kept, aim: Aim, limit: int) -> int:
        """Expand nodes until the way to the target is known."""
        return int(self.call(compute_shortest_path, self._graph, kept.search, aim, limit))

    def trace(self, kept: Kept) -> bool:
        """Write down the path; False if it does not lead over the start."""
        aim = self.aim(kept, kept.root, kept.target)
        found = self.call(trace_path, kept.search, aim, kept.start, kept.path)
        kept.path_size = int(found)
        return kept.path_size > 0

    def trail(self, kept: Kept, node: int) -> NDArray[np.int64]:
        """The numbers of the nodes on the path, from start to goal."""
        if kept.path_size == 0:
            self.trace(kept)
        nodes = kept.path[: kept.path_size]
        return nodes if self.backwards else nodes[::-1]


def with_integer_costs(graph: Any) -> Any:
    """The same graph with whole numbers for the lengths of steps."""
    if isinstance(graph, CSRGraph):  # what it sees is of no use here: compile for one kind of world
        return graph._replace(length=graph.whole, world=NO_SIGHT)
    whole = np.array([0.0, STEP_1, STEP_2, STEP_3])
    axes = np.round(graph.lattice.length**2).astype(np.int64)
    graph = graph._replace(lattice=graph.lattice._replace(length=whole[axes]))
    if isinstance(graph, HybridCells):
        graph = graph._replace(length=graph.whole)
    return graph

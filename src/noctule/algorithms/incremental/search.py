"""The shell of the incremental searches: what they keep, when they repair, when they restart."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.endpoint import Endpoint
from noctule.algorithms.incremental.memory import Target
from noctule.algorithms.incremental.state import (
    NEVER,
    IncrementalAlgorithm,
    Phase,
    RepairLimits,
    SearchMemory,
    memory_maker,
)
from noctule.algorithms.search_engine import NO_NODES, Result
from noctule.core.jit import INF, bind, kernel_short
from noctule.core.status import FOUND, GAVE_UP, STOPPED
from noctule.graphs.explicit.csr import NO_SIGHT, CSRGraph
from noctule.graphs.heuristics import STEP_1, STEP_2, STEP_3, WHOLE, ZERO
from noctule.graphs.hybrid.hybrid_graph import HybridCells
from noctule.graphs.protocol import estimate
from noctule.queues.bucket_open import DISORDER, new_bucket_open
from noctule.queues.heap import new_heap
from noctule.queues.protocol import NO_NODE

Changes = NDArray[np.int32]
Nodes = NDArray[np.int64]

NO_CHANGES: Changes = np.empty(0, np.int32)

# A changed cell costs a repair about as much as so many expansions cost a new search.
EXPANSIONS_PER_CHANGE = 4
SMALL = 100  # expansions of a search that is not worth repairing if much has changed


class Incremental:
    """Runs one incremental algorithm on one graph.

    `limits` of None let a repair take as long as it needs. Otherwise a repair beyond the limit is
    given up: with a warm start the search restarts from what A* finds, else another search answers
    and the next plan goes on with the repair. So no plan takes much longer than A* does.
    """

    name = "incremental"
    limits: RepairLimits | None = None
    warm_start: Any = None  # starts searches with the results of A*, where that is faster

    def __init__(
        self, grid: Any, graph: Any, algorithm: IncrementalAlgorithm, weight: float, heuristic: int
    ) -> None:
        self.algorithm = algorithm
        self.grid = grid
        self.graph = graph if algorithm.any_angle else with_integer_costs(graph)
        self.weight = 1.0 if heuristic == ZERO else weight
        self.heuristic = heuristic + WHOLE
        self.new_memory = memory_maker(algorithm.new_search, new_bucket_open)
        self.disorder = DISORDER
        self._bound: dict[Any, Callable[..., Any]] = {}

    def use_heap(self) -> None:
        """Use the reference queue."""
        self.new_memory = memory_maker(self.algorithm.new_search, new_heap)
        self.disorder = 0.0
        self.name = "reference"

    def call(self, kernel: Any, *arguments: Any) -> Any:
        """Call a kernel that is bound to this planner."""
        if kernel not in self._bound:
            self._bound[kernel] = bind(kernel)
        return self._bound[kernel](*arguments)

    # ------------------------------------------------------------------ repair or restart

    def begin(self, memory: SearchMemory, start: Endpoint, goal: Endpoint) -> None:
        """Bring the search up to date for a query: repair it, or restart where that is cheaper."""
        root, target = (goal, start) if self.algorithm.root == "goal" else (start, goal)
        changes = self.grid.changes_since(memory.version)
        memory.version = self.grid.version if changes is None else memory.version + len(changes)
        unfinished = memory.phase in (Phase.GROWING, Phase.LATE)
        memory.spent = memory.spent + memory.work if unfinished else 0
        memory.begin_plan()
        moved = self.grid.node_motion - memory.node_motion
        memory.node_motion = self.grid.node_motion
        memory.wanted_root = root
        memory.restarted = changes is None or not self.can_repair(memory, root, target, changes)
        if memory.restarted:
            self.restart(memory, root, target)
            return
        if moved > 0.0:  # keys in the open list may be too high by so much
            memory.stats[0].km += int(memory.weight * moved * STEP_1) + 2
        self.repair(memory, target, NO_CHANGES if changes is None else changes)

    def can_repair(
        self, memory: SearchMemory, root: Endpoint, target: Endpoint, changes: Changes
    ) -> bool:
        """Return whether the search can be reused, and a restart would cost more.

        A repair that two plans did not finish is hardly ever worth a third.
        """
        if memory.phase in (Phase.EMPTY, Phase.INVALID):
            return False
        if len(changes) * EXPANSIONS_PER_CHANGE > max(memory.size, SMALL):
            return False
        if memory.phase != Phase.GROWING and memory.spent >= 1.5 * self.limit_of(memory):
            return False
        if self.algorithm.update is None:
            return len(changes) == 0 and root.equals(memory.root) and target.equals(memory.target)
        same = root.equals(memory.root) or self.keeps_roots(memory, root)
        return same or self.can_move_root(memory, root)

    def keeps_roots(self, memory: SearchMemory, root: Endpoint) -> bool:
        """Return whether an any-angle search, which is not optimal, keeps its several roots.

        It does while the nearest node of the endpoint is the same.
        """
        return self.algorithm.any_angle and bool(
            len(root.nodes) > 1 and root.nodes[0] == memory.root.nodes[0]
        )

    def can_move_root(self, memory: SearchMemory, root: Endpoint) -> bool:
        """Return whether the tree can be rooted at another endpoint: a node that it reaches."""
        if self.algorithm.move_root is None or len(root.nodes) > 1:
            return False
        s, search = int(root.nodes[0]), memory.search
        visited = search.generation[s] == memory.stats[0].generation
        return bool(visited and min(search.g[s], search.rhs[s]) < INF)

    def repair(self, memory: SearchMemory, target: Endpoint, changes: Changes) -> None:
        """Account for changed edges and a moved target; the root stays for now."""
        s_last, memory.target = int(memory.target.nodes[0]), target
        memory.query = self.query(memory)
        what = self.graph, memory.search, s_last, changes
        self.call(self.algorithm.update, memory.query, *what)

    def restart(self, memory: SearchMemory, root: Endpoint, target: Endpoint) -> None:
        """Start the search from scratch."""
        memory.phase, memory.spent = Phase.GROWING, -memory.work
        memory.root, memory.target, memory.restarted = root, target, True
        memory.weight = self.weight
        memory.begin_search()
        memory.query = self.query(memory)
        what = self.graph, memory.search, root.nodes, in_units(root.costs)
        self.call(self.algorithm.initialize, memory.query, *what)

    def query(self, memory: SearchMemory) -> Any:
        """Return what kernels need to know of the current query."""
        nodes, weight = memory.target.nodes, self.query_weight(memory)
        costs = in_units(memory.target.costs)
        slack = -costs[0]
        if len(nodes) > 1:
            slack = self.call(slack_of, self.graph, self.heuristic, nodes, costs, weight)
        target = Target(int(nodes[0]), nodes, costs, float(slack))
        query = self.algorithm.query(target, weight, self.heuristic, **self.algorithm.options)
        if not self.algorithm.any_angle:
            return query
        roots = memory.wanted_root.nodes
        start = int(roots[0]) if len(roots) == 1 else NO_NODE
        return query._replace(start=start, limit=self.limit_of(memory))

    def query_weight(self, memory: SearchMemory) -> float:
        """Return the inflation of the heuristic."""
        return memory.weight

    # ------------------------------------------------------------------ search

    def search(
        self, memory: SearchMemory, start: Endpoint, goal: Endpoint, limit: int, partial: bool
    ) -> Result:
        """Answer a query: bring the search up to date and run it; return status and path."""
        self.begin(memory, start, goal)
        return self.resume(memory, goal, limit, partial)

    def resume(self, memory: SearchMemory, goal: Endpoint, limit: int, partial: bool) -> Result:
        """Continue a search that stopped at its limit, up to another one."""
        status = self.run(memory, limit, partial)
        return status, self.node_path(memory) if memory.bound < INF else NO_NODES

    def run(self, memory: SearchMemory, limit: int, partial: bool) -> int:
        """Search until the path is proven, or so much work is done in this plan.

        GAVE_UP if another search should answer this query.
        """
        if self.warm_start is not None and not partial:
            return self._run_with_warm_start(memory)
        most = limit if partial else min(self.limit_of(memory), limit)
        status = STOPPED if memory.broken_off else self.compute(memory, most)
        broken_off = memory.broken_off
        memory.bound = memory.weight if status == FOUND else INF
        if memory.phase == Phase.GROWING and not broken_off and status != STOPPED:
            memory.size = memory.spent + memory.work
        late = status == STOPPED and most < limit
        if broken_off:
            memory.phase = Phase.INVALID
        elif late:
            memory.phase = memory.phase if memory.phase == Phase.GROWING else Phase.LATE
        elif status != STOPPED:
            memory.phase = Phase.READY
        return GAVE_UP if broken_off or late else status

    def _run_with_warm_start(self, memory: SearchMemory) -> int:
        """Repair the search; where A* is faster, restart with what A* finds."""
        status = STOPPED if memory.restarted else self.compute(memory, self.limit_of(memory))
        if status == STOPPED:
            self.restart(memory, memory.wanted_root, memory.target)
            memory.size = self.warm_start.begin(memory.query, memory.search, memory.root)
            memory.stats[0].expanded += memory.size
            status = self.compute(memory, NEVER)
        memory.phase = Phase.READY
        memory.bound = memory.weight if status == FOUND else INF
        return status

    def limit_of(self, memory: SearchMemory) -> int:
        """Return the largest work of a plan."""
        if self.limits is None or memory.size == 0:
            return NEVER
        limit = int(max(self.limits.share * memory.size, self.limits.minimum))
        return int(self.limits.urgent_share * limit) if memory.urgent else limit

    def compute(self, memory: SearchMemory, limit: int) -> int:
        """Compute the shortest path; if it misses the start, or there is none, move the root."""
        root, start = memory.root, memory.wanted_root
        if start.equals(root):
            return self._compute(memory, limit)
        if self.weight == 1.0 or self.keeps_roots(memory, start):
            status = self._compute(memory, limit)
            if status == STOPPED or (status == FOUND and self.trace(memory)):
                return status
        if not self.can_move_root(memory, start) or not self._move_root(memory, limit):
            self.restart(memory, start, memory.target)
        return self._compute(memory, limit)

    def _compute(self, memory: SearchMemory, limit: int) -> int:
        what = memory.query, self.graph, memory.search, limit
        return int(self.call(self.algorithm.compute_shortest_path, *what))

    def _move_root(self, memory: SearchMemory, limit: int) -> bool:
        """Root the tree at the start; False if hardly anything would be left of it."""
        old_roots, root = memory.root.nodes, int(memory.wanted_root.nodes[0])
        memory.root = memory.wanted_root
        what = memory.query, self.graph, memory.search, root, old_roots, limit
        return bool(self.call(self.algorithm.move_root, *what))

    def trace(self, memory: SearchMemory) -> bool:
        """Store the path; False if it does not lead over the start."""
        start = memory.wanted_root
        same = start.equals(memory.root)
        target, _ = self.call(self.algorithm.best_target, memory.query, memory.search)
        last = NO_NODE if same or len(start.nodes) > 1 else int(start.nodes[0])
        what = memory.search, int(target), last, memory.path
        n = memory.path_size = int(self.call(self.algorithm.trace_path, *what))
        if last == NO_NODE and not same and memory.path[n - 1] not in start.nodes:
            memory.path_size = 0
        return memory.path_size > 0

    def node_path(self, memory: SearchMemory) -> Nodes:
        """Return the nodes of the path, from start to goal."""
        if memory.path_size == 0:
            self.trace(memory)
        nodes = memory.path[: memory.path_size]
        return nodes if self.algorithm.root == "goal" else nodes[::-1]

    def warm_up(self, memory: SearchMemory) -> None:
        """Compile, or load, what repairs need, with a search that is not needed any more."""
        if self.algorithm.update is not None:
            self.repair(memory, memory.target, NO_CHANGES)
        if self.algorithm.move_root is not None:
            memory.wanted_root = Endpoint(memory.root.nodes[:1], memory.root.costs[:1])
            self._move_root(memory, 0)


@kernel_short
def slack_of(graph, heuristic, nodes, costs, weight):
    """Return by how much the heuristic, which leads to the first node, may overestimate."""
    slack = -costs[0]
    for i in range(1, len(nodes)):
        slack = max(slack, estimate(graph, heuristic, nodes[i], nodes[0]) - costs[i])
    return weight * slack if slack > 0.0 else slack


def in_units(lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return lengths in cells as whole-number costs."""
    return np.floor(lengths * STEP_1 + 0.5)


def with_integer_costs(graph: Any) -> Any:
    """Return the same graph with whole numbers for the lengths of its edges."""
    if isinstance(graph, CSRGraph):  # sight is not needed: compile for one kind of world
        return graph._replace(length=graph.whole, world=NO_SIGHT)
    whole = np.array([0.0, STEP_1, STEP_2, STEP_3])
    axes = np.round(graph.lattice.length**2).astype(np.int64)
    graph = graph._replace(lattice=graph.lattice._replace(length=whole[axes]))
    if isinstance(graph, HybridCells):
        graph = graph._replace(length=graph.whole)
    return graph

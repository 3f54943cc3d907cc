"""The shell of the incremental searches: what they keep, when they repair, when they restart."""

from typing import Any

import numpy as np

from noctule.algorithms.endpoint import Endpoint
from noctule.algorithms.incremental.memory import Target
from noctule.algorithms.incremental.procedures import replan
from noctule.algorithms.incremental.state import (
    NEVER,
    NO_CHANGES,
    NOTHING,
    Changes,
    IncrementalAlgorithm,
    Pending,
    Phase,
    RepairLimits,
    SearchMemory,
    memory_maker,
)
from noctule.algorithms.incremental.whole_costs import in_units, with_integer_costs
from noctule.algorithms.search_engine import NO_NODES, Result, bind_once
from noctule.core.jit import INF, kernel_short, type_key
from noctule.core.status import FOUND, GAVE_UP, STOPPED
from noctule.graphs.base import SearchGraph
from noctule.graphs.heuristics import STEP_1, WHOLE, ZERO
from noctule.graphs.protocol import estimate, has_changed_nodes
from noctule.queues.bucket_open import DISORDER, new_bucket_open
from noctule.queues.heap import new_heap
from noctule.queues.protocol import NO_NODE

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
        self,
        grid: SearchGraph,
        graph: Any,
        algorithm: IncrementalAlgorithm,
        weight: float,
        heuristic: int,
    ) -> None:
        self.algorithm = algorithm
        self.grid = grid
        self._names_changes = has_changed_nodes(graph)
        self.graph = graph if algorithm.any_angle else with_integer_costs(graph)
        self.weight = 1.0 if heuristic == ZERO else weight
        self.heuristic = heuristic + WHOLE
        self.disorder = DISORDER
        self._use(new_bucket_open)

    def use_heap(self) -> None:
        """Use the reference queue."""
        self.disorder = 0.0
        self.name = "reference"
        self._use(new_heap)

    def _use(self, new_queue: Any) -> None:
        """Use a queue; kernels are bound once for all engines with the same types of memory."""
        self.new_memory = memory_maker(self.algorithm.new_search, new_queue)
        self.types = self.new_memory, type_key(self.graph)
        self._replan = bind_once(replan, *self.types)

    # ------------------------------------------------------------------ repair or restart

    def search(
        self,
        memory: SearchMemory,
        start: Endpoint | None,
        goal: Endpoint,
        limit: int,
        partial: bool,
    ) -> Result:
        """Answer a query: update the search and run it; return the status and the path.

        Without a start, continue a search that stopped at its limit, up to another one.
        """
        if start is not None:
            self.begin(memory, start, goal)
        if self.warm_start is not None and not partial:
            status = self._run_with_warm_start(memory)
        else:
            status = self.run(memory, limit, partial)
        if memory.bound == INF:
            return status, NO_NODES
        nodes = memory.path[: memory.path_size]
        return status, nodes if self.algorithm.root == "goal" else nodes[::-1]

    def begin(self, memory: SearchMemory, start: Endpoint, goal: Endpoint) -> None:
        """Bring the search up to date for a query: repair it, or restart where that is cheaper."""
        root, target = (goal, start) if self.algorithm.root == "goal" else (start, goal)
        changes = self.changes(memory)
        unfinished = memory.phase in (Phase.GROWING, Phase.LATE)
        memory.spent = memory.spent + memory.work if unfinished else 0
        memory.begin_plan()
        moved = self.grid.node_motion - memory.node_motion
        memory.node_motion = self.grid.node_motion
        memory.wanted_root = root
        if changes is None or not self.can_repair(memory, root, target, changes):
            self.restart(memory, root, target)
        else:
            memory.restarted = False
            if moved > 0.0:  # keys in the open list may be too high by so much
                memory.stats["km"] += int(memory.weight * moved * STEP_1) + 2
            self.repair(memory, target, changes)

    def changes(self, memory: SearchMemory) -> Changes | None:
        """Return the changes since the last plan; None if they are not known."""
        seen, memory.version = memory.version, self.grid.version
        if seen == memory.version:
            return NO_CHANGES
        changes = self.grid.changes_since(seen)
        if changes is None or not self._names_changes:
            return None
        return np.asarray(changes, np.int32)

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
        same = root.equals(memory.root)
        if not self.algorithm.repairs:
            return len(changes) == 0 and same and target.equals(memory.target)
        return same or self.keeps_roots(memory, root) or self.can_move_root(memory, root)

    def keeps_roots(self, memory: SearchMemory, root: Endpoint) -> bool:
        """Return whether an any-angle search, which is not optimal, keeps its several roots.

        It does while the nearest node of the endpoint is the same.
        """
        many = self.algorithm.any_angle and len(root.nodes) > 1
        return many and bool(root.nodes[0] == memory.root.nodes[0])

    def can_move_root(self, memory: SearchMemory, root: Endpoint) -> bool:
        """Return whether the tree can be rooted at another endpoint: a node that it reaches."""
        if self.algorithm.move_root is None or len(root.nodes) > 1:
            return False
        s, search = int(root.nodes[0]), memory.search
        visited = search.generation[s] == memory.stats["generation"][0]
        return bool(visited and min(search.g[s], search.rhs[s]) < INF)

    def repair(self, memory: SearchMemory, target: Endpoint, changes: Changes) -> None:
        """Account for changed edges and a moved target; the root stays for now."""
        s_last, memory.target, memory.bound = int(memory.target.nodes[0]), target, INF
        memory.query = self.query(memory)
        memory.pending = Pending(s_last=s_last, changes=changes)

    def restart(self, memory: SearchMemory, root: Endpoint, target: Endpoint) -> None:
        """Start the search from scratch."""
        memory.phase, memory.spent = Phase.GROWING, -memory.work
        memory.root, memory.target, memory.restarted = root, target, True
        memory.weight, memory.bound = self.weight, INF
        memory.begin_search()
        memory.query = self.query(memory)
        memory.pending = Pending(root.nodes, in_units(root.costs))

    def query(self, memory: SearchMemory) -> Any:
        """Return what kernels need to know of the current query."""
        nodes, weight, algorithm = memory.target.nodes, self.query_weight(memory), self.algorithm
        costs = in_units(memory.target.costs)
        slack = -float(costs[0])
        if len(nodes) > 1:
            slack = bind_once(slack_of, *self.types)(
                self.graph, self.heuristic, nodes, costs, weight
            )
        target = Target(int(nodes[0]), nodes, costs, slack)
        if not algorithm.any_angle:
            return algorithm.query(target, weight, self.heuristic)
        roots, limit = memory.wanted_root.nodes, self.limit_of(memory)
        start = int(roots[0]) if len(roots) == 1 else NO_NODE
        return algorithm.query(target, weight, self.heuristic, start, limit, **algorithm.options)

    def query_weight(self, memory: SearchMemory) -> float:
        """Return the inflation of the heuristic."""
        return memory.weight

    # ------------------------------------------------------------------ search

    def run(self, memory: SearchMemory, limit: int, partial: bool) -> int:
        """Search until the path is proven, or so much work is done in this plan.

        GAVE_UP if another search should answer this query.
        """
        most = limit if partial else min(self.limit_of(memory), limit)
        status = self.compute(memory, most)
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
            if memory.pending is NOTHING:
                self.restart(memory, memory.wanted_root, memory.target)
            memory.size = self.warm_start.begin(memory)
            memory.stats["expanded"] += memory.size
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
        start = memory.wanted_root
        if start.equals(memory.root):
            return self._compute(memory, limit)
        many = len(start.nodes) > 1
        stays = self.weight == 1.0 or self.keeps_roots(memory, start)
        last = NO_NODE if many else int(start.nodes[0])
        status = self._compute(memory, limit if stays else 0, last)
        if many and memory.path[memory.path_size - 1] not in start.nodes:
            memory.path_size = 0
        if memory.broken_off or (stays and (status == STOPPED or memory.path_size > 0)):
            return status
        if not self.can_move_root(memory, start) or not self._move_root(memory, limit):
            self.restart(memory, start, memory.target)
        return self._compute(memory, limit)

    def _compute(self, memory: SearchMemory, limit: int, last: int = NO_NODE) -> int:
        """Do what is pending, search, and store the path from the target to `last` or its root."""
        pending, memory.pending = memory.pending, NOTHING
        what = memory.query, self.graph, memory.search, *pending, limit, last, memory.path
        status, memory.path_size = self._replan(*what, memory.bound < INF)
        return int(status)

    def _move_root(self, memory: SearchMemory, limit: int) -> bool:
        """Root the tree at the start; False if hardly anything would be left of it."""
        old_roots, root = memory.root.nodes, int(memory.wanted_root.nodes[0])
        memory.root = memory.wanted_root
        what = memory.query, self.graph, memory.search, root, old_roots, limit
        return bool(bind_once(self.algorithm.move_root, *self.types)(*what))

    def warm_up(self, memory: SearchMemory) -> None:
        """Compile, or load, what repairs need, with a search that is not needed any more."""
        if self.algorithm.move_root is not None:
            memory.wanted_root = Endpoint(memory.root.nodes[:1], memory.root.costs[:1])
            self._move_root(memory, 0)


@kernel_short
def slack_of(graph: Any, heuristic: Any, nodes: Any, costs: Any, weight: Any) -> Any:
    """Return by how much the heuristic, which leads to the first node, may overestimate."""
    slack = -costs[0]
    for i in range(1, len(nodes)):
        slack = max(slack, estimate(graph, heuristic, nodes[i], nodes[0]) - costs[i])
    return weight * slack if slack > 0.0 else slack

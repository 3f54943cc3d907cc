"""What an incremental algorithm is, and what a planner keeps of its search from plan to plan."""

import enum
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.endpoint import NOWHERE
from noctule.algorithms.incremental.memory import new_search
from noctule.core.jit import INF
from noctule.core.stats import LAST_GENERATION
from noctule.queues.protocol import NO_NODE

Changes = NDArray[np.int32]

NO_CHANGES: Changes = np.empty(0, np.int32)
NEVER = 1 << 62  # more work than any search takes
COUNTERS = ("expanded", "sight_checks", "sight_walks", "parent_searches", "broken_off")
MARKS = {"generation": "generation", "closed": "run", "seen": "change_pass"}  # and their numbers


class IncrementalAlgorithm(NamedTuple):
    """An algorithm; its procedures are registered for the class of its query."""

    query: Callable[..., Any]  # the NamedTuple of where a search ends, and its keys
    root: Literal["start", "goal"]  # where the search grows from
    repairs: bool = True  # whether it goes on after edges have changed
    move_root: Callable[..., bool] | None = None  # (query, graph, search, root, old_roots, limit)
    new_search: Callable[..., Any] = new_search
    any_angle: bool = False
    options: dict[str, Any] = {}  # noqa: RUF012 - more fields of the query; never changed
    suboptimality: Callable[..., float] | None = None  # anytime: (query, graph, search, weight)


class RepairLimits(NamedTuple):
    """When a repair is given up because a new search is cheaper; work is counted in expansions."""

    share: float = 0.1  # of the work of a search from scratch
    minimum: int = 1500  # a repair of so little work costs no more than to call A*
    urgent_share: float = 1.0  # of the limit, where the last path is blocked and A* has to answer


class Phase(enum.Enum):
    """The state of the search in memory."""

    EMPTY = "there is none"
    GROWING = "it was started and has not reached its target yet"
    READY = "it answered the last query"
    LATE = "its repair was not finished in the last plan"
    INVALID = "its repair was broken off, and its values are wrong"


class Pending(NamedTuple):
    """What the next run of a search does first; see `replan`."""

    roots: NDArray[np.int64] = np.empty(0, np.int64)
    costs: NDArray[np.float64] = np.empty(0)
    s_last: int = NO_NODE
    changes: Changes = NO_CHANGES


NOTHING = Pending()


class SearchMemory:
    """What a planner keeps of an incremental search from plan to plan."""

    def __init__(self, search: Any, n: int) -> None:
        self.search = search
        self.query: Any = None  # what kernels need to know of the current query
        self.pending = NOTHING
        self.stats = search.stats
        self._counters = [search.stats[name] for name in COUNTERS]
        self.phase = Phase.EMPTY
        self.version = 0  # of the graph, when the search was last updated
        self.node_motion = 0.0  # how far the nodes of the graph had moved then
        self.root = NOWHERE  # where the tree is rooted
        self.wanted_root = NOWHERE  # of the current query: the path may lead over it
        self.target = NOWHERE
        self.restarted = True  # whether the last plan started from scratch
        self.spent = 0  # work of earlier plans on the search or repair that is not finished
        self.size = 0  # work of the last search from scratch
        self.urgent = False  # whether the last path is blocked
        self.path = np.empty(n, np.int64)  # the last path, from target to start
        self.path_size = 0
        self.weight = 1.0
        self.bound = INF  # proven suboptimality factor of the path

    @property
    def work(self) -> int:
        """The work of the last plan: expansions, and nodes that searched for another parent."""
        return int(self._counters[0][0] + self._counters[3][0])

    @property
    def broken_off(self) -> bool:
        """Whether the repair was broken off."""
        return bool(self._counters[4][0])

    def begin_plan(self) -> None:
        """Reset the counters of a plan."""
        for counter in self._counters:
            counter[0] = 0

    def forget(self) -> None:
        """Make the next plan start from scratch."""
        self.phase, self.size = Phase.EMPTY, 0

    def begin_search(self) -> None:
        """Clear all marks if the numbers that mark nodes are used up."""
        stats = self.stats
        if max(stats[name].item() for name in MARKS.values()) >= LAST_GENERATION:
            for name in MARKS.keys() & set(self.search._fields):
                getattr(self.search, name)[:] = 0
            for name in MARKS.values():
                stats[name] = 0


@cache
def memory_maker(new_search: Any, new_queue: Any) -> Callable[[int], SearchMemory]:
    """Return the function that reserves memory for `n` nodes: one for each pair, for pools."""
    return lambda n: SearchMemory(new_search(n, new_queue), n)

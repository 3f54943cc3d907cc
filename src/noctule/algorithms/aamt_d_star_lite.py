"""Any-angle Moving Target D* Lite (Krafft 2021, chapter 5.3): MT-D* Lite with Theta*'s parents.

rhs(s) may come from the parent of a neighbour, if that parent sees `s`. So a parent may be far
away, and two things are different from MT-D* Lite:

* when a node is raised, all its children look for other parents, not only its neighbours;
* a change may cut the line between a node and its parent while nothing changes at either. Of the
  parents around a changed cell, all children whose line comes near to that cell look again.

Differences from the thesis:

* Neither this search nor Theta* is optimal, and not every line that was cut is found that way: a
  path is therefore looked at once more before it is handed out, from the target to the start.
  What is not as it should be is mended and the search goes on, until the path is free and as long
  as it says. So the factor phi only saves some of this, and nothing depends on it.
* Listing 20 leaves out a group of four parents if one of them is an improvement; here, as its text
  has it, those that are none are left out.
* A node that is consistent is not expanded again for an improvement of less than `REOPEN`.
"""

from typing import Any

import numpy as np

from noctule.algorithms.any_angle_incremental import (
    GAIN,
    compute_free_path,
    find_parent,
    is_enough,
    is_held,
    look_again,
)
from noctule.algorithms.basic_mt_d_star_lite import BasicMTDStarLite
from noctule.algorithms.best_first import STAMP
from noctule.algorithms.child_lists import adopt, forget, new_families
from noctule.algorithms.d_star_lite import move_target
from noctule.algorithms.incremental import Changes, Kept
from noctule.algorithms.incremental_core import make_room, update_state
from noctule.algorithms.remembered import NEVER, NO_NODE, NOWHERE, PASS, Aim, visit
from noctule.core.jit import INF, kernel
from noctule.graphs.protocol import changed_nodes, may_block


@kernel
def update_edges(graph, search, aim, changes):
    """Let nodes look again that may have won or lost an edge, or the line to their parent."""
    make_room(graph, search, aim, 2 * len(search.g))
    search.counts[PASS] += 2
    for change in changes:
        last = NO_NODE
        for s, won in changed_nodes(graph, change):
            if is_enough(search, aim):
                return
            if not won and search.mark[s] == search.counts[STAMP]:
                p = np.int64(search.parent[s])
                if p != NO_NODE and p != last:
                    last = p
                    check_lines(graph, search, aim, change, p)
    for change in changes:
        for s, won in changed_nodes(graph, change):
            if is_enough(search, aim):
                return
            look = search.counts[PASS] + (1 if won else 0)
            if search.seen[s] < look and s != aim.root:
                search.seen[s] = look
                check_node(graph, search, aim, s, won)


@kernel
def check_lines(graph, search, aim, change, p):
    """Look at the lines from `p` to its children that a change may have cut."""
    s = np.int64(search.child[p])
    while s != NO_NODE:
        after = np.int64(search.next[s])
        if search.seen[s] < search.counts[PASS] and may_block(graph, change, p, s):
            search.seen[s] = search.counts[PASS]
            check_node(graph, search, aim, s, False)
        s = after


@kernel
def check_node(graph, search, aim, s, won):
    """Let a node look for another parent if it has lost its own, or if it may have won one."""
    below = INF
    if search.mark[s] == search.counts[STAMP]:
        p = np.int64(search.parent[s])
        if p != NO_NODE:
            if not is_held(graph, p, s):
                look_again(graph, search, aim, s)
                return
            below = search.rhs[s] - (GAIN if search.rhs[s] == search.g[s] else 0.0)
    if won:
        parent, rhs = find_parent(graph, search, aim, s, below)
        if parent != NO_NODE:
            visit(search, s)
            adopt(search, s, parent)
            search.rhs[s] = rhs
            update_state(graph, search, aim, s)


@kernel
def move_root(graph, search, aim, old_root, limit):
    """Keep of the tree what hangs on the new root; the other nodes look for parents in it.

    False if there are more than `limit` of these.
    """
    root = aim.root
    make_room(graph, search, aim, 2 * len(search.g))
    adopt(search, root, NO_NODE)
    search.rhs[root] = min(search.g[root], search.rhs[root])
    update_state(graph, search, aim, root)
    deleted = search.list
    deleted[0] = old_root
    count, i = 1, 0
    while i < count:
        t = np.int64(search.child[deleted[i]])
        i += 1
        while t != NO_NODE:
            deleted[count] = t
            count += 1
            t = np.int64(search.next[t])
        if count > limit:
            return False
    for i in range(count):
        s = np.int64(deleted[i])
        forget(search, s)
        search.parent[s] = NO_NODE
        search.stack[s] = NOWHERE
    for i in range(count):
        look_again(graph, search, aim, np.int64(deleted[i]))
    return True


class KeptFamilies(Kept):
    """What a planner remembers, with the children of each node."""

    make = staticmethod(new_families)


class AAMTDStarLite(BasicMTDStarLite):
    """Any-angle Moving Target D* Lite."""

    new_memory = KeptFamilies
    patience = 0.08
    least = 300  # expansions that cost no more than to call A* does
    haste = 0.2  # of this, where the last path is shut: A* has to answer besides
    phi = 1.0
    fast = False

    def __init__(self, grid: Any, graph: Any, weight: float, heuristic: int) -> None:
        super().__init__(grid, graph, weight, heuristic)
        self._graph = graph  # the lengths of its steps are not asked for, but what it sees

    def aim(self, kept: Kept, root: int, target: int) -> Aim:
        """What kernels need to know of this plan."""
        fixed = self._heuristic, False, self.phi, self.fast
        return Aim(root, target, kept.weight, *fixed, self.enough(kept))

    def enough(self, kept: Kept) -> int:
        """How much work a plan may be."""
        enough = super().enough(kept)
        return int(self.haste * enough) if kept.urgent and enough < NEVER else enough

    def repair(self, kept: Kept, aim: Aim, changes: Changes) -> None:
        """Take in what changed and how the goal moved; the root stays for now."""
        behind = self.aim(kept, kept.root, aim.target)
        self.call(move_target, self._graph, kept.search, behind, kept.target)
        self.call(update_edges, self._graph, kept.search, behind, changes)

    def compute(self, kept: Kept, aim: Aim, limit: int) -> int:
        """Expand nodes until the way to the target is known, and free."""
        what = self._graph, kept.search, aim, kept.start, limit
        return int(self.call(compute_free_path, *what))

    def move_root(self, kept: Kept, aim: Aim, old_root: int, limit: int) -> bool:
        """Let the search grow from the new start; False if hardly anything would be left of it."""
        return bool(self.call(move_root, self._graph, kept.search, aim, old_root, limit))


class AAMTDStarLiteFast(AAMTDStarLite):
    """The same with fewer looks: the thesis's fast variant, with its phi."""

    phi = 0.5
    fast = True

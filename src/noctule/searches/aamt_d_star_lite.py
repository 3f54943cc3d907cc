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

import math
from typing import Any, NamedTuple

import numpy as np

from noctule.graphs.heuristics import STEP_1
from noctule.graphs.protocol import (
    affected,
    distance,
    is_lookout,
    line_of_sight,
    may_cross,
    most_ways,
    next_way,
    ways,
)
from noctule.kernels import INF, kernel
from noctule.searches.basic_mt_d_star_lite import BasicMTDStarLite
from noctule.searches.best_first import FOUND, REOPEN, SIGHT_CHECKS, SIGHT_WALKS, STAMP
from noctule.searches.d_star_lite import move_target
from noctule.searches.families import adopt, forget, new_families
from noctule.searches.incremental import (
    compute_shortest_path,
    expand,
    is_joined,
    make_room,
    update_state,
)
from noctule.searches.remembered import NO_NODE, NOWHERE, PASS, Aim, touch
from noctule.searches.remembering import Changes, Kept

GAIN = REOPEN * STEP_1


class AnyAngleAim(NamedTuple):
    """As `Aim`, for nodes whose parents may be far away."""

    root: int
    target: int
    weight: float
    heuristic: int
    closing: bool
    phi: float
    fast: bool  # whether only some nodes look farther than to their neighbours


@kernel
def straight(graph, s, t):
    """The length of a segment as a whole number: rounded up, so that no detour is shorter."""
    return math.ceil(STEP_1 * distance(graph, s, t))


@kernel
def sees(graph, search, p, s):
    """Line of sight, unless it is known that there is none."""
    search.counts[SIGHT_CHECKS] += 1
    proposal = search.counts[PASS] << 32 | p
    if search.unseen_by[s] == proposal:
        return False
    search.counts[SIGHT_WALKS] += 1
    if line_of_sight(graph, p, s):
        return True
    search.unseen_by[s] = proposal
    return False


@kernel
def is_held(graph, p, s):
    """Whether `p` can be the parent of `s`: it sees it, or there is an edge."""
    return line_of_sight(graph, p, s) or is_joined(graph, s, p)


@kernel
def is_known(search, s):
    """Whether the search has told the neighbours of `s` how far it is."""
    return search.mark[s] == search.counts[STAMP] and search.g[s] < INF


@kernel
def find_parent(graph, search, aim, s, below):
    """The parent by which rhs(s) is least, and less than `below`: a neighbour or one of theirs."""
    g, parent, rhs = search.g, NO_NODE, below
    all_ways = ways(graph, s)
    left = all_ways
    while left != 0:
        t, _, left = next_way(graph, s, left)
        if is_known(search, t):
            cost = g[t] + straight(graph, t, s)
            if cost < rhs:
                parent, rhs = t, cost
    if aim.fast and not is_lookout(graph, s):
        return parent, rhs
    left = all_ways
    while left != 0:
        t, _, left = next_way(graph, s, left)
        if is_known(search, t):
            p = np.int64(search.parent[t])
            if p != NO_NODE and p != s and g[p] < INF:
                cost = g[p] + straight(graph, p, s)
                if cost < below and cost <= rhs and p != parent and sees(graph, search, p, s):
                    parent, rhs = p, cost
    return parent, rhs


@kernel
def look_again(graph, search, aim, s):
    """Determine rhs(s) anew, whatever happened around `s` or to the line to its parent."""
    parent, rhs = find_parent(graph, search, aim, s, INF)
    adopt(search, s, parent)
    if rhs != search.rhs[s]:
        search.rhs[s] = rhs
        update_state(graph, search, aim, s)


@expand.register
def _(aim: AnyAngleAim, graph, search, s):
    if search.g[s] > search.rhs[s]:
        lower(graph, search, aim, s)
    else:
        raise_(graph, search, aim, s)


@kernel
def lower(graph, search, aim, s):
    """Make an over-consistent node consistent; offer it and its parent to its neighbours."""
    g, rhs = search.g, search.rhs
    g[s] = rhs[s]
    p = np.int64(search.parent[s])
    looks = p != NO_NODE and g[p] < INF and not (aim.fast and not is_lookout(graph, s))
    left = ways(graph, s)
    while left != 0:
        t, _, left = next_way(graph, s, left)
        touch(search, t)
        if t == aim.root:
            continue
        parent, cost = s, g[s] + straight(graph, s, t)
        if g[t] == rhs[t] and cost >= rhs[t] - GAIN and g[t] < INF:
            continue
        if looks and t != p:
            shorter = g[p] + straight(graph, p, t)
            if shorter <= cost and shorter < rhs[t] and sees(graph, search, p, t):
                parent, cost = p, shorter
        if cost < rhs[t]:
            adopt(search, t, parent)
            rhs[t] = cost
            update_state(graph, search, aim, t)


@kernel
def raise_(graph, search, aim, s):
    """Give up the distance of an under-consistent node; its children look for other parents."""
    search.g[s] = INF
    t = np.int64(search.child[s])
    while t != NO_NODE:
        after = np.int64(search.next[t])
        look_again(graph, search, aim, t)
        t = after
    update_state(graph, search, aim, s)


@kernel
def update_edges(graph, search, aim, changes):
    """Let nodes look again that may have won or lost an edge, or the line to their parent."""
    make_room(graph, search, aim, 2 * len(search.g))
    search.counts[PASS] += 2
    for change in changes:
        last = NO_NODE
        for s, won in affected(graph, change):
            if not won and search.mark[s] == search.counts[STAMP]:
                p = np.int64(search.parent[s])
                if p != NO_NODE and p != last:
                    last = p
                    check_lines(graph, search, aim, change, p)
    for change in changes:
        for s, won in affected(graph, change):
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
        if search.seen[s] < search.counts[PASS] and may_cross(graph, change, p, s):
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
            touch(search, s)
            adopt(search, s, parent)
            search.rhs[s] = rhs
            update_state(graph, search, aim, s)


@kernel
def mend(graph, search, aim, start):
    """Mend the first thing that is wrong with the path from target to start; whether any was.

    Every look makes sure that the parent is nearer to the root, so the walk has an end.
    """
    s = np.int64(aim.target)
    while s != start and s != aim.root:
        p = np.int64(search.parent[s])
        if search.g[p] < search.rhs[p]:
            raise_(graph, search, aim, p)
            return True
        if search.rhs[s] != search.g[p] + straight(graph, p, s) or not is_held(graph, p, s):
            look_again(graph, search, aim, s)
            return True
        s = p
    return False


@kernel
def compute_free_path(graph, search, aim, start, limit):
    """Expand nodes until the way to the target is known, and free."""
    status = compute_shortest_path(graph, search, aim, limit)
    while status == FOUND and mend(graph, search, aim, start):
        make_room(graph, search, aim, most_ways(graph) + 1)
        status = compute_shortest_path(graph, search, aim, limit)
    return status


@kernel
def move_root(graph, search, aim, old_root):
    """Keep of the tree what hangs on the new root; the other nodes look for parents in it."""
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
    for i in range(count):
        s = np.int64(deleted[i])
        forget(search, s)
        search.parent[s] = NO_NODE
        search.stack[s] = NOWHERE
    for i in range(count):
        look_again(graph, search, aim, np.int64(deleted[i]))


class KeptFamilies(Kept):
    """What a planner remembers, with the children of each node."""

    make = staticmethod(new_families)


class AAMTDStarLite(BasicMTDStarLite):
    """Any-angle Moving Target D* Lite."""

    new_memory = KeptFamilies
    phi = 1.0
    fast = False

    def __init__(self, grid: Any, graph: Any, weight: float, heuristic: int) -> None:
        super().__init__(grid, graph, weight, heuristic)
        self._graph = graph  # the lengths of its steps are not asked for, but what it sees

    def aim(self, kept: Kept, root: int, target: int) -> Any:
        """What kernels need to know of this plan."""
        return AnyAngleAim(root, target, kept.weight, self._heuristic, False, self.phi, self.fast)

    def repair(self, kept: Kept, aim: Aim, changes: Changes) -> None:
        """Take in what changed and how the goal moved; the root stays for now."""
        behind = self.aim(kept, kept.root, aim.target)
        move_target(self._graph, kept.search, behind, kept.target)
        update_edges(self._graph, kept.search, behind, changes)

    def compute(self, kept: Kept, aim: Aim, limit: int) -> int:
        """Expand nodes until the way to the target is known, and free."""
        return int(compute_free_path(self._graph, kept.search, aim, kept.start, limit))

    def move_root(self, kept: Kept, aim: Aim, old_root: int) -> None:
        """Let the search grow from the new start."""
        move_root(self._graph, kept.search, aim, old_root)


class AAMTDStarLiteFast(AAMTDStarLite):
    """The same with fewer looks: the thesis's fast variant, with its phi."""

    phi = 0.5
    fast = True

"""A* on cells with 4 or 6 neighbours: all steps are equal, and two stacks make the whole queue.

A step changes the distance along the axes, |dx| + |dy| + |dz|, by one: towards the goal f = g + h
stays as it is, away from it f grows by two. So the open nodes have the present f or the next one,
and every node on the stack of the present f may be expanded at once. Without a heuristic every step
leads to the next f, and this is a breadth-first search.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms.best_first import (
    EXHAUSTED,
    EXPANDED,
    FOUND,
    STAMP,
    STOPPED,
    note_if_nearest,
    restart,
)
from noctule.core.intrinsics import at, lowest_bit
from noctule.core.jit import INF, bind, kernel, kernel_short
from noctule.core.memory import reserve
from noctule.engines.lattice_a_star import GAVE_UP
from noctule.graphs.grid.lattice import Cells, coordinates
from noctule.graphs.heuristics import MANHATTAN
from noctule.graphs.protocol import distance

# Directions are -x, +x, -y, +y, -z, +z. A node's mark is the number of the search, whether it is
# closed, which stack it was put on last, and the direction it came by.
_MOVES = (4, 22, 10, 16, 12, 14)
NOWHERE, SECOND, CLOSED, ONE_SEARCH = 6, 1 << 3, 1 << 4, 1 << 5
LAST_SEARCH = 2**31 // ONE_SEARCH - 1

# The stacks hold coordinates, three in a word: to find them from the number of a node takes longer
# than all else, and the next node to expand is often the one that was put on the stack last.
ONE_X, ONE_Y, HIGHEST = 1 << 42, 1 << 21, (1 << 21) - 1


class Steps(NamedTuple):
    """What a step in each direction adds, and the directions that the heuristic knows of."""

    number: np.ndarray  # to the number of a node
    place: np.ndarray  # to its coordinates in one word
    guide: int  # one bit each


class Stacks(NamedTuple):
    """Memory of a search; `counts` is that of `Tree`."""

    mark: np.ndarray
    place: np.ndarray  # coordinates of nodes, each in one word; a column for each stack
    size: np.ndarray  # of the two stacks; and which of them has the present f
    counts: np.ndarray
    nearest: np.ndarray


def new_stacks(n: int) -> Stacks:
    """Reserve memory for searches on a grid of `n` cells."""
    counts, nearest = np.zeros(5, np.int64), np.full(1, INF)
    place = np.empty((n // 2 + 64, 2), np.int64)
    return Stacks(reserve(n, np.int32), place, np.zeros(3, np.int64), counts, nearest)


@kernel
def free_directions(lattice, s):
    """The directions in which the next cell is free, one bit each."""
    free3, sx, sy = lattice.free3, lattice.sx, lattice.sy
    along_x = free3[at(s - sx)] >> 1 & 1 | free3[at(s + sx)] & 2
    along_y = free3[at(s - sy)] << 1 & 4 | free3[at(s + sy)] << 2 & 8
    if lattice.flat:
        return along_x | along_y
    return along_x | along_y | free3[at(s)] << 4 & 16 | free3[at(s)] << 3 & 32


@kernel
def towards(dx, dy, dz):
    """The directions that lead nearer to what is `dx`, `dy`, `dz` cells away, one bit each."""
    along_x = 1 if dx < 0 else 2 if dx > 0 else 0
    along_y = 4 if dy < 0 else 8 if dy > 0 else 0
    return along_x | along_y | (16 if dz < 0 else 32 if dz > 0 else 0)


@kernel_short
def begin(lattice, stacks, start):
    """Forget the last search and put the start on the first stack."""
    restart(stacks, start, 1)
    x, y, z = coordinates(lattice, start)
    stacks.mark[start] = stacks.counts[STAMP] * ONE_SEARCH + NOWHERE
    stacks.place[0, 0] = x * ONE_X + y * ONE_Y + z
    stacks.size[0], stacks.size[1], stacks.size[2] = 1, 0, 0


@kernel
def search(steps, graph, stacks, goal, limit, partial):
    """Expand nodes until the goal is reached, or `limit` nodes are expanded."""
    lattice, mark, place = graph.lattice, stacks.mark, stacks.place
    goal_x, goal_y, goal_z = coordinates(lattice, goal)
    this_search = stacks.counts[STAMP] * ONE_SEARCH
    now = stacks.size[2] & 1
    here, there = stacks.size[now], stacks.size[1 - now]  # nodes of the present f, of the next
    expanded = stacks.counts[EXPANDED]
    status = EXHAUSTED
    while here + there > 0:
        if here == 0:
            now, here, there = 1 - now, there, 0
        if expanded >= limit or max(here, there) + 6 > len(place):
            status = STOPPED if expanded >= limit else GAVE_UP
            break
        here -= 1
        spot = place[at(here), now]
        x, y, z = spot >> 42, spot >> 21 & HIGHEST, spot & HIGHEST
        s = (x + 1) * lattice.sx + (y + 1) * lattice.sy + z + 1
        if s == goal:
            status = FOUND
            break
        if mark[at(s)] & CLOSED:
            continue
        mark[at(s)] |= CLOSED
        expanded += 1
        if partial:
            note_if_nearest(stacks, s, distance(graph, s, goal))
        moves = free_directions(lattice, s) & ~(1 << (mark[at(s)] & 7 ^ 1))
        nearer = moves & steps.guide & towards(goal_x - x, goal_y - y, goal_z - z)
        farther = moves ^ nearer
        while farther != 0:
            k = lowest_bit(farther)
            farther &= farther - 1
            t = s + steps.number[at(k)]
            if mark[at(t)] < this_search:
                mark[at(t)] = this_search + SECOND * (1 - now) + k
                place[at(there), 1 - now] = spot + steps.place[at(k)]
                there += 1
        while nearer != 0:
            k = lowest_bit(nearer)
            nearer &= nearer - 1
            t = s + steps.number[at(k)]
            if mark[at(t)] < this_search or mark[at(t)] & (CLOSED | SECOND) == SECOND * (1 - now):
                mark[at(t)] = this_search + SECOND * now + k
                place[at(here), now] = spot + steps.place[at(k)]
                here += 1
    stacks.size[now], stacks.size[1 - now], stacks.size[2] = here, there, now
    stacks.counts[EXPANDED] = expanded
    return status


@kernel_short
def path_size(steps, stacks, s):
    """How many nodes the path to `s` has."""
    n = 1
    while stacks.mark[s] & 7 != NOWHERE:
        s -= steps.number[stacks.mark[s] & 7]
        n += 1
    return n


@kernel_short
def trace_path(steps, stacks, s, nodes):
    """Write the path to `s` into `nodes`, which has the right size, from start to `s`."""
    for i in range(len(nodes) - 1, 0, -1):
        nodes[i] = s
        s -= steps.number[stacks.mark[s] & 7]
    nodes[0] = s


class TwoStacks:
    """The shell: runs searches with the distance along the axes as heuristic, or with none."""

    new_memory = staticmethod(new_stacks)

    def __init__(self, graph: Cells, heuristic: int) -> None:
        self._graph = graph
        number = graph.lattice.offset[list(_MOVES)]
        place = np.array([-ONE_X, ONE_X, -ONE_Y, ONE_Y, -1, 1])
        self._begin, self._search = bind(begin), bind(search)
        self._path_size, self._trace_path = bind(path_size), bind(trace_path)
        self._steps = Steps(number, place, 0o77 if heuristic == MANHATTAN else 0)

    def begin(
        self, stacks: Stacks, starts: NDArray[np.int64], costs: NDArray[np.float64], goal: int
    ) -> None:
        """Prepare a search; one from several nodes at different costs has more values of f."""
        if stacks.counts[STAMP] == LAST_SEARCH:  # the numbers of searches are used up
            stacks.mark[:] = 0
            stacks.counts[STAMP] = 0
        self._begin(self._graph.lattice, stacks, starts[0])
        if len(starts) > 1:
            stacks.size[0] = len(stacks.place)  # as if it were full: the search gives up at once

    def run(self, stacks: Stacks, goal: int, limit: int, partial: bool) -> int:
        """Search until the goal is found or `limit` nodes have been expanded in all."""
        return int(self._search(self._steps, self._graph, stacks, goal, limit, partial))

    def trail(self, stacks: Stacks, node: int) -> NDArray[np.int64]:
        """The numbers of the nodes on the path to `node`."""
        nodes = np.empty(self._path_size(self._steps, stacks, node), np.int64)
        self._trace_path(self._steps, stacks, node, nodes)
        return nodes

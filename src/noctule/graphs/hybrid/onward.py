"""Which ways lead on past a node of the hybrid graph, after a step or a long edge to it.

A node s was reached from p. The way on to t is not on a shortest path if there is a shorter one
from p to t by one or two other ways. Where these lead past nothing that is ever blocked, that is
known once and for all: of all pairs of ways with a long edge, three in four can be left out.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.core.intrinsics import lowest_bit
from noctule.core.jit import kernel
from noctule.graphs.grid.lattice import Lattice, free_cube, legal_moves
from noctule.graphs.heuristics import STEP_1, STEP_2, STEP_3

ALL_MOVES = (1 << 27) - 1
UNKNOWN = 1 << 62

Numbers = NDArray[np.int64] | NDArray[np.int32]


class Onward(NamedTuple):
    """What is worth trying, while no cell is blocked where no body was expected.

    What a search needs at the same time lies side by side.
    """

    # Two numbers a long edge: where it leads and, in the lowest 27 bits, the moves to its node
    # after which it is worth trying; and what it costs.
    edges: np.ndarray
    after: np.ndarray  # two numbers a long edge: where its part of `following` begins, and moves
    following: np.ndarray  # the long edges that are worth trying after a long edge
    astray: np.ndarray  # 1 while some cell is blocked that should not be: then all is worth trying


class Ways(NamedTuple):
    """All that leads from node to node, and is free whenever both of them are."""

    moves: np.ndarray  # by node: steps past cells that are never blocked
    calm: np.ndarray  # by node: whether it is itself never blocked
    first: np.ndarray  # long edges, as in `HybridCells`
    target: np.ndarray
    whole: np.ndarray
    offset: np.ndarray  # of the 27 moves
    cost: np.ndarray


@kernel
def steps_past(lattice, used, to_used, moves):
    """Find the steps between nodes that are free whenever both are; `lattice` has what is calm."""
    for s in range(len(used)):
        if used[s]:
            cube = free_cube(lattice, s) | 1 << 13
            left = to_used[s]
            while left != 0:
                k = lowest_bit(left)
                left &= left - 1
                moves[s] |= legal_moves(lattice, cube | 1 << k) & 1 << k


@kernel
def note_nearer(nearest, touched, n, t, cost):
    """Note that `t` can be reached at this cost; returns how many nodes have been noted."""
    if nearest[t] == UNKNOWN:
        touched[n] = t
        n += 1
    nearest[t] = min(nearest[t], cost)
    return n


@kernel
def note_ways(ways, s, cost, nearest, touched, n):
    """Note what can be reached from `s` by one way; returns how many nodes have been noted."""
    moves = ways.moves[s]
    while moves != 0:
        k = lowest_bit(moves)
        moves &= moves - 1
        n = note_nearer(nearest, touched, n, s + ways.offset[k], cost + ways.cost[k])
    for e in range(ways.first[s], ways.first[s + 1]):
        n = note_nearer(nearest, touched, n, ways.target[e], cost + ways.whole[e])
    return n


@kernel
def find_onward(ways, used, to_used, edges, moves, first, following, nearest, touched):
    """Fill in what is worth trying after what; returns how many pairs of long edges are."""
    found = 0
    for p in range(len(used)):
        if not used[p]:
            continue
        ones = note_ways(ways, p, 0, nearest, touched, 0)
        n = ones
        for i in range(ones):
            if ways.calm[touched[i]]:
                n = note_ways(ways, touched[i], nearest[touched[i]], nearest, touched, n)
        left = to_used[p]
        while left != 0:
            k = lowest_bit(left)
            left &= left - 1
            s = p + ways.offset[k]
            for e in range(ways.first[s], ways.first[s + 1]):
                if nearest[ways.target[e]] < ways.cost[k] + ways.whole[e]:
                    edges[e] &= ~(1 << k)
        for e in range(ways.first[p], ways.first[p + 1]):
            s, cost = ways.target[e], ways.whole[e]
            left = to_used[s]
            while left != 0:
                k = lowest_bit(left)
                left &= left - 1
                if nearest[s + ways.offset[k]] < cost + ways.cost[k]:
                    moves[e] &= ~(1 << k)
            first[e] = found
            for on in range(ways.first[s], ways.first[s + 1]):
                if nearest[ways.target[on]] >= cost + ways.whole[on]:
                    following[found] = on
                    found += 1
        for i in range(n):
            nearest[touched[i]] = UNKNOWN
    first[len(edges)] = found
    return found


def no_onward() -> Onward:
    """Of a graph without long edges."""
    none = np.zeros(0, np.int32)
    return Onward(np.zeros(0, np.int64), none, none, np.zeros(1, np.int64))


def onward_of(
    calm: Lattice,
    used: NDArray[np.uint8],
    to_used: Numbers,
    first: Numbers,
    target: Numbers,
    whole: NDArray[np.float64],
) -> Onward:
    """What is worth trying on a hybrid graph; `calm` has all cells blocked that ever are."""
    n, m = len(used), len(target)
    steps = np.zeros(n, np.int64)
    steps_past(calm, used, to_used, steps)
    axes = np.round(calm.length**2).astype(np.int64)
    costs, whole = np.array([0, STEP_1, STEP_2, STEP_3])[axes], whole.astype(np.int64)
    ways = Ways(steps, calm.free3 & 2 != 0, first, target, whole, calm.offset, costs)
    edges, moves = np.full(m, ALL_MOVES), np.full(m, ALL_MOVES)
    starts, following = np.zeros(m + 1, np.int64), np.empty(np.diff(first)[target].sum(), np.int32)
    memory = np.full(n, UNKNOWN), np.empty(n, np.int64)
    found = find_onward(ways, used, to_used, edges, moves, starts, following, *memory)
    after = np.stack([starts, np.append(moves, 0)], axis=1).astype(np.int32)
    edges = np.stack([target << 27 | edges, whole], axis=1)
    return Onward(
        edges.reshape(-1), after.reshape(-1), following[:found].copy(), np.zeros(1, np.int64)
    )

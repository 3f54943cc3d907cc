"""Neighbour pruning for A* on cells: skip moves that another path makes at no greater cost.

A node s was reached from p by the move d. The move k on to t is pruned if one or two other moves
lead from p to t, not through s, and cost less; or cost as much and start with a move along more
axes. One shortest path uses no pruned move: the one whose diagonals come earliest. Harabor and
Grastien's jump point search ("Online graph pruning for pathfinding on grid maps", 2011) is based on
the same idea. Here the rules are not stated but computed, by trying all other paths for each pair
of moves: they hold for every neighbourhood, and for moves that need their whole box free.

All cells that matter lie in the cube of 27 cells around s. A set of them is a number of 27 bits,
and so is a set of moves: move k = 9 (dx+1) + 3 (dy+1) + (dz+1) leads to cell k of the cube.
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from noctule.core.intrinsics import at, lowest_bit
from noctule.core.jit import kernel, per_type
from noctule.graphs.grid.lattice import Cells, free_cube, legal_moves
from noctule.graphs.grid.wide_cells import WideCells, squeezing_moves

NOWHERE = 13  # the null move, which led to the start: nothing is pruned
FAR = 27  # stands for a long edge: nothing is pruned

STRAIGHT, IN_PLANE = (
    sum(1 << k for k in range(27) if sum(c != 1 for c in (k // 9, k // 3 % 3, k % 3)) == axes)
    for axes in (1, 2)
)

_Vector = tuple[int, int, int]
_STEPS: list[_Vector] = [(k // 9 - 1, k // 3 % 3 - 1, k % 3 - 1) for k in range(27)]


class Pruning(NamedTuple):
    """Rules for each incoming move d."""

    ever: np.ndarray  # moves that are not always pruned
    cells: np.ndarray  # where all cells of [d, i] are free, ..
    less: np.ndarray  # .. the moves of [d, i] are pruned
    rules: np.ndarray  # number of rules
    all_cells: np.ndarray  # where these are free, all rules apply ..
    natural: np.ndarray  # .. and these moves remain


@kernel
def worth_trying(pruning, cube, d):
    """Return the unpruned moves from a node reached by move `d`, with these free cells around."""
    d = at(d)
    if cube & pruning.all_cells[d] == pruning.all_cells[d]:
        return pruning.natural[d]
    moves = pruning.ever[d]
    for i in range(pruning.rules[d]):
        if cube & pruning.cells[d, at(i)] == pruning.cells[d, at(i)]:
            moves &= ~pruning.less[d, at(i)]
    return moves


@per_type
def unpruned_moves(graph, pruning, s, d):
    """Return the legal moves from `s`, which move `d` led to, that are worth trying."""


@unpruned_moves.register
def _(graph: Cells, pruning, s, d):
    cube = free_cube(graph.lattice, s)
    return legal_moves(graph.lattice, cube) & worth_trying(pruning, cube, d)


@unpruned_moves.register
def _(graph: WideCells, pruning, s, d):
    """The rules hold for moves that need their whole box free: among these, all others remain."""
    cube = free_cube(graph.lattice, s)
    legal = legal_moves(graph.lattice, cube)
    squeezing = squeezing_moves(graph, s, cube, legal)
    if legal >> (26 - d) & 1:
        legal &= worth_trying(pruning, cube, d)
    return legal | squeezing


@functools.cache
def pruning_of(moves: int, sparse: bool = False) -> Pruning:
    """Compute the rules for a neighbourhood, given as a set of moves.

    If not every cell is a node (`sparse`), another path needs nodes: then the cells of a rule must
    be free, and be nodes.
    """
    found = [_rules(d, moves, sparse) for d in range(28)]
    table = (28, max(len(rules) for rules in found))
    pruning = Pruning(
        ever=np.zeros(28, np.int64),
        cells=np.zeros(table, np.int64),
        less=np.zeros(table, np.int64),
        rules=np.zeros(28, np.int64),
        all_cells=np.zeros(28, np.int64),
        natural=np.zeros(28, np.int64),
    )
    for d, rules in enumerate(found):
        pruning.ever[d] = moves & ~rules.pop(0, 0)
        pruning.rules[d] = len(rules)
        pruning.cells[d, : len(rules)] = list(rules)
        pruning.less[d, : len(rules)] = list(rules.values())
        pruning.all_cells[d] = functools.reduce(int.__or__, rules, 0)
        pruning.natural[d] = pruning.ever[d] & ~functools.reduce(int.__or__, rules.values(), 0)
    return pruning


def _rules(d: int, moves: int, sparse: bool) -> dict[int, int]:
    """Return the rules for move `d`: sets of cells, and the moves pruned where they are free.

    The empty set may be among them: some moves are always pruned.
    """
    rules: dict[int, int] = {}
    if d == NOWHERE or not moves >> d & 1:
        return rules
    for k in range(27):
        if moves >> k & 1:
            for cells in _other_paths(d, k, moves, sparse):
                rules[cells] = rules.get(cells, 0) | 1 << k
    return rules


def _other_paths(d: int, k: int, moves: int, sparse: bool) -> list[int]:
    """Return the minimal sets of cells that, if free, prune `k` after `d`."""
    p = _minus(_STEPS[NOWHERE], _STEPS[d])
    t = _STEPS[k]
    known = _box(p, _STEPS[NOWHERE]) | _box(_STEPS[NOWHERE], t)  # free, for d and k are legal
    paths = {0} if p == t else set()
    for e in range(27):
        middle = _plus(p, _STEPS[e])
        last = _minus(t, middle)
        if not moves >> e & 1 or middle == _STEPS[NOWHERE]:
            continue
        if not all(-1 <= c <= 1 for c in (*middle, *last)):
            continue
        if last != _STEPS[NOWHERE] and not moves >> _number(last) & 1:
            continue
        old, new = (_axes(_STEPS[d]), _axes(t)), (_axes(_STEPS[e]), _axes(last))
        comes_first = sorted(new) == sorted(old) and new[0] > old[0]
        if comes_first or _cost(new) < _cost(old):
            over = 1 << _number(middle) if sparse else 0
            paths.add(((_box(p, middle) | _box(middle, t)) & ~known) | over)
    return [a for a in paths if not any(b != a and b & a == b for b in paths)]


def _cost(axes: tuple[int, int]) -> float:
    return math.sqrt(axes[0]) + math.sqrt(axes[1])


def _axes(v: _Vector) -> int:
    return sum(c != 0 for c in v)


def _plus(a: _Vector, b: _Vector) -> _Vector:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def _minus(a: _Vector, b: _Vector) -> _Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def _number(v: _Vector) -> int:
    return 9 * (v[0] + 1) + 3 * (v[1] + 1) + v[2] + 1


@functools.cache
def _box(a: _Vector, b: _Vector) -> int:
    """Return the cells of the smallest box that contains both."""
    spans = [range(min(i, j), max(i, j) + 1) for i, j in zip(a, b, strict=True)]
    return sum(1 << _number((x, y, z)) for x in spans[0] for y in spans[1] for z in spans[2])


@kernel
def next_move(moves):
    """Return the next of a set of moves: straight ones, then diagonals in a plane, then others.

    What is pushed last is taken first, and a node reached by a diagonal has most unpruned moves.
    """
    straight, in_plane = moves & STRAIGHT, moves & IN_PLANE
    return lowest_bit(straight if straight != 0 else in_plane if in_plane != 0 else moves)

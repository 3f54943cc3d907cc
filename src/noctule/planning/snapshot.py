"""`SearchSnapshot`: what a search looked at, read from its memory when it is over.

Searches mark nodes with their number instead of clearing memory, so all that they touched can be
found afterwards, and watching them costs them nothing. Reading takes a pass over all nodes.
"""

from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms import d_star
from noctule.algorithms.best_first import STAMP, Tree
from noctule.algorithms.child_lists import Families
from noctule.algorithms.incremental import Kept
from noctule.algorithms.remembered import NO_NODE, NOWHERE, PASS, Search
from noctule.core.jit import INF
from noctule.engines import face_a_star as two_stacks
from noctule.engines import hierarchical as coarse
from noctule.engines import hybrid_a_star as hybrid_engine
from noctule.engines import jps as jump_points
from noctule.engines import packed_nodes as grid_memory
from noctule.engines import theta_nodes as any_angle_nodes
from noctule.graphs.heuristics import STEP_1
from noctule.sipp import safe_intervals

Numbers = NDArray[np.int64]
Lines = NDArray[np.int64]  # (n, 2): the nodes at both ends

NO_NODES: Numbers = np.empty(0, np.int64)
NO_LINES: Lines = np.empty((0, 2), np.int64)
NO_COSTS: NDArray[np.float64] = np.empty(0)


class SearchSnapshot(NamedTuple):
    """What a search looked at, by numbers of nodes (see `Grid.indices`).

    Attributes
    ----------
    expanded : int array (n,)
        The nodes that it expanded; for one that remembers, all that it knows the way to.
    g : array (n,)
        How far each of them is from where the search began, in cells (in time: when, in bins).
    open : int array (m,)
        The nodes that wait in its open list.
    free, shut : int arrays (k, 2)
        Lines of sight that an any-angle search tested: those that it found free and keeps, and of
        those that it found blocked, the ones that it still remembers.
    remembers : bool
        Whether the search goes on with this from plan to plan.
    """

    expanded: Numbers = NO_NODES
    g: NDArray[np.float64] = NO_COSTS
    open: Numbers = NO_NODES
    free: Lines = NO_LINES
    shut: Lines = NO_LINES
    remembers: bool = False


@singledispatch
def search_snapshot(memory: Any) -> SearchSnapshot:
    """What the last search in this memory looked at; nothing for a kind of memory not known."""
    return SearchSnapshot()


@search_snapshot.register
def _(memory: Tree) -> SearchSnapshot:
    stamp = memory.counts[STAMP]
    expanded = np.flatnonzero(memory.mark == stamp + 1)
    lines = np.stack([expanded, memory.parent[expanded]], axis=1).astype(np.int64)
    return SearchSnapshot(
        expanded,
        memory.g[expanded],
        memory.open.node[: memory.open.size[0]].astype(np.int64),
        lines[lines[:, 0] != lines[:, 1]],
    )


@search_snapshot.register
def _(memory: grid_memory.Field | hybrid_engine.HybridField) -> SearchSnapshot:
    word = memory.word
    touched = np.flatnonzero((word >> 6) & grid_memory.LAST_SEARCH == memory.counts[STAMP])
    closed = word[touched] & grid_memory.CLOSED != 0
    expanded = touched[closed]
    return SearchSnapshot(expanded, (word[expanded] >> 26) / STEP_1, touched[~closed])


@search_snapshot.register
def _(memory: jump_points.JumpMemory | coarse.Corridor) -> SearchSnapshot:
    return search_snapshot(memory.field)


@search_snapshot.register
def _(memory: two_stacks.Stacks) -> SearchSnapshot:
    mark = memory.mark
    touched = np.flatnonzero(mark // two_stacks.ONE_SEARCH == memory.counts[STAMP])
    closed = mark[touched] & two_stacks.CLOSED != 0
    return SearchSnapshot(touched[closed], np.zeros(closed.sum()), touched[~closed])


@search_snapshot.register
def _(memory: any_angle_nodes.Nodes) -> SearchSnapshot:
    stamp = memory.counts[STAMP]
    link = memory.mark_and_parent
    expanded = np.flatnonzero(link >> 32 == stamp + 1)
    shut = memory.unseen[memory.unseen[:, 1] == stamp, 0]
    free = np.stack([expanded, link[expanded] & 0xFFFFFFFF], axis=1)
    return SearchSnapshot(
        expanded,
        memory.g[expanded].astype(np.float64),
        np.flatnonzero(link >> 32 == stamp),
        free[free[:, 0] != free[:, 1]],
        np.stack([shut >> 32, shut & 0xFFFFFFFF], axis=1),
    )


@search_snapshot.register
def _(memory: Kept) -> SearchSnapshot:
    return search_snapshot(memory.search)._replace(remembers=True)


@search_snapshot.register
def _(memory: Search) -> SearchSnapshot:
    known = np.flatnonzero(memory.mark == memory.counts[STAMP])
    reached = known[memory.g[known] < INF]
    return SearchSnapshot(
        reached, memory.g[reached] / STEP_1, known[memory.stack[known] != NOWHERE]
    )


@search_snapshot.register
def _(memory: Families) -> SearchSnapshot:
    known = np.flatnonzero(memory.mark == memory.counts[STAMP])
    reached = known[memory.g[known] < INF]
    held = reached[memory.parent[reached] != NO_NODE]
    shut = known[memory.unseen_by[known] >> 32 == memory.counts[PASS]]
    return SearchSnapshot(
        reached,
        memory.g[reached] / STEP_1,
        known[memory.stack[known] != NOWHERE],
        np.stack([held, memory.parent[held]], axis=1).astype(np.int64),
        np.stack([shut, memory.unseen_by[shut] & 0xFFFFFFFF], axis=1),
    )


@search_snapshot.register
def _(memory: d_star.States) -> SearchSnapshot:
    known = np.flatnonzero(memory.mark == memory.counts[STAMP])
    closed = known[memory.open.place[known] == 0]
    return SearchSnapshot(closed, memory.h[closed] / STEP_1, known[memory.open.place[known] > 0])


@search_snapshot.register
def _(memory: safe_intervals.States) -> SearchSnapshot:
    cell = memory.cell[: memory.counts[safe_intervals.SIZE]].astype(np.int64)
    closed = np.flatnonzero(memory.closed[: len(cell)])
    first, when = np.unique(cell[closed], return_index=True)  # a cell may have several intervals
    waiting = memory.open.node[: memory.open.size[0]]
    return SearchSnapshot(first, memory.g[closed][when], np.unique(cell[waiting]))

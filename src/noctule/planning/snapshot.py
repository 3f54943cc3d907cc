"""How to read a snapshot from the memory of each kind of search; safe intervals read their own."""

import numpy as np

from noctule.algorithms import d_star
from noctule.algorithms.best_first import Tree
from noctule.algorithms.field.field_d_star import FieldSearch
from noctule.algorithms.incremental.memory import Search
from noctule.algorithms.incremental.state import SearchMemory
from noctule.algorithms.plane.ap_theta_star import AngleTree
from noctule.algorithms.snapshot import SearchSnapshot, search_snapshot
from noctule.core.jit import INF
from noctule.engines import face_a_star, packed_nodes, weighted_a_star
from noctule.engines.hierarchical import Corridor
from noctule.engines.hybrid_a_star import HybridNodes
from noctule.engines.jps import JumpMemory
from noctule.engines.theta_nodes import ThetaNodes, unpack_pairs
from noctule.graphs.heuristics import STEP_1
from noctule.queues.protocol import members


@search_snapshot.register
def _(memory: Tree | AngleTree) -> SearchSnapshot:
    expanded = np.flatnonzero(memory.generation == memory.stats[0].generation + 1)
    lines = np.stack([expanded, memory.parent[expanded]], axis=1).astype(np.int64)
    return SearchSnapshot(
        expanded,
        memory.g[expanded],
        memory.open.node[: memory.open.size[0]].astype(np.int64),
        lines[lines[:, 0] != lines[:, 1]],
    )


@search_snapshot.register
def _(memory: packed_nodes.PackedNodes | HybridNodes) -> SearchSnapshot:
    g, generation, closed, _ = packed_nodes.unpack(memory.packed)
    visited = generation == memory.stats[0].generation
    expanded = np.flatnonzero(visited & (closed == 1))
    return SearchSnapshot(expanded, g[expanded] / STEP_1, np.flatnonzero(visited & (closed == 0)))


@search_snapshot.register
def _(memory: JumpMemory | Corridor) -> SearchSnapshot:
    return search_snapshot(memory.nodes)


@search_snapshot.register
def _(memory: face_a_star.FaceNodes) -> SearchSnapshot:
    generation, closed = face_a_star.unpack(memory.packed)
    visited = generation == memory.stats[0].generation
    expanded = np.flatnonzero(visited & (closed == 1))
    waiting = np.flatnonzero(visited & (closed == 0))
    return SearchSnapshot(expanded, np.zeros(len(expanded)), waiting)


@search_snapshot.register
def _(memory: ThetaNodes) -> SearchSnapshot:
    number = memory.stats[0].generation
    generation, parent = unpack_pairs(memory.link)
    expanded = np.flatnonzero(generation == number + 1)
    blocked = memory.unseen[memory.unseen[:, 1] == number, 0]
    free = np.stack([expanded, parent[expanded]], axis=1)
    return SearchSnapshot(
        expanded,
        memory.g[expanded].astype(np.float64),
        np.flatnonzero(generation == number),
        free[free[:, 0] != free[:, 1]],
        np.stack(unpack_pairs(blocked), axis=1),
    )


@search_snapshot.register
def _(memory: weighted_a_star.WeightedNodes) -> SearchSnapshot:
    closed = weighted_a_star.is_closed(memory)
    visited = weighted_a_star.is_visited(memory)
    expanded = np.flatnonzero(visited & closed)
    return SearchSnapshot(expanded, memory.g[expanded].copy(), np.flatnonzero(visited & ~closed))


@search_snapshot.register
def _(memory: SearchMemory) -> SearchSnapshot:
    return search_snapshot(memory.search)._replace(incremental=True)


@search_snapshot.register
def _(memory: Search | FieldSearch) -> SearchSnapshot:
    visited = np.flatnonzero(memory.generation == memory.stats[0].generation)
    reached = visited[memory.g[visited] < INF]
    waiting = np.sort(np.array(list(members(memory.open)), np.int64))
    snapshot = SearchSnapshot(reached, memory.g[reached] / STEP_1, waiting)
    if not len(memory.child):
        return snapshot
    held = reached[memory.parent[reached] >= 0]
    change_pass, parent = unpack_pairs(memory.unseen_by[visited])
    blocked = change_pass == memory.stats[0].change_pass
    return snapshot._replace(
        free=np.stack([held, memory.parent[held]], axis=1).astype(np.int64),
        shut=np.stack([visited[blocked], parent[blocked]], axis=1),
    )


@search_snapshot.register
def _(memory: d_star.States) -> SearchSnapshot:
    visited = np.flatnonzero(memory.generation == memory.stats[0].generation)
    is_open = memory.open.place[visited] > 0
    closed = visited[~is_open]
    return SearchSnapshot(closed, memory.h[closed] / STEP_1, visited[is_open])

"""Greedy best-first search and a ring graph for Noctule."""

import heapq

import numpy as np

import noctule as nt
from noctule_greedy.kernels import new_memory, search


@nt.register_algorithm("greedy", summary="greedy best-first search")
def greedy(graph: nt.GraphView, start: int, goal: int, limits: nt.Limits) -> nt.SearchResult:
    """Always expand the node nearest to the goal."""
    parent, heap, expanded = {start: start}, [(graph.distance(start, goal), start)], 0
    while heap and not limits.reached(expanded):
        _, s = heapq.heappop(heap)
        if s == goal:
            return nt.SearchResult.from_parents(parent, goal, expanded)
        expanded += 1
        for t, _ in graph.neighbours(s):
            if t not in parent:
                parent[t] = s
                heapq.heappush(heap, (graph.distance(t, goal), t))
    return nt.SearchResult.not_found(expanded)


@nt.register_graph("ring")
def ring(n: int = 12) -> nt.Graph:
    """Return `n` nodes on a circle of radius 1, each joined to the next one."""
    angle = 2 * np.pi * np.arange(n) / n
    points = np.c_[np.cos(angle), np.sin(angle)]
    return nt.Graph(points, [(i, (i + 1) % n) for i in range(n)])


nt.register_kernels("greedy", new_memory, search)

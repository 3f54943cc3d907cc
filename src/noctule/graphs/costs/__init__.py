"""Cells with costs: the costs of a grid, the cost of a segment, and the graph that kernels search.

May import `core`, `worlds` and `graphs.grid`.
"""

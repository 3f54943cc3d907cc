"""Graphs with explicit nodes and edges: user graphs and waypoints around bodies.

May import `core`, `worlds` and `graphs.grid`.
"""

"""The hybrid graph of a scene: the cells that matter, joined by long edges.

May import `core`, `worlds` and `graphs.grid`.
"""

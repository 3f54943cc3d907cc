"""Planning again and again: `fallback`, while a repair takes too long, and the last path's rest.

May import what `planning` may import.
"""

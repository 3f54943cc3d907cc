"""Cells that the bodies of a scene occupy, now and in the near future.

May import `core`, `worlds.geometry` and the shapes and motions of `worlds`.
"""

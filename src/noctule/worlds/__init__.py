"""Worlds: scenes, bodies, motions and shapes, the cells that bodies occupy, and files."""

"""Algorithms that work in the plane only, with nodes at corners of cells.

May import what `algorithms` may import.
"""

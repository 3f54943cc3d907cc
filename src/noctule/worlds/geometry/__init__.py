"""Exact geometry kernels: vectors, rotations, distances and contact between solids.

May import `core`.
"""

"""Cells that meshes, points and terrain make solid."""

"""Grids from meshes, points, OctoMaps and heights, and from files of other programs."""

"""Cell grids: the lattice as kernels see it, its moves, its changes, and the cells of a scene.

May import `core`, `worlds` and the rest of `graphs`.
"""

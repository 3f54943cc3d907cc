"""
A world from points
===================

A point cloud, as a scanner or the vertices of a mesh give it, becomes cells: those that hold a
point are blocked. Here it is a vault with a torus in it, and a drone that flies through the hole.
"""

import numpy as np

import noctule as nt

random = np.random.default_rng(0)
u, v = random.uniform(0, 2 * np.pi, (2, 20_000))
torus = np.column_stack(
    [0.35 * np.sin(v), (1.5 + 0.35 * np.cos(v)) * np.cos(u), (1.5 + 0.35 * np.cos(v)) * np.sin(u)]
)
floor = np.column_stack([random.uniform(-4, 4, 60_000), random.uniform(-3, 3, 60_000)])
hills = 0.3 * np.sin(2 * floor[:, 0]) * np.cos(2 * floor[:, 1]) - 2.2
points = np.concatenate([torus, np.column_stack([floor, hills])])

# %%
# Cells of 10 cm. The low corner leaves two free cells around the points.

cell = 0.1
low = points.min(axis=0) - 2 * cell
cells = np.floor((points - low) / cell).astype(int)
blocked = np.zeros(cells.max(axis=0) + 3, dtype=bool)
blocked[tuple(cells.T)] = True
grid = nt.Grid(blocked, cell=cell, origin=low)

path = nt.plan(grid, (-3, 0, -1.2), (3, 0.5, -1.2), "theta*", radius=0.25)
picture = nt.draw(grid, path, up="z", unit="m", title=f"{len(points):,} points")

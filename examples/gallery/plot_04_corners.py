"""
Centres, corners, and the true shortest path
============================================

With ``nodes="corners"``, paths lead over the corners of cells and may touch obstacles, as in the
papers on Theta*. In 2D, ``visibility`` finds the true shortest path, so one can see what a search
leaves out.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt

random = np.random.default_rng(21)
blocked = random.random((30, 30)) < 0.22
blocked[:2, :2] = blocked[-2:, -2:] = False
grid = nt.Grid(blocked, nodes="corners")

names = ("a*", "theta*", "visibility")
figure, views = plt.subplots(1, 3, figsize=(11, 4.2), layout="constrained")
for axes, name in zip(views, names, strict=True):
    path = nt.plan(grid, (0, 0), (30, 30), name)
    axes.imshow(grid.blocked.T, origin="lower", extent=(0, 30, 0, 30), cmap="Greys", vmax=3)
    axes.plot(*path.points.T, "o-", color="tab:red", lw=2, ms=3.5)
    axes.set_title(f"{name}: length {path.length:.3f}", fontsize=10)
    axes.axis("off")

# %%
# Each path is proven free by separate code.

[nt.verify(nt.plan(grid, (0, 0), (30, 30), name), grid) for name in names]

"""
How wide an agent passes
========================

A ball of radius r passes a gap of exactly 2r, and none narrower. Here three gaps are 1, 3 and 5
cells wide, and agents of growing radius take the first one that they fit through.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt

blocked = np.zeros((31, 41), dtype=bool)
blocked[15] = True
for low, width in ((8, 1), (18, 3), (31, 5)):
    blocked[15, low : low + width] = False
grid = nt.Grid(blocked)

start, goal = (3.5, 8.5), (27.5, 8.5)
figure, axes = plt.subplots(figsize=(6.4, 7.6), layout="constrained")
axes.imshow(grid.blocked.T, origin="lower", extent=(0, 31, 0, 41), cmap="Greys", vmax=3)
for radius, colour in ((0.5, "tab:green"), (1.5, "tab:blue"), (2.5, "tab:red")):
    path = nt.plan(grid, start, goal, "theta*", radius=radius)
    axes.plot(*path.points.T, color=colour, lw=2, label=f"radius {radius}: {path.length:.1f}")
    middle = np.interp(15.5, *path.points.T)  # the points are ordered by x
    axes.add_patch(plt.Circle((15.5, middle), radius, color=colour, alpha=0.35))
axes.legend(loc="upper left")
axes.set(xlabel="x", ylabel="y", title="Three radii, three gaps")

# %%
# A hair wider, and there is no way. That is a result with a reason, not an error.

path = nt.plan(grid, start, goal, radius=2.51)
path.found, path.reason

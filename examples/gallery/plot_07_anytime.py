"""
A path now, a better one later
==============================

``ara*`` searches with a large weight first and improves the result. Each path carries a proven
bound.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt

random = np.random.default_rng(130)
blocked = np.zeros((70, 50), dtype=bool)
for x, y in random.integers((6, 2), (60, 44), (60, 2)):
    blocked[x : x + 4, y : y + 6] = True
grid = nt.Grid(blocked)
start, goal = grid.centre((1, 3)), grid.centre((68, 45))

figure, axes = plt.subplots(figsize=(8.4, 5.6), layout="constrained")
axes.imshow(grid.blocked.T, origin="lower", extent=(0, 70, 0, 50), cmap="Greys", vmax=3)
paths = list(nt.Planner(grid, "ara*").improve(start, goal, weight=4, step=0.5))
for path, shade in zip(paths, np.linspace(0.25, 1, len(paths)), strict=True):
    label = f"at most {path.bound:.2f} x optimum: {path.length:.1f}"
    axes.plot(*path.points.T, color=plt.cm.YlOrRd(shade), lw=1 + 2 * shade, label=label)
axes.legend(loc="lower right", fontsize=8)
axes.set(title="Every path of one call of improve()", xlabel="x", ylabel="y")

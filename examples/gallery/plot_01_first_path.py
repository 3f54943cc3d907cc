"""
A first path
============

A wall with a gap, a start, a goal, and three algorithms. A* keeps to the edges of the grid;
Theta* leaves them where it sees farther; ``taut`` also moves the corners of the path.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt

blocked = np.zeros((40, 24), dtype=bool)
blocked[12:14, 6:] = True
blocked[26:28, :17] = True
grid = nt.Grid(blocked, cell=0.5)  # 20 x 12 metres

start, goal = (2.0, 10.0), (18.0, 2.5)
paths = [nt.plan(grid, start, goal, name, radius=0.3) for name in ("a*", "theta*", "taut")]

figure, axes = plt.subplots(figsize=(8, 4.8), layout="constrained")
axes.imshow(grid.blocked.T, origin="lower", extent=(0, 20, 0, 12), cmap="Greys", vmax=3)
for path, colour in zip(paths, ("tab:red", "tab:blue", "tab:green"), strict=True):
    axes.plot(*path.points.T, color=colour, lw=2, label=f"{path.algorithm}: {path.length:.2f} m")
axes.plot(*start, "o", color="black")
axes.plot(*goal, "*", color="black", ms=12)
axes.set(xlabel="x (m)", ylabel="y (m)", title="Three paths for an agent of radius 0.3 m")
axes.legend(loc="lower left")

# %%
# All of them are proven free for the whole ball, not only for its centre:

[nt.verify(path, grid, radius=0.3) for path in paths]

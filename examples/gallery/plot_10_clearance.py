"""
How much room there is
======================

``grid.clearances()`` is the exact distance from the centre of each cell to the nearest blocked
cell or to the border. A larger radius keeps farther away, and its path has more clearance.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt

random = np.random.default_rng(11)
blocked = np.zeros((80, 50), dtype=bool)
for x, y in random.integers((8, 2), (70, 44), (14, 2)):
    blocked[x : x + 5, y : y + 5] = True
grid = nt.Grid(blocked, cell=0.1)
start, goal = (0.65, 2.5), (7.35, 2.5)

figure, axes = plt.subplots(figsize=(8.6, 5), layout="constrained")
room = np.ma.masked_where(grid.blocked, grid.clearances())
image = axes.imshow(room.T, origin="lower", extent=(0, 8, 0, 5), cmap="Blues")
figure.colorbar(image, label="distance to the nearest obstacle (m)", shrink=0.8)
for radius, colour in ((0.05, "tab:red"), (0.3, "tab:orange")):
    path = nt.plan(grid, start, goal, "lazy-theta", radius=radius)
    label = f"radius {radius} m: length {path.length:.2f} m, clearance {path.clearance:.2f} m"
    axes.plot(*path.points.T, color=colour, lw=2.5, label=label)
axes.set_facecolor("0.25")
figure.legend(loc="outside lower center", frameon=False)
axes.set(xlabel="x (m)", ylabel="y (m)")

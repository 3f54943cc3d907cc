"""
Cells that cost
===============

A loud zone costs more per metre. Searches minimise the integral of the cost along the path:
``path.cost``. Theta* takes a straight line where it is cheaper, not merely where it is free.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt

x, y = np.mgrid[0:60, 0:40] + 0.5
cost = 1 + 5 * np.exp(-((x - 22) ** 2 + (y - 22) ** 2) / 60)
cost += 3 * np.exp(-((x - 42) ** 2 + (y - 12) ** 2) / 80)
blocked = np.zeros((60, 40), dtype=bool)
blocked[30:33, 24:] = True
start, goal = (2.5, 20.5), (57.5, 20.5)

figure, axes = plt.subplots(figsize=(8.4, 5.2), layout="constrained")
image = axes.imshow(cost.T, origin="lower", extent=(0, 60, 0, 40), cmap="YlOrBr")
axes.imshow(
    np.where(blocked, 1.0, np.nan).T, origin="lower", extent=(0, 60, 0, 40), cmap="Greys", vmin=0
)
figure.colorbar(image, label="cost per unit of length")
for grid, label, colour in (
    (nt.Grid(blocked), "shortest", "tab:blue"),
    (nt.Grid(blocked, cost=cost), "cheapest", "tab:red"),
):
    path = nt.plan(grid, start, goal, "theta*")
    paid = nt.Grid(blocked, cost=cost).cost_along(path.points)
    axes.plot(
        *path.points.T,
        color=colour,
        lw=2.5,
        label=f"{label}: {path.length:.1f} long, pays {paid:.0f}",
    )
axes.legend(loc="lower left")
axes.set(xlabel="x", ylabel="y", title="Around the noise, or through it")

"""
Hunting a goal that moves
=========================

The hunter plans in every step with ``mt-d*-lite``, which repairs its search when hunter and prey
have moved. The prey runs along the walls at two thirds of the hunter's speed.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt

blocked = np.zeros((60, 60), dtype=bool)
blocked[12:15, :46] = blocked[28:31, 14:] = blocked[44:47, :46] = True
grid = nt.Grid(blocked)
escape = nt.plan(grid, (20.5, 50.5), (56.5, 4.5), "theta*").points
hunter, planner = np.array([3.5, 4.5]), nt.Planner(grid, "mt-d*-lite")


def along(points: np.ndarray, distance: float) -> np.ndarray:
    """Return the point at a distance along a polyline."""
    legs = np.linalg.norm(np.diff(points, axis=0), axis=1)
    reached = np.concatenate([[0], np.cumsum(legs)])
    return np.array([np.interp(distance, reached, values) for values in points.T])


trail, plans, expanded = [hunter], [], []
for step in range(400):
    prey = along(escape, 0.4 * step)
    path = nt.smooth(planner.plan(hunter, prey), grid)
    plans.append(path.points)
    expanded.append(path.expanded)
    hunter = along(path.points, 0.6)
    trail.append(hunter)
    if np.linalg.norm(hunter - prey) < 1:
        break

figure, (axes, below) = plt.subplots(
    2, 1, figsize=(7, 9), height_ratios=(4, 1), layout="constrained"
)
axes.imshow(grid.blocked.T, origin="lower", extent=(0, 60, 0, 60), cmap="Greys", vmax=3)
for points in plans[::12]:
    axes.plot(*points.T, color="tab:blue", alpha=0.25, lw=1)
axes.plot(*escape.T, ":", color="tab:red", lw=2, label="prey")
axes.plot(*np.array(trail).T, color="tab:blue", lw=3, label="hunter")
axes.plot(*hunter, "*", color="black", ms=14, label=f"caught in step {step}")
axes.legend(loc="upper left")
axes.set(title="The plan of every 12th step, and the flight")
below.bar(range(len(expanded)), expanded, width=1, color="tab:blue")
below.set(xlabel="step", ylabel="nodes expanded", yscale="symlog")

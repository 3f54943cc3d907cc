"""
Smoothing a path
================

``nt.smooth`` shortens a finished path. Two methods leave out corners; ``taut`` also moves them,
like a string that is pulled.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt

METHODS = (("greedy", "tab:orange"), ("rubber-band", "tab:blue"), ("taut", "tab:green"))

random = np.random.default_rng(80)
blocked = np.zeros((50, 34), dtype=bool)
for x, y in random.integers((5, 0), (43, 30), (34, 2)):
    blocked[x : x + 3, y : y + 4] = True
grid = nt.Grid(blocked)
raw = nt.plan(grid, grid.centre((1, 4)), grid.centre((48, 30)), "a*", radius=0.4)

figure, axes = plt.subplots(figsize=(8.4, 5.8), layout="constrained")
axes.imshow(grid.blocked.T, origin="lower", extent=(0, 50, 0, 34), cmap="Greys", vmax=3)
axes.plot(*raw.points.T, color="0.35", lw=1.5, ls="--", label=f"a*: {raw.length:.2f}")
for method, colour in METHODS:
    path = nt.smooth(raw, grid, method)
    axes.plot(*path.points.T, color=colour, lw=2, label=f"{method}: {path.length:.2f}")
axes.legend(loc="lower right")
axes.set(xlabel="x", ylabel="y", title="One search, three ways to smooth its path")

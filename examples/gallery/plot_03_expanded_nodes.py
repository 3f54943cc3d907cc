"""
What a search looks at
======================

``Planner.search_snapshot`` returns the nodes that the last plan expanded, in their order.
Dijkstra's algorithm grows in all directions, A* towards the goal, and a weight of 1.5 makes it
hurry.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt

random = np.random.default_rng(8)
blocked = random.random((60, 60)) < 0.12
blocked[20:23, 10:50] = True
blocked[40:43, :45] = True
blocked[:4, :4] = blocked[-4:, -4:] = False
grid = nt.Grid(blocked)
start, goal = grid.centre((1, 1)), grid.centre((58, 58))

queries = [("dijkstra", {}), ("a*", {}), ("a*", {"weight": 1.5}), ("theta*", {})]
figure, views = plt.subplots(2, 2, figsize=(8.4, 8.8), layout="constrained")
for axes, (name, options) in zip(views.flat, queries, strict=True):
    planner = nt.Planner(grid, name, engine="reference", **options)
    path = planner.plan(start, goal)
    seen = planner.search_snapshot()
    places = grid.positions(seen.expanded)
    axes.imshow(grid.blocked.T, origin="lower", extent=(0, 60, 0, 60), cmap="Greys", vmax=2)
    axes.scatter(*places.T, c=range(len(places)), s=7, marker="s", cmap="viridis")
    axes.plot(*path.points.T, color="tab:red", lw=2)
    title = f"{name} {options.get('weight', '')}".strip()
    axes.set_title(f"{title}: {path.expanded} expanded, length {path.length:.1f}", fontsize=10)
    axes.axis("off")

"""
A roadmap of your own
=====================

``nt.Graph`` searches any points and edges. A grid decides which lines are free, so an any-angle
search may leave the roads.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt

random = np.random.default_rng(4)
blocked = np.zeros((80, 50), dtype=bool)
for x, y in random.integers((4, 2), (70, 42), (16, 2)):
    blocked[x : x + 7, y : y + 6] = True
city = nt.Grid(blocked)

points = random.uniform((1, 1), (79, 49), (260, 2))
points = np.array([p for p in points if not city.blocked[city.cell_of(p)]])
apart = np.linalg.norm(points[:, None] - points, axis=2)
near = np.argsort(apart, axis=1)[:, 1:7]  # the six nearest of each
edges = [(i, j) for i, row in enumerate(near.tolist()) for j in row if i < j or i not in near[j]]
edges = [(i, j) for i, j in edges if city.line_of_sight(points[i], points[j])]
start, goal = points[points.sum(axis=1).argmin()], points[points.sum(axis=1).argmax()]
roads = nt.Graph(points, edges, sight=city)

figure, axes = plt.subplots(figsize=(8.6, 5.6), layout="constrained")
axes.imshow(city.blocked.T, origin="lower", extent=(0, 80, 0, 50), cmap="Greys", vmax=3)
for i, j in edges:
    axes.plot(*points[[i, j]].T, color="0.75", lw=0.7, zorder=1)
for name, colour in (("a*", "tab:red"), ("theta*", "tab:blue")):
    path = nt.plan(roads, start, goal, name)
    axes.plot(*path.points.T, "o-", color=colour, lw=2, ms=4, label=f"{name}: {path.length:.1f}")
axes.legend(loc="lower right")
axes.set(title=f"{len(points)} points, {len(edges)} free edges", xlabel="x", ylabel="y")

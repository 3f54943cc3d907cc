"""
Repairing instead of searching again
====================================

Walls appear and disappear in a building while an agent walks through it. ``d*-lite`` repairs its
last search; A* starts again each time. Both find paths of the same length.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt
from noctule.worlds.generated import building

blocked = building(90, 15, 4, seed=4)
grid = nt.Grid(blocked)
start, goal = (2.5, 2.5, 2.5), (87.5, 87.5, 29.5)
repairing = nt.Planner(grid, "d*-lite", engine="reference")
fresh = nt.Planner(grid, "a*", engine="reference")

random = np.random.default_rng(1)
path = repairing.plan(start, goal)
work, added = [], []
for _ in range(40):
    place = path.nodes[random.integers(20, len(path.nodes) - 20)]
    added.append(place + np.indices((3, 3, 2)).reshape(3, -1).T)
    grid.block(added[-1])
    if len(added) > 4:
        old = added.pop(0)
        grid.free(old[~blocked[tuple(old.T)]])
    again, path = fresh.plan(start, goal), repairing.plan(start, goal)
    assert again.found == path.found
    assert abs(again.length - path.length) < 1e-6
    work.append((again.expanded, path.expanded))

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
searched, repaired = np.array(work).T
axes.semilogy(searched, "o-", ms=4, label=f"a*: {searched.sum():,} in all")
axes.semilogy(repaired.clip(1), "o-", ms=4, label=f"d*-lite: {repaired.sum():,} in all")
axes.set(xlabel="change", ylabel="nodes expanded", title="40 changes in a building of four floors")
axes.legend()

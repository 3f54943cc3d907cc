"""
When there is no way
====================

A goal that cannot be reached is a result. With ``nearest=True`` the path leads to the reachable
point nearest to the goal, and says how far that is.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt

blocked = np.zeros((50, 36), dtype=bool)
blocked[8:11, 8:] = True
blocked[28:44, 10:28] = True
blocked[31:41, 13:25] = False  # a closed room
grid = nt.Grid(blocked)
start, goal = (3.5, 30.5), (36.5, 19.5)

nowhere = nt.plan(grid, start, goal)
path = nt.plan(grid, start, goal, "theta*", nearest=True)

figure, axes = plt.subplots(figsize=(8, 5.6), layout="constrained")
axes.imshow(grid.blocked.T, origin="lower", extent=(0, 50, 0, 36), cmap="Greys", vmax=3)
axes.plot(*path.points.T, "o-", color="tab:blue", lw=2, ms=4)
axes.plot(*start, "o", color="black")
axes.plot(*goal, "*", color="black", ms=13)
axes.plot(*np.array([path.points[-1], goal]).T, ":", color="tab:red")
axes.text(34, 4, f"{path.goal_distance:.1f} from the goal", color="tab:red", ha="center")
axes.set(title="As near as one can get", xlabel="x", ylabel="y")

# %%
# Without it, there is no path, and a reason:

nowhere.found, nowhere.reason

"""
Waiting for a gap in time
=========================

Two shutters move up and down in a corridor. ``safe-intervals`` plans in space and time: it flies,
waits, and passes when a shutter is out of the way. The picture has time to the right and the way
along the corridor upwards; in dark areas all three rows of the corridor are closed.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt
from noctule.worlds.motions import Patrol

bodies = []
for k, (x, period) in enumerate(((8.5, 1.5), (15.5, 2.2))):
    for side, y in (("below", 1.5), ("above", 7.5)):
        bodies.append(nt.Body(f"wall {k} {side}", nt.Box((1, 3, 3)), position=(x, y, 1.5)))
    motion = Patrol([(x, 4.5, 1.5), (x, 7.5, 1.5)], speed=3 / period)
    bodies.append(nt.Body(f"shutter {k}", nt.Box((1, 3, 3)), (x, 4.5, 1.5), motion=motion))
scene = nt.Scene(
    nt.Space(origin=(0, 0, 0), cells=(24, 9, 3)),
    nt.Agent(start=(1.5, 4.5, 1.5), radius=0.4, speed=5),
    nt.Destination(start=(22.5, 4.5, 1.5)),
    bodies,
)
grid = nt.CellGrid(scene)
planner = nt.Planner(grid, "safe-intervals", timing=nt.Timing(window=5), radius=0.4)
path = planner.plan(scene.agent.start, scene.destination.start)

# %%
# The path has a time for each point; a point at which the agent waits occurs twice.

np.column_stack([path.times, path.points]).round(2)

# %%
# Where the corridor is closed, sampled twenty times a second:

moments = np.arange(0, 8, 0.05)
closed = []
for t in moments:
    grid.update(t)
    closed.append(grid.blocked[:, 3:6, 1].all(axis=1))

figure, axes = plt.subplots(figsize=(8.4, 4.6), layout="constrained")
axes.imshow(
    np.array(closed).T, origin="lower", extent=(0, 8, 0, 24), aspect="auto", cmap="Greys", vmax=1.4
)
axes.plot(path.times, path.points[:, 0], "o-", color="tab:red", lw=2.5, ms=4)
axes.set(
    xlabel="time (s)", ylabel="way along the corridor", title="It waits for the second shutter"
)

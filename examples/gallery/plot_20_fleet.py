"""
A fleet that swaps places
=========================

Sixteen agents on a circle fly to the place opposite, around a pillar and around one another.
``nt.Fleet`` plans for all of them and checks each velocity against bodies and agents before it is
flown.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt

pillar = nt.Body("pillar", nt.Box((4, 10, 4)), position=(15, 5, 15))
scene = nt.Scene(nt.Space((0, 0, 0), (30, 10, 30)), bodies=[pillar])
fleet = nt.Fleet(scene)
for angle in np.linspace(0, 2 * np.pi, 16, endpoint=False):
    centre, out = np.full(3, 15.0), np.array([np.cos(angle), 0, np.sin(angle)])
    centre[1] = 5
    fleet.add(centre + 12 * out, goal=centre - 12 * out, radius=0.45, speed=4)

trails = []
for frame in range(900):
    trails.append([agent.position for agent in fleet.agents])
    if all(agent.arrived for agent in fleet.agents):
        break
    fleet.step(frame * fleet.frame)
    fleet.fly()
trails = np.array(trails)

figure, axes = plt.subplots(figsize=(6.6, 6.6), layout="constrained")
axes.add_patch(plt.Rectangle((13, 13), 4, 4, color="0.6"))
for k, colour in enumerate(plt.cm.twilight(np.linspace(0.1, 0.9, 16))):
    axes.plot(trails[:, k, 0], trails[:, k, 2], color=colour, lw=1.5)
    axes.add_patch(plt.Circle(trails[-1, k, [0, 2]], 0.45, color=colour))
    axes.add_patch(plt.Circle(trails[0, k, [0, 2]], 0.45, fill=False, color=colour))
axes.set(xlim=(0, 30), ylim=(0, 30), aspect="equal", xlabel="x", ylabel="z")
arrived = sum(agent.arrived for agent in fleet.agents)
axes.set_title(f"from above: {arrived} of 16 arrived in {len(trails) / 60:.1f} s")

# %%
# The least distance between two agents at any frame, from surface to surface:

apart = np.linalg.norm(trails[:, :, None] - trails[:, None], axis=3)
float(apart[:, ~np.eye(16, dtype=bool)].min() - 2 * 0.45)

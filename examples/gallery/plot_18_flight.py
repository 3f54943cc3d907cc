"""
A flight through moving obstacles
=================================

The test environment has 60 bodies, 16 of which move. The agent plans in every frame and flies
after a goal that moves as well.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt

scene = nt.Scene.load("test-environment")
grid = nt.CellGrid(scene, safety=False)
flight = nt.Flight(scene, grid, "lazy-theta", seed=1, prediction=True, record=True).run()
picture = nt.draw(flight)

# %%
# How much each plan searched: least while the agent sees far, most among the moving walls.

figure, axes = plt.subplots(figsize=(8, 3.2), layout="constrained")
axes.fill_between(np.arange(len(flight.expanded)) / 60, flight.expanded, alpha=0.8)
axes.set(xlabel="seconds", ylabel="nodes expanded", title="expansions of each plan", ylim=(0, None))

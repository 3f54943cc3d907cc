"""
Flying with and without prediction
==================================

Five flights through the test environment, from the same moments, with and without prediction.
With it, the agent keeps out of cells that bodies will touch within a second.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt

RUNS = range(4, 9)
scene = nt.Scene.load("test-environment")
outcomes = {}
for prediction in (False, True):
    grid = nt.CellGrid(scene, safety=False)
    outcomes[prediction] = [
        nt.Flight(scene, grid, "a*", seed=3, run=run, prediction=prediction).run() for run in RUNS
    ]

figure, axes = plt.subplots(figsize=(8, 3.8), layout="constrained")
hits = []
for prediction, shift, colour in ((False, -0.2, "tab:orange"), (True, 0.2, "tab:blue")):
    results = outcomes[prediction]
    bars = axes.bar(
        np.array(RUNS) + shift,
        [result.travelled for result in results],
        width=0.4,
        color=colour,
        label=f"{'with' if prediction else 'without'} prediction: "
        f"{sum(result.reached for result in results)} of {len(RUNS)} arrived",
    )
    hits += [pair for pair in zip(bars, results, strict=True) if pair[1].collided]
axes.legend(loc="upper left")
for bar, result in hits:
    bar.set_hatch("///")
    axes.text(bar.get_x(), bar.get_height() + 1, result.collided, rotation=90, fontsize=7)
axes.set(
    xlabel="flight", ylabel="way flown", ylim=(0, 185), title="Hatched: hit the body that is named"
)

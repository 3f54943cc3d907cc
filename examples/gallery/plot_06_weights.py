"""
Faster with a weight
====================

A weight above 1 makes A* trust its heuristic more: it expands fewer nodes and finds a longer
path, at most ``weight`` times as long. Open space rewards it; a building does not.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt
from noctule.worlds.generated import building

random = np.random.default_rng(2)
noise = random.random((60, 60, 60)) < 0.1
noise[0, 0, 0] = noise[-1, -1, -1] = False
worlds = {
    "noise": (nt.Grid(noise), (0.5, 0.5, 0.5), (59.5, 59.5, 59.5)),
    "building": (nt.Grid(building(90, 15, 4, seed=4)), (2.5, 2.5, 2.5), (87.5, 87.5, 29.5)),
}
weights = (1, 1.1, 1.2, 1.5, 2, 3)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for name, (grid, start, goal) in worlds.items():
    paths = [nt.plan(grid, start, goal, "a*", weight=w) for w in weights]
    left.plot(weights, [path.expanded / paths[0].expanded for path in paths], "o-", label=name)
    right.plot(weights, [path.length / paths[0].length for path in paths], "o-", label=name)
left.set(yscale="log", xlabel="weight", ylabel="expansions, relative", title="work")
right.set(xlabel="weight", ylabel="length, relative", title="length")
left.legend()

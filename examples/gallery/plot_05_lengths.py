"""
How much shorter are any-angle paths?
=====================================

The same queries for A* and three any-angle searches, in cubes of noise. Ratios are taken query by
query; a box holds the middle half of them.
"""

import matplotlib.pyplot as plt
import numpy as np

import noctule as nt

NAMES = ("theta*", "lazy-theta*", "taut")
SHARES = (0.05, 0.15, 0.25)


def ratios(share: float, seed: int) -> np.ndarray:
    """Return the lengths of 60 paths of each any-angle search over those of A*."""
    random = np.random.default_rng(seed)
    blocked = random.random((40, 40, 40)) < share
    grid, free = nt.Grid(blocked), np.argwhere(~blocked)
    ends = free[random.choice(len(free), (60, 2))].tolist()
    pairs = [(grid.centre(a), grid.centre(b)) for a, b in ends]
    along = nt.plan_many(grid, pairs, "a*")
    rows = [nt.plan_many(grid, pairs, name) for name in NAMES]
    return np.array(
        [[b.length / a.length for a, b in zip(along, row, strict=True) if a.found] for row in rows]
    )


figure, axes = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
for k, share in enumerate(SHARES):
    places = k * 4 + np.arange(3)
    boxes = axes.boxplot(
        ratios(share, seed=5).T, positions=places, widths=0.7, showfliers=False, patch_artist=True
    )
    for box, colour in zip(boxes["boxes"], ("#9ecae1", "#6baed6", "#3182bd"), strict=True):
        box.set_facecolor(colour)
axes.legend(boxes["boxes"], NAMES, loc="lower left")
axes.set_xticks([1, 5, 9], [f"{share:.0%} blocked" for share in SHARES])
axes.axhline(1, color="grey", lw=1)
axes.set(ylabel="length / length of A*", title="60 queries in a cube of 40³ cells")

"""Worlds for hypothesis, and a seeded generator of many more of them."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

RADII = (0.0, 0.1, 0.25, 0.4, 0.45, 0.5, 0.6, 0.75, 1.0, 1.3)
NEIGHBOURHOODS = {2: (4, 8), 3: (6, 18, 26)}


@st.composite
def blocked_arrays(draw, dimension=None, longest=6):
    """Bool arrays from empty to full."""
    d = dimension or draw(st.sampled_from((2, 3)))
    shape = tuple(draw(st.integers(1, longest)) for _ in range(d))
    percent = draw(st.sampled_from((0, 5, 15, 30, 50, 80)))
    if draw(st.booleans()):
        seed = draw(st.integers(0, 2**32 - 1))
        return np.random.default_rng(seed).integers(0, 100, shape) < percent
    return draw(hnp.arrays(np.bool_, shape))


def random_world(seed, longest=7):
    """World number `seed`: blocked cells, neighbours, and two cells of it."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 4))
    shape = tuple(int(n) for n in rng.integers(1, longest + (6 if d == 2 else 0), d))
    kind = rng.integers(0, 3)
    blocked = rng.random(shape) < rng.choice((0.0, 0.1, 0.2, 0.3, 0.45))
    if kind == 1:  # boxes
        blocked = np.zeros(shape, bool)
        for _ in range(int(rng.integers(1, 5))):
            low = rng.integers(0, shape)
            high = low + rng.integers(1, 4, d)
            blocked[tuple(slice(a, b) for a, b in zip(low, high, strict=True))] = True
    if kind == 2:  # walls with one hole
        blocked = np.zeros(shape, bool)
        for x in range(1, shape[0], 2):
            blocked[x] = True
            blocked[(x, *rng.integers(0, shape[1:]))] = False
    neighbours = int(rng.choice(NEIGHBOURHOODS[d]))
    ends = [tuple(int(i) for i in rng.integers(0, shape)) for _ in range(2)]
    return blocked, neighbours, *ends

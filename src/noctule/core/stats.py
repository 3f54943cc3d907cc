"""Named scalars of a search, as one record that kernels and Python both read and write.

`memory.stats[0].expanded` is the same expression compiled, interpreted and in the shell. A record
array of length one costs as much as an array of numbers, and every number has a name.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

# What every search has: the number of the current search (nodes marked with a lower one belong to
# an earlier search), its work, and the closed node nearest to the goal, where a partial path ends.
COMMON = (
    ("generation", np.int64),
    ("expanded", np.int64),
    ("sight_checks", np.int64),
    ("sight_walks", np.int64),
    ("nearest", np.int64),
    ("nearest_distance", np.float64),
)

LAST_GENERATION = 2**31 - 4  # generations are stored in 32 bits; then all marks are cleared

Work = tuple[int, int, int]  # nodes expanded, lines of sight asked for, lines of sight walked


def new_stats(**fields: type) -> NDArray[np.void]:
    """Return a record array of length one with the common fields and these.

    >>> stats = new_stats(km=float)
    >>> stats[0].expanded += 2
    >>> float(stats[0].km), work_of(stats)
    (0.0, (2, 0, 0))
    """
    return np.zeros(1, _record_of(tuple(fields.items())))


@cache
def _record_of(fields: tuple[tuple[str, type], ...]) -> np.dtype[Any]:
    kinds = [*COMMON, *((name, np.dtype(kind)) for name, kind in fields)]
    return np.dtype((np.record, np.dtype(kinds, align=True)))


def work_of(stats: NDArray[np.void]) -> Work:
    """Return nodes expanded, lines of sight asked for and lines of sight walked."""
    _, expanded, checks, walks, *_ = stats.item()
    return expanded, checks, walks

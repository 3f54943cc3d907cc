"""A ring of the latest changes of a graph, so that each planner reads what it has not seen."""

import numpy as np
from numpy.typing import NDArray

LOG_SIZE = 1 << 16


class ChangeLog:
    """The latest changes: numbers of cells, or whatever `changed_nodes` of the graph expects.

    `version` counts all changes so far; change number v is at `ring[v % len(ring)]`.
    """

    def __init__(self, size: int = LOG_SIZE) -> None:
        self.ring = np.empty(size, np.int32)
        self.version = 0

    def append(self, changes: NDArray[np.int64]) -> None:
        """Log changes."""
        self.ring[(self.version + np.arange(len(changes))) % len(self.ring)] = changes
        self.version += len(changes)

    def since(self, version: int) -> NDArray[np.int32] | None:
        """Return the changes after `version`, perhaps some twice; None if they are overwritten."""
        size = len(self.ring)
        if self.version - version > size:
            return None
        first, last = version % size, self.version % size
        if self.version == version or first < last:
            return self.ring[first:last].copy()
        return np.concatenate([self.ring[first:], self.ring[:last]])

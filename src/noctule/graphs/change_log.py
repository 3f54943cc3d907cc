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
        self._oldest = 0  # the version after which changes are known

    def __getstate__(self) -> tuple[int, int]:
        return len(self.ring), self.version

    def __setstate__(self, state: tuple[int, int]) -> None:
        size, self.version = state
        self.ring, self._oldest = np.empty(size, np.int32), self.version

    def append(self, changes: NDArray[np.int64]) -> None:
        """Log changes."""
        self.ring[(self.version + np.arange(len(changes))) % len(self.ring)] = changes
        self.version += len(changes)

    def since(self, version: int) -> NDArray[np.int32] | None:
        """Return the changes after `version`, perhaps some twice; None if they are not kept."""
        size = len(self.ring)
        if version < self._oldest or self.version - version > size:
            return None
        first, last = version % size, self.version % size
        if self.version == version or first < last:
            return self.ring[first:last].copy()
        return np.concatenate([self.ring[first:], self.ring[:last]])

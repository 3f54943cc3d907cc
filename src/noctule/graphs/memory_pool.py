"""Memory of finished searches, kept for the next ones."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

Memory = TypeVar("Memory")


class MemoryPool:
    """What a search graph lends to searches; many threads may borrow at once."""

    node_count: int

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spare: dict[Any, list[Any]] = {}

    def acquire(self, make: Callable[[int], Memory]) -> Memory:
        """Memory for one search: what a finished search gave back, or new from `make`."""
        with self._lock:
            spare = self._spare.get(make)
            return spare.pop() if spare else make(self.node_count)

    def release(self, make: Callable[[int], Memory], memory: Memory) -> None:
        """Keep memory that `make` made for the next search."""
        with self._lock:
            self._spare.setdefault(make, []).append(memory)

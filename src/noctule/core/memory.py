"""Large blocks of memory of which only the touched parts cost anything."""

import math
import mmap
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LARGE = 1 << 26  # bytes


def in_one_block(make: Callable[..., NDArray[Any]], *arrays: tuple[int, Any]) -> list[NDArray[Any]]:
    """Return arrays of these lengths and types in one block, which `make` reserves if it is small.

    Many blocks that come and go with a planner cost more than what is done with them.
    """
    kinds = [(n, np.dtype(kind)) for n, kind in arrays]
    sizes = [-(-n * kind.itemsize // 8) * 8 for n, kind in kinds]
    total = sum(sizes)
    block = make(total, np.uint8) if total < _LARGE else reserve(total, np.uint8)
    views, first = [], 0
    for (n, kind), size in zip(kinds, sizes, strict=True):
        views.append(block[first : first + n * kind.itemsize].view(kind))
        first += size
    return views


def reserve(shape: int | tuple[int, ...], dtype: Any, large: int = _LARGE) -> NDArray[Any]:
    """An array of zeros for searches that touch a few cells here and there.

    NumPy asks the system for pages of two megabytes where it can. They are faster, but one touched
    cell costs all of its page: on a map of 200 million cells half a gigabyte for a path of 200
    steps, and half a second for the first 500 expansions of AAMT-D* Lite among 27 million cells.
    So what has `large` bytes or more gets the system's smallest pages. A long search of memory
    that was used before then takes a tenth longer.
    """
    kind = np.dtype(dtype)
    size = math.prod(np.atleast_1d(shape).tolist()) * kind.itemsize
    if size < large:
        return np.zeros(shape, kind)
    if hasattr(mmap, "MAP_PRIVATE"):
        pages = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    else:
        pages = mmap.mmap(-1, size)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        pages.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(pages, kind).reshape(shape)

"""How all kernels are compiled."""

from typing import Any

# Kernels never allocate, so they need no reference counting (_nrt): half the run time, and
# Numba refuses to compile one that does allocate.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "forceinline": True,
}

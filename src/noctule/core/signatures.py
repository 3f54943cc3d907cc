"""The types of a kernel's arguments as plain data: in the names of cached files and the manifest.

Numba's own texts for types change from version to version and cannot be read back.
"""

import importlib
from typing import Any

import numpy as np
from numba import from_dtype, types
from numba.np.numpy_support import as_dtype


def encode(kind: Any) -> Any:
    """Return a Numba type as a string or a list that JSON can hold.

    >>> from numba import int64, types
    >>> encode(types.Array(int64, 2, "C", readonly=True))
    ['array', 'int64', 2, 'C', False, True]
    """
    if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
        place = f"{kind.instance_class.__module__}:{kind.instance_class.__qualname__}"
        return ["named", place, [encode(field) for field in kind]]
    if isinstance(kind, types.BaseTuple):
        return ["tuple", [encode(field) for field in kind]]
    if isinstance(kind, types.Array):
        return ["array", encode(kind.dtype), kind.ndim, kind.layout, kind.mutable, kind.aligned]
    if isinstance(kind, types.Record):
        return ["record", [list(field) for field in as_dtype(kind).descr], kind.aligned]
    return str(kind)


def decode(data: Any) -> Any:
    """Return the Numba type that `encode` has described.

    >>> decode(["array", "float64", 1, "C", True, True])
    Array(float64, 1, 'C', False, aligned=True)
    """
    if isinstance(data, str):
        return getattr(types, {"bool": "boolean"}.get(data, data))
    what, *rest = data
    if what == "named":
        module, _, name = rest[0].partition(":")
        return types.BaseTuple.from_types([decode(f) for f in rest[1]], _attribute(module, name))
    if what == "tuple":
        return types.BaseTuple.from_types([decode(field) for field in rest[0]])
    if what == "record":
        return from_dtype(np.dtype([tuple(field) for field in rest[0]], align=rest[1]))
    kind, dimension, layout, mutable, aligned = rest
    return types.Array(decode(kind), dimension, layout, not mutable, aligned=aligned)


def _attribute(module: str, name: str) -> Any:
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found

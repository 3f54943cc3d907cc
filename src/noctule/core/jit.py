"""How kernels are compiled: with `intrinsics` and `callbacks`, the only modules that import Numba.

`kernel` compiles a function with one set of options, `kernel_short` a short one that keeps the GIL,
`kernel_cold` a rarely called one that is not inlined. `per_type` selects an implementation by the
class of the first argument, the same way interpreted and compiled.
With ``NUMBA_DISABLE_JIT=1`` every kernel is the plain Python function that one reads.
"""

import hashlib
import logging
import math
import os
import sys
from collections.abc import Callable
from functools import singledispatch
from inspect import isgeneratorfunction
from pathlib import Path
from typing import Any

import numpy as np
from numba import config, njit
from numba.core import event
from numba.extending import overload

INF = math.inf

# Kernels never allocate, so they need no reference counting (_nrt): half the run time, and
# Numba refuses to compile one that does allocate.
OPTIONS: dict[str, bool | str] = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "forceinline": True,
}

_PACKAGE = Path(__file__).parents[1]
_WITHOUT_KERNELS = (
    "__main__.py",
    "benchmarking",
    "cli.py",
    "commands",
    "pictures",
    "studies",
    "viewer",
)


def _digest() -> str:
    """Name for the cache folder: a digest of every source that a kernel could depend on."""
    digest = hashlib.sha256(repr(OPTIONS).encode())
    for source in sorted(_PACKAGE.rglob("*.py")):
        if source.relative_to(_PACKAGE).parts[0] not in _WITHOUT_KERNELS and source.is_file():
            digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


def cache_folder() -> Path:
    """Beside the package where that can be written to, else in the user's cache folder."""
    if config.CACHE_DIR:
        return Path(config.CACHE_DIR)
    if os.access(_PACKAGE, os.W_OK):
        return _PACKAGE / "__pycache__"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "noctule"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "noctule"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "noctule"


CACHE = cache_folder() / f"kernels-{_digest()}"


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` with the package's one set of options, cached on disk.

    Numba's cache notices a change in the file that holds a function, but not in a file whose
    functions it calls; the cache folder is therefore named after all sources. A generator read
    back from the cache cannot be compiled into a new caller (numba issue 8679), so only the
    callers of generators are cached.
    """
    return _compiled(function, OPTIONS)


def kernel_short(function: Callable[..., Any]) -> Any:
    """A kernel that takes a few microseconds, and keeps the interpreter's lock meanwhile.

    To let go of it for so short a time is to hand it to another thread, and to wait until that
    lets go of it again: a plan with six kernels would wait six times.
    """
    return _compiled(function, {**OPTIONS, "nogil": False})


def kernel_cold(function: Callable[..., Any]) -> Any:
    """A kernel that others call now and then: they need not grow by all that it does."""
    return _compiled(function, {**OPTIONS, "forceinline": False})


def _compiled(function: Callable[..., Any], options: dict[str, bool | str]) -> Any:
    saved, config.CACHE_DIR = config.CACHE_DIR, str(CACHE)
    try:
        return njit(function, cache=not isgeneratorfunction(function), **options)
    finally:
        config.CACHE_DIR = saved


def per_type(stub: Callable[..., Any]) -> Any:
    """Single dispatch on the class of the first argument, a NamedTuple, for kernels to call."""
    return _per_type(stub, OPTIONS)


def per_type_cold(stub: Callable[..., Any]) -> Any:
    """Single dispatch for rarely called kernels, which are not inlined."""
    return _per_type(stub, {**OPTIONS, "forceinline": False})


def _per_type(stub: Callable[..., Any], options: dict[str, bool | str]) -> Any:
    generic = singledispatch(stub)

    @overload(generic, strict=False, jit_options=options)
    def choose(first, *rest):
        chosen = generic.dispatch(getattr(first, "instance_class", object))
        return None if chosen is stub else chosen

    return generic


def bind(function: Any) -> Callable[..., Any]:
    """A kernel for one caller that calls it again and again.

    Numba looks at the type of every array in every argument to find what it has compiled: 5
    microseconds for the two dozen arrays of a search, ten times what the call itself takes. Here
    the class of a named tuple tells: for one caller, all of a class must hold the same types.
    """
    if config.DISABLE_JIT:
        return function
    compiled: dict[tuple[Any, ...], Callable[..., Any] | None] = {}

    def call(*arguments: Any) -> Any:
        kinds = tuple([_kind(argument) for argument in arguments])
        entry = compiled.get(kinds)
        if entry is not None:
            return entry(*arguments)
        result = function(*arguments)
        if kinds in compiled:  # to find it takes as long as some calls: not for the first
            compiled[kinds] = _entry_point(function, arguments)
        else:
            compiled[kinds] = None
        return result

    return call


_entry_points: dict[Any, Callable[..., Any]] = {}  # of functions, for types of arguments


def _entry_point(function: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """What is called for these arguments; Numba needs some tenths of a millisecond to tell."""
    key = function, *map(_type_of, arguments)
    if key not in _entry_points:
        found = function.overloads.get(tuple(map(function.typeof_pyval, arguments)))
        if found is None:
            return function
        _entry_points[key] = found.entry_point
    return _entry_points[key]


def _type_of(argument: Any) -> Any:
    """What distinguishes types that functions are compiled for, of arrays and tuples of them."""
    if isinstance(argument, np.ndarray):
        flags = argument.flags
        layout = flags.c_contiguous, flags.f_contiguous, flags.aligned, flags.writeable
        return argument.dtype, argument.ndim, *layout
    if isinstance(argument, tuple):
        return type(argument), *map(_type_of, argument)
    return type(argument)


def _kind(argument: Any) -> Any:
    kind = type(argument)
    if kind is np.ndarray:
        return argument.dtype, argument.ndim, argument.flags.c_contiguous
    assert kind is not tuple, "what a plain tuple holds, its class does not tell"
    return kind


class _Announcer(event.Listener):
    """Says on the terminal which kernel is being compiled: it happens once, and takes seconds."""

    def __init__(self) -> None:
        self.depth = 0

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.announce(event.data)
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1

    def announce(self, data: Any) -> None:
        function = data["dispatcher"].py_func
        if not function.__module__.startswith("noctule."):
            return
        kinds = [kind.instance_class.__name__ for kind in data["args"] if _is_named_tuple(kind)]
        what = f"{function.__name__} for {', '.join(kinds)}" if kinds else function.__name__
        logging.getLogger("noctule").info("compiling %s", what)
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f"noctule: compiling {what} (first use only)\n")


def _is_named_tuple(kind: Any) -> bool:
    return hasattr(kind, "instance_class")


event.register("numba:compile", _Announcer())

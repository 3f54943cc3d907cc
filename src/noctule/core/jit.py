"""How kernels are compiled.

`kernel` compiles a function with one set of options, `kernel_short` a short one that keeps the GIL,
`kernel_cold` a rarely called one that is not inlined. `per_type` selects an implementation by the
class of the first argument, the same way interpreted and compiled.
With ``NUMBA_DISABLE_JIT=1`` every kernel is the plain Python function that one reads.
"""

import math
from collections.abc import Callable
from functools import singledispatch
from inspect import isgeneratorfunction
from typing import Any, cast

import numpy as np
from numba import config, njit
from numba.extending import overload

from noctule.core.options import OPTIONS

INF = math.inf

if config.DISABLE_JIT:
    LINKING = False
else:
    try:
        from noctule.core.linking import GenericDispatcher, make_kernel
        from noctule.core.self_check import linking_works

        LINKING = linking_works()
    except (ImportError, AttributeError):  # a version of Numba with other inner parts
        LINKING = False


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` with the package's one set of options, cached on disk."""
    return _compiled(function, OPTIONS)


def kernel_short(function: Callable[..., Any]) -> Any:
    """Compile a short kernel. It keeps the GIL: releasing it costs more than the call."""
    return _compiled(function, {**OPTIONS, "nogil": False})


def kernel_cold(function: Callable[..., Any]) -> Any:
    """Compile a rarely called kernel without inlining it."""
    return _compiled(function, {**OPTIONS, "forceinline": False})


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    if LINKING:
        return make_kernel(function, options)
    return _numba_kernel(function, options)


def _numba_kernel(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Compile in Numba's own way.

    Its cache notices a change in the file that holds a function, but not in a file whose functions
    it calls; the cache folder is therefore named after all sources. A generator read back from the
    cache cannot be compiled into a new caller (numba issue 8679): only its callers are cached.
    """
    if config.DISABLE_JIT:
        return function
    from noctule.core.kernel_cache import folders

    saved, config.CACHE_DIR = config.CACHE_DIR, str(folders()[0])
    try:
        return njit(function, cache=not isgeneratorfunction(function), **options)
    except RuntimeError:  # nowhere to write the cache to
        return njit(function, **options)
    finally:
        config.CACHE_DIR = saved


def per_type(stub: Callable[..., Any]) -> Any:
    """Single dispatch on the class of the first argument, a NamedTuple, for kernels to call."""
    return _per_type(stub, OPTIONS)


def per_type_cold(stub: Callable[..., Any]) -> Any:
    """Single dispatch for rarely called kernels, which are not inlined."""
    return _per_type(stub, {**OPTIONS, "forceinline": False})


def _per_type(stub: Callable[..., Any], options: dict[str, Any]) -> Any:
    generic = singledispatch(stub)
    if LINKING:
        GenericDispatcher(generic, stub, options)
    else:

        @overload(generic, strict=False, jit_options=options)
        def choose(first: Any, *rest: Any) -> Any:
            chosen = generic.dispatch(getattr(first, "instance_class", object))
            return None if chosen is stub else chosen

    return generic


def bind(function: Any) -> Callable[..., Any]:
    """Return a kernel for one caller that calls it again and again.

    To find compiled code, Numba checks the type of every array in every argument: 5 microseconds
    for the two dozen arrays of a search, ten times what the call itself takes. Here the class of a
    named tuple decides: for one caller, all tuples of a class must hold the same types.
    """
    if config.DISABLE_JIT:
        return cast(Callable[..., Any], function)
    compiled: dict[tuple[Any, ...], Callable[..., Any] | None] = {}

    def call(*arguments: Any) -> Any:
        kinds = tuple([_kind(argument) for argument in arguments])
        entry = compiled.get(kinds)
        if entry is not None:
            return entry(*arguments)
        result = function(*arguments)
        if kinds in compiled:  # not at the first call: finding it takes as long as some calls
            compiled[kinds] = _entry_point(function, arguments)
        else:
            compiled[kinds] = None
        return result

    return call


_entry_points: dict[Any, Callable[..., Any]] = {}  # of functions, for types of arguments


def _entry_point(function: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """Return the compiled code for these arguments; Numba takes 0.1 ms and more to find it."""
    key = function, *map(type_key, arguments)
    if key not in _entry_points:
        found = function.overloads.get(tuple(map(function.typeof_pyval, arguments)))
        if found is None:
            return cast(Callable[..., Any], function)
        _entry_points[key] = found.entry_point
    return _entry_points[key]


def type_key(argument: Any) -> Any:
    """Return a key that is equal for arguments of the same Numba type."""
    if isinstance(argument, np.ndarray):
        flags = argument.flags
        layout = flags.c_contiguous, flags.f_contiguous, flags.aligned, flags.writeable
        return argument.dtype, argument.ndim, *layout
    if isinstance(argument, tuple):
        return type(argument), *map(type_key, argument)
    return type(argument)


def _kind(argument: Any) -> Any:
    kind = type(argument)
    if kind is np.ndarray:
        return argument.dtype, argument.ndim, argument.flags.c_contiguous
    assert kind is not tuple, "what a plain tuple holds, its class does not tell"
    return kind

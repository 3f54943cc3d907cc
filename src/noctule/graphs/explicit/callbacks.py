"""Functions that users give, for kernels to call: by their address, which is but a number."""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import cfunc, config, njit, types
from numba.core.errors import NumbaError
from numba.extending import intrinsic, overload

from noctule.core.options import OPTIONS

_SIX_NUMBERS = types.int64(*[types.float64] * 6)
_callable: dict[int, Callable[..., Any]] = {}  # what has an address, and lives as long as we do


def address_of(function: Callable[..., Any], dimension: int) -> int:
    """A number by which kernels can call a function of two points, given by their coordinates.

    A kernel that took the function itself would be compiled for each function, in each process.
    """
    inner = njit(getattr(function, "py_func", function))
    if dimension == 2:

        def of_points(x0, y0, z0, x1, y1, z1):
            return 1 if inner(x0, y0, x1, y1) else 0
    else:

        def of_points(x0, y0, z0, x1, y1, z1):
            return 1 if inner(x0, y0, z0, x1, y1, z1) else 0

    if config.DISABLE_JIT:
        address = id(of_points)
        _callable[address] = of_points
        return address
    try:
        compiled = cfunc(_SIX_NUMBERS, nopython=True)(of_points)
    except NumbaError as problem:
        first = str(problem).strip().splitlines()[0]
        raise ValueError(f"{function!r} can't be compiled: {first}") from None
    _callable[compiled.address] = compiled
    return int(compiled.address)


def call_at(address: int, x0: float, y0: float, z0: float, x1: float, y1: float, z1: float) -> int:
    """Call the function of two points that has this address."""
    return int(_callable[address](x0, y0, z0, x1, y1, z1))


@intrinsic
def _call_at(typing_context, address, x0, y0, z0, x1, y1, z1):
    def generate(context, builder, signature, arguments):
        kind = ir.FunctionType(ir.IntType(64), [ir.DoubleType()] * 6)
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        return builder.call(function, arguments[1:])

    return types.int64(types.int64, *[types.float64] * 6), generate


@overload(call_at, strict=False, jit_options=OPTIONS)
def _call_at_compiled(address, x0, y0, z0, x1, y1, z1):
    return lambda address, x0, y0, z0, x1, y1, z1: _call_at(address, x0, y0, z0, x1, y1, z1)

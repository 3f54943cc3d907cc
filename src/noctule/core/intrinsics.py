"""Operations that plain Python has no word for: bit scans, unsigned indices, prefetching."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.cpython.unsafe.numbers import leading_zeros as _count_leading_zeros
from numba.cpython.unsafe.numbers import trailing_zeros as _count_trailing_zeros
from numba.extending import intrinsic, overload

from noctule.core.options import OPTIONS


def lowest_bit(mask: int) -> int:
    """Position of the lowest set bit of a positive `mask`."""
    return int(mask & -mask).bit_length() - 1


@overload(lowest_bit, strict=False, jit_options=OPTIONS)
def _lowest_bit(mask):
    return lambda mask: _count_trailing_zeros(mask)


def highest_bit(mask: int) -> int:
    """Position of the highest set bit of a positive `mask`."""
    return int(mask).bit_length() - 1


@overload(highest_bit, strict=False, jit_options=OPTIONS)
def _highest_bit(mask):
    return lambda mask: 63 - _count_leading_zeros(mask)


def at(i: int) -> int:
    """Cast an index to unsigned: skips Numba's test for negative indices."""
    return i


@overload(at, strict=False, jit_options=OPTIONS)
def _at(i):
    return lambda i: np.uint64(i)


def prefetch(array: Any, i: int) -> None:
    """Prefetch element `i` of a one-dimensional array into the cache.

    A search that waits for memory most of the time takes half as long with it. An index outside
    the array is harmless: the processor ignores it.
    """


@intrinsic
def _prefetch(typing_context, array, i):
    def generate(context, builder, signature, arguments):
        parts = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte, kind = ir.IntType(8).as_pointer(), ir.IntType(32)
        shift = builder.mul(arguments[1], builder.extract_value(parts.strides, 0))
        place = builder.gep(builder.bitcast(parts.data, byte), [shift])
        shape = ir.FunctionType(ir.VoidType(), [byte, kind, kind, kind])
        prefetch = cgutils.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0")
        to_read, keep, data = (ir.Constant(kind, value) for value in (0, 3, 1))
        builder.call(prefetch, [place, to_read, keep, data])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@overload(prefetch, strict=False, jit_options=OPTIONS)
def _prefetch_compiled(array, i):
    return lambda array, i: _prefetch(array, i)

"""Operations that plain Python has no word for: bit scans, unsigned indices, prefetching.

Compiled kernels generate the instruction in place: an `overload` would be a function of its own,
which Numba finishes for each type, at the price of three kernels.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable

_ZERO_IS_DEFINED = ir.Constant(ir.IntType(1), 0)


def lowest_bit(mask: int) -> int:
    """Position of the lowest set bit of a positive `mask`."""
    return int(mask & -mask).bit_length() - 1


@type_callable(lowest_bit)
def _type_of_lowest_bit(typing_context):
    return lambda mask: types.unliteral(mask)


@lower_builtin(lowest_bit, types.Integer)
def _lower_lowest_bit(context, builder, signature, arguments):
    return builder.cttz(arguments[0], _ZERO_IS_DEFINED)


def highest_bit(mask: int) -> int:
    """Position of the highest set bit of a positive `mask`."""
    return int(mask).bit_length() - 1


@type_callable(highest_bit)
def _type_of_highest_bit(typing_context):
    return lambda mask: types.unliteral(mask)


@lower_builtin(highest_bit, types.Integer)
def _lower_highest_bit(context, builder, signature, arguments):
    kind = arguments[0].type
    zeros = builder.ctlz(arguments[0], _ZERO_IS_DEFINED)
    return builder.sub(ir.Constant(kind, kind.width - 1), zeros)


def at(i: int) -> int:
    """Cast an index to unsigned: skips Numba's test for negative indices."""
    return i


@type_callable(at)
def _type_of_at(typing_context):
    return lambda i: types.uint64


@lower_builtin(at, types.Integer)
def _lower_at(context, builder, signature, arguments):
    return context.cast(builder, arguments[0], signature.args[0], types.uint64)


def prefetch(array: Any, i: int) -> None:
    """Prefetch element `i` of a one-dimensional array into the cache.

    A search that waits for memory most of the time takes half as long with it. An index outside
    the array is harmless: the processor ignores it.
    """


@type_callable(prefetch)
def _type_of_prefetch(typing_context):
    return lambda array, i: types.none


@lower_builtin(prefetch, types.Array, types.Integer)
def _lower_prefetch(context, builder, signature, arguments):
    parts = context.make_array(signature.args[0])(context, builder, arguments[0])
    byte, kind = ir.IntType(8).as_pointer(), ir.IntType(32)
    shift = builder.mul(arguments[1], builder.extract_value(parts.strides, 0))
    place = builder.gep(builder.bitcast(parts.data, byte), [shift])
    shape = ir.FunctionType(ir.VoidType(), [byte, kind, kind, kind])
    prefetch = cgutils.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0")
    to_read, keep, data = (ir.Constant(kind, value) for value in (0, 3, 1))
    builder.call(prefetch, [place, to_read, keep, data])
    return context.get_dummy_value()

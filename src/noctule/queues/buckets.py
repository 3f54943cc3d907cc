"""A queue for whole-number keys: an array of stacks, one for every range of keys.

Faster than a heap by a factor of two to three. Within a stack, what came last goes first: in A*
that is, of nearly equal f, the larger g. A search that uses this queue must tolerate nodes that
come too early. Keys beyond the last stack share it: when the search comes to it, it gives every
stack a wider range of keys, and puts in again what is there.
"""

from typing import NamedTuple

import numpy as np

from noctule.core.intrinsics import at, lowest_bit
from noctule.core.jit import kernel

STACKS = 1 << 16
LAST = STACKS - 1  # holds all keys beyond it, too
_FREED, _FRESH, _LOWEST = range(3)  # what `top` holds


class Buckets(NamedTuple):
    """Stacks as linked lists of entries (node, next entry) from one pool."""

    entry: np.ndarray
    head: np.ndarray  # first entry of each stack, valid if it is in use
    in_use: np.ndarray  # one bit a stack, 32 in a word
    top: np.ndarray  # first freed entry, first fresh entry, lowest stack that may be in use


def new_buckets(capacity: int = 1 << 14) -> Buckets:
    """Reserve room for so many entries, at first."""
    entry, head = np.empty((capacity, 2), np.int32), np.empty(STACKS, np.int32)
    return Buckets(entry, head, np.zeros(STACKS // 32, np.int64), np.zeros(3, np.int64))


def grow(buckets: Buckets) -> None:
    """Make room for twice as many entries, with those that are in the queue where they are."""
    # Whoever has these buckets has the same array, and nobody a view of it.
    buckets.entry.resize((2 * len(buckets.entry), 2), refcheck=False)


@kernel
def clear(buckets):
    """Forget all entries."""
    buckets.in_use[:] = 0
    buckets.top[_FREED] = -1
    buckets.top[_FRESH] = 0
    buckets.top[_LOWEST] = 0


@kernel
def has_room(buckets, n):
    """Whether `n` more entries fit."""
    return buckets.top[_FRESH] + n <= len(buckets.entry)


@kernel
def push(buckets, stack, s):
    """Put node `s` on a stack."""
    entry, head, in_use, top = buckets
    e = top[_FREED]
    if e >= 0:
        top[_FREED] = entry[at(e), 1]
    else:
        e = top[_FRESH]
        top[_FRESH] += 1
    stack = min(stack, LAST)
    word, bit = stack >> 5, 1 << (stack & 31)
    entry[at(e), 0] = s
    entry[at(e), 1] = head[at(stack)] if in_use[at(word)] & bit else -1
    head[at(stack)] = e
    in_use[at(word)] |= bit
    top[_LOWEST] = min(top[_LOWEST], stack)


@kernel
def lowest_stack(buckets):
    """The lowest stack in use, or -1."""
    in_use, top = buckets.in_use, buckets.top
    word = top[_LOWEST] >> 5
    while word < len(in_use):
        if in_use[at(word)] != 0:
            top[_LOWEST] = 32 * word + lowest_bit(in_use[at(word)])
            return top[_LOWEST]
        word += 1
    return -1


@kernel
def take(buckets, stack):
    """Take the last node off a stack that is in use."""
    entry, head, in_use, top = buckets
    e = np.int64(head[at(stack)])
    below = entry[at(e), 1]
    head[at(stack)] = below
    if below < 0:
        in_use[at(stack >> 5)] &= ~(1 << (stack & 31))
    entry[at(e), 1] = top[_FREED]
    top[_FREED] = e
    return np.int64(entry[at(e), 0])


@kernel
def next_in(buckets, stack):
    """The last node of a stack from which one has just been taken, or -1."""
    e = buckets.head[at(stack)]
    return np.int64(buckets.entry[at(e), 0]) if e >= 0 else -1


@kernel
def take_last_stack(buckets):
    """Take the last stack out of use; its first entry, or -1."""
    bit = 1 << (LAST & 31)
    if buckets.in_use[LAST >> 5] & bit == 0:
        return -1
    buckets.in_use[LAST >> 5] &= ~bit
    return np.int64(buckets.head[LAST])


@kernel
def let_go(buckets, e):
    """Free an entry of a stack that is out of use; its node, and the entry after it, or -1."""
    s, after = buckets.entry[at(e), 0], buckets.entry[at(e), 1]
    buckets.entry[at(e), 1] = buckets.top[_FREED]
    buckets.top[_FREED] = e
    return np.int64(s), np.int64(after)

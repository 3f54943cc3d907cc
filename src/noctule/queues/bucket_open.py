"""An open list of inconsistent nodes in buckets: stacks of nodes with nearly equal keys.

Faster than the heap above all where many keys are equal, as with 6 neighbours: of these the last
one in is the first one out.

A stack holds the keys of one range, 0.06 cells wide. Each range has two stacks: the first one is
for under-consistent nodes, whose keys end in one half and which come first among equals. A stack is
a doubly linked list, so nodes are removed at once and the queue never runs out of memory. Nodes
whose key is not below the bound of the current search are deferred: they wait in a list of their
own until the bound rises above the lowest of their keys.
"""

import math
from typing import NamedTuple

import numpy as np

from noctule.core.intrinsics import lowest_bit
from noctule.core.jit import INF, kernel, kernel_cold
from noctule.core.memory import in_one_block
from noctule.graphs.heuristics import STEP_1
from noctule.queues.protocol import (
    NO_NODE,
    calculate_key,
    clear,
    forget,
    insert,
    members,
    pop_below,
    rekey,
    remove,
)

STACKS = 1 << 16
DEFERRED = STACKS  # the list of the deferred nodes comes after the stacks
WORDS = (STACKS >> 5) + 1
NOT_OPEN = -1

_KINDS = [("first_key", float), ("lowest_deferred", float), ("lowest_word", np.int64)]
_SCALARS = np.dtype((np.record, np.dtype(_KINDS, align=True)))

WIDTH = 1 << 17  # the keys of one range differ by less than this
DISORDER = WIDTH / STEP_1  # the same in cells: keys are popped in order but for this


class BucketOpen(NamedTuple):
    """Stacks of nodes by range of keys."""

    head: np.ndarray  # the first node of each stack that is in use
    in_use: np.ndarray  # which stacks are not empty: one bit each, 32 in a word
    previous: np.ndarray  # the node before, and ..
    next: np.ndarray  # .. the node after this one on its stack
    stack: np.ndarray  # the stack that a node is on, or NOT_OPEN
    scalars: np.ndarray  # one record of `_SCALARS`


def new_bucket_open(n: int) -> BucketOpen:
    """Reserve memory for `n` nodes; memory that no search uses is never committed."""
    sizes = (WORDS, np.int64), (STACKS + 1, np.int32), (3 * n, np.int32)
    in_use, head, links = in_one_block(np.empty, *sizes)
    previous, following, stack = links.reshape(n, 3).T
    return BucketOpen(head, in_use, previous, following, stack, np.empty(1, _SCALARS))


@kernel
def stack_of(queue, key):
    """Return the stack for a key."""
    i = int(max(key - queue.scalars[0].first_key, 0.0)) // WIDTH
    return 2 * min(i, STACKS // 2 - 1) + (1 if key == math.floor(key) else 0)


@kernel
def lowest_key(queue, i):
    """Return a lower bound of the keys on stack `i` and above."""
    return -INF if i < 2 else queue.scalars[0].first_key + (i >> 1) * WIDTH


@kernel
def lowest_stack(queue):
    """Return the lowest stack in use, or -1."""
    in_use, scalars = queue.in_use, queue.scalars
    for word in range(scalars[0].lowest_word, WORDS - 1):
        if in_use[word] != 0:
            scalars[0].lowest_word = word
            return 32 * word + lowest_bit(in_use[word])
    scalars[0].lowest_word = WORDS - 1
    return -1


@kernel
def push(queue, i, s):
    """Put `s`, which is on no stack, on top of stack `i`."""
    word, bit = i >> 5, 1 << (i & 31)
    top = NO_NODE
    if queue.in_use[word] & bit:
        top = queue.head[i]
        queue.previous[top] = s
    else:
        queue.in_use[word] |= bit
        queue.scalars[0].lowest_word = min(queue.scalars[0].lowest_word, word)
    queue.previous[s], queue.next[s], queue.stack[s] = NO_NODE, top, i
    queue.head[i] = s


@kernel
def unlink(queue, s):
    """Take `s` off its stack."""
    i, before, after = np.int64(queue.stack[s]), queue.previous[s], queue.next[s]
    queue.stack[s] = NOT_OPEN
    if after != NO_NODE:
        queue.previous[after] = before
    if before != NO_NODE:
        queue.next[before] = after
        return
    queue.head[i] = after
    if after == NO_NODE:
        queue.in_use[i >> 5] &= ~(1 << (i & 31))


@clear.register
def _(queue: BucketOpen, base):
    queue.in_use[:] = 0
    queue.scalars[0].first_key = base
    queue.scalars[0].lowest_deferred = INF
    queue.scalars[0].lowest_word = 0


@forget.register
def _(queue: BucketOpen, s):
    queue.stack[s] = NOT_OPEN


@insert.register
def _(queue: BucketOpen, s, key1, key2):
    if queue.stack[s] != NOT_OPEN:
        unlink(queue, s)
    push(queue, stack_of(queue, key1), s)


@remove.register
def _(queue: BucketOpen, s):
    if queue.stack[s] != NOT_OPEN:
        unlink(queue, s)


@pop_below.register
def _(queue: BucketOpen, query, graph, search, bound):
    while True:
        i = lowest_stack(queue)
        if i < 0 or lowest_key(queue, i) >= bound:
            if queue.scalars[0].lowest_deferred >= bound:
                return NO_NODE
            restore_deferred(queue, query, graph, search)
            continue
        s = np.int64(queue.head[i])
        unlink(queue, s)
        key, _ = calculate_key(query, graph, search, s)
        j = stack_of(queue, key)
        if j > i:  # its key has grown since it was inserted
            push(queue, j, s)
        elif key < bound:
            return s
        else:
            push(queue, DEFERRED, s)
            queue.scalars[0].lowest_deferred = min(queue.scalars[0].lowest_deferred, key)


@kernel_cold
def restore_deferred(queue, query, graph, search):
    """Put the deferred nodes back on the stacks of their keys."""
    queue.scalars[0].lowest_deferred = INF
    while queue.in_use[WORDS - 1] != 0:
        s = np.int64(queue.head[DEFERRED])
        unlink(queue, s)
        key, _ = calculate_key(query, graph, search, s)
        push(queue, stack_of(queue, key), s)


@rekey.register
def _(queue: BucketOpen, query, graph, search, base):
    while True:
        i = lowest_stack(queue)
        if i < 0:
            break
        s = np.int64(queue.head[i])
        unlink(queue, s)
        push(queue, DEFERRED, s)
    queue.scalars[0].first_key = base
    restore_deferred(queue, query, graph, search)


@members.register
def _(queue: BucketOpen):
    for word in range(len(queue.in_use)):
        bits = queue.in_use[word]
        while bits != 0:
            s = np.int64(queue.head[32 * word + lowest_bit(bits)])
            bits &= bits - 1
            while s != NO_NODE:
                yield s
                s = np.int64(queue.next[s])

"""An open list as an indexed heap of nodes with two-part keys: the reference.

Each node has four children in the heap, which makes it flatter than a binary one; keys lie beside
each other in heap order, so that comparing four children reads one or two cache lines. Ties are
broken by node number, so the order does not depend on the history of the heap.
"""

from typing import NamedTuple

import numpy as np

from noctule.core.jit import kernel
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


class Heap(NamedTuple):
    """A heap of nodes. `place[s]` is 1 + the position of node `s` in it, or 0."""

    size: np.ndarray
    node: np.ndarray
    key: np.ndarray
    place: np.ndarray


def new_heap(n: int) -> Heap:
    """Reserve room for `n` nodes; memory that no search touches costs nothing."""
    node, key = np.empty(n, np.int32), np.empty((n, 2))
    return Heap(np.zeros(1, np.int64), node, key, np.zeros(n, np.int32))


@kernel
def comes_before(open, key1, key2, s, i):
    """Whether node `s` with this key comes before the node at position `i`."""
    other1, other2 = open.key[i, 0], open.key[i, 1]
    if key1 != other1:
        return key1 < other1
    return key2 < other2 or (key2 == other2 and s < open.node[i])


@kernel
def put(open, i, s, key1, key2):
    """Write node `s` to position `i`."""
    open.node[i] = s
    open.key[i, 0] = key1
    open.key[i, 1] = key2
    open.place[s] = i + 1


@kernel
def move(open, i, j):
    """Write the node at position `i` to position `j`."""
    put(open, j, open.node[i], open.key[i, 0], open.key[i, 1])


@kernel
def rise(open, i, s, key1, key2):
    """Find the place of node `s` at position `i` or above it."""
    while i > 0:
        above = (i - 1) // 4
        if not comes_before(open, key1, key2, s, above):
            break
        move(open, above, i)
        i = above
    put(open, i, s, key1, key2)


@kernel
def sink(open, i, s, key1, key2):
    """Find the place of node `s` at position `i` or below it."""
    size = open.size[0]
    while True:
        first = 4 * i + 1
        if first >= size:
            break
        best = first
        for child in range(first + 1, min(first + 4, size)):
            if comes_before(open, open.key[child, 0], open.key[child, 1], open.node[child], best):
                best = child
        if comes_before(open, key1, key2, s, best):
            break
        move(open, best, i)
        i = best
    put(open, i, s, key1, key2)


@kernel
def pop(open):
    """Take the first node out of the heap."""
    s = open.node[0]
    open.place[s] = 0
    open.size[0] -= 1
    last = open.size[0]
    if last > 0:
        sink(open, 0, open.node[last], open.key[last, 0], open.key[last, 1])
    return np.int64(s)


@clear.register
def _(queue: Heap, base):
    queue.size[0] = 0


@forget.register
def _(queue: Heap, s):
    queue.place[s] = 0


@insert.register
def _(queue: Heap, s, key1, key2):
    i = queue.place[s] - 1
    if i < 0:
        i = queue.size[0]
        queue.size[0] += 1
        rise(queue, i, s, key1, key2)
    elif comes_before(queue, key1, key2, s, i):
        rise(queue, i, s, key1, key2)
    else:
        sink(queue, i, s, key1, key2)


@remove.register
def _(queue: Heap, s):
    i = queue.place[s] - 1
    if i < 0:
        return
    queue.place[s] = 0
    queue.size[0] -= 1
    last = queue.size[0]
    if i == last:
        return
    t, key1, key2 = queue.node[last], queue.key[last, 0], queue.key[last, 1]
    if i > 0 and comes_before(queue, key1, key2, t, (i - 1) // 4):
        rise(queue, i, t, key1, key2)
    else:
        sink(queue, i, t, key1, key2)


@pop_below.register
def _(queue: Heap, query, graph, search, bound):
    while queue.size[0] > 0 and queue.key[0, 0] < bound:
        s = np.int64(queue.node[0])
        key1, key2 = calculate_key(query, graph, search, s)
        old1, old2 = queue.key[0, 0], queue.key[0, 1]
        if key1 > old1 or (key1 == old1 and key2 > old2):
            sink(queue, 0, s, key1, key2)  # its key has grown since it was inserted
        else:
            return pop(queue)
    return NO_NODE


@rekey.register
def _(queue: Heap, query, graph, search, base):
    for i in range(queue.size[0]):
        queue.key[i, 0], queue.key[i, 1] = calculate_key(query, graph, search, queue.node[i])
    for i in range((queue.size[0] - 2) // 4, -1, -1):
        sink(queue, i, queue.node[i], queue.key[i, 0], queue.key[i, 1])


@members.register
def _(queue: Heap):
    for i in range(queue.size[0]):
        yield np.int64(queue.node[i])

"""Kernels that unpack the nodes of an OctoMap file.

Both kinds list the nodes of an octree of depth 16, a parent before its children, child 0 first. Bit
0 of the number of a child is its half along x, bit 1 along y, bit 2 along z. The stack holds the
nodes that are yet to come: their low corner and their size, in smallest cells.
"""

from noctule.core.jit import kernel

SIDE = 1 << 16  # smallest cells along one side of the tree
STACK = 8 * 17
UNKNOWN, FREE, SOLID = 1, 0, 2  # the higher one counts where cells are joined
ENDED = -1
INNER = 3


@kernel
def unpack_binary(data, stack, low, high, first, states):
    """Read a .bt tree: two bits a child, 01 free, 10 solid, 11 with children of its own.

    Grow the box from `low` to `high` by all leaves, and write them into `states` (whose low corner
    is `first`) unless it is empty. Return how many bytes were read, or ENDED.
    """
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, 0, 0, SIDE
    waiting, at = 1, 0
    while waiting:
        waiting -= 1
        x, y, z, size = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3]
        if at + 2 > len(data) or size == 1:
            return ENDED
        bits = data[at] | data[at + 1] << 8
        at += 2
        half = size // 2
        for child in range(7, -1, -1):  # the last one pushed is the first one read
            kind = bits >> 2 * child & 3
            cx, cy, cz = (
                x + half * (child & 1),
                y + half * (child >> 1 & 1),
                z + half * (child >> 2),
            )
            if kind == INNER:
                push(stack, waiting, cx, cy, cz, half)
                waiting += 1
            elif kind:
                leaf(cx, cy, cz, half, FREE if kind == 1 else SOLID, low, high, first, states)
    return at


@kernel
def unpack_full(data, values, extra, stack, low, high, first, states):
    """Read an .ot tree: a number and `extra` bytes a node, and a byte of which children exist.

    `values` are the numbers of the nodes: log-odds, of which 0 and more are solid. The rest is as
    in `unpack_binary`.
    """
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, 0, 0, SIDE
    waiting, at, width = 1, 0, 5 + extra  # a node takes `width` bytes
    while waiting:
        waiting -= 1
        x, y, z, size = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3]
        if at + width > len(data):
            return ENDED
        children = data[at + width - 1]
        if children and size == 1:
            return ENDED
        if not children:
            state = SOLID if values[at // width] >= 0.0 else FREE
            leaf(x, y, z, size, state, low, high, first, states)
        at += width
        half = size // 2
        for child in range(7, -1, -1):
            if children >> child & 1:
                cx, cy = x + half * (child & 1), y + half * (child >> 1 & 1)
                push(stack, waiting, cx, cy, z + half * (child >> 2), half)
                waiting += 1
    return at


@kernel
def push(stack, n, x, y, z, size):
    """Remember a node that is yet to come."""
    stack[n, 0], stack[n, 1], stack[n, 2], stack[n, 3] = x, y, z, size


@kernel
def leaf(x, y, z, size, state, low, high, first, states):
    """Take a leaf into the box, and write its cells."""
    low[0], low[1], low[2] = min(low[0], x), min(low[1], y), min(low[2], z)
    high[0], high[1] = max(high[0], x + size), max(high[1], y + size)
    high[2] = max(high[2], z + size)
    nx, ny, nz = states.shape
    x, y, z = x - first[0], y - first[1], z - first[2]
    for i in range(max(x, 0), min(x + size, nx)):
        for j in range(max(y, 0), min(y + size, ny)):
            for k in range(max(z, 0), min(z + size, nz)):
                states[i, j, k] = state

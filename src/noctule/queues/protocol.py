"""What the incremental searches ask of their open list; `Heap` and `BucketOpen` answer.

The open list holds the inconsistent nodes of a search. Keys depend on the target, which moves, so a
queue recomputes them when it needs to: `calculate_key` is the procedure of that name of the
algorithm whose `query` it is. Keys are pairs as in the papers; they only grow while a node waits.
"""

from noctule.core.jit import per_type, per_type_cold

NO_NODE = -1


@per_type
def calculate_key(query, graph, search, s):
    """Return the two-part key of `s`."""


@per_type_cold
def clear(queue, base):
    """Remove all nodes; no key that follows is much lower than `base`."""


@per_type
def forget(queue, s):
    """Mark `s` as not in the queue, whatever an earlier search left in its memory."""


@per_type_cold
def insert(queue, s, key1, key2):
    """Insert `s`, or move it to where its new key belongs."""


@per_type
def remove(queue, s):
    """Remove `s` if it is in the queue."""


@per_type
def pop_below(queue, query, graph, search, bound):
    """Remove and return the node with the lowest key; NO_NODE if no key is below `bound`."""


@per_type_cold
def rekey(queue, query, graph, search, base):
    """Recompute the keys of all nodes, which may be lower than before."""


@per_type
def members(queue):
    """Yield every node in the queue."""

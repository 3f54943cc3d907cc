"""What a search on cells keeps: one word a node, and a queue of buckets for whole-number f."""

from typing import NamedTuple

import numpy as np

from noctule.core.intrinsics import at
from noctule.core.jit import INF, kernel, per_type
from noctule.core.memory import reserve
from noctule.graphs.heuristics import STEP_1
from noctule.queues.buckets import Buckets, let_go, new_buckets, push, take_last_stack

WIDTH = 17  # a bucket is 2^17 wide at first: 0.06 cells

# In `counts`: how many closed nodes a search with a weight has opened again, and how many times
# buckets were made twice as wide, because f had grown beyond the last one.
REOPENED, WIDENED = 5, 6

# A node is one word: g, the number of the search, whether it is closed, the move that led to it.
CLOSED, ONE_SEARCH, ONE_COST = 1 << 5, 1 << 6, 1 << 26
LAST_SEARCH = ONE_COST // ONE_SEARCH - 1
WHICH_SEARCH = LAST_SEARCH * ONE_SEARCH
TOO_FAR = 1 << 36


class Field(NamedTuple):
    """Memory of a search: a word for each node, and the queue; `counts` begins like `Tree`'s."""

    word: np.ndarray
    queue: Buckets
    counts: np.ndarray
    nearest: np.ndarray
    best: np.ndarray  # cost of the best path to the goal so far; least f of a start


def new_field(n: int) -> Field:
    """Reserve memory for searches on a grid of `n` cells."""
    counts, nearest = np.zeros(WIDENED + 1, np.int64), np.full(1, INF)
    return Field(reserve(n, np.int64), new_buckets(), counts, nearest, np.zeros(2, np.int64))


@kernel
def whole_cost(length):
    """A length in cells as a whole-number cost."""
    return int(length * STEP_1 + 0.5)


@kernel
def bucket_of(field, f):
    """Which bucket a node with this f belongs to."""
    return (f - field.best[1]) >> WIDTH + field.counts[WIDENED]


@kernel
def widen(engine, graph, field, goal):
    """Make buckets twice as wide: all that is left in the queue lies beyond the last."""
    field.counts[WIDENED] += 1
    e = take_last_stack(field.queue)
    while e >= 0:
        s, e = let_go(field.queue, e)
        if field.word[at(s)] & CLOSED == 0:
            push(field.queue, bucket_of(field, f_of(engine, graph, field, s, goal)), s)


@per_type
def f_of(engine, graph, field, s, goal):
    """The f of a node in the queue."""

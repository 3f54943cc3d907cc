"""The open lists of incremental searches against a plain dictionary of keys."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctule.core.jit import kernel
from noctule.queues.bucket_open import WIDTH, new_bucket_open
from noctule.queues.heap import new_heap
from noctule.queues.protocol import (
    NO_NODE,
    calculate_key,
    clear,
    insert,
    members,
    pop_below,
    rekey,
    remove,
)

NODES = 12


class Keys(NamedTuple):
    """A query whose keys are looked up."""

    key: np.ndarray


@calculate_key.register
def _(query: Keys, graph, search, s):
    return query.key[s], 0.0


@kernel
def empty(queue):
    clear(queue, 0.0)


@kernel
def put(queue, query, s):
    insert(queue, s, query.key[s], 0.0)


@kernel
def take_out(queue, s):
    remove(queue, s)


@kernel
def pop_first(queue, query, bound):
    return pop_below(queue, query, 0, 0, bound)


@kernel
def recompute(queue, query):
    rekey(queue, query, 0, 0, 0.0)


@kernel
def count(queue):
    n = 0
    for _ in members(queue):
        n += 1
    return n


KEYS = st.integers(0, 40).map(lambda k: k * WIDTH / 4)
ACTIONS = st.one_of(
    st.tuples(st.just("insert"), st.integers(0, NODES - 1), KEYS),
    st.tuples(st.just("remove"), st.integers(0, NODES - 1), st.none()),
    st.tuples(st.just("grow"), st.integers(0, NODES - 1), KEYS),
    st.tuples(st.just("pop"), st.none(), KEYS),
    st.tuples(st.just("rekey"), st.integers(0, NODES - 1), KEYS),
)


@pytest.mark.parametrize(("new_queue", "disorder"), [(new_heap, 0), (new_bucket_open, WIDTH)])
@given(actions=st.lists(ACTIONS, max_size=60))
def test_nodes_leave_in_the_order_of_their_keys(new_queue, disorder, actions):
    """Buckets may pop a node too early by the width of a bucket, the heap not at all."""
    queue, query, inside = new_queue(NODES), Keys(np.zeros(NODES)), set()
    if hasattr(queue, "stack"):
        queue.stack[:] = -1
    empty(queue)
    for action, s, key in actions:
        if action == "insert":
            query.key[s] = key
            put(queue, query, s)
            inside.add(s)
        elif action == "remove":
            take_out(queue, s)
            inside.discard(s)
        elif action == "grow":  # a key may grow while its node waits
            query.key[s] = max(query.key[s], key)
        elif action == "rekey":  # after this call it may be lower, too
            query.key[s] = key
            recompute(queue, query)
        else:
            popped = int(pop_first(queue, query, key))
            below = [t for t in inside if query.key[t] < key]
            assert (popped == NO_NODE) == (not below)
            if below:
                assert popped in below
                assert query.key[popped] <= min(query.key[t] for t in below) + disorder
                inside.discard(popped)
        assert count(queue) == len(inside)


@pytest.mark.parametrize(("new_queue", "disorder"), [(new_heap, 0), (new_bucket_open, WIDTH)])
@pytest.mark.parametrize("seed", range(4))
def test_many_nodes_come_and_go(new_queue, disorder, seed):
    """Most are inserted, moved and removed in the middle of a long list, many with equal keys."""
    rng, n = np.random.default_rng(seed), 200
    queue, query, inside = new_queue(n), Keys(np.zeros(n)), {}
    if hasattr(queue, "stack"):
        queue.stack[:] = -1
    empty(queue)
    for turn in range(1500):
        s, kind = int(rng.integers(n)), rng.random()
        if kind < (0.6 if turn < 1000 else 0.1):
            inside[s] = query.key[s] = float(rng.integers(0, 40)) * WIDTH / 4 - rng.choice(
                [0.0, 0.5]
            )
            put(queue, query, s)
        elif kind < 0.75:
            take_out(queue, s)
            inside.pop(s, None)
        elif inside:
            popped = int(pop_first(queue, query, np.inf))
            assert inside.pop(popped) <= min(inside.values(), default=np.inf) + disorder
        assert count(queue) == len(inside)
    for left in range(len(inside), 0, -1):
        popped = int(pop_first(queue, query, np.inf))
        assert inside.pop(popped) <= min(inside.values(), default=np.inf) + disorder
        assert count(queue) == left - 1
    assert pop_first(queue, query, np.inf) == NO_NODE


def test_under_consistent_nodes_come_first_among_equals():
    """Their keys end in one half. In a range of a bucket they come first, whatever was put last."""
    for order in ((0, 1), (1, 0)):
        queue, query = new_bucket_open(2), Keys(np.array([100.0, 300.5]))
        queue.stack[:] = -1
        empty(queue)
        for s in order:
            put(queue, query, s)
        assert [pop_first(queue, query, np.inf) for _ in order] == [1, 0]

"""The open list and the buckets against sorted lists."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from noctule.queues import buckets
from noctule.queues import heap as open_list

KEYS = st.tuples(st.sampled_from((0.0, 1.0, 1.5, 2.0)), st.integers(-2, 2).map(float))


@given(st.lists(st.tuples(st.integers(0, 14), KEYS), max_size=60), st.integers(1, 6))
def test_open_list_is_a_sorted_list(changes, every):
    open_ = open_list.new_heap(15)
    expected = {}
    for i, (s, key) in enumerate(changes):
        open_list.insert(open_, s, *key)
        expected[s] = key
        if i % every == 0:
            first = min(expected, key=lambda s: (*expected[s], s))
            assert open_list.pop(open_) == first
            del expected[first]
    order = sorted(expected, key=lambda s: (*expected[s], s))
    assert [open_list.pop(open_) for _ in order] == order
    assert open_.size[0] == 0
    assert (open_.place == 0).all()


@given(st.lists(st.tuples(st.integers(0, 14), st.integers(0, 2 * buckets.STACKS)), max_size=60))
def test_buckets_come_out_in_order(entries):
    queue = buckets.new_buckets(60)
    buckets.clear(queue)
    for s, stack in entries:
        assert buckets.has_room(queue, 1)
        buckets.push(queue, stack, s)
    came = []
    while (stack := buckets.lowest_stack(queue)) >= 0:
        came.append((stack, buckets.take(queue, stack)))
    assert [stack for stack, _ in came] == sorted(stack for stack, _ in came)
    capped = sorted((min(stack, buckets.STACKS - 1), s) for s, stack in entries)
    assert sorted(came) == capped


def test_buckets_can_go_back():
    queue = buckets.new_buckets(8)
    buckets.clear(queue)
    buckets.push(queue, 500, 1)
    assert buckets.lowest_stack(queue) == 500
    buckets.push(queue, 3, 2)
    buckets.push(queue, 3, 4)
    assert buckets.lowest_stack(queue) == 3
    assert [buckets.take(queue, 3), buckets.take(queue, 3)] == [4, 2]  # last in, first out
    assert buckets.lowest_stack(queue) == 500
    buckets.clear(queue)
    assert buckets.lowest_stack(queue) == -1


def test_room_is_used_again():
    queue = buckets.new_buckets(3)
    buckets.clear(queue)
    for i in range(50):
        for s in range(3):
            buckets.push(queue, i, s)
        assert not buckets.has_room(queue, 1)
        assert {buckets.take(queue, i) for _ in range(3)} == {0, 1, 2}
    assert np.count_nonzero(queue.in_use) == 0


def test_a_queue_that_grows_keeps_its_entries():
    queue = buckets.new_buckets(2)
    buckets.clear(queue)
    for s in range(40):
        while not buckets.has_room(queue, 1):
            buckets.grow(queue)
        buckets.push(queue, s % 7, s)
    came = []
    while (stack := buckets.lowest_stack(queue)) >= 0:
        came.append(buckets.take(queue, stack))
    assert came == sorted(range(40), key=lambda s: (s % 7, -s))  # last in, first out

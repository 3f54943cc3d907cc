import itertools
from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noctule as nt
from noctule.worlds.generated import asteroid_field, field_ends

SIDE = st.integers(8, 16)


def reaches(free, start, goal):
    """Whether a path through faces leads from start to goal, by flooding."""
    seen, waiting = {start}, deque([start])
    while waiting:
        cell = waiting.popleft()
        for axis, step in itertools.product(range(3), (-1, 1)):
            near = tuple(i + step * (k == axis) for k, i in enumerate(cell))
            inside = all(0 <= i < n for i, n in zip(near, free.shape, strict=True))
            if inside and free[near] and near not in seen:
                seen.add(near)
                waiting.append(near)
    return goal in seen


def test_default_field_is_that_of_the_command():
    field = asteroid_field()
    assert field.shape == (48, 32, 32)
    assert field.dtype == bool
    assert field_ends(field.shape) == ((1, 1, 1), (46, 30, 30))
    assert 0.1 < field.mean() < 0.3
    assert field[24, 16, 16]  # the largest asteroid is in the middle


def test_seed_decides():
    np.testing.assert_array_equal(asteroid_field(7), asteroid_field(seed=7))
    assert (asteroid_field(1) != asteroid_field(2)).any()


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.tuples(SIDE, SIDE, SIDE), st.integers(0, 120))
def test_ends_are_free_and_connected(seed, shape, asteroids):
    field = asteroid_field(seed, shape, asteroids)
    start, goal = field_ends(shape)
    assert field.shape == shape
    assert reaches(~field, start, goal)
    if not asteroids:
        assert not field.any()


def test_last_asteroids_are_removed_if_they_would_block_every_path():
    shape = (8, 8, 8)
    few, many = asteroid_field(3, shape, 20), asteroid_field(3, shape, 2000)
    assert few.any()
    assert many.any()
    assert not many.all()
    assert reaches(~many, *field_ends(shape))


def test_an_agent_flies_through():
    grid = nt.Grid(asteroid_field())
    start, goal = (grid.centre(cell) for cell in field_ends(grid.shape))
    path = nt.plan(grid, start, goal, "lazy-theta*", radius=0.4)
    assert path.found
    assert len(path.points) > 4  # it has to turn
    assert nt.verify(path, grid)


@pytest.mark.parametrize("shape", [(8, 8), (8, 8, 7), (8, 8, 8.0), (8, 8, 8, 8)])
def test_wrong_shape(shape):
    with pytest.raises(
        ValueError, match=r"shape is .*; expected three whole numbers of at least 8"
    ):
        asteroid_field(shape=shape)


@pytest.mark.parametrize("asteroids", [-1, 2.5])
def test_wrong_number(asteroids):
    with pytest.raises(ValueError, match=r"asteroids is .*; expected a whole number of at least 0"):
        asteroid_field(asteroids=asteroids)

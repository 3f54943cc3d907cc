"""Worlds made on the spot: something to fly through before one has a map."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Cell = tuple[int, ...]

_SMALLEST = 8  # cells a side; in less, the two corners that stay free would meet
_HARBOUR = 3.5  # this far from the ends, in cells, no asteroid reaches


def asteroid_field(
    seed: int = 1, shape: Sequence[int] = (48, 32, 32), asteroids: int = 58
) -> NDArray[np.bool_]:
    """A box of space with asteroids in it: balls of cells in random places, of random sizes.

    The two cells that `field_ends` names are free, and a way leads from one to the other.

    Parameters
    ----------
    seed : int
        The same seed makes the same field.
    shape : three ints
        Cells along x, y and z, at least 8 each.
    asteroids : int
        How many to scatter. Where they would close the way, the last ones are left out.

    Returns
    -------
    bool array
        Which cells are blocked, for `noctule.Grid`.

    Examples
    --------
    >>> field = asteroid_field(seed=1)
    >>> field.shape, bool((field == asteroid_field(seed=1)).all()), bool(field[1, 1, 1])
    ((48, 32, 32), True, False)
    """
    size = _checked(shape, asteroids)
    random = np.random.default_rng(seed)
    centres = random.uniform(0, size, (asteroids, 3))
    radii = random.uniform(1.5, 0.1 * min(size) + 1.0, asteroids)
    if asteroids:  # the largest lies right in the way
        centres[0], radii[0] = np.array(size) / 2, 0.3 * min(size)
    # Each cell remembers the first asteroid that covers it, so that any number of the last ones
    # can be taken away again.
    first = np.full(size, asteroids)
    places = np.indices(size).reshape(3, -1).T + 0.5
    for i in reversed(range(asteroids)):
        near = ((places - centres[i]) ** 2).sum(axis=1) < radii[i] ** 2
        first.reshape(-1)[near] = i
    for end in field_ends(size):
        near = ((places - np.array(end) - 0.5) ** 2).sum(axis=1) <= _HARBOUR**2
        first.reshape(-1)[near] = asteroids
    kept = asteroids
    while not _connected(first >= kept, *field_ends(size)):
        kept -= 1
    return first < kept


def field_ends(shape: Sequence[int]) -> tuple[Cell, Cell]:
    """Two cells at opposite corners of an asteroid field, where a flight may begin and end.

    >>> field_ends((48, 32, 32))
    ((1, 1, 1), (46, 30, 30))
    """
    return (1, 1, 1), tuple(n - 2 for n in shape)


def _checked(shape: Sequence[int], asteroids: int) -> tuple[int, int, int]:
    size = tuple(shape)
    whole = all(isinstance(n, int | np.integer) and n >= _SMALLEST for n in size)
    if len(size) != 3 or not whole:
        raise ValueError(f"shape is {shape!r}; expected three whole numbers from {_SMALLEST} on")
    if not isinstance(asteroids, int | np.integer) or asteroids < 0:
        raise ValueError(f"asteroids is {asteroids!r}; expected a whole number from 0 on")
    return int(size[0]), int(size[1]), int(size[2])


def _connected(free: NDArray[np.bool_], start: Cell, goal: Cell) -> bool:
    """Whether steps across faces lead from start to goal: room for any agent within a cell."""
    room = np.pad(free, 1)  # with a border, what is rolled over an end is lost
    inner = (slice(1, -1),) * free.ndim
    reached = np.zeros_like(room)
    reached[inner][start] = True
    while not reached[inner][goal]:
        before = reached.copy()
        for axis in range(free.ndim):
            reached |= np.roll(reached, 1, axis) | np.roll(reached, -1, axis)
            reached &= room
        if np.array_equal(reached, before):
            return False
    return True

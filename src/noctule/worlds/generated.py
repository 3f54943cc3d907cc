"""Seeded worlds: noise (C1), walls with holes (C2), boxes (C3), a cave (C4), buildings, asteroids.

Every goal can be reached from its start through faces of cells, so a path exists for every
neighbourhood. C1, C3 and C4 need SciPy (extra `peers`) for their connected components.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Cell = tuple[int, ...]
Pairs = list[tuple[Cell, Cell]]

MIN_SIDE = 8  # cells; shortest side of an asteroid field, so that its two free corners are apart
FREE_RADIUS = 3.5  # cells; radius of the free space around the ends of an asteroid field


class Case(NamedTuple):
    """A world, and the start and goal cells of the queries on it."""

    name: str
    blocked: NDArray[np.bool_]
    pairs: Pairs


def connected_parts(free: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the number of the connected component of each free cell; 0 for blocked cells."""
    try:
        from scipy.ndimage import label
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "the seeded cases need SciPy: pip install 'noctule[peers]'"
        ) from None
    parts: NDArray[np.int32] = label(free)[0]
    return parts


def reachable(blocked: NDArray[np.bool_], cell: Cell) -> NDArray[np.bool_]:
    """Return the cells that can be reached from `cell` through faces."""
    parts = connected_parts(~blocked)
    connected: NDArray[np.bool_] = parts == parts[cell]
    return connected


def noise(percent: int, n: int = 100, goals: int = 10, seed: int = 1) -> Case:
    """C1: cells blocked at random; queries from (0, 0, 0) to cells of the opposite face."""
    rng = np.random.default_rng([seed, percent])
    blocked = rng.random((n, n, n)) < percent / 100
    for cell in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)):
        blocked[cell] = False
    free = reachable(blocked, (0, 0, 0))
    pairs: Pairs = []
    while len(pairs) < goals:
        goal = (n - 1, *map(int, rng.integers(0, n, 2)))
        if free[goal]:
            pairs.append(((0, 0, 0), goal))
    return Case(f"C1-{percent}", blocked, pairs)


def walls(
    shape: tuple[int, int, int] = (64, 56, 16), spacing: int = 6, hole: int = 4, seed: int = 2
) -> Case:
    """C2: thin walls across x and y, each with some holes."""
    rng = np.random.default_rng(seed)
    nx, ny, nz = shape
    blocked = np.zeros(shape, bool)
    for x in range(spacing, nx - 2, spacing):
        blocked[x] = True
        for _ in range(2):
            j, k = rng.integers(0, ny - hole), rng.integers(0, nz - hole)
            blocked[x, j : j + hole, k : k + hole] = False
    for y in range(14, ny - 2, 14):
        wall = np.ones((nx, nz), bool)
        for _ in range(6):
            i, k = rng.integers(0, nx - hole), rng.integers(0, nz - hole)
            wall[i : i + hole, k : k + hole] = False
        for x in range(1, nx, spacing):  # one hole per compartment between the x walls
            k = rng.integers(0, nz - 2)
            wall[x : x + 2, k : k + 2] = False
        blocked[:, y, :] |= wall
    return Case("C2", blocked, [((0, 0, 0), (nx - 1, ny - 1, nz - 1))])


def boxes(n: int = 200, count: int = 200, pairs: int = 5, margin: int = 10, seed: int = 3) -> Case:
    """C3: boxes with sides of 10 to 40 cells; queries between regions at opposite corners."""
    rng = np.random.default_rng(seed)
    blocked = np.zeros((n, n, n), bool)
    for _ in range(count):
        size = rng.integers(10, 41, 3)
        low = rng.integers(0, n - size + 1)
        blocked[tuple(map(slice, low, low + size))] = True
    side = margin + 2
    blocked[:side, :side, :side] = blocked[-side:, -side:, -side:] = False
    free = reachable(blocked, (0, 0, 0))
    found: Pairs = [((0, 0, 0), (n - 1, n - 1, n - 1))]
    while len(found) < pairs:
        start = tuple(map(int, rng.integers(0, margin, 3)))
        goal = tuple(map(int, n - 1 - rng.integers(0, margin, 3)))
        if free[start] and free[goal]:
            found.append((start, goal))
    return Case("C3", blocked, found)


def cave(n: int = 256, blur: int = 4, pairs: int = 3, seed: int = 4) -> Case:
    """C4: blurred noise, thresholded at its median; only the largest component stays free."""
    rng = np.random.default_rng(seed)
    field = rng.integers(0, 256, (n, n, n)).astype(np.int64)
    for axis in (0, 1, 2) * 2:
        window = range(-blur, blur + 1)
        field = sum((np.roll(field, shift, axis) for shift in window), np.zeros_like(field))
    solid = field > np.partition(field.ravel(), field.size // 2)[field.size // 2]
    parts = connected_parts(~solid)
    free = parts == np.argmax(np.bincount(parts.ravel())[1:]) + 1
    edge = n // 10
    near = np.argwhere(free[:edge, :edge, :edge])
    far = np.argwhere(free[-edge:, -edge:, -edge:]) + n - edge
    found: Pairs = []
    for _ in range(pairs):
        start, goal = near[rng.integers(len(near))], far[rng.integers(len(far))]
        found.append((tuple(map(int, start)), tuple(map(int, goal))))
    return Case("C4", np.ascontiguousarray(~free), found)


CASES: dict[str, Callable[[], Case]] = {
    "C1-10": lambda: noise(10),
    "C1-20": lambda: noise(20),
    "C1-30": lambda: noise(30),
    "C2": walls,
    "C3": boxes,
    "C4": cave,
}


def building(size: int, room: int, floors: int, seed: int) -> NDArray[np.bool_]:
    """Return floors of square rooms: some walls have doors, every ceiling has one opening.

    Every room can be reached, but straight distances are a poor heuristic: the path to the room
    above may lead through half of the rooms of a floor.
    """
    rng = np.random.default_rng(seed)
    blocked = np.zeros((size, size, 8 * floors), np.bool_)
    blocked[room::room] = blocked[:, room::room] = blocked[:, :, 8::8] = True
    for floor in range(floors):
        z = slice(8 * floor + 1, 8 * floor + 5)
        for wall, other in itertools.product(range(room, size, room), range(0, size, room)):
            door, gap = other + rng.integers(3, room - 4, 2)
            blocked[door : door + 3, wall, z] = False
            if other == 0 or rng.random() < 0.3:
                blocked[wall, gap : gap + 3, z] = False
        x, y = rng.integers(0, size // room, 2) * room
        blocked[x + 3 : x + 7, y + 3 : y + 7, 8 * floor] = False
    return blocked


def asteroid_field(
    seed: int = 1, shape: Sequence[int] = (48, 32, 32), asteroids: int = 58
) -> NDArray[np.bool_]:
    """Return a box of space with asteroids: balls of cells with random positions and radii.

    The two cells of `field_ends` are free, and a path connects them.

    Parameters
    ----------
    seed : int
        The same seed makes the same field.
    shape : three ints
        Cells along x, y and z, at least 8 each.
    asteroids : int
        Their number. The last ones are removed if they would block every path.

    Returns
    -------
    bool array
        Whether each cell is blocked, for `noctule.Grid`.

    Examples
    --------
    >>> field = asteroid_field(seed=1)
    >>> field.shape, bool((field == asteroid_field(seed=1)).all()), bool(field[1, 1, 1])
    ((48, 32, 32), True, False)
    """
    size = tuple(shape)
    whole = all(isinstance(n, int | np.integer) and n >= MIN_SIDE for n in size)
    if len(size) != 3 or not whole:
        raise ValueError(f"shape is {shape!r}; expected three whole numbers of at least {MIN_SIDE}")
    if not isinstance(asteroids, int | np.integer) or asteroids < 0:
        raise ValueError(f"asteroids is {asteroids!r}; expected a whole number of at least 0")
    rng = np.random.default_rng(seed)
    centres = rng.uniform(0, size, (asteroids, 3))
    radii = rng.uniform(1.5, 0.1 * min(size) + 1.0, asteroids)
    if asteroids:  # the largest is in the middle
        centres[0], radii[0] = np.array(size) / 2, 0.3 * min(size)
    # The first asteroid that covers each cell, so that the last ones can be removed.
    first = np.full(size, asteroids)
    places = np.indices(size).reshape(3, -1).T + 0.5
    for i in reversed(range(asteroids)):
        near = ((places - centres[i]) ** 2).sum(axis=1) < radii[i] ** 2
        first.reshape(-1)[near] = i
    for end in field_ends(size):
        near = ((places - np.array(end) - 0.5) ** 2).sum(axis=1) <= FREE_RADIUS**2
        first.reshape(-1)[near] = asteroids
    kept = asteroids
    while not _connected(first >= kept, *field_ends(size)):
        kept -= 1
    return first < kept


def field_ends(shape: Sequence[int]) -> tuple[Cell, Cell]:
    """Return two cells at opposite corners of an asteroid field, for start and goal.

    >>> field_ends((48, 32, 32))
    ((1, 1, 1), (46, 30, 30))
    """
    return (1, 1, 1), tuple(n - 2 for n in shape)


def _connected(free: NDArray[np.bool_], start: Cell, goal: Cell) -> bool:
    """Whether a path through faces leads from start to goal."""
    padded = np.pad(free, 1)  # the border blocks moves that `np.roll` wraps around
    inner = (slice(1, -1),) * free.ndim
    reached = np.zeros_like(padded)
    reached[inner][start] = True
    while not reached[inner][goal]:
        before = reached.copy()
        for axis in range(free.ndim):
            reached |= np.roll(reached, 1, axis) | np.roll(reached, -1, axis)
            reached &= padded
        if np.array_equal(reached, before):
            return False
    return True

"""`Space`: the box of a world, which may move with something in it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from noctule.core.validation import positive
from noctule.worlds.geometry.rotations import Vector
from noctule.worlds.motions import as_vector
from noctule.worlds.resolution import resolution

STEADY = 8  # part of the cells of a window: so far what it follows may leave its middle


@dataclass(frozen=True)
class Space:
    """The box of the world, divided into cubic cells.

    Parameters
    ----------
    origin : 3 floats
        The low corner, in world units.
    cells : 3 ints
        Number of cells along each axis, at least 1.
    cell : float
        Edge length of a cell in world units, above 0.
    up : {"y", "z"}
        The axis that points up in pictures and in the viewer; planning does not depend on it.
    follow : function of time, or object with a `position`, optional
        What the space moves with, by whole cells: a window into an unbounded world.

    Attributes
    ----------
    resolution : float
        Distance in cells below which two positions count as equal.

    Examples
    --------
    >>> import noctule as nt
    >>> nt.Space(origin=(0, 0, 0), cells=(40, 20, 10), cell=0.5).high
    (20.0, 10.0, 5.0)
    >>> window = nt.Space((0, 0, 0), (40, 40, 40), follow=lambda t: (100 * t, 20, 20))
    >>> window.following(1.0).origin
    (80.0, 0.0, 0.0)
    """

    origin: Vector
    cells: tuple[int, int, int]
    cell: float = 1.0
    up: Literal["y", "z"] = field(default="y", repr=False, compare=False)
    follow: Any = field(default=None, compare=False)
    _first: Vector | None = field(init=False, default=None, repr=False, compare=False)  # origin
    resolution: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "origin", as_vector("origin", self.origin))
        positive("cell", self.cell)
        if self.up not in ("y", "z"):
            raise ValueError(f"up is {self.up!r}; allowed are 'y' and 'z'")
        cells = tuple(self.cells)
        if len(cells) != 3 or not all(isinstance(n, int) and n > 0 for n in cells):
            raise ValueError(f"cells are {self.cells!r}; expected 3 whole numbers above 0")
        object.__setattr__(self, "resolution", resolution(self.origin, cells, self.cell))
        if not (self.follow is None or callable(self.follow) or hasattr(self.follow, "position")):
            raise ValueError(
                f"follow is {self.follow!r}; expected a function of time, or an object with a "
                f"position, such as a noctule.Body"
            )

    @property
    def high(self) -> Vector:
        """The high corner, in world units."""
        x, y, z = (o + n * self.cell for o, n in zip(self.origin, self.cells, strict=True))
        return (x, y, z)

    def following(self, t: float) -> Space:
        """Return the space as it follows its centre: this one while the centre is near its middle.

        Parameters
        ----------
        t : float
            Time in seconds.

        Returns
        -------
        Space
            The same cells, shifted by whole cells.
        """
        if self.follow is None:
            return self
        centre = self.follow(t) if callable(self.follow) else self.follow.position
        middle = [(low + high) / 2 for low, high in zip(self.origin, self.high, strict=True)]
        apart = zip(as_vector("follow", centre), middle, strict=True)
        shift = [round((p - q) / self.cell) for p, q in apart]
        if max(map(abs, shift)) <= max(1, min(self.cells) // STEADY):
            return self
        first = self.origin if self._first is None else self._first
        moved = zip(first, self.origin, shift, strict=True)
        x, y, z = (
            low + (round((now - low) / self.cell) + by) * self.cell for low, now, by in moved
        )
        space = replace(self, origin=(x, y, z))
        object.__setattr__(space, "_first", first)
        return space

    def inside(self, point: Vector, radius: float) -> Vector:
        """Return the nearest position to a point at which a ball of this radius fits in.

        Parameters
        ----------
        point : 3 floats
            A point in world units.
        radius : float
            Radius of the ball in world units.

        Returns
        -------
        3 floats
            The position of its centre.

        Examples
        --------
        >>> import noctule as nt
        >>> space = nt.Space((0, 0, 0), (8, 8, 8))
        >>> [round(x, 6) for x in space.inside((9, 4, 0), radius=0.5)]
        [7.5, 4, 0.5]
        """
        r = radius + 0.5 * self.resolution * self.cell
        axes = zip(self.origin, point, self.high, strict=True)
        x, y, z = (min(max(v, low + r), high - r) for low, v, high in axes)
        return (x, y, z)

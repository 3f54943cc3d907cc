"""`Corridor`: the path that an agent flies along, and where it is on it."""

import math
from collections.abc import Iterable

Point = tuple[float, float, float]


class Corridor:
    """A polyline that is flown from its first point on.

    >>> corridor = Corridor([(0, 0, 0), (2, 0, 0), (2, 3, 0)])
    >>> corridor.ahead(2.5)
    [(2.0, 0.0, 0.0), (2.0, 0.5, 0.0)]
    >>> corridor.fly(2.5)
    >>> corridor.position, corridor.ahead(9.0)
    ((2.0, 0.5, 0.0), [(2.0, 3.0, 0.0)])
    """

    def __init__(self, points: Iterable[Iterable[float]]) -> None:
        first, *rest = [_point(point) for point in points]
        self.position: Point = first
        self._rest = rest[::-1]  # the next corner last, so that it can be popped

    @property
    def rest(self) -> list[Point]:
        """What is left to fly, the position first."""
        return [self.position, *self._rest[::-1]]

    def ahead(self, distance: float) -> list[Point]:
        """The corners passed while flying so far, and where one is then; empty at the end."""
        return self._walk(distance)[0]

    def corner_after(self, distance: float) -> Point | None:
        """The first corner that is not passed while flying so far, if there is one."""
        _, corners = self._walk(distance)
        return self._rest[-1 - corners] if corners < len(self._rest) else None

    def fly(self, distance: float) -> None:
        """Go on by a distance, or to the end."""
        passed, corners = self._walk(distance)
        del self._rest[len(self._rest) - corners :]
        self.position = passed[-1] if passed else self.position

    def _walk(self, distance: float) -> tuple[list[Point], int]:
        """The points on the way, and how many corners of the polyline lie behind then."""
        here: Point = self.position
        passed: list[Point] = []
        for corners, corner in enumerate(reversed(self._rest)):
            leg = math.dist(here, corner)
            if leg > distance:
                part = distance / leg
                x, y, z = (p + part * (q - p) for p, q in zip(here, corner, strict=True))
                return [*passed, (x, y, z)] if distance > 0 else passed, corners
            distance -= leg
            passed += [corner] if leg > 0 else []
            here = corner
        return passed, len(self._rest)


def _point(values: Iterable[float]) -> Point:
    x, y, z = map(float, values)
    return (x, y, z)

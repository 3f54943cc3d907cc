"""`Corridor`: the path that an agent flies along, and where it is on it."""

import itertools
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

    def lasting(self, distance: float) -> list[float] | None:
        """How long each piece of the way ahead takes; None where that is its length."""
        return None

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


class TimedCorridor(Corridor):
    """A path in time, which waits where the path waits.

    What would be flown in the time of a wait at full speed counts as a distance, too: so it is
    walked like any other corridor.

    >>> corridor = TimedCorridor([(0, 0, 0), (2, 0, 0), (2, 0, 0), (2, 3, 0)], [5, 6, 8, 9], 3.0)
    >>> corridor.fly(6.0)
    >>> corridor.position, corridor.ahead(4.5), corridor.lasting(4.5)
    ((2.0, 0.0, 0.0), [(2.0, 0.0, 0.0), (2.0, 1.5, 0.0)], [3.0, 1.5])
    """

    def __init__(
        self, points: Iterable[Iterable[float]], times: Iterable[float], speed: float
    ) -> None:
        super().__init__(points)
        moments = list(times)
        self._marks = [speed * (t - moments[0]) for t in moments[:0:-1]]
        self._flown = 0.0

    def lasting(self, distance: float) -> list[float]:
        """How long, in distance at full speed, each piece of the way ahead takes."""
        end = self._flown + distance
        ends = [mark for mark in reversed(self._marks) if mark <= end]
        if not ends or ends[-1] < end:
            ends.append(end)
        return [b - a for a, b in itertools.pairwise([self._flown, *ends])]

    def fly(self, distance: float) -> None:
        """Go on in time by that of a distance at full speed."""
        super().fly(distance)
        self._flown += distance
        del self._marks[len(self._rest) :]

    def _walk(self, distance: float) -> tuple[list[Point], int]:
        end = self._flown + distance
        here, since = self.position, self._flown
        passed: list[Point] = []
        for corners, corner in enumerate(reversed(self._rest)):
            mark = self._marks[len(self._rest) - 1 - corners]
            if mark > end:
                part = (end - since) / (mark - since)
                x, y, z = (p + part * (q - p) for p, q in zip(here, corner, strict=True))
                return [*passed, (x, y, z)] if end > since else passed, corners
            passed.append(corner)
            here, since = corner, mark
        return [*passed, here] if end > since else passed, len(self._rest)


def _point(values: Iterable[float]) -> Point:
    x, y, z = map(float, values)
    return (x, y, z)

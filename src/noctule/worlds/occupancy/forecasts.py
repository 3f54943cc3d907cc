"""Forecasts of bodies whose future is not a function of time: gates, and placed bodies."""

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from noctule.worlds.bodies import Body
from noctule.worlds.geometry.rotations import Vector
from noctule.worlds.motions import Blink, Pose
from noctule.worlds.scene import Space

# Seconds. A gate comes or goes in the first frame after its time, if no agent is near it then.
EARLY, LATE = 0.02, 0.05

Spans = list[tuple[float, float]]


class GateForecast:
    """When a gate is expected to be present, and when its hold box must be empty for that.

    Waiting in the hold box of a gate that is there keeps it there for ever, so nobody should be in
    it when the gate is to go. While the agent is inside, a gate that is not there will not come (it
    is not expected that the agent leaves, and comes back through it, in the same plan); and one
    that is overdue to go is expected to do so when the agent has had the time to leave.
    """

    def __init__(self, body: Body, cells: NDArray[np.int64], space: Space) -> None:
        self.body, self.cells = body, cells
        self.hold_cells = grid_numbers(space, self.hold_box)
        # Whoever flies through the gate is in its hold box all the while.
        self._is_enclosed = bool(np.isin(cells, self.hold_cells).all())
        self.present: Spans = []
        self.held: Spans = []
        self._looked_at: tuple[object, ...] = ()  # what the last look went by

    @property
    def hold_box(self) -> tuple[Vector, Vector]:
        """Low and high corner of the box in which an agent holds the gate."""
        assert isinstance(self.body.motion, Blink)
        box = self.body.motion.hold_box
        return box if box is not None else ((0.0,) * 3, (0.0,) * 3)

    def look(self, now: float, until: float, agent: Vector | None, speed: float) -> bool:
        """Expect what will be from `now` on, with the agent there; whether that is something new.

        It is not if nothing has happened since the last look, and the agent is inside neither time.
        """
        body, gate = self.body, self.body.motion
        assert isinstance(gate, Blink)
        inside = agent if agent is not None and gate.holds(agent) else None
        looked_at = now, until, body.present, body.toggles_at, inside, speed
        if looked_at == self._looked_at:
            return False
        self._looked_at = looked_at
        self.present, self.held = [], []
        if inside is None or body.present or not self._is_enclosed:
            self._expect(gate, now, until, inside, speed)
        return True

    def _expect(
        self, gate: Blink, now: float, until: float, inside: Vector | None, speed: float
    ) -> None:
        """Write down when it will be there, and be held, with an agent inside its box or none."""
        earliest = toggle = max(self.body.toggles_at, now)
        if inside is not None and self.body.present:
            toggle = max(toggle, now + self._time_to_leave(inside, speed))
        toggles = max(0, math.ceil((until - toggle) / gate.half_period))
        moments = [now, *(toggle + k * gate.half_period for k in range(toggles)), until]
        there = self.body.present
        for a, b in pairwise(moments):
            if there:  # how long the agent holds it is not known: it may come earlier than that
                sooner = a - (toggle - earliest) if a > now else a
                self.present.append((sooner, b + LATE))
            there = not there
        if gate.hold_box is not None:
            changes = moments[1:-1]
            goes = changes[0 if self.body.present else 1 :: 2]
            # If it comes later than expected it goes later, too: that counts until it last goes.
            self.held = [(t - EARLY, t + LATE) for t in changes if goes and t <= goes[-1]]

    def deviates_from_forecast(self, now: float) -> bool:
        """Whether the gate is there or not against what was expected."""
        likely = any(a <= now <= b for a, b in self.present)
        surely = any(a + LATE <= now <= b - 2 * LATE for a, b in self.present)
        return surely if not self.body.present else not likely

    def _time_to_leave(self, agent: Vector, speed: float) -> float:
        """Return twice the time that leaving the hold box takes at least, plus half a second."""
        low, high = self.hold_box
        gaps = zip(low, agent, high, strict=True)
        return 2.0 * min(min(v - a, b - v) for a, v, b in gaps) / speed + 0.5


class Track:
    """A body moved by `place`: expected to continue with its velocity between two placements."""

    def __init__(self, body: Body, now: float) -> None:
        self.body, self.placed = body, False
        self._row, self._time, self._velocity = body.row, now, (0.0, 0.0, 0.0)

    def observe(self, now: float) -> None:
        """Update velocity and pose from where the body is now."""
        since = now - self._time
        if self.body.row == self._row:
            if since > 0.5 or since < 0.0:  # not moved for a while: it stands
                self._velocity = (0.0, 0.0, 0.0)
            return
        stood, self.placed = not self.placed, True
        self._velocity = (0.0, 0.0, 0.0)
        if 0.0 < since <= 2.0 and not stood:  # what stood there for ever was put somewhere else
            vx, vy, vz = (
                (b - a) / since for a, b in zip(self._row, self.body.row[:3], strict=False)
            )
            self._velocity = (vx, vy, vz)
        self._row, self._time = self.body.row, now

    def pose(self, t: float) -> Pose:
        """Return the expected pose."""
        ahead = t - self._time
        x, y, z = (p + ahead * v for p, v in zip(self._row, self._velocity, strict=False))
        _, _, _, qx, qy, qz, qw, _ = self._row
        return (x, y, z), (qx, qy, qz, qw)

    def deviates_from_forecast(self, now: float, near: float) -> bool:
        """Whether it is farther than `near` from where it was expected."""
        if not self.placed:  # a wall
            return self.body.row != self._row
        return math.dist(self.body.row[:3], self.pose(now)[0]) > near


def grid_numbers(space: Space, box: tuple[Vector, Vector]) -> NDArray[np.int64]:
    """Return the cells that a box meets, numbered as in a grid with a border of one cell."""
    ranges = []
    for low, high, origin, n in zip(*box, space.origin, space.cells, strict=True):
        first = max(math.floor((low - origin) / space.cell + space.resolution), 0)
        end = min(math.ceil((high - origin) / space.cell - space.resolution), n)
        ranges.append(np.arange(first, max(end, first)) + 1)
    _, ny, nz = (n + 2 for n in space.cells)
    x, y, z = np.meshgrid(*ranges, indexing="ij")
    return ((x * ny + y) * nz + z).reshape(-1)

"""Forecasts of bodies whose motion is not a function of time: gates, and placed bodies."""

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from noctule.worlds.bodies import Body
from noctule.worlds.geometry.rotations import Vector
from noctule.worlds.motions import Blink, Pose
from noctule.worlds.space import Space

# Seconds. A gate toggles in the first frame after its time if no agent is in its hold box.
EARLY, LATE = 0.02, 0.05

Spans = list[tuple[float, float]]


class GateForecast:
    """Forecast of the time spans in which a gate is present, and must have an empty hold box.

    An agent in the hold box of a present gate keeps it present, so the box must be empty when the
    gate should disappear. While the agent is in the box, an absent gate is expected to stay absent;
    a present gate that is overdue is expected to disappear once the agent had time to leave.
    """

    def __init__(self, body: Body, cells: NDArray[np.int64], space: Space) -> None:
        self.body, self.cells = body, cells
        self.hold_cells = cells_of_box(space, self.hold_box)
        # If so, an agent that flies through the gate is in its hold box all the time.
        self._is_enclosed = bool(np.isin(cells, self.hold_cells).all())
        self.present: Spans = []
        self.held: Spans = []
        self._inputs: tuple[object, ...] = ()  # of the last update

    @property
    def hold_box(self) -> tuple[Vector, Vector]:
        """Low and high corner of the box in which an agent holds the gate, in world units."""
        assert isinstance(self.body.motion, Blink)
        box = self.body.motion.hold_box
        return box if box is not None else ((0.0,) * 3, (0.0,) * 3)

    def update(self, now: float, until: float, agent: Vector | None, speed: float) -> bool:
        """Update the forecast for the time from `now` to `until`; return whether it changed."""
        body, gate = self.body, self.body.motion
        assert isinstance(gate, Blink)
        inside = agent if agent is not None and gate.holds(agent) else None
        inputs = now, until, body.present, body.toggles_at, inside, speed
        if inputs == self._inputs:
            return False
        self._inputs = inputs
        self.present, self.held = [], []
        if inside is None or body.present or not self._is_enclosed:
            self._predict(gate, now, until, inside, speed)
        return True

    def _predict(
        self, gate: Blink, now: float, until: float, inside: Vector | None, speed: float
    ) -> None:
        """Set `present` and `held`; `inside` is the agent if it is in the hold box."""
        earliest = toggle = max(self.body.toggles_at, now)
        if inside is not None and self.body.present:
            toggle = max(toggle, now + self._time_to_leave(inside, speed))
        toggles = max(0, math.ceil((until - toggle) / gate.half_period))
        moments = [now, *(toggle + k * gate.half_period for k in range(toggles)), until]
        present = self.body.present
        for a, b in pairwise(moments):
            if present:  # the agent may hold it for a shorter time: it may appear earlier
                sooner = a - (toggle - earliest) if a > now else a
                self.present.append((sooner, b + LATE))
            present = not present
        if gate.hold_box is not None:
            changes = moments[1:-1]
            ends = changes[0 if self.body.present else 1 :: 2]
            # A late appearance delays the next disappearance, so all changes up to the last
            # disappearance count.
            self.held = [(t - EARLY, t + LATE) for t in changes if ends and t <= ends[-1]]

    def deviates_from_forecast(self, now: float) -> bool:
        """Whether the gate is present or absent against its forecast."""
        possible = any(a <= now <= b for a, b in self.present)
        certain = any(a + LATE <= now <= b - 2 * LATE for a, b in self.present)
        return certain if not self.body.present else not possible

    def _time_to_leave(self, agent: Vector, speed: float) -> float:
        """Return twice the shortest time to leave the hold box, plus half a second."""
        low, high = self.hold_box
        gaps = zip(low, agent, high, strict=True)
        return 2.0 * min(min(v - a, b - v) for a, v, b in gaps) / speed + 0.5


class Track:
    """A body moved by `place`, extrapolated with the velocity of its last two placements."""

    def __init__(self, body: Body, now: float) -> None:
        self.body, self.placed = body, False
        self._row, self._time, self._velocity = body.row, now, (0.0, 0.0, 0.0)

    def observe(self, now: float) -> None:
        """Update velocity and pose from the current pose of the body."""
        since = now - self._time
        if self.body.row == self._row:
            if since > 0.5 or since < 0.0:  # not moved for half a second: it rests
                self._velocity = (0.0, 0.0, 0.0)
            return
        first, self.placed = not self.placed, True
        self._velocity = (0.0, 0.0, 0.0)
        if 0.0 < since <= 2.0 and not first:  # the first placement gives no velocity
            vx, vy, vz = (
                (b - a) / since for a, b in zip(self._row, self.body.row[:3], strict=False)
            )
            self._velocity = (vx, vy, vz)
        self._row, self._time = self.body.row, now

    def pose(self, t: float) -> Pose:
        """Return the expected pose at time `t`."""
        ahead = t - self._time
        x, y, z = (p + ahead * v for p, v in zip(self._row, self._velocity, strict=False))
        _, _, _, qx, qy, qz, qw, _ = self._row
        return (x, y, z), (qx, qy, qz, qw)

    def deviates_from_forecast(self, now: float, near: float) -> bool:
        """Whether it is farther than `near` (world units) from its expected position."""
        if not self.placed:  # expected to stay
            return self.body.row != self._row
        return math.dist(self.body.row[:3], self.pose(now)[0]) > near


def cells_of_box(space: Space, box: tuple[Vector, Vector]) -> NDArray[np.int64]:
    """Return the numbers of the cells that a box meets, in a grid with a border of one cell."""
    ranges = []
    for low, high, origin, n in zip(*box, space.origin, space.cells, strict=True):
        first = max(math.floor((low - origin) / space.cell + space.resolution), 0)
        end = min(math.ceil((high - origin) / space.cell - space.resolution), n)
        ranges.append(np.arange(first, max(end, first)) + 1)
    _, ny, nz = (n + 2 for n in space.cells)
    x, y, z = np.meshgrid(*ranges, indexing="ij")
    return ((x * ny + y) * nz + z).reshape(-1)

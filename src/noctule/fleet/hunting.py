"""`Hunt`: where each of several hunters of one target is to fly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from noctule.fleet.agents import FleetAgent, Goal, place_of
from noctule.flight.corridor import Point
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.path import Path, polyline_length
from noctule.planning.distance_field import DistanceField

Tactic = Literal["chase", "intercept", "surround"]

FORESIGHT = 4.0  # seconds; a target is not expected to keep its velocity for longer
WIDEST = 8.0  # world units around a target, at which hunters surround it
CLOSER = 0.6  # of the distance of the farthest hunter: how far from the target the others wait
AFRESH = 0.5  # seconds from one shared field to the next for a target that moves
PART = 4000  # expansions of a shared field in a step, at most


class Hunt:
    """Several hunters of one target.

    Parameters
    ----------
    agents : sequence of FleetAgent
        The hunters.
    target : point, function of time, FleetAgent or Body
        What they hunt.
    tactic : "chase", "intercept" or "surround"
        Fly to where the target is, to where they can meet it, or come from all sides.
    """

    def __init__(self, agents: Sequence[FleetAgent], target: Goal, tactic: Tactic) -> None:
        if tactic not in get_args(Tactic):
            allowed = ", ".join(map(repr, get_args(Tactic)))
            raise ValueError(f"tactic is {tactic!r}; allowed are {allowed}")
        self.agents, self.target, self.tactic = list(agents), target, tactic
        self.field: SharedField | None = None
        self._seen: tuple[float, Point] | None = None
        self._velocity: Point = (0.0, 0.0, 0.0)
        self._slots: dict[int, Point] = {}

    def look(self, now: float) -> None:
        """Find out where the target is and how it moves; once a frame."""
        place = place_of(self.target, now)
        if self._seen is not None and now > self._seen[0]:
            then, before = self._seen
            vx, vy, vz = ((b - a) / (now - then) for a, b in zip(before, place, strict=True))
            self._velocity = (vx, vy, vz)
        self._seen = now, place
        if self.tactic == "surround":
            self._take_sides(place)

    def update_field(self, now: float) -> None:
        """Go on with the shared field, if there is one."""
        if self.field is not None and self._seen is not None:
            positions = [hunter.position for hunter in self.agents]
            self.field.update(now, self._seen[1], positions)

    def place_for(self, agent: FleetAgent) -> Point:
        """Return where a hunter is to fly."""
        assert self._seen is not None
        place = self._seen[1]
        if self.tactic == "chase":
            return place
        t = meeting_time(agent.position, agent.speed, place, self._velocity)
        x, y, z = (p + t * v for p, v in zip(place, self._velocity, strict=True))
        if self.tactic == "intercept":
            return (x, y, z)
        farthest = max(math.dist(hunter.position, place) for hunter in self.agents)
        radius = min(WIDEST, CLOSER * farthest)
        if radius < 4.0 * agent.radius:  # all of them are near: catch it
            return (x, y, z)
        a, b, c = self._slots[agent.number]
        return (x + radius * a, y + radius * b, z + radius * c)

    def _take_sides(self, place: Point) -> None:
        """Give each hunter a side: those of the sphere go to the hunters that are nearest."""
        numbers = [hunter.number for hunter in self.agents]
        if sorted(numbers) == sorted(self._slots):
            return
        ways = np.array([hunter.position for hunter in self.agents]) - place
        ways /= np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-9)
        sides = spread_over_sphere(len(numbers))
        nearness = ways @ sides.T
        self._slots = {}
        for _ in numbers:
            i, j = np.unravel_index(np.argmax(nearness), nearness.shape)
            x, y, z = sides[j].tolist()
            self._slots[numbers[int(i)]] = (x, y, z)
            nearness[i, :] = nearness[:, j] = -np.inf


class SharedField:
    """One distance field for all hunters of a target, which is computed over several steps.

    While a target moves, its field is made from scratch now and then; until the new one is ready,
    hunters follow the old one.
    """

    def __init__(self, graph: CellGrid, radius: float) -> None:
        self._graph, self._radius = graph, radius
        self._ready: DistanceField | None = None
        self._next: DistanceField | None = None
        self._since = -math.inf
        self.is_ready = False

    def update(self, now: float, target: Point, hunters: Sequence[Point]) -> None:
        """Go on with the field, as far as the hunters are."""
        if self._ready is None:
            self._ready = DistanceField(self._graph, target, self._radius, lazy=True)
            self._next = DistanceField(self._graph, target, self._radius, lazy=True)
        assert self._next is not None
        if now - self._since >= AFRESH and not np.array_equal(self._next.goals[0], target):
            self._next.goals, self._since = target, now
        if self._next.update(until=hunters, limit=PART):
            self._ready, self._next = self._next, self._ready
            self.is_ready = True

    def path(self, agent: Point) -> Path | None:
        """Return the path of a hunter, if it is known."""
        corners = self._ready.path(agent) if self._ready is not None and self.is_ready else None
        if corners is None:
            return None
        return Path(
            True,
            corners,
            np.empty((0, 3), np.int64),
            polyline_length(corners),
            0,
            0,
            0,
            0.0,
            math.inf,
            "",
            "distance field",
            self._radius,
        )


def meeting_time(p: Point, speed: float, place: Point, velocity: Point) -> float:
    """Return when an agent can first meet a target that keeps its velocity; at most `FORESIGHT`.

    For a target that cannot be met, the time in which the agent would get to where it is.
    """
    apart = [b - a for a, b in zip(p, place, strict=True)]
    far = math.hypot(*apart)
    a = sum(v * v for v in velocity) - speed * speed
    b = sum(d * v for d, v in zip(apart, velocity, strict=True))
    t = far / speed
    if abs(a) < 1e-12:
        t = -far * far / (2.0 * b) if b < 0.0 else t
    elif b * b - a * far * far >= 0.0:
        root = math.sqrt(b * b - a * far * far)
        times = [s for s in ((-b - root) / a, (-b + root) / a) if s > 0.0]
        t = min(times, default=t)
    return min(t, FORESIGHT)


def spread_over_sphere(n: int) -> NDArray[np.float64]:
    """Return n directions that are spread evenly."""
    k = np.arange(n) + 0.5
    z, turn = 1.0 - 2.0 * k / n, math.pi * (1.0 + math.sqrt(5.0)) * k
    flat = np.sqrt(1.0 - z * z)
    return np.column_stack((flat * np.cos(turn), flat * np.sin(turn), z))
